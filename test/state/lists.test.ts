import { afterEach, describe, expect, it } from 'vitest';
import { nextTick } from 'afterturn/state';
import { World, type WorldOptions } from './world.js';

const worlds: World[] = [];

function world(options: WorldOptions = {}): World {
  const made = new World(options);
  worlds.push(made);
  return made;
}

/** In a turn, with what the client saw so far read. */
function inTurn(options: WorldOptions = {}): World {
  const agent = world(options);
  agent.running();
  agent.client();
  return agent;
}

/** A background command, listed, the way Claude launches one. */
function withShell(options: WorldOptions = {}, members: object = {}): World {
  const agent = inTurn(options);
  agent.command('c');
  agent.spawned('b', { toolCallId: 'c', name: 'Run it', ...members });
  agent.exited('c', { exitCode: 0 });
  agent.call('c', 'completed');
  agent.client();
  return agent;
}

/** The same, after its turn. */
function idleWithShell(options: WorldOptions = {}, members: object = {}): World {
  const agent = withShell(options, members);
  agent.idle();
  agent.client();
  agent.files();
  return agent;
}

/** A background command the way Codex launches one: its call goes on. */
function withCodexShell(options: WorldOptions = {}): World {
  const agent = inTurn({ agent: 'codex', ...options });
  agent.command('c', 'in_progress');
  agent.marked('c');
  agent.spawned('c', { toolCallId: 'c' });
  agent.client();
  return agent;
}

/** A workflow, listed and idle. */
function idleWithWorkflow(options: WorldOptions = {}, members: object = {}): World {
  const agent = inTurn(options);
  agent.call('c', 'pending', { title: 'Workflow' });
  agent.spawned('w', { taskType: 'workflow', toolCallId: 'c', description: 'Survey', ...members });
  agent.call('c', 'completed');
  agent.idle();
  agent.client();
  return agent;
}

afterEach(() => {
  const invalid = worlds.splice(0).flatMap((each) => each.invalid());
  expect(invalid, 'every update is valid by the schema').toEqual([]);
});

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

