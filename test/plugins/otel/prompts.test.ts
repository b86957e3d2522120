import { describe, expect, test } from 'vitest';
import { traced, type Traced } from './traced.js';
import { TRACEPARENT, ends, launches, prompts } from './talk.js';

describe('prompts', () => {
  test('one that is refused is an error, by its code only', () => {
    const it = traced();
    it.opens();
    const id = prompts(it);
    it.agent.refuses(id, { code: -32000, message: 'secret message' });
    expect(it.tree()).toEqual(['invoke_agent agent-x 100..100 [ERROR -32000]']);
    expect(it.span('invoke_agent agent-x').status).toEqual({ code: 2 });
  });

  test('one that is cancelled before it starts is no error', () => {
    const it = traced();
    it.opens();
    const id = prompts(it);
    it.client.notifies('session/cancel', { sessionId: 's' });
    it.agent.refuses(id, { code: -32800, message: 'Request cancelled' });
    expect(it.tree()).toEqual(['invoke_agent agent-x 100..100 [cancelled] [cancel_requested]']);
  });

  test('two at once: a call belongs to the newer', () => {
    const it = traced();
    it.opens();
    const first = prompts(it);
    const second = prompts(it);
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c1', name: 'Read', status: 'completed' });
    it.agent.answers(second, { stopReason: 'end_turn' });
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c2', name: 'Write', status: 'failed' });
    it.agent.answers(first, { stopReason: 'end_turn' });
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 100..200 [end_turn]',
      '  execute_tool Write 200..200 [failed] [ERROR failed]',
      'invoke_agent agent-x 200..200 [end_turn]',
      '  execute_tool Read 200..200 [completed]',
    ]);
  });

  test('two with one id are answered first in, first out', () => {
    const it = traced();
    it.opens();
    for (let i = 0; i < 2; i++) {
      it.client.sends({ jsonrpc: '2.0', id: 7, method: 'session/prompt', params: { sessionId: 's', prompt: [] } });
      it.clock.advance(10);
    }
    it.agent.answers(7, { stopReason: 'end_turn' });
    it.agent.answers(7, { stopReason: 'max_tokens' });
    expect(it.tree()).toEqual(['invoke_agent agent-x 0..20 [end_turn]', 'invoke_agent agent-x 10..20 [max_tokens]']);
  });

  test('the client\'s trace context is the parent', () => {
    const it = traced();
    it.opens();
    it.agent.answers(prompts(it, { traceparent: TRACEPARENT, tracestate: 'vendor=1' }), { stopReason: 'end_turn' });
    const span = it.span('invoke_agent agent-x');
    expect(span.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(span.parentSpanContext).toMatchObject({ spanId: 'b7ad6b7169203331', isRemote: true });
    expect(span.spanContext().traceState?.serialize()).toBe('vendor=1');
  });

  test.each([
    ['zero trace id', '00-00000000000000000000000000000000-b7ad6b7169203331-01'],
    ['zero span id', '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01'],
    ['forbidden version', 'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    ['capitals', TRACEPARENT.toUpperCase()],
    ['too short', '00-0af7651916cd43dd-b7ad6b7169203331-01'],
    ['trailing part', `${TRACEPARENT}-extra`],
    ['not a string', 17],
    ['null', null],
  ])('a trace context that is invalid (%s) is ignored', (_what, traceparent) => {
    const it = traced();
    it.opens();
    it.agent.answers(prompts(it, { traceparent }), { stopReason: 'end_turn' });
    expect(it.span('invoke_agent agent-x').parentSpanContext).toBeUndefined();
    expect(it.log).toEqual([]);
  });

  test('the parent says that it is not sampled: nothing is recorded', () => {
    const it = traced();
    it.opens();
    const id = prompts(it, { traceparent: TRACEPARENT.replace(/01$/, '00') });
    launches(it);
    it.agent.answers(id, { stopReason: 'end_turn' });
    ends(it, 'completed');
    it.clock.advance(300);
    expect(it.tree()).toEqual([]);
  });
});

describe('permissions', () => {
  const ask = (it: Traced, params: object): number => it.agent.requests('session/request_permission', { sessionId: 's', options: [{ optionId: 'no', name: 'secret', kind: 'reject_once' }], ...params });

  test('a wait is a span under its call', () => {
    const it = traced();
    it.opens();
    const id = prompts(it);
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c1', name: 'Bash', status: 'pending' });
    const asked = ask(it, { toolCall: { toolCallId: 'c1', title: 'secret' } });
    it.clock.advance(500);
    it.client.answers(asked, { outcome: { outcome: 'selected', optionId: 'no' } });
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'failed' });
    it.agent.answers(id, { stopReason: 'end_turn' });
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 100..600 [end_turn]',
      '  execute_tool Bash 100..600 [failed] [ERROR failed]',
      '    session/request_permission 100..600',
    ]);
    expect(it.span('session/request_permission').attributes).toEqual({
      'rpc.system.name': 'jsonrpc',
      'rpc.method': 'session/request_permission',
      'network.transport': 'pipe',
      'jsonrpc.request.id': String(asked),
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.conversation.id': 's',
      'session.id': 's',
      'acp.permission.outcome': 'selected',
      'acp.permission.option_kind': 'reject_once',
    });
  });

  test('in v2 the subject names the call; an error ends it as one', () => {
    const it = traced();
    it.opens({ protocol: 2 });
    it.agent.answers(prompts(it), { messageId: 'm' });
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', name: 'Bash', status: 'pending' });
    it.client.refuses(ask(it, { subject: { type: 'tool_call', toolCall: { toolCallId: 'c1' } } }), { code: -32800, message: 'x' });
    it.client.refuses(ask(it, { subject: { type: 'command', command: 'secret', toolCallId: 'c2' } }), { code: -32603, message: 'x' });
    finishes(it);
    const waits = it.spans().filter(({ name }) => name === 'session/request_permission');
    const parents = waits.map(({ parentSpanContext }) => it.spans().find((span) => span.spanContext().spanId === parentSpanContext?.spanId)?.name);
    expect(parents).toEqual(['execute_tool Bash', 'invoke_agent agent-x']);
    expect(waits.map(({ attributes }) => attributes['error.type'])).toEqual(['-32800', '-32603']);
  });

  function finishes(it: Traced): void {
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
    it.updates({ sessionUpdate: 'state_update', state: 'idle' });
  }
});
