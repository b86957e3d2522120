import { describe, expect, test } from 'vitest';
import { eventsOf, msOf, traced, type Traced } from './traced.js';

/** A prompt of an agent that speaks v1, whose Bash call goes to the background at 100..200 of it. */
function launches(conversation: Traced, { task = 't1', call = 'c1', taskType = 'shell', tool = 'Bash', canStop = true } = {}): void {
  const { updates, clock } = conversation;
  updates({ sessionUpdate: 'tool_call', toolCallId: call, name: tool, kind: 'execute', title: 'secret title', status: 'pending', rawInput: { command: 'secret command' } });
  clock.advance(50);
  updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: task, name: 'secret name', description: `Run ${task}`, taskType, canStop, toolCallId: call });
  clock.advance(50);
  updates({ sessionUpdate: 'tool_call_update', toolCallId: call, status: 'completed' });
}

function prompts({ client, clock }: Traced, meta?: object): number {
  clock.advance(100);
  return client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'secret prompt' }], ...(meta === undefined ? {} : { _meta: meta }) });
}

const ends = ({ updates }: Traced, state: string, task = 't1'): void => updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: task, state });

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

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

describe('other background work', () => {
  test('a monitor is paused and resumed', () => {
    const it = traced();
    it.opens();
    prompts(it);
    launches(it, { taskType: 'monitor', tool: 'Monitor', canStop: false });
    it.clock.advance(100);
    ends(it, 'paused');
    it.clock.advance(100);
    ends(it, 'running');
    it.clock.advance(100);
    ends(it, 'completed');
    ends(it, 'completed');
    it.clock.advance(250);
    const span = it.span('background monitor');
    expect(eventsOf(span)).toEqual(['paused@300', 'resumed@400']);
    expect(span.attributes).toMatchObject({ 'acp.background.type': 'tool_call', 'acp.background.can_stop': false, 'acp.background.outcome': 'completed' });
  });

  test('a workflow that is stopped tells progress at most every ten seconds, without its words', () => {
    const it = traced();
    it.opens();
    prompts(it);
    launches(it, { taskType: 'workflow', tool: 'Workflow' });
    for (let step = 1; step <= 25; step++) {
      it.clock.advance(1000);
      it.updates({ sessionUpdate: 'async_task_progress', asyncTaskId: 't1', description: `secret step ${step}`, summary: 'secret summary' });
    }
    ends(it, 'stopped');
    it.clock.advance(250);
    const span = it.span('background workflow');
    expect(eventsOf(span)).toEqual(['progress@1200', 'progress@11200', 'progress@21200']);
    expect(span.attributes['acp.background.outcome']).toBe('cancelled');
    expect(JSON.stringify(span.events)).not.toContain('secret');
  });

  test('two items of one turn are two spans under their calls', () => {
    const it = traced();
    it.opens();
    const id = prompts(it);
    launches(it);
    launches(it, { task: 't2', call: 'c2', taskType: 'monitor', tool: 'Monitor' });
    it.agent.answers(id, { stopReason: 'end_turn' });
    ends(it, 'completed', 't2');
    it.clock.advance(300);
    ends(it, 'completed');
    it.clock.advance(300);
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 100..300 [end_turn]',
      '  execute_tool Bash 100..200 [completed]',
      '    background shell 150..600 [completed]',
      '  execute_tool Monitor 200..300 [completed]',
      '    background monitor 250..300 [completed]',
    ]);
  });

  test('housekeeping of the agent is no span', () => {
    const it = traced();
    it.opens({ extension: false });
    it.feeds({ subtype: 'background_tasks_changed', tasks: [{ task_id: 'a1', task_type: 'local_bash', ambient: true }, { task_id: 'b1', task_type: 'local_bash' }] });
    it.feeds({ subtype: 'task_started', task_id: 'b1', skip_transcript: true });
    it.clock.advance(300);
    it.feeds({ subtype: 'task_updated', task_id: 'a1', patch: { status: 'completed' } });
    it.feeds({ subtype: 'task_updated', task_id: 'b1', patch: { status: 'completed' } });
    it.clock.advance(300);
    expect(it.tree()).toEqual([]);
  });

  test('the raw feed alone tells a shell, its code and the turn that follows', () => {
    const it = traced();
    it.opens({ extension: false });
    const id = prompts(it);
    it.feeds({ subtype: 'session_state_changed', state: 'running' });
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c1', name: 'Bash', status: 'pending' });
    it.feeds({ subtype: 'background_tasks_changed', tasks: [{ task_id: 't1', run_id: 'r1', task_type: 'local_bash', description: 'Run it' }] });
    it.feeds({ subtype: 'task_started', task_id: 't1', run_id: 'r1', tool_use_id: 'c1', task_type: 'local_bash', description: 'Run it' });
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
    it.agent.answers(id, { stopReason: 'end_turn' });
    it.clock.advance(2);
    it.feeds({ subtype: 'session_state_changed', state: 'idle' });
    it.clock.advance(1000);
    it.feeds({ subtype: 'task_updated', task_id: 't1', run_id: 'r1', patch: { status: 'failed' } });
    it.feeds({ subtype: 'task_notification', task_id: 't1', run_id: 'r1', tool_use_id: 'c1', status: 'failed', summary: 'Background command "Run it" failed with exit code 3' });
    it.feeds({ subtype: 'background_tasks_changed', tasks: [] });
    it.clock.advance(85);
    it.feeds({ subtype: 'session_state_changed', state: 'running' });
    it.clock.advance(100);
    it.feeds({ subtype: 'session_state_changed', state: 'idle' });
    it.clock.advance(300);
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 100..100 [end_turn]',
      '  execute_tool Bash 100..100 [completed]',
      '    background shell 100..1102 [failed] [code 3] [ERROR failed]',
      'invoke_agent agent-x 1187..1287',
    ]);
    const own = it.spans().find(({ name, attributes }) => name === 'invoke_agent agent-x' && attributes['acp.turn.started_by'] === 'agent');
    expect(own?.links.map(({ context }) => context.spanId)).toEqual([it.span('background shell').spanContext().spanId]);
  });

  test('a turn told by both the feed and a task is one span', () => {
    const it = traced();
    it.opens();
    it.feeds({ subtype: 'session_state_changed', state: 'running' });
    it.clock.advance(5);
    it.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 'turn-1', taskType: 'turn', description: 'woke up' });
    it.clock.advance(95);
    ends(it, 'failed', 'turn-1');
    it.feeds({ subtype: 'session_state_changed', state: 'idle' });
    expect(it.tree()).toEqual(['invoke_agent agent-x 0..100 [ERROR failed]']);
    expect(it.spans()[0]?.links).toEqual([]);
  });
});