describe('the identity of terminals and calls', () => {
  it('a terminal that the client knows as exited is not listed: one of our own is, with its command, and the call references both', () => {
    const agent = inTurn({ agent: 'codex' });
    agent.command('c', 'in_progress', 'npm run dev');
    agent.exited('c', { exitCode: null });
    agent.call('c', 'failed');
    agent.idle('error');
    agent.client();
    agent.marked('c');
    agent.spawned('c', { toolCallId: 'c', name: 'npm run dev' });
    expect(agent.client()).toEqual(['terminal afterturn:c "npm run dev" cancellable', 'call c + terminal afterturn:c', 'idle [terminal afterturn:c]']);
    agent.ended('c', 'completed');
    agent.call('c', 'completed', { rawOutput: { exit_code: 0 } });
    expect(agent.client()).toEqual(['call c completed', 'terminal afterturn:c exited {"exitCode":0} not cancellable', 'idle []']);
  });

  it('Claude\'s, when it was told as exited before the spawn', () => {
    const agent = inTurn();
    agent.command('c');
    agent.exited('c', { exitCode: 0 });
    agent.call('c', 'completed');
    agent.client();
    agent.spawned('b', { toolCallId: 'c' });
    expect(agent.client()).toEqual(['terminal afterturn:b "./run.sh" cancellable', 'call c + terminal afterturn:b', 'running [terminal afterturn:b]']);
  });

  it('content that replaces the call\'s does not lose the reference', () => {
    const agent = inTurn();
    agent.command('c');
    agent.exited('c', { exitCode: 0 });
    agent.call('c', 'completed');
    agent.spawned('b', { toolCallId: 'c' });
    agent.client();
    agent.call('c', undefined, { content: [] });
    expect(agent.client()).toEqual(['call c content', 'call c + terminal afterturn:b']);
  });

  it('a second life is a new item under a new id, also a third', () => {
    const agent = idleWithShell();
    agent.ended('b', 'completed');
    agent.client();
    agent.spawned('b', { name: 'again' });
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'terminal afterturn:b "again" cancellable', 'idle [terminal afterturn:b]']);
    agent.ended('b', 'failed');
    agent.wait(500);
    agent.client();
    agent.spawned('b', { name: 'once more' });
    expect(agent.client()).toEqual(['terminal afterturn:b:2 "once more" cancellable', 'idle [terminal afterturn:b:2]']);
  });

  it('the second life of a workflow whose end nobody told: the first ends as unknown', () => {
    const agent = idleWithWorkflow();
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'w', run_id: 'r1' }] });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'w', run_id: 'r2', description: 'Survey again' }] });
    expect(agent.client()).toEqual(['call c cancelled not cancellable', 'call afterturn:w "Survey again" in_progress cancellable', 'idle [tool_call afterturn:w]']);
    agent.raw('task_updated', { task_id: 'w', run_id: 'r1', patch: { status: 'failed' } });
    expect(agent.client()).toEqual([]);
    agent.raw('task_updated', { task_id: 'w', run_id: 'r2', patch: { status: 'completed' } });
    expect(agent.client()).toEqual(['call afterturn:w completed not cancellable']);
  });

  it('a task id that looks like an id of ours gets another one', () => {
    const agent = inTurn();
    for (const task of ['b', 'b:2']) {
      agent.spawned(task);
      agent.idle();
      agent.ended(task, 'failed');
      agent.wait(500);
    }
    agent.client();
    agent.spawned('b');
    expect(agent.client()[1]).toBe('idle [terminal afterturn:b:3]');
  });

  it('the same call id, used again for a foreground call, is left alone', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.running();
    agent.client();
    agent.call('c', 'pending');
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c pending', 'call c completed']);
  });

  it('and used again for a background call, it is not listed again', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.running();
    agent.call('c', 'pending');
    agent.spawned('w2', { taskType: 'workflow', toolCallId: 'c', description: 'Second' });
    agent.client();
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c completed', 'call afterturn:w2 "Second" in_progress cancellable', 'running [tool_call afterturn:w2]']);
  });

  it('remembers a bounded number of ids, and gives no id of ours twice all the same', () => {
    const agent = world();
    const ids = new Set<string>();
    for (let i = 0; i < 3000; i++) {
      const task = `t${i % 700}`;
      agent.spawned(task);
      const id = agent.lists.entries.get(task)?.id ?? '';
      expect(ids.has(id), id).toBe(false);
      ids.add(id);
      agent.stopAsked(task);
      agent.ended(task, 'stopped');
    }
    expect(agent.lists.used.size).toBeLessThanOrEqual(1024);
    expect(agent.lists.entries.size).toBeLessThanOrEqual(257);
    agent.sent.length = 0;
  });
});

