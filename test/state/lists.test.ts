import { describe, expect, it } from 'vitest';
import { idleWithShell, idleWithWorkflow, inTurn, world } from './sessions.js';

describe('announce, list, settle, remove', () => {
  it('a background shell of Claude, from launch to end', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('b', { toolCallId: 'c' });
    agent.says('terminal_update', { terminalId: 'c', output: { data: '' } });
    agent.exited('c', { exitCode: 0 });
    expect(agent.client()).toEqual(['terminal c "./run.sh"', 'call c pending content', 'terminal c output']);
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c completed', 'terminal c "./run.sh" cancellable', 'running [terminal c]']);
    agent.idle();
    expect(agent.client()).toEqual(['idle (end_turn) [terminal c]']);
    agent.ended('b', 'completed');
    expect(agent.client()).toEqual([]);
    agent.spawned('turn-1', { taskType: 'turn', description: 'Background command "x" completed' });
    agent.running();
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'running []']);
    agent.ended('turn-1', 'completed');
    agent.idle();
    expect(agent.client()).toEqual(['idle (end_turn) []']);
  });

  it('a background shell of Codex, from launch to end', () => {
    const agent = inTurn({ agent: 'codex' });
    agent.command('c', 'in_progress');
    agent.marked('c');
    expect(agent.client()).toEqual(['terminal c "./run.sh"', 'call c in_progress content']);
    agent.spawned('c', { toolCallId: 'c' });
    expect(agent.client()).toEqual(['terminal c "./run.sh" cancellable', 'running [terminal c]']);
    agent.idle();
    agent.ended('c', 'failed');
    expect(agent.client()).toEqual(['idle (end_turn) [terminal c]']);
    agent.exited('c', { exitCode: 3, signal: null });
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":3} not cancellable', 'idle []']);
    agent.call('c', 'failed');
    expect(agent.client()).toEqual(['call c failed']);
  });

  it('a workflow: its launching call stays open, with the same content', () => {
    const agent = inTurn();
    agent.call('c', 'pending', { title: 'Workflow' });
    agent.spawned('w', { taskType: 'workflow', toolCallId: 'c' });
    agent.client();
    agent.call('c', 'completed', { content: [{ type: 'content', content: { type: 'text', text: 'launched' } }] });
    expect(agent.client()).toEqual(['call c in_progress content', 'call c cancellable', 'running [tool_call c]']);
    agent.idle();
    agent.client();
    agent.ended('w', 'completed');
    expect(agent.client()).toEqual(['call c completed not cancellable']);
    agent.wait(249);
    expect(agent.client()).toEqual([]);
    agent.wait(1);
    expect(agent.client()).toEqual(['idle []']);
  });

  it('what cannot be stopped is announced without the capability', () => {
    const agent = inTurn();
    agent.call('c', 'pending', { title: 'Monitor' });
    agent.spawned('m', { taskType: 'monitor', toolCallId: 'c', canStop: false });
    agent.client();
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c in_progress', 'running [tool_call c]']);
  });

  it('whether it can be stopped may change while it runs', () => {
    const agent = idleWithShell();
    agent.progress('b', { canStop: false });
    expect(agent.client()).toEqual(['terminal c not cancellable']);
    agent.progress('b', { canStop: true });
    expect(agent.client()).toEqual(['terminal c cancellable']);
  });

  it('a type that nobody knows is listed as its launching call', () => {
    const agent = inTurn();
    agent.call('c', 'in_progress');
    agent.spawned('x', { taskType: 'never_heard_of', toolCallId: 'c' });
    agent.client();
    agent.idle();
    expect(agent.client()).toEqual(['call c cancellable', 'idle (end_turn) [tool_call c]']);
  });

  it.each([
    ['completed', 'completed', { exitCode: 0 }], ['failed', 'failed', { exitCode: 3 }], ['stopped', 'cancelled', {}],
  ])('ends as the table of end states says: %s', (state, status, exit) => {
    const call = idleWithWorkflow();
    call.stopAsked('w');
    call.ended('w', state);
    expect(call.client()).toEqual([`call c ${status} not cancellable`]);
    const shell = idleWithShell();
    shell.stopAsked('b');
    shell.ended('b', state);
    shell.raw('task_notification', { task_id: 'b', status: state, summary: `(exit code ${'exitCode' in exit ? exit.exitCode : 143})` });
    expect(shell.client()).toEqual([`terminal c exited ${JSON.stringify(exit)} not cancellable`]);
  });
});