describe('an agent that speaks v2', () => {
  test('a prompt ends with the idle that follows it, with its usage; an own turn is a trace of its own', () => {
    const it = traced();
    it.opens({ protocol: 2 });
    const id = prompts(it);
    it.agent.answers(id, { messageId: 'm1' });
    it.updates({ sessionUpdate: 'state_update', state: 'running' });
    it.clock.advance(50);
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', name: 'Bash', status: 'pending' });
    it.updates({ sessionUpdate: '_async_task_spawned', asyncTaskId: 't1', taskType: 'shell', canStop: true, toolCallId: 'c1' });
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
    it.updates({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn', usage: { inputTokens: 7, outputTokens: 1 } });
    it.clock.advance(100);
    it.updates({ sessionUpdate: '_async_task_state_update', asyncTaskId: 't1', state: 'completed' });
    it.clock.advance(100);
    it.updates({ sessionUpdate: 'state_update', state: 'running' });
    it.clock.advance(100);
    it.updates({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
    it.clock.advance(100);
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 100..150 [end_turn]',
      '  execute_tool Bash 150..150 [completed]',
      '    background shell 150..250 [completed]',
      'invoke_agent agent-x 350..450 [end_turn]',
    ]);
    expect(it.spans().find(({ attributes }) => attributes['jsonrpc.request.id'] === String(id))?.attributes['gen_ai.usage.input_tokens']).toBe(7);
    expect(it.spans().find(({ attributes }) => attributes['acp.turn.started_by'] === 'agent')?.links).toHaveLength(1);
  });

  test('a prompt that is folded into a turn of the agent ends with it', () => {
    const it = traced();
    it.opens({ protocol: 2 });
    it.updates({ sessionUpdate: 'state_update', state: 'running' });
    const id = prompts(it);
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', kind: 'read', status: 'completed' });
    it.agent.answers(id, { messageId: 'm1' });
    it.clock.advance(100);
    it.updates({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 0..200 [end_turn]',
      '  execute_tool read 100..100 [completed]',
      'invoke_agent agent-x 100..200 [end_turn]',
    ]);
  });

  test('a prompt that was not taken in yet survives the idle of the turn before it', () => {
    const it = traced();
    it.opens({ protocol: 2 });
    it.updates({ sessionUpdate: 'state_update', state: 'running' });
    const id = prompts(it);
    it.updates({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
    it.clock.advance(10);
    it.agent.answers(id, { messageId: 'm1' });
    it.updates({ sessionUpdate: 'state_update', state: 'running' });
    it.clock.advance(10);
    it.updates({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'error', error: { code: -32603, message: 'secret' } });
    expect(it.tree()).toEqual(['invoke_agent agent-x 0..100 [end_turn]', 'invoke_agent agent-x 100..120 [error] [ERROR -32603]']);
  });

  test('the states of a session that the client did not set up start no turn', () => {
    const it = traced();
    it.opens({ protocol: 2 });
    it.updates({ sessionUpdate: 'state_update', state: 'running' }, 'child');
    it.updates({ sessionUpdate: 'state_update', state: 'idle' }, 'child');
    expect(it.tree()).toEqual([]);
  });
});

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

describe('ends that nobody reports', () => {
  test('the agent is gone: everything open ends, marked, children first', async () => {
    const it = traced();
    it.opens();
    prompts(it);
    launches(it);
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c2', name: 'Edit', status: 'pending' });
    it.agent.requests('session/request_permission', { sessionId: 's', toolCall: { toolCallId: 'c2' }, options: [] });
    it.clock.advance(100);
    await it.agentExits(137, null);
    await it.relay.close();
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 100..300 [unfinished: agent_exited]',
      '  execute_tool Bash 100..200 [completed]',
      '    background shell 150..300 [unknown] [unfinished: agent_exited]',
      '  execute_tool Edit 200..300 [unfinished: agent_exited]',
      '    session/request_permission 200..300 [unfinished: agent_exited]',
    ]);
    expect(it.clock.pending()).toBe(0);
  });

  test('an item whose end is known keeps it when the agent goes', async () => {
    const it = traced();
    it.opens();
    prompts(it);
    launches(it);
    ends(it, 'failed');
    it.clock.advance(10);
    await it.agentExits();
    expect(it.tree()[2]).toBe('    background shell 150..200 [failed] [ERROR failed]');
  });

  test('a closed session ends its spans at the answer; what comes later makes none', () => {
    const it = traced();
    it.opens();
    const id = prompts(it);
    launches(it);
    it.agent.answers(id, { stopReason: 'end_turn' });
    const refused = it.client.requests('session/close', { sessionId: 's' });
    it.agent.refuses(refused, { code: -32603, message: 'x' });
    expect(it.spans()).toHaveLength(2);
    it.clock.advance(100);
    const close = it.client.requests('session/close', { sessionId: 's' });
    it.agent.answers(close, {});
    ends(it, 'completed');
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c9', name: 'Late', status: 'completed' });
    it.clock.advance(300);
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 100..200 [end_turn]',
      '  execute_tool Bash 100..200 [completed]',
      '    background shell 150..300 [unknown] [unfinished: session_closed]',
    ]);
  });

  test('a closed session that is resumed is traced again', () => {
    const it = traced();
    it.opens();
    it.agent.answers(it.client.requests('session/close', { sessionId: 's' }), {});
    it.agent.answers(it.client.requests('session/resume', { sessionId: 's', cwd: '/project' }), {});
    it.agent.answers(prompts(it), { stopReason: 'end_turn' });
    expect(it.tree()).toEqual(['invoke_agent agent-x 100..100 [end_turn]']);
  });
});