describe('the exit status', () => {
  it('the terminal\'s own exit comes first, and is waited for', () => {
    const agent = withCodexShell();
    agent.ended('c', 'failed');
    agent.wait(249);
    expect(agent.client()).toEqual([]);
    agent.exited('c', { exitCode: 3 });
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":3} not cancellable', 'running []']);
  });

  it('also when it came before the end', () => {
    const agent = withCodexShell();
    agent.exited('c', { exitCode: 3 });
    expect(agent.client()).toEqual([]);
    agent.ended('c', 'failed');
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":3} not cancellable', 'running []']);
  });

  it('a signal is one', () => {
    const agent = withCodexShell();
    agent.ended('c', 'failed');
    agent.exited('c', { exitCode: null, signal: 'SIGKILL' });
    expect(agent.client()).toEqual(['terminal c exited {"signal":"SIGKILL"} not cancellable', 'running []']);
  });

  it('whole output in the same update goes before it', () => {
    const agent = withCodexShell();
    agent.ended('c', 'completed');
    agent.says('terminal_update', { terminalId: 'c', output: { data: '' }, exitStatus: { exitCode: 0 } });
    expect(agent.client()).toEqual(['terminal c output', 'terminal c exited {"exitCode":0} not cancellable', 'running []']);
  });

  it('the launching call\'s output comes next', () => {
    const agent = withCodexShell();
    agent.ended('c', 'failed');
    agent.call('c', 'failed', { rawOutput: { exit_code: 3 } });
    expect(agent.client()).toEqual(['call c failed', 'terminal c exited {"exitCode":3} not cancellable', 'running []']);
  });

  it('then the summary of the raw feed, or the description of the turn that the end causes', () => {
    const raw = idleWithShell();
    raw.ended('b', 'failed');
    raw.raw('task_notification', { task_id: 'b', status: 'failed', summary: 'Background command "x" failed with exit code 3' });
    expect(raw.client()).toEqual(['terminal c exited {"exitCode":3} not cancellable']);
    const turn = idleWithShell({}, { description: 'Run it' });
    turn.ended('b', 'completed');
    turn.spawned('turn-1', { taskType: 'turn', description: 'Background command "Run it" completed (exit code 0)' });
    turn.running();
    expect(turn.client()).toEqual(['terminal c exited {"exitCode":0} not cancellable', 'running []']);
  });

  it('then the output file\'s last line, read after the end', () => {
    const agent = idleWithShell({}, { outputFilePath: '/tmp/b' });
    agent.fileCodes.set('b', 0);
    agent.ended('b', 'completed');
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":0} not cancellable']);
    expect(agent.files()).toEqual(['unfollow b']);
  });

  it('read again until it is there, also at the end of the window', () => {
    const grows = idleWithShell({}, { outputFilePath: '/tmp/b' });
    grows.ended('b', 'completed');
    grows.wait(100);
    expect(grows.client()).toEqual([]);
    grows.fileEnds('b', 0);
    expect(grows.client()).toEqual(['terminal c exited {"exitCode":0} not cancellable']);
    const late = idleWithShell({}, { outputFilePath: '/tmp/b' });
    late.ended('b', 'failed');
    late.wait(200);
    late.fileCodes.set('b', 3);
    late.wait(50);
    expect(late.client()).toEqual(['terminal c exited {"exitCode":3} not cancellable']);
  });

  it('without any it is empty, after the window', () => {
    const agent = idleWithShell({}, { outputFilePath: '/tmp/b' });
    agent.ended('b', 'completed');
    agent.wait(249);
    expect(agent.client()).toEqual([]);
    agent.wait(1);
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable']);
    agent.wait(250);
    expect(agent.client()).toEqual(['idle []']);
  });

  it.each([['completed', 3], ['failed', 0]])('the file\'s code is not used against the end %s: %i', (state, code) => {
    const agent = idleWithShell({}, { outputFilePath: '/tmp/b' });
    agent.fileCodes.set('b', code);
    agent.ended('b', state);
    agent.wait(250);
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable']);
  });

  it.each([['completed', 3], ['failed', 0]])('nor is any other: %s, %i', (state, exitCode) => {
    const agent = withCodexShell();
    agent.ended('c', state);
    agent.exited('c', { exitCode });
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'running []']);
  });

  it('after a stop there is never a code', () => {
    const claude = idleWithShell({}, { outputFilePath: '/tmp/b' });
    claude.fileCodes.set('b', 0);
    claude.stopAsked('b');
    claude.ended('b', 'stopped');
    expect(claude.client()).toEqual(['terminal c exited {} not cancellable']);
    const codex = withCodexShell();
    codex.stopAsked('c');
    codex.ended('c', 'stopped');
    codex.exited('c', { exitCode: 137 });
    expect(codex.client()).toEqual(['terminal c exited {} not cancellable', 'running []']);
  });

  it('a code that comes later is one more update', () => {
    const agent = idleWithShell({}, { description: 'Run it' });
    agent.ended('b', 'failed');
    agent.wait(600);
    agent.client();
    agent.spawned('turn-1', { taskType: 'turn', description: 'Background command "Run it" failed with exit code 3' });
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":3}']);
    agent.raw('task_notification', { task_id: 'b', status: 'failed', summary: 'Background command "x" failed with exit code 3' });
    expect(agent.client()).toEqual([]);
    const codex = withCodexShell();
    codex.ended('c', 'failed');
    codex.wait(300);
    codex.client();
    codex.exited('c', { exitCode: 3 });
    expect(codex.client()).toEqual(['terminal c exited {"exitCode":3}']);
  });

  it('an output file that only the end names is read all the same', () => {
    const agent = idleWithShell();
    agent.fileCodes.set('b', 0);
    agent.ended('b', 'completed', { outputFilePath: '/tmp/b' });
    expect(agent.files()).toEqual(['follow /tmp/b into c', 'unfollow b']);
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":0} not cancellable']);
  });

  it('output is followed from when it is listed, or from when its file is known', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('b', { toolCallId: 'c' });
    agent.progress('b', { outputFilePath: '/tmp/b' });
    expect(agent.files()).toEqual([]);
    agent.call('c', 'completed');
    expect(agent.files()).toEqual(['follow /tmp/b into c']);
    const later = withShell();
    later.progress('b', { outputFilePath: '/tmp/b' });
    expect(later.files()).toEqual(['follow /tmp/b into c']);
  });
});

