import { describe, expect, it } from 'vitest';
import { inTurn, world } from './sessions.js';

describe('each piece of work once, and when it detaches', () => {
  it('between spawn and detach it is foreground: not listed, no capability', () => {
    const agent = inTurn();
    agent.command('c');
    agent.client();
    agent.spawned('b', { toolCallId: 'c' });
    agent.says('state_update', { state: 'requires_action' });
    agent.running();
    expect(agent.client()).toEqual(['requires_action []', 'running []']);
  });

  it('what ends before it detaches is never listed', () => {
    const agent = inTurn({ agent: 'codex' });
    agent.command('c', 'in_progress');
    agent.spawned('b', { toolCallId: 'c' });
    agent.ended('b', 'completed');
    agent.exited('c', { exitCode: 0 });
    agent.call('c', 'completed');
    agent.idle();
    expect(agent.client()).toEqual(['terminal c "./run.sh"', 'call c in_progress content', 'terminal c exited {"exitCode":0}', 'call c completed', 'idle (end_turn) []']);
  });

  it('foreground work ends with the call still open -> listed in the idle', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('b', { toolCallId: 'c' });
    agent.client();
    agent.idle('cancelled');
    expect(agent.client()).toEqual(['terminal c "./run.sh" cancellable', 'idle (cancelled) [terminal c]']);
  });

  it('a workflow that detaches without an acknowledgement runs: its call is in progress', () => {
    const agent = inTurn();
    agent.call('c', 'pending');
    agent.spawned('w', { taskType: 'workflow', toolCallId: 'c' });
    agent.client();
    agent.idle();
    expect(agent.client()).toEqual(['call c in_progress cancellable', 'idle (end_turn) [tool_call c]']);
    agent.call('c', 'completed', { title: 'Launched' });
    expect(agent.client()).toEqual(['call c "Launched"']);
  });

  it('spawned while idle -> listed at once', () => {
    const agent = world();
    agent.command('c', 'in_progress');
    agent.idle();
    agent.client();
    agent.spawned('b', { toolCallId: 'c' });
    expect(agent.client()).toEqual(['terminal c "./run.sh" cancellable', 'idle [terminal c]']);
  });

  it('spawned without a call, which a progress brings before the acknowledgement (0.80)', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('b');
    agent.progress('b', { toolCallId: 'c' });
    agent.exited('c', { exitCode: 0 });
    agent.client();
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c completed', 'terminal c "./run.sh" cancellable', 'running [terminal c]']);
  });

  it('without a call by the end of the turn: a terminal of our own, with the task\'s name as its command', () => {
    const agent = inTurn();
    agent.spawned('b', { name: './server.sh' });
    agent.idle();
    expect(agent.client()).toEqual(['terminal afterturn:b "./server.sh" cancellable', 'idle (end_turn) [terminal afterturn:b]']);
  });

  it('a call that comes late adds a reference, never a second terminal; its launch exit is its own', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('b', { name: './server.sh' });
    agent.idle();
    agent.wait(250);
    agent.client();
    agent.progress('b', { toolCallId: 'c' });
    expect(agent.client()).toEqual(['call c + terminal afterturn:b']);
    agent.exited('c', { exitCode: 0 });
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":0}', 'call c completed']);
    agent.ended('b', 'completed');
    agent.running();
    expect(agent.client()).toEqual(['terminal afterturn:b exited {} not cancellable', 'running []']);
  });

  it('ambient work is never listed, and its launching call is left alone', () => {
    const agent = inTurn();
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', task_type: 'local_bash', skip_transcript: true }] });
    agent.command('c');
    agent.spawned('b', { toolCallId: 'c' });
    agent.exited('c', { exitCode: 0 });
    agent.call('c', 'completed');
    agent.idle();
    agent.ended('b', 'completed');
    agent.wait(1000);
    expect(agent.client()).toEqual(['terminal c "./run.sh"', 'call c pending content', 'terminal c exited {"exitCode":0}', 'call c completed', 'idle (end_turn) []']);
  });

  it('two tasks of one call are two items', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('b', { toolCallId: 'c', name: 'One' });
    agent.spawned('d', { toolCallId: 'c', name: 'Two' });
    agent.client();
    agent.call('c', 'completed');
    expect(agent.client()).toEqual([
      'call c completed', 'terminal c "./run.sh" cancellable', 'terminal afterturn:d "./run.sh" cancellable', 'call c + terminal afterturn:d', 'running [terminal c, terminal afterturn:d]',
    ]);
  });

  it('also a workflow and a shell of one call: its call, and its terminal', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('w', { taskType: 'workflow', toolCallId: 'c' });
    agent.spawned('b', { toolCallId: 'c' });
    agent.exited('c', { exitCode: 0 });
    agent.client();
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c in_progress', 'call c cancellable', 'terminal c "./run.sh" cancellable', 'running [tool_call c, terminal c]']);
  });

  it('where only the raw feed tells: listed by its membership, a Monitor as its call', () => {
    const agent = inTurn({ asyncTasks: false });
    agent.call('c', 'pending', { name: 'Monitor' });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'm', task_type: 'local_bash' }] });
    agent.raw('task_started', { task_id: 'm', tool_use_id: 'c', task_type: 'local_bash' });
    agent.client();
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c in_progress', 'running [tool_call c]']);
    agent.raw('background_tasks_changed', { tasks: [] });
    expect(agent.client()).toEqual([]);
    agent.raw('task_updated', { task_id: 'm', patch: { status: 'completed' } });
    expect(agent.client()).toEqual(['call c completed not cancellable', 'running []']);
  });
});