describe('replays', () => {
  test('history makes no spans', () => {
    const it = traced();
    it.opens();
    const load = it.client.requests('session/load', { sessionId: 'old', cwd: '/project', mcpServers: [] });
    const history = [
      { sessionUpdate: 'tool_call', toolCallId: 'c1', name: 'Bash', status: 'pending' },
      { sessionUpdate: 'async_task_spawned', asyncTaskId: 't1', taskType: 'shell', toolCallId: 'c1' },
      { sessionUpdate: 'async_task_state_update', asyncTaskId: 't1', state: 'stopped' },
      { sessionUpdate: 'state_update', state: 'running' },
    ];
    for (const update of history) it.updates(update, 'old');
    it.agent.answers(load, {});
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' }, 'old');
    it.clock.advance(300);
    expect(it.tree()).toEqual([]);
  });

  test('a live item survives the replay of its session and ends by its own word', () => {
    const it = traced();
    it.opens();
    const id = prompts(it);
    launches(it);
    it.agent.answers(id, { stopReason: 'end_turn' });
    const load = it.client.requests('session/load', { sessionId: 's', cwd: '/project', mcpServers: [] });
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c1', name: 'Bash', status: 'completed', _meta: { terminal_exit: { terminal_id: 'c1', exit_code: 0 } } });
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c0', name: 'Read', status: 'completed' });
    it.agent.answers(load, {});
    it.clock.advance(500);
    ends(it, 'completed');
    it.clock.advance(250);
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 100..200 [end_turn]',
      '  execute_tool Bash 100..200 [completed]',
      '    background shell 150..700 [completed]',
    ]);
  });

  test('an item that ends while its session is replayed has ended', () => {
    const it = traced();
    it.opens();
    prompts(it);
    launches(it);
    const load = it.client.requests('session/load', { sessionId: 's', cwd: '/project', mcpServers: [] });
    ends(it, 'completed');
    it.clock.advance(300);
    it.agent.answers(load, {});
    expect(it.tree().at(-1)).toBe('  background shell 150..200 [completed]');
  });
});