describe('a `stopped` that nobody asked for', () => {
  it('corrected within the window: the client sees one final status (0.80)', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'stopped');
    agent.wait(2);
    expect(agent.client()).toEqual([]);
    agent.ended('w', 'completed');
    expect(agent.client()).toEqual(['call c completed not cancellable']);
    agent.wait(1000);
    expect(agent.client()).toEqual(['idle []']);
  });

  it('a command\'s, whose file names its code meanwhile', () => {
    const agent = idleWithShell({}, { outputFilePath: '/tmp/b' });
    agent.ended('b', 'stopped', { outputFilePath: '/tmp/b' });
    agent.wait(1);
    agent.fileEnds('b', 0);
    agent.wait(1);
    expect(agent.client()).toEqual([]);
    agent.ended('b', 'completed', { outputFilePath: '/tmp/b' });
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":0} not cancellable']);
  });

  it('not corrected: stopped, after the window', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'stopped');
    agent.wait(249);
    expect(agent.client()).toEqual([]);
    agent.wait(1);
    expect(agent.client()).toEqual(['call c cancelled not cancellable']);
    agent.wait(250);
    expect(agent.client()).toEqual(['idle []']);
  });

  it('whose terminal tells its exit meanwhile: that is kept for the correction', () => {
    const agent = withCodexShell({ agent: 'other' });
    agent.ended('c', 'stopped');
    agent.exited('c', { exitCode: 0 });
    expect(agent.client()).toEqual([]);
    agent.ended('c', 'completed');
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":0} not cancellable', 'running []']);
  });

  it('confirmed by the raw feed: at once', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'stopped');
    agent.raw('task_updated', { task_id: 'w', patch: { status: 'killed' } });
    expect(agent.client()).toEqual(['call c cancelled not cancellable']);
  });

  it('a state change meanwhile does not settle it: it is listed until then', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'stopped');
    agent.running();
    expect(agent.client()).toEqual(['running [tool_call c]']);
    agent.ended('w', 'completed');
    expect(agent.client()).toEqual(['call c completed not cancellable', 'running []']);
  });

  it('corrected after the window: the last word wins on the call, the removal happens once', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'stopped');
    agent.wait(600);
    expect(agent.client()).toEqual(['call c cancelled not cancellable', 'idle []']);
    agent.ended('w', 'completed');
    agent.wait(600);
    expect(agent.client()).toEqual(['call c completed']);
  });

  it('and on the terminal, if that says anything else', () => {
    const agent = withShell({}, { description: 'Run it' });
    agent.ended('b', 'stopped');
    agent.wait(600);
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'running []']);
    agent.ended('b', 'failed');
    agent.wait(600);
    expect(agent.client()).toEqual([]);
    agent.spawned('turn-1', { taskType: 'turn', description: 'Background command "Run it" failed with exit code 3' });
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":3}']);
    agent.ended('b', 'completed');
    expect(agent.client()).toEqual(['terminal c exited {}']);
  });

  it('a stop that was asked for does not wait', () => {
    const agent = idleWithShell();
    agent.stopAsked('b');
    agent.ended('b', 'stopped');
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable']);
  });

  it('an end told twice, or with its summary the second time, is shown once', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.ended('w', 'completed', { summary: 's', outputFilePath: '/tmp/w' });
    agent.ended('w', 'completed', { summary: 's', outputFilePath: '/tmp/w' });
    agent.wait(1000);
    expect(agent.client()).toEqual(['call c completed not cancellable', 'idle []']);
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

describe('the follow-up window', () => {
  it('while running, removal is at once', () => {
    const agent = withShell();
    agent.stopAsked('b');
    agent.ended('b', 'stopped');
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'running []']);
  });

  it('while idle, it waits; the agent\'s own turn shows the item gone and `running` in one snapshot', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.wait(200);
    expect(agent.client()).toEqual(['call c completed not cancellable']);
    agent.running();
    expect(agent.client()).toEqual(['running []']);
    agent.wait(1000);
    expect(agent.client()).toEqual([]);
  });

  it('a new item flushes it', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.spawned('d', { name: 'Another' });
    expect(agent.client()).toEqual(['call c completed not cancellable', 'terminal afterturn:d "Another" cancellable', 'idle [terminal afterturn:d]']);
    agent.wait(1000);
    expect(agent.client()).toEqual([]);
  });

  it('a state that comes while a command waits for its code settles it first', () => {
    const agent = idleWithShell();
    agent.ended('b', 'completed');
    agent.says('state_update', { state: 'requires_action' });
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'requires_action []']);
  });

  it('an `idle` does not: the item is listed until it is settled', () => {
    const agent = withShell();
    agent.ended('b', 'completed');
    agent.idle();
    expect(agent.client()).toEqual(['idle (end_turn) [terminal c]']);
    agent.wait(250);
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable']);
    agent.wait(249);
    expect(agent.client()).toEqual([]);
    agent.wait(1);
    expect(agent.client()).toEqual(['idle []']);
  });

  it('`idle` told again while a removal waits: it waits with it, and nothing of it is lost', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.wait(100);
    agent.says('state_update', { state: 'idle', _meta: { quota: 1 } });
    expect(agent.client()).toEqual(['call c completed not cancellable']);
    agent.wait(150);
    expect(agent.client()).toEqual(['idle []']);
    expect(agent.sent.at(-1)?.update._meta).toEqual({ quota: 1 });
  });

  it('`idle` told again gives way to the agent\'s own turn: the removal is shown by that', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.says('state_update', { state: 'idle' });
    agent.running();
    expect(agent.client()).toEqual(['call c completed not cancellable', 'running []']);
  });

  it('two removals share one wait, which is long enough for the second', () => {
    const agent = idleWithWorkflow();
    agent.spawned('d', { name: 'Another' });
    agent.stopAsked('d');
    agent.client();
    agent.ended('w', 'completed');
    agent.wait(200);
    agent.ended('d', 'stopped');
    agent.wait(249);
    expect(agent.client()).toEqual(['call c completed not cancellable', 'terminal afterturn:d exited {} not cancellable']);
    agent.wait(1);
    expect(agent.client()).toEqual(['idle []']);
  });

  it('there is none for the ends of an agent that starts no turns', () => {
    const agent = withCodexShell();
    agent.idle();
    agent.client();
    agent.stopAsked('c');
    agent.ended('c', 'stopped');
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'idle []']);
  });

  it('with a window of 0 nothing waits', () => {
    const agent = idleWithShell({ window: 0 });
    agent.ended('b', 'completed');
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'idle []']);
    const stopped = idleWithWorkflow({ window: 0 });
    stopped.ended('w', 'stopped');
    expect(stopped.client()).toEqual(['call c cancelled not cancellable', 'idle []']);
    const open = inTurn({ window: 0, agent: 'codex' });
    open.command('c', 'in_progress');
    open.client();
    open.idle();
    expect(open.client()).toEqual(['idle (end_turn) []']);
  });

  it('nothing is due when nothing waits', () => {
    expect(nextTick(idleWithShell().lists)).toBeUndefined();
  });
});

