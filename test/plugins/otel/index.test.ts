import { describe, expect, test } from 'vitest';
import { eventsOf, traced } from './traced.js';
import { ends, launches, prompts } from './talk.js';

describe('a background shell of an agent that speaks v1 with async tasks', () => {
  test('is a span under its call, from its spawn to its end, which the follow-up window does not move', () => {
    const it = traced();
    it.opens();
    const id = prompts(it);
    launches(it);
    it.clock.advance(100);
    it.agent.answers(id, { stopReason: 'end_turn', usage: { inputTokens: 10, outputTokens: 5, cachedReadTokens: 3, cachedWriteTokens: 2 } });
    it.clock.advance(1000);
    ends(it, 'completed');
    it.clock.advance(100);
    it.exitCode('s', 't1', 0);
    expect(it.tree()).toEqual(['invoke_agent agent-x 100..300 [end_turn]', '  execute_tool Bash 100..200 [completed]']);
    it.clock.advance(150);
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 100..300 [end_turn]',
      '  execute_tool Bash 100..200 [completed]',
      '    background shell 150..1300 [completed] [code 0]',
    ]);
    expect(it.span('background shell').attributes).toEqual({
      'acp.background.id': 't1',
      'acp.background.type': 'terminal',
      'acp.background.task_type': 'shell',
      'acp.background.can_stop': true,
      'acp.background.outcome': 'completed',
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.conversation.id': 's',
      'session.id': 's',
      'process.exit.code': 0,
    });
    expect(it.span('invoke_agent agent-x').attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'agent-x',
      'gen_ai.agent.name': 'agent-x',
      'gen_ai.agent.version': '1.2.3',
      'gen_ai.conversation.id': 's',
      'session.id': 's',
      'acp.turn.started_by': 'client',
      'jsonrpc.request.id': String(id),
      'gen_ai.response.finish_reasons': ['end_turn'],
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 3,
      'gen_ai.usage.cache_creation.input_tokens': 2,
    });
    expect(it.span('execute_tool Bash').attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'Bash',
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.conversation.id': 's',
      'session.id': 's',
      'acp.tool_call.status': 'completed',
    });
    expect(it.log).toEqual([]);
  });

  test('that fails with code 3 is an error', () => {
    const it = traced();
    it.opens();
    const id = prompts(it);
    launches(it);
    it.agent.answers(id, { stopReason: 'end_turn' });
    ends(it, 'failed');
    it.exitCode('s', 't1', 3);
    it.clock.advance(250);
    expect(it.tree().at(-1)).toBe('    background shell 150..200 [failed] [code 3] [ERROR failed]');
  });

  test('takes no code from its file that contradicts its end', () => {
    const it = traced();
    it.opens();
    prompts(it);
    launches(it);
    ends(it, 'stopped');
    it.exitCode('s', 't1', 0);
    it.clock.advance(250);
    expect(it.tree().at(-1)).toBe('  background shell 150..200 [cancelled]');
  });

  test('takes its code from the turn that its end starts, and that turn links to it', () => {
    const it = traced();
    it.opens();
    const id = prompts(it);
    launches(it);
    it.agent.answers(id, { stopReason: 'end_turn' });
    it.clock.advance(300);
    ends(it, 'failed');
    it.clock.advance(110);
    it.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 'turn-1', taskType: 'turn', description: 'Background command "Run t1" failed with exit code 7', canStop: true });
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c2', kind: 'read', title: 'secret', status: 'completed' });
    it.clock.advance(500);
    ends(it, 'completed', 'turn-1');
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 100..200 [end_turn]',
      '  execute_tool Bash 100..200 [completed]',
      '    background shell 150..500 [failed] [code 7] [ERROR failed]',
      'invoke_agent agent-x 610..1110',
      '  execute_tool read 610..610 [completed]',
    ]);
    const [prompt, own] = it.spans().filter(({ name }) => name === 'invoke_agent agent-x');
    expect(own?.attributes['acp.turn.started_by']).toBe('agent');
    expect(own?.spanContext().traceId).not.toBe(prompt?.spanContext().traceId);
    expect(own?.links.map(({ context }) => context.spanId)).toEqual([it.span('background shell').spanContext().spanId]);
  });

  test('reported stopped and at once completed ends once, completed, at the first word', () => {
    const it = traced();
    it.opens();
    prompts(it);
    launches(it);
    it.clock.advance(1000);
    ends(it, 'stopped');
    it.clock.advance(2);
    ends(it, 'completed');
    it.clock.advance(300);
    ends(it, 'failed');
    it.clock.advance(300);
    expect(it.tree().at(-1)).toBe('  background shell 150..1200 [completed] [corrected]');
    expect(it.span('background shell').events.map(({ attributes }) => attributes)).toEqual([{ 'acp.background.outcome': 'completed' }]);
  });

  test('told without its call waits for it, and hangs under it', () => {
    const it = traced();
    it.opens();
    prompts(it);
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c1', name: 'Bash', status: 'pending' });
    it.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 't1', taskType: 'shell', canStop: true });
    it.clock.advance(4);
    it.updates({ sessionUpdate: 'async_task_progress', asyncTaskId: 't1', toolCallId: 'c1' });
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
    ends(it, 'completed');
    it.clock.advance(250);
    expect(it.tree()).toEqual(['execute_tool Bash 100..104 [completed]', '  background shell 100..104 [completed]']);
  });

  test('without a call hangs under the turn it was first seen in', () => {
    const it = traced();
    it.opens();
    const id = prompts(it);
    it.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 't1', taskType: 'shell', canStop: true });
    it.agent.answers(id, { stopReason: 'end_turn' });
    it.clock.advance(400);
    ends(it, 'completed');
    it.clock.advance(250);
    expect(it.tree()).toEqual(['invoke_agent agent-x 100..100 [end_turn]', '  background shell 100..500 [completed]']);
  });

  test('whose end comes before its spawn is told once', () => {
    const it = traced();
    it.opens();
    prompts(it);
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c1', name: 'Bash', status: 'completed' });
    ends(it, 'completed');
    it.clock.advance(5);
    it.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 't1', taskType: 'shell', canStop: true, toolCallId: 'c1' });
    it.clock.advance(250);
    expect(it.tree()).toEqual(['execute_tool Bash 100..100 [completed]', '  background shell 100..100 [completed]']);
  });

  test('started again under its old id is a second span', () => {
    const it = traced();
    it.opens();
    prompts(it);
    launches(it);
    ends(it, 'completed');
    it.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 't1', taskType: 'shell', canStop: true, toolCallId: 'c1' });
    it.clock.advance(100);
    ends(it, 'stopped');
    it.clock.advance(250);
    expect(it.tree()).toEqual([
      'execute_tool Bash 100..200 [completed]',
      '  background shell 150..200 [completed]',
      '  background shell 200..300 [cancelled]',
    ]);
  });

  test('is asked to stop', () => {
    const it = traced();
    it.opens();
    prompts(it);
    launches(it);
    it.clock.advance(100);
    it.client.requests('_session/async_task/stop', { sessionId: 's', asyncTaskId: 't1' });
    it.clock.advance(20);
    ends(it, 'stopped');
    it.clock.advance(250);
    expect(eventsOf(it.span('background shell'))).toEqual(['cancel_requested@300']);
    expect(it.span('background shell').attributes['acp.background.outcome']).toBe('cancelled');
  });

  test('tells its exit by its terminal after its end, and not the one of its launch', () => {
    const it = traced();
    it.opens();
    prompts(it);
    launches(it);
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', _meta: { terminal_exit: { terminal_id: 'c1', exit_code: 0, signal: null } } });
    ends(it, 'failed');
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', _meta: { terminal_exit: { terminal_id: 'c1', exit_code: 5, signal: null } } });
    it.clock.advance(250);
    expect(it.span('background shell').attributes['process.exit.code']).toBe(5);
  });
});
