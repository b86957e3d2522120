/** What can be seen of work before it ends. */
import { trace } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import { msOf, traced, type Traced } from './traced.js';

function launched(options: Parameters<typeof traced>[0] = {}): Traced {
  const it = traced(options);
  it.opens();
  it.clock.advance(100);
  it.client.requests('session/prompt', { sessionId: 's', prompt: [] });
  it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c1', name: 'Bash', status: 'pending' });
  it.clock.advance(50);
  it.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 't1', taskType: 'shell', canStop: true, toolCallId: 'c1', description: 'secret words', outputFilePath: '/secret' });
  return it;
}

/** Ended spans as `name start..end`, marked where they announce another. */
const ended = (it: Traced): string[] =>
  it.spans().map((span) => `${span.name} ${msOf(span.startTime)}..${msOf(span.endTime)}${span.attributes['acp.pending'] === true ? ' pending' : ''}`);

describe('the start record', () => {
  test('of a background item names it, in the context of its span', () => {
    const it = launched();
    expect(it.logs).toHaveLength(1);
    const [record] = it.logs;
    expect(record).toMatchObject({
      eventName: 'acp.background.started',
      attributes: {
        'acp.background.id': 't1', 'acp.background.type': 'terminal', 'acp.background.task_type': 'shell', 'acp.background.can_stop': true,
        'gen_ai.tool.call.id': 'c1', 'gen_ai.conversation.id': 's', 'session.id': 's',
      },
    });
    expect(msOf(record?.timestamp as [number, number])).toBe(150);
    expect(JSON.stringify(record?.attributes)).not.toContain('secret');
    it.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: 't1', state: 'completed' });
    it.clock.advance(300);
    expect(record?.context && trace.getSpanContext(record.context)?.spanId).toBe(it.span('background shell').spanContext().spanId);
  });

  test('of a subagent comes when it goes on in the background', () => {
    const it = traced();
    it.opens({ protocol: 2, extension: false });
    const child = { sessionUpdate: 'subagent_update', sessionId: 'a', state: { state: 'running', background: [] } };
    it.client.requests('session/prompt', { sessionId: 's', prompt: [] });
    it.updates({ sessionUpdate: 'state_update', state: 'running', background: [] });
    it.updates(child);
    it.clock.advance(300);
    expect(it.logs).toEqual([]);
    it.updates({ sessionUpdate: 'state_update', state: 'running', background: [{ type: 'subagent', sessionId: 'a' }] });
    expect(it.logs.map(({ attributes }) => attributes?.['acp.background.id'])).toEqual(['a']);
  });
});

describe('pending spans', () => {
  test('have no length, and are children of what they announce', () => {
    const it = launched({ pendingSpans: true });
    expect(ended(it)).toEqual(['invoke_agent agent-x 100..100 pending', 'execute_tool Bash 100..100 pending', 'background shell 150..150 pending']);
    const pending = [...it.spans()];
    it.client.sends({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's' } });
    it.agent.answers(1, { stopReason: 'cancelled' });
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
    it.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: 't1', state: 'completed' });
    it.clock.advance(300);
    const real = it.spans().filter((span) => span.attributes['acp.pending'] !== true);
    expect(pending.map(({ name, parentSpanContext }) => [name, parentSpanContext?.spanId])).toEqual(
      pending.map(({ name }) => [name, real.find((span) => span.name === name)?.spanContext().spanId]));
    expect(pending.map(({ attributes }) => attributes['acp.pending.parent_span_id'])).toEqual(
      pending.map(({ name }) => real.find((span) => span.name === name)?.parentSpanContext?.spanId));
  });

  test('are not made unless asked for', () => expect(ended(launched())).toEqual([]));
});