describe('an `idle` with an open call whose terminal has no exit', () => {
  const open = (options: WorldOptions = {}): World => {
    const agent = inTurn({ agent: 'codex', ...options });
    agent.command('c', 'in_progress');
    agent.client();
    agent.idle('cancelled');
    return agent;
  };

  it('waits for the announcement, and goes out once with the task (Codex)', () => {
    const agent = open();
    expect(agent.client()).toEqual([]);
    agent.wait(2);
    agent.marked('c');
    agent.spawned('c', { toolCallId: 'c' });
    expect(agent.client()).toEqual(['terminal c "./run.sh" cancellable', 'idle (cancelled) [terminal c]']);
    agent.wait(1000);
    expect(agent.client()).toEqual([]);
  });

  it('goes out after the window with what is known', () => {
    const agent = open();
    agent.wait(249);
    expect(agent.client()).toEqual([]);
    agent.wait(1);
    expect(agent.client()).toEqual(['idle (cancelled) []']);
    agent.spawned('c', { toolCallId: 'c' });
    expect(agent.client()).toEqual(['terminal c "./run.sh" cancellable', 'idle [terminal c]']);
  });

  it('goes out as soon as no such call is open any more', () => {
    const agent = open();
    agent.exited('c', { exitCode: 1 });
    agent.call('c', 'failed');
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":1}', 'idle (cancelled) []', 'call c failed']);
  });

  it('goes out before the next state', () => {
    const agent = open();
    agent.running();
    expect(agent.client()).toEqual(['idle (cancelled) []', 'running []']);
  });

  it('goes out with the item still listed when that ends meanwhile: the removal has its own wait', () => {
    const agent = open({ agent: 'other' });
    agent.spawned('w', { taskType: 'workflow', toolCallId: 'x' });
    agent.client();
    agent.ended('w', 'completed');
    expect(agent.client()).toEqual(['idle (cancelled) [tool_call afterturn:w]', 'call afterturn:w completed not cancellable']);
    agent.wait(100);
    agent.running();
    expect(agent.client()).toEqual(['running []']);
  });

  it('does not wait for calls without a terminal, or whose work is listed', () => {
    const plain = inTurn({ agent: 'codex' });
    plain.call('p', 'in_progress');
    plain.client();
    plain.idle();
    expect(plain.client()).toEqual(['idle (end_turn) []']);
    const listed = withCodexShell();
    listed.idle();
    expect(listed.client()).toEqual(['idle (end_turn) [terminal c]']);
  });

  it('does not wait where work is not reported', () => {
    const agent = inTurn({ agent: 'codex', reported: false });
    agent.command('c', 'in_progress');
    agent.client();
    agent.idle();
    expect(agent.client()).toEqual(['idle (end_turn) no list']);
  });
});