describe('launch acknowledgement', () => {
  it('the exit that legacy Claude attaches to it is no exit; a foreground command\'s is', () => {
    const agent = inTurn();
    agent.command('f');
    agent.client();
    agent.exited('f', { exitCode: 0 });
    agent.call('f', 'completed');
    expect(agent.client()).toEqual(['terminal f exited {"exitCode":0}', 'call f completed']);
  });

  it('output in the same update is kept', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('b', { toolCallId: 'c' });
    agent.client();
    agent.says('terminal_update', { terminalId: 'c', output: { data: '' }, exitStatus: { exitCode: 0 } });
    expect(agent.client()).toEqual(['terminal c output']);
  });

  it('a workflow whose call reached a final status before its spawn: a call that we start ourselves', () => {
    for (const status of ['completed', 'failed', 'cancelled']) {
      const agent = inTurn();
      agent.call('c', status);
      agent.client();
      agent.spawned('w', { taskType: 'workflow', toolCallId: 'c', name: 'survey', description: 'Survey the project' });
      expect(agent.client()).toEqual(['call afterturn:w "Survey the project" in_progress cancellable', 'running [tool_call afterturn:w]']);
      agent.ended('w', 'failed');
      expect(agent.client()).toEqual(['call afterturn:w failed not cancellable', 'running []']);
    }
  });

  it('a call that fails after its workflow was spawned stays failed', () => {
    const agent = inTurn();
    agent.call('c', 'pending');
    agent.spawned('w', { taskType: 'workflow', toolCallId: 'c', description: 'Survey' });
    agent.client();
    agent.call('c', 'failed');
    expect(agent.client()).toEqual(['call c failed', 'call afterturn:w "Survey" in_progress cancellable', 'running [tool_call afterturn:w]']);
  });

  it('a workflow that ended before it: both in one', () => {
    const agent = inTurn();
    agent.call('c', 'pending');
    agent.spawned('w', { taskType: 'workflow', toolCallId: 'c' });
    agent.ended('w', 'failed');
    agent.client();
    agent.call('c', 'completed', { content: [] });
    expect(agent.client()).toEqual(['call c failed content']);
  });

  it('a shell of Claude that ended before it: its terminal gets its exit with it, and no list names it', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('b', { toolCallId: 'c', outputFilePath: '/tmp/b' });
    agent.ended('b', 'failed', { outputFilePath: '/tmp/b' });
    agent.exited('c', { exitCode: 0 });
    agent.client();
    agent.fileCodes.set('b', 3);
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c completed', 'terminal c exited {"exitCode":3} not cancellable']);
    expect(agent.files()).toEqual(['follow /tmp/b into c', 'unfollow b']);
    agent.idle();
    expect(agent.client()).toEqual(['idle (end_turn) []']);
  });

  it('the same when the call failed', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('b', { toolCallId: 'c' });
    agent.ended('b', 'failed');
    agent.exited('c', { exitCode: 1 });
    agent.client();
    agent.call('c', 'failed');
    expect(agent.client()).toEqual(['call c failed', 'terminal c exited {} not cancellable']);
  });

  it('the end came even before the spawn', () => {
    const agent = inTurn();
    agent.command('c');
    agent.ended('b', 'completed', { summary: 'x' });
    agent.spawned('b', { toolCallId: 'c' });
    agent.exited('c', { exitCode: 0 });
    agent.client();
    agent.call('c', 'completed');
    agent.idle();
    expect(agent.client()).toEqual(['call c completed', 'terminal c exited {} not cancellable', 'idle (end_turn) []']);
  });

  it('an end from before is not merged into another call under the same id', () => {
    const agent = inTurn();
    agent.call('c', 'pending');
    agent.spawned('w', { taskType: 'workflow', toolCallId: 'c' });
    agent.ended('w', 'failed');
    agent.call('c', 'completed');
    agent.wait(10);
    agent.call('c', 'pending');
    agent.client();
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c completed']);
  });

  it('the extension\'s mark ends here, other _meta does not', () => {
    const agent = inTurn();
    agent.command('c');
    agent.client();
    agent.marked('c');
    agent.call('c', undefined, { _meta: { jetbrains: { air: { version: 1, asyncTasks: { backgrounded: true } } } } });
    expect(agent.client()).toEqual([]);
    agent.call('c', undefined, { _meta: { quota: 1, jetbrains: { air: { kind: 'x', asyncTasks: { backgrounded: true } } } } });
    expect(agent.sent.at(-1)?.update._meta).toEqual({ quota: 1, jetbrains: { air: { kind: 'x' } } });
  });
});
