import { describe, expect, test } from 'vitest';
import { eventsOf, traced } from './traced.js';
import { ends, launches, prompts } from './talk.js';

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