describe('what leaves', () => {
  test('no content, in names, attributes or events', async () => {
    const it = traced();
    it.opens();
    const id = prompts(it, { apiKey: 'secret' });
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c0', name: 'cat /secret/path', kind: 'a secret kind', title: 'secret', status: 'pending', locations: [{ path: '/secret' }] });
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c0', status: 'failed', rawOutput: 'secret', content: [{ type: 'content', content: { type: 'text', text: 'secret' } }] });
    launches(it);
    it.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 't2', taskType: 'run secret things', description: 'secret', name: 'secret', outputFilePath: '/secret' });
    it.agent.requests('session/request_permission', { sessionId: 's', toolCall: { toolCallId: 'c0', title: 'secret' }, options: [{ optionId: 'secret', kind: 'secret kind' }] });
    it.agent.answers(id, { stopReason: 'end_turn' });
    ends(it, 'failed');
    await it.agentExits();
    expect(it.spans().map(({ name }) => name).sort()).toEqual(['background', 'background shell', 'execute_tool Bash', 'execute_tool other', 'invoke_agent agent-x', 'session/request_permission']);
    const said = it.spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(JSON.stringify(said)).not.toMatch(/secret/);
  });

  test('a tool is renamed when its own name is told after its kind', () => {
    const it = traced();
    it.opens();
    prompts(it);
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c1', kind: 'execute', status: 'pending' });
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed', _meta: { claudeCode: { toolName: 'Bash' } } });
    expect(it.span('execute_tool Bash').attributes['gen_ai.tool.name']).toBe('Bash');
  });

  test('every byte passes as it came', () => {
    const it = traced();
    const prompt = '{"jsonrpc":"2.0",  "id":1.0,"method":"session/prompt","params":{"sessionId":"s","n":12345678901234567890}}';
    it.client.sends(prompt);
    expect(it.agent.receivedLines()).toEqual([prompt]);
    const update = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","status":"completed","n":1e3}}}';
    const reply = '{"jsonrpc":"2.0","id":1.0,"result":{"stopReason":"end_turn","usage":{"inputTokens":1.0}}}';
    it.agent.sends(update, reply);
    expect(it.client.receivedLines()).toEqual([update, reply]);
    expect(it.spans()).toHaveLength(2);
    expect(msOf([Date.UTC(2025, 0, 1) / 1000, 5e6])).toBe(5);
  });

  test('malformed messages make no spans and no noise', () => {
    const it = traced();
    it.opens();
    for (const params of [undefined, null, 7, {}, { sessionId: 5, prompt: [] }, { sessionId: 's', update: null }, { sessionId: 's', update: { sessionUpdate: 'tool_call' } }, { sessionId: 's', update: { sessionUpdate: 'async_task_spawned', asyncTaskId: {} } }]) {
      it.agent.notifies('session/update', params);
      it.agent.notifies('_claude/sdkMessage', params);
      it.agent.notifies('session/request_permission', params);
      it.client.notifies('session/prompt', params);
      it.client.notifies('_session/async_task/stop', params);
    }
    it.clock.advance(300);
    expect(it.tree()).toEqual([]);
    expect(it.log).toEqual([]);
  });
});