describe('every snapshot carries the list, once work is reported', () => {
  it('from the start, where the agent promised it', () => {
    const agent = world();
    agent.running();
    agent.says('state_update', { state: 'requires_action' });
    agent.says('state_update', { state: '_thinking' });
    agent.idle();
    expect(agent.client()).toEqual(['running []', 'requires_action []', '_thinking []', 'idle (end_turn) []']);
  });

  it('from the first signal on, where it did not, and never before', () => {
    const agent = world({ reported: false });
    agent.running();
    agent.command('c', 'in_progress');
    agent.idle();
    agent.running();
    expect(agent.client().filter((line) => /running|idle/.test(line))).toEqual(['running no list', 'idle (end_turn) no list', 'running no list']);
    agent.spawned('b', { toolCallId: 'c' });
    agent.says('state_update', { state: 'requires_action' });
    agent.running();
    agent.idle();
    expect(agent.client()).toEqual(['requires_action []', 'running []', 'terminal c "./run.sh" cancellable', 'idle (end_turn) [terminal c]']);
  });

  it('an own turn proves nothing about background work', () => {
    const agent = world({ reported: false });
    agent.spawned('turn-1', { taskType: 'turn' });
    agent.running();
    expect(agent.client()).toEqual(['running no list']);
  });

  it('the members of a snapshot are kept', () => {
    const agent = world();
    agent.says('state_update', { state: 'idle', stopReason: 'end_turn', _meta: { quota: 1 } });
    expect(agent.sent.at(-1)?.update).toEqual({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn', _meta: { quota: 1 }, background: [] });
  });

  it('a change of the list sends the current state again, without a stop reason', () => {
    const agent = idleWithShell();
    agent.spawned('d', { name: 'Another' });
    expect(agent.client()).toEqual(['terminal afterturn:d "Another" cancellable', 'idle [terminal c, terminal afterturn:d]']);
  });

  it('an agent that lists itself is left alone', () => {
    const agent = world({ asyncTasks: false, reported: false });
    const list = [{ type: 'terminal', terminalId: 'c' }];
    agent.says('state_update', { state: 'running', background: [] });
    agent.command('c');
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', task_type: 'local_bash' }] });
    agent.raw('task_started', { task_id: 'b', tool_use_id: 'c' });
    agent.call('c', 'completed', { _meta: { jetbrains: { air: { asyncTasks: { backgrounded: true } } } } });
    agent.says('state_update', { state: 'running', background: list });
    agent.raw('task_updated', { task_id: 'b', patch: { status: 'completed' } });
    agent.exited('c', { exitCode: 0 });
    agent.says('state_update', { state: 'idle' });
    agent.says('state_update', { state: 'idle', background: null });
    agent.wait(1000);
    agent.over();
    expect(agent.client()).toEqual([
      'running []', 'terminal c "./run.sh"', 'call c pending content', 'call c completed', 'running [terminal c]', 'terminal c exited {"exitCode":0}', 'idle no list', 'idle no list',
    ]);
    expect(agent.sent.at(-1)?.update).toEqual({ sessionUpdate: 'state_update', state: 'idle', background: null });
    expect(agent.sent[3]?.update).toHaveProperty('_meta');
  });
});

describe('paused work', () => {
  it('is paused and goes on, in its call; a terminal has no such status', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'paused');
    agent.ended('w', 'running');
    expect(agent.client()).toEqual(['call c paused', 'call c in_progress']);
    const shell = idleWithShell();
    shell.ended('b', 'paused');
    expect(shell.client()).toEqual([]);
  });

  it('stays listed, and may be paused when it detaches', () => {
    const agent = inTurn();
    agent.call('c', 'pending');
    agent.spawned('w', { taskType: 'workflow', toolCallId: 'c' });
    agent.ended('w', 'paused');
    agent.client();
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c paused', 'call c cancellable', 'running [tool_call c]']);
    agent.idle();
    expect(agent.client()).toEqual(['idle (end_turn) [tool_call c]']);
    const own = inTurn();
    own.call('c', 'completed');
    own.ended('w', 'paused');
    own.client();
    own.spawned('w', { taskType: 'workflow', toolCallId: 'c', description: 'Survey' });
    expect(own.client()[0]).toBe('call afterturn:w "Survey" paused cancellable');
  });
});

describe('memory', () => {
  it('of what was settled is bounded, of what lives it is not', () => {
    const agent = world();
    for (let i = 0; i < 300; i++) agent.spawned(`live${i}`);
    for (let i = 0; i < 2000; i++) {
      agent.spawned(`t${i}`);
      agent.stopAsked(`t${i}`);
      agent.ended(`t${i}`, 'stopped');
    }
    agent.wait(1000);
    expect(agent.lists.entries.size).toBeLessThanOrEqual(300 + 257);
    agent.sent.splice(0, agent.sent.length - 1);
    expect(agent.sent[0]?.update.background).toHaveLength(300);
    for (let i = 0; i < 300; i++) expect(agent.lists.entries.get(`live${i}`)?.phase).toBe('live');
  });
});