describe('close', () => {
  it('settles what is listed, then what references it, then one idle with an empty list', () => {
    const agent = withCodexShell();
    agent.call('w1', 'pending');
    agent.spawned('w', { taskType: 'workflow', toolCallId: 'w1' });
    agent.call('w1', 'completed');
    agent.idle();
    agent.client();
    agent.closing();
    agent.over();
    expect(agent.client()).toEqual([
      'terminal c exited {} not cancellable because the session was closed', 'call w1 cancelled not cancellable because the session was closed',
      'call c cancelled not cancellable because the session was closed', 'idle []',
    ]);
  });

  it('ends foreground work as cancelled, with its calls and terminals', () => {
    const agent = inTurn();
    agent.command('f');
    agent.client();
    agent.closing();
    agent.over();
    expect(agent.client()).toEqual(['terminal f exited {}', 'call f cancelled not cancellable because the session was closed', 'idle (cancelled) []']);
  });

  it('also the terminal whose exit at launch was kept back, when the launch was never acknowledged', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('b', { toolCallId: 'c' });
    agent.exited('c', { exitCode: 0 });
    agent.client();
    agent.over();
    expect(agent.client()).toEqual(['terminal c exited {}', 'call c cancelled not cancellable because the session was closed', 'idle (cancelled) []']);
  });

  it('the idle of the foreground that the close stops waits for it: one idle', () => {
    const agent = withShell();
    agent.closing();
    agent.idle('cancelled');
    agent.says('state_update', { state: 'idle' });
    expect(agent.client()).toEqual([]);
    agent.over();
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable because the session was closed', 'idle (cancelled) []']);
  });

  it('flushes a removal that waits, and what waits for a code or a correction', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.client();
    agent.closing();
    agent.over();
    expect(agent.client()).toEqual(['idle []']);
    const ending = idleWithShell({}, { outputFilePath: '/tmp/b' });
    ending.ended('b', 'completed');
    ending.files();
    ending.closing();
    ending.over();
    expect(ending.client()).toEqual(['terminal c exited {} not cancellable', 'idle []']);
    expect(ending.files()).toEqual(['unfollow b']);
    const stopped = idleWithWorkflow();
    stopped.ended('w', 'stopped');
    stopped.closing();
    stopped.over();
    expect(stopped.client()).toEqual(['call c cancelled not cancellable', 'idle []']);
  });

  it('an agent\'s own `stopped` during the close (Codex) is the end', () => {
    const agent = withCodexShell();
    agent.idle();
    agent.client();
    agent.closing();
    agent.ended('c', 'stopped');
    agent.over();
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'call c cancelled not cancellable because the session was closed', 'idle []']);
  });

  it('says nothing of a session in which nothing ran', () => {
    const agent = world();
    agent.running();
    agent.call('f', 'completed');
    agent.idle();
    agent.client();
    agent.closing();
    agent.over();
    expect(agent.client()).toEqual([]);
    expect(nextTick(agent.lists)).toBeUndefined();
  });

  it('says nothing where work is not reported', () => {
    const agent = world({ reported: false });
    agent.running();
    agent.command('f');
    agent.client();
    agent.closing();
    agent.over();
    expect(agent.client()).toEqual([]);
  });

  it('refused: nothing is settled, and what waited goes out', () => {
    const agent = idleWithShell();
    agent.closing();
    agent.wait(1000);
    agent.closeFailed();
    expect(agent.client()).toEqual([]);
    const listed = withShell();
    listed.closing();
    listed.idle('cancelled');
    listed.spawned('d', { name: 'Another' });
    listed.wait(1000);
    expect(listed.client()).toEqual(['terminal afterturn:d "Another" cancellable']);
    listed.closeFailed();
    expect(listed.client()).toEqual(['idle (cancelled) [terminal c, terminal afterturn:d]']);
    const removed = idleWithWorkflow();
    removed.closing();
    removed.ended('w', 'completed');
    removed.wait(1000);
    expect(removed.client()).toEqual(['call c completed not cancellable']);
    removed.closeFailed();
    expect(removed.client()).toEqual(['idle []']);
  });

  it('refused after it was waited for: a removal that waited before is not lost', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.closing();
    agent.wait(1000);
    expect(agent.client()).toEqual(['call c completed not cancellable']);
    agent.closeFailed();
    expect(agent.client()).toEqual(['idle []']);
  });

  it('an agent that is gone: the same, with that reason', () => {
    const agent = withShell();
    agent.over('agentGone');
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable because the agent exited', 'idle (cancelled) []']);
    const waiting = inTurn({ agent: 'codex' });
    waiting.command('c', 'in_progress');
    waiting.client();
    waiting.idle();
    waiting.over('agentGone');
    expect(waiting.client()).toEqual(['terminal c exited {}', 'call c cancelled not cancellable because the agent exited', 'idle (end_turn) []']);
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
