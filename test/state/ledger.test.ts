import { describe, expect, it } from 'vitest';
import { readRawFeed, readUpdate, type JsonObject } from 'afterturn/protocol';
import { emptyLedger, isFinalStatus, reduceLedger, type CallState, type Fact, type Item, type Ledger, type LedgerEvent, type LedgerOptions, type TerminalState } from 'afterturn/state';

/** A ledger that listens. Each call says something and gives the facts that it told, in short form. */
class Listener {
  ledger: Ledger = emptyLedger();
  at = 0;
  facts: Fact[] = [];

  constructor(private readonly options: LedgerOptions = {}) {}

  hears(signal: LedgerEvent['signal'], session = 's'): string[] {
    const [ledger, facts] = reduceLedger(this.ledger, { session, at: this.at, signal }, this.options);
    this.ledger = ledger;
    this.facts = [...facts];
    return facts.map(inShort);
  }

  private hearsAll(signals: readonly LedgerEvent['signal'][], session?: string): string[] {
    const told: Fact[] = [];
    for (const signal of signals) {
      this.hears(signal, session);
      told.push(...this.facts);
    }
    this.facts = told;
    return told.map(inShort);
  }

  update(sessionUpdate: string, members: JsonObject, session?: string): string[] {
    return this.hearsAll(readUpdate({ sessionUpdate, ...members }).signals, session);
  }

  spawned(asyncTaskId: string, members: JsonObject = {}): string[] {
    return this.update('_async_task_spawned', { asyncTaskId, taskType: 'shell', canStop: true, ...members });
  }

  progress(asyncTaskId: string, members: JsonObject): string[] {
    return this.update('_async_task_progress', { asyncTaskId, ...members });
  }

  ended(asyncTaskId: string, state: string, members: JsonObject = {}): string[] {
    return this.update('_async_task_state_update', { asyncTaskId, state, ...members });
  }

  call(toolCallId: string, status?: string, members: JsonObject = {}): string[] {
    return this.update('tool_call_update', { toolCallId, ...(status === undefined ? {} : { status }), ...members });
  }

  raw(subtype: string, members: JsonObject): string[] {
    return this.hearsAll(readRawFeed({ message: { type: 'system', subtype, ...members } }).signals);
  }

  state(state: string): string[] {
    return this.update('state_update', { state });
  }

  item(task: string): Item | undefined {
    return this.ledger.get('s')?.items.get(task);
  }

  seenCall(id: string): CallState | undefined {
    return this.ledger.get('s')?.calls.get(id);
  }

  seenTerminal(id: string): TerminalState | undefined {
    return this.ledger.get('s')?.terminals.get(id);
  }
}

function inShort(fact: Fact): string {
  const { task, life, outcome } = fact.item;
  const name = life === 1 ? task : `${task}#${life}`;
  switch (fact.type) {
    case 'itemStarted': return `started ${name}`;
    case 'itemDetached': return `detached ${name} by ${fact.by}`;
    case 'itemChanged': return `changed ${name}`;
    case 'itemEnded': return `ended ${name} ${outcome}${fact.tentative ? '?' : ''}`;
    case 'itemCorrected': return `corrected ${name} ${fact.before.outcome} to ${outcome}`;
    case 'itemRefined': return `refined ${name} ${outcome}`;
  }
}

const mark = { _meta: { jetbrains: { air: { asyncTasks: { backgrounded: true } } } } };

const running = (options: LedgerOptions = {}): Listener => {
  const agent = new Listener(options);
  agent.state('running');
  return agent;
};

describe('what an item is', () => {
  it.each([
    ['shell', 'terminal'], ['monitor', 'tool_call'], ['workflow', 'tool_call'], ['task', 'tool_call'], ['never_heard_of', 'tool_call'], ['toString', 'tool_call'], ['turn', 'turn'], ['subagent', 'subagent'],
  ])('%s is a %s', (taskType, kind) => {
    const agent = running();
    agent.spawned('b', { taskType });
    expect(agent.item('b')?.kind).toBe(kind);
  });

  it('is a tool call without a type', () => {
    const agent = running();
    agent.update('_async_task_spawned', { asyncTaskId: 'b', toolCallId: 'c' });
    expect(agent.item('b')?.kind).toBe('tool_call');
  });

  it('takes the extension\'s word on the type over the raw feed\'s, in any order', () => {
    const before = running();
    before.raw('background_tasks_changed', { tasks: [{ task_id: 'm', task_type: 'local_bash' }] });
    before.spawned('m', { taskType: 'monitor' });
    expect(before.item('m')?.kind).toBe('tool_call');
    const after = running();
    after.spawned('m', { taskType: 'monitor' });
    after.raw('task_started', { task_id: 'm', task_type: 'local_bash' });
    expect(after.item('m')?.kind).toBe('tool_call');
  });

  it('is told apart by the tool that launched it where only the raw feed tells: a Monitor runs as a shell', () => {
    const agent = running({ asyncTasks: false });
    agent.call('c', 'pending', { _meta: { claudeCode: { toolName: 'Monitor' } } });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'm', task_type: 'local_bash' }] });
    agent.raw('task_started', { task_id: 'm', tool_use_id: 'c', task_type: 'local_bash' });
    expect(agent.call('c', 'completed')).toEqual(['detached m by ack']);
    expect(agent.item('m')).toMatchObject({ kind: 'tool_call', taskType: 'monitor' });
  });
});

describe('when an item detaches', () => {
  it('agent acknowledges the launching call -> detached by ack (Claude)', () => {
    const agent = running();
    agent.call('c', 'pending');
    expect(agent.spawned('b', { toolCallId: 'c' })).toEqual(['started b']);
    expect(agent.call('c', undefined, mark)).toEqual([]);
    expect(agent.call('c', 'completed')).toEqual(['detached b by ack']);
    expect(agent.state('idle')).toEqual([]);
  });

  it('the mark comes before the spawn, without an acknowledgement -> detached by mark (Codex)', () => {
    const agent = running();
    agent.call('c', 'in_progress');
    expect(agent.call('c', undefined, mark)).toEqual([]);
    expect(agent.spawned('c', { toolCallId: 'c' })).toEqual(['started c', 'detached c by mark']);
    expect(agent.state('idle')).toEqual([]);
  });

  it('foreground work ends -> everything that still runs detaches', () => {
    const agent = running();
    agent.call('c', 'in_progress');
    agent.spawned('b', { toolCallId: 'c' });
    agent.spawned('d', { toolCallId: 'e' });
    expect(agent.state('requires_action')).toEqual([]);
    expect(agent.state('idle')).toEqual(['detached b by idle', 'detached d by idle']);
  });

  it('spawned while idle -> detached at once', () => {
    const agent = running();
    agent.call('c', 'in_progress');
    agent.state('idle');
    expect(agent.spawned('b', { toolCallId: 'c' })).toEqual(['started b', 'detached b by idle']);
  });

  it('spawned after its call was acknowledged, or failed -> detached at once', () => {
    for (const status of ['completed', 'failed', 'cancelled']) {
      const agent = running();
      agent.call('c', status);
      expect(agent.spawned('b', { toolCallId: 'c' })).toEqual(['started b', 'detached b by ack']);
    }
  });

  it('a progress brings the call that was acknowledged already (0.80) -> detached then', () => {
    const agent = running();
    agent.spawned('b');
    agent.call('c', 'completed');
    expect(agent.item('b')?.phase).toBe('foreground');
    expect(agent.progress('b', { toolCallId: 'c' })).toEqual(['changed b', 'detached b by ack']);
  });

  it('no launching call by the end of the turn -> a shell, or what is known not to be ambient', () => {
    const agent = running();
    agent.spawned('shell');
    agent.spawned('unsure', { taskType: 'workflow' });
    agent.spawned('sure', { taskType: 'workflow' });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'sure', task_type: 'local_workflow' }] });
    expect(agent.state('idle')).toEqual(['detached shell by idle', 'detached sure by idle']);
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'unsure', task_type: 'local_workflow' }] })).toEqual(['changed unsure', 'detached unsure by idle']);
  });

  it('ambient work never does', () => {
    const agent = running();
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'a', task_type: 'local_bash', ambient: true }] });
    agent.call('c', 'pending', mark);
    expect(agent.spawned('a', { toolCallId: 'c' })).toEqual(['started a']);
    expect(agent.call('c', 'completed')).toEqual([]);
    expect(agent.state('idle')).toEqual([]);
    expect(agent.item('a')).toMatchObject({ phase: 'foreground', ambient: true });
  });

  it('a turn never does', () => {
    const agent = running();
    agent.spawned('autonomous-turn-1', { taskType: 'turn' });
    expect(agent.state('idle')).toEqual([]);
    expect(agent.ended('autonomous-turn-1', 'completed')).toEqual(['ended autonomous-turn-1 completed']);
  });

  it('an old mark says nothing of a new call under the same id', () => {
    const agent = running();
    agent.call('c', 'in_progress', mark);
    agent.call('c', 'completed');
    agent.call('c', 'pending');
    expect(agent.spawned('b', { toolCallId: 'c' })).toEqual(['started b']);
  });

  it('detaches once, however often it is told', () => {
    const agent = running();
    agent.spawned('b', { toolCallId: 'c' });
    agent.call('c', 'completed');
    expect([...agent.call('c', 'completed'), ...agent.spawned('b', { toolCallId: 'c' }), ...agent.state('idle'), ...agent.state('idle')]).toEqual([]);
  });
});

describe('orders that agents really have', () => {
  it('the final state before the spawn -> started and ended at once, never detached', () => {
    const agent = running();
    expect(agent.ended('b', 'failed', { summary: 's' })).toEqual([]);
    expect(agent.spawned('b', { toolCallId: 'c' })).toEqual(['started b', 'ended b failed']);
    expect(agent.call('c', 'completed')).toEqual([]);
    expect(agent.item('b')).toMatchObject({ summary: 's', toolCallId: 'c', life: 1 });
  });

  it('the final state before the acknowledgement -> never detached', () => {
    const agent = running();
    agent.spawned('b', { toolCallId: 'c' });
    expect(agent.ended('b', 'completed')).toEqual(['ended b completed']);
    expect([...agent.call('c', 'completed'), ...agent.state('idle')]).toEqual([]);
  });

  it('the final state twice -> told once', () => {
    const agent = running();
    agent.spawned('b');
    agent.at = 5;
    agent.ended('b', 'completed');
    agent.at = 7;
    expect(agent.ended('b', 'completed')).toEqual([]);
    expect(agent.item('b')?.endedAt).toBe(5);
  });

  it('the summary only with the second one -> the same end, refined', () => {
    const agent = running();
    agent.spawned('b');
    agent.ended('b', 'completed');
    expect(agent.ended('b', 'completed', { summary: 's', outputFilePath: '/tmp/o' })).toEqual(['refined b completed']);
    expect(agent.item('b')).toMatchObject({ summary: 's', outputFile: '/tmp/o' });
  });

  it('`stopped`, corrected to `completed` 2 ms later (0.80) -> tentative, then corrected', () => {
    const agent = running();
    agent.spawned('b');
    expect(agent.ended('b', 'stopped')).toEqual(['ended b stopped?']);
    expect(agent.ended('b', 'completed')).toEqual(['corrected b stopped to completed']);
    expect(agent.ended('b', 'completed')).toEqual([]);
  });

  it('a stop that was asked for -> certain', () => {
    const agent = running();
    agent.spawned('b');
    agent.hears({ type: 'stopAsked', task: 'b' });
    expect(agent.ended('b', 'stopped')).toEqual(['ended b stopped']);
  });

  it('a stop that was asked for and refused -> tentative again', () => {
    const agent = running();
    agent.spawned('b');
    agent.hears({ type: 'stopAsked', task: 'b' });
    agent.hears({ type: 'stopRefused', task: 'b' });
    expect(agent.ended('b', 'stopped')).toEqual(['ended b stopped?']);
  });

  it('the raw feed\'s word is certain, also after the extension\'s', () => {
    const agent = running();
    agent.spawned('a');
    expect(agent.raw('task_updated', { task_id: 'a', patch: { status: 'killed' } })).toEqual(['ended a stopped']);
    agent.spawned('b');
    agent.ended('b', 'stopped');
    expect(agent.raw('task_updated', { task_id: 'b', patch: { status: 'killed' } })).toEqual(['refined b stopped']);
    expect(agent.item('b')?.endedBy).toBe('raw');
  });

  it('a `stopped` that nobody asked for says nothing against an end that the raw feed told (0.80 with the feed)', () => {
    const agent = running();
    agent.spawned('b');
    expect(agent.raw('task_updated', { task_id: 'b', patch: { status: 'completed' } })).toEqual(['ended b completed']);
    expect(agent.ended('b', 'stopped')).toEqual([]);
    expect(agent.ended('b', 'completed')).toEqual([]);
    expect(agent.item('b')?.outcome).toBe('completed');
  });

  it('the empty live set before the end (0.66, 0.80) -> ends nothing', () => {
    const agent = running({ asyncTasks: false });
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', task_type: 'local_bash' }] })).toEqual(['started b']);
    expect(agent.raw('background_tasks_changed', { tasks: [] })).toEqual([]);
    expect(agent.raw('task_updated', { task_id: 'b', patch: { status: 'completed' } })).toEqual(['ended b completed']);
    expect(agent.raw('task_notification', { task_id: 'b', status: 'completed', summary: 'Background command "x" completed (exit code 0)' })).toEqual(['refined b completed']);
    expect(agent.item('b')?.exitCode).toBe(0);
  });

  it('task_started alone starts nothing: a foreground Agent has one too', () => {
    const agent = running({ asyncTasks: false });
    expect(agent.raw('task_started', { task_id: 'a', task_type: 'local_agent', tool_use_id: 'c' })).toEqual([]);
    expect(agent.raw('task_updated', { task_id: 'a', patch: { status: 'completed' } })).toEqual([]);
  });

  it('where the extension reports tasks the raw feed only adds facts', () => {
    const agent = running();
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'a', task_type: 'local_agent' }] })).toEqual([]);
    expect(agent.item('a')?.phase).toBe('noted');
  });

  it('a pause is told while it runs, and not after', () => {
    const agent = running();
    agent.spawned('w', { taskType: 'workflow' });
    expect(agent.ended('w', 'paused')).toEqual(['changed w']);
    expect(agent.item('w')?.paused).toBe(true);
    expect(agent.ended('w', 'running')).toEqual(['changed w']);
    expect(agent.ended('w', 'running')).toEqual([]);
    agent.ended('w', 'paused');
    agent.ended('w', 'completed');
    expect(agent.ended('w', 'paused')).toEqual([]);
    expect(agent.item('w')?.paused).toBe(false);
  });
});

describe('another life of a task id', () => {
  it('a start after an end is a new life', () => {
    const agent = running();
    agent.at = 1;
    agent.spawned('b', { toolCallId: 'c', description: 'first' });
    agent.ended('b', 'completed');
    agent.at = 9;
    expect(agent.spawned('b')).toEqual(['started b#2']);
    expect(agent.item('b')).toMatchObject({ life: 2, phase: 'foreground', outcome: undefined, toolCallId: undefined, description: undefined, startedAt: 9, endedAt: undefined });
    expect(agent.ended('b', 'failed')).toEqual(['ended b#2 failed']);
  });

  it('a start of another run ends a life whose end nobody told, as unknown', () => {
    const agent = running({ asyncTasks: false });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r1', task_type: 'local_workflow' }] });
    agent.at = 50;
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r2', task_type: 'local_workflow' }] })).toEqual(['ended b unknown', 'started b#2']);
    expect(agent.facts[0]?.item).toMatchObject({ endedAt: 50, phase: 'ended' });
  });

  it('the same, where the extension reports tasks and the live set names the run', () => {
    const agent = running();
    agent.spawned('b', { taskType: 'workflow', toolCallId: 'c' });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r1', task_type: 'local_workflow' }] });
    agent.call('c', 'completed');
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r2', task_type: 'local_workflow' }] })).toEqual(['ended b unknown', 'started b#2']);
    expect(agent.item('b')).toMatchObject({ taskType: 'workflow', canCancel: true, run: 'r2' });
  });

  it('a final state of an older run is late and ignored', () => {
    const agent = running({ asyncTasks: false });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r1', task_type: 'local_workflow' }] });
    agent.raw('task_updated', { task_id: 'b', run_id: 'r1', patch: { status: 'completed' } });
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r2', task_type: 'local_workflow' }] })).toEqual(['started b#2']);
    expect(agent.raw('task_notification', { task_id: 'b', run_id: 'r1', status: 'failed' })).toEqual([]);
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r1', task_type: 'local_workflow' }] })).toEqual([]);
    expect(agent.item('b')).toMatchObject({ life: 2, phase: 'foreground', run: 'r2' });
  });

  it('also where the spawn of the new run does not name it', () => {
    const agent = running();
    agent.spawned('b', { taskType: 'workflow' });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r1' }] });
    agent.ended('b', 'completed');
    agent.raw('task_updated', { task_id: 'b', run_id: 'r1', patch: { status: 'completed' } });
    expect(agent.spawned('b', { taskType: 'workflow' })).toEqual(['started b#2']);
    expect(agent.raw('task_notification', { task_id: 'b', run_id: 'r1', status: 'completed' })).toEqual([]);
    expect(agent.item('b')?.phase).toBe('foreground');
  });

  it('what the raw feed says of the next run before its spawn is not lost', () => {
    const agent = running();
    agent.spawned('b', { taskType: 'workflow' });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r1' }] });
    agent.ended('b', 'completed');
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r2' }] })).toEqual([]);
    expect(agent.raw('task_started', { task_id: 'b', run_id: 'r2', tool_use_id: 'c2', ambient: true })).toEqual([]);
    expect(agent.item('b')).toMatchObject({ life: 1, phase: 'ended', ambient: false });
    expect(agent.spawned('b', { taskType: 'workflow' })).toEqual(['started b#2']);
    expect(agent.item('b')).toMatchObject({ run: 'r2', toolCallId: 'c2', ambient: true });
  });

  it('a start that names the run that is over is told again, not new', () => {
    const agent = running({ asyncTasks: false });
    const level = { tasks: [{ task_id: 'b', run_id: 'r1', task_type: 'local_workflow' }] };
    agent.raw('background_tasks_changed', level);
    agent.raw('task_updated', { task_id: 'b', run_id: 'r1', patch: { status: 'completed' } });
    expect(agent.raw('background_tasks_changed', level)).toEqual([]);
  });

  it('an end that came before the spawn of another run is not the end of that', () => {
    const agent = running({ asyncTasks: false });
    agent.raw('task_updated', { task_id: 'b', run_id: 'r1', patch: { status: 'completed' } });
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r2' }] })).toEqual(['started b#2']);
  });

  it('a mark that came before the spawn detaches the second life too', () => {
    const agent = running({ asyncTasks: false });
    agent.call('c', 'in_progress', mark);
    agent.raw('task_started', { task_id: 'b', run_id: 'r1', tool_use_id: 'c' });
    const start = (run: string): string[] => agent.hears({ type: 'taskStarted', source: 'raw', task: 'b', facts: { run, toolCallId: 'c', taskType: 'shell' } });
    expect(start('r1')).toEqual(['started b', 'detached b by mark']);
    expect(start('r2')).toEqual(['ended b unknown', 'started b#2', 'detached b#2 by mark']);
  });
});

describe('an exit code', () => {
  it('is read from the description of the agent\'s own turn that the end causes', () => {
    const agent = running();
    agent.spawned('b', { description: 'Run it' });
    agent.ended('b', 'failed');
    expect(agent.spawned('turn-1', { taskType: 'turn', description: 'Background command "Run it" failed with exit code 3' })).toEqual(['started turn-1', 'refined b failed']);
    expect(agent.item('b')?.exitCode).toBe(3);
  });

  it('comes with a corrected description of that turn as well', () => {
    const agent = running();
    agent.spawned('b', { description: 'Run it' });
    agent.ended('b', 'completed');
    agent.spawned('turn-1', { taskType: 'turn', description: 'A turn.' });
    expect(agent.progress('turn-1', { description: 'Background command "Run it" completed (exit code 0)' })).toEqual(['changed turn-1', 'refined b completed']);
  });

  it('goes to the item that it agrees with', () => {
    const agent = running();
    for (const task of ['a', 'b']) agent.spawned(task, { description: 'Run it' });
    agent.ended('a', 'completed');
    agent.ended('b', 'failed');
    agent.spawned('turn-1', { taskType: 'turn', description: 'Background command "Run it" completed (exit code 0)' });
    expect([agent.item('a')?.exitCode, agent.item('b')?.exitCode]).toEqual([0, undefined]);
  });

  it.each([
    ['runs still', (agent: Listener) => agent.spawned('b', { description: 'Run it' })],
    ['is no command', (agent: Listener) => [agent.spawned('b', { taskType: 'workflow', description: 'Run it' }), agent.ended('b', 'completed')]],
    ['has another description', (agent: Listener) => [agent.spawned('b', { description: 'Run' }), agent.ended('b', 'completed')]],
    ['was stopped', (agent: Listener) => [agent.spawned('b', { description: 'Run it' }), agent.ended('b', 'stopped')]],
  ])('is not given to what %s', (_, before) => {
    const agent = running();
    before(agent);
    agent.spawned('turn-1', { taskType: 'turn', description: 'Background command "Run it" completed (exit code 0)' });
    expect(agent.item('b')?.exitCode).toBeUndefined();
  });

  it('is read from the output of the launching call', () => {
    const agent = running();
    agent.call('c', 'in_progress', mark);
    agent.spawned('c', { toolCallId: 'c' });
    agent.ended('c', 'failed');
    expect(agent.call('c', 'failed', { rawOutput: { exit_code: 3 } })).toEqual(['refined c failed']);
    expect(agent.item('c')?.exitCode).toBe(3);
  });

  it('is not read from the output of another call under the same id', () => {
    const agent = running();
    agent.call('c', 'in_progress', mark);
    agent.spawned('c', { toolCallId: 'c' });
    agent.ended('c', 'failed');
    agent.call('c', 'failed');
    agent.at = 10;
    agent.call('c', 'pending');
    agent.call('c', 'failed', { rawOutput: { exit_code: 3 } });
    expect(agent.item('c')?.exitCode).toBeUndefined();
  });
});

describe('tool calls and terminals', () => {
  it('knows a call by what all updates add up to', () => {
    const agent = running();
    agent.at = 4;
    agent.call('c', 'pending', { title: 'T', kind: 'execute', content: [{ type: 'terminal', terminalId: 't' }] });
    agent.at = 6;
    agent.call('c', 'completed');
    expect(agent.seenCall('c')).toEqual({ id: 'c', status: 'completed', final: true, title: 'T', kind: 'execute', name: undefined, terminals: ['t'], backgrounded: false, seenAt: 4, reused: false });
  });

  it('knows a call anew when its id is used again', () => {
    const agent = running();
    agent.call('c', 'completed', { title: 'T', content: [{ type: 'terminal', terminalId: 't' }] });
    agent.at = 6;
    agent.call('c', 'pending');
    expect(agent.seenCall('c')).toMatchObject({ final: false, title: undefined, terminals: [], seenAt: 6, reused: true });
  });

  it('keeps an exit', () => {
    const agent = running();
    agent.update('terminal_update', { terminalId: 't', command: 'ls' });
    agent.update('terminal_update', { terminalId: 't', exitStatus: { exitCode: 0 } });
    agent.update('terminal_update', { terminalId: 't', cwd: '/w' });
    expect(agent.seenTerminal('t')).toEqual({ id: 't', command: 'ls', cwd: '/w', exit: { exitCode: 0 }, output: false });
  });

  it('is the same ledger when nothing is new', () => {
    const agent = running();
    agent.call('c', 'completed');
    agent.update('terminal_update', { terminalId: 't', output: { data: '' } });
    agent.spawned('b');
    agent.ended('b', 'completed');
    const before = agent.ledger;
    agent.call('c', 'completed');
    agent.update('terminal_output_chunk', { terminalId: 't', data: '' });
    agent.ended('b', 'completed');
    agent.hears({ type: 'stopAsked', task: 'b' });
    agent.hears({ type: 'stopAsked', task: 'unheard' });
    agent.hears({ type: 'liveSet', tasks: [] });
    agent.hears({ type: 'sessionState', running: true });
    agent.state('running');
    expect(agent.ledger).toBe(before);
  });

  it('tells final statuses', () => {
    expect(['completed', 'failed', 'cancelled', 'pending', 'in_progress', 'paused', undefined].map(isFinalStatus)).toEqual([true, true, true, false, false, false, false]);
  });
});

describe('sessions', () => {
  it('are kept apart: the same ids in another session are other work', () => {
    const agent = new Listener();
    const spawn = { asyncTaskId: 'b', taskType: 'shell', toolCallId: 'c' };
    agent.update('state_update', { state: 'running' }, 'one');
    agent.update('state_update', { state: 'running' }, 'two');
    expect(agent.update('_async_task_spawned', spawn, 'one')).toEqual(['started b']);
    expect(agent.update('_async_task_spawned', spawn, 'two')).toEqual(['started b']);
    expect(agent.update('tool_call_update', { toolCallId: 'c', status: 'completed' }, 'two')).toEqual(['detached b by ack']);
    expect(agent.facts[0]?.session).toBe('two');
    expect(agent.ledger.get('one')?.items.get('b')?.phase).toBe('foreground');
    expect(agent.update('_async_task_state_update', { asyncTaskId: 'b', state: 'completed' }, 'one')).toEqual(['ended b completed']);
    expect(agent.ledger.get('two')?.items.get('b')?.phase).toBe('background');
  });

  it('are forgotten when they are gone, and not remembered for saying nothing', () => {
    const agent = running();
    agent.hears({ type: 'sessionGone' });
    expect(agent.ledger.size).toBe(0);
    agent.hears({ type: 'liveSet', tasks: [] }, 'other');
    expect(agent.ledger.size).toBe(0);
  });
});

describe('memory', () => {
  it('does not grow with ended items, settled calls and exited terminals: the limit, and what is in use at the moment', () => {
    const agent = running({ remembered: 20 });
    for (let i = 0; i < 10_000; i++) {
      agent.call(`c${i}`, 'pending', { content: [{ type: 'terminal', terminalId: `c${i}` }] });
      agent.update('terminal_update', { terminalId: `c${i}` });
      agent.spawned(`b${i}`, { toolCallId: `c${i}` });
      agent.call(`c${i}`, 'completed');
      agent.update('terminal_update', { terminalId: `c${i}`, exitStatus: {} });
      agent.ended(`b${i}`, 'completed');
    }
    const session = agent.ledger.get('s');
    for (const table of [session?.items, session?.calls, session?.terminals]) expect(table?.size).toBeLessThanOrEqual(21);
    expect(agent.item('b9999')?.outcome).toBe('completed');
  });

  it('does not grow with tasks that never start', () => {
    const agent = running({ remembered: 20 });
    for (let i = 0; i < 1000; i++) {
      agent.progress(`p${i}`, { description: 'x' });
      agent.ended(`e${i}`, 'completed');
    }
    expect(agent.ledger.get('s')?.items.size).toBe(20);
  });

  it('never forgets what lives: items, their launching calls and their terminals', () => {
    const agent = running({ remembered: 5 });
    for (let i = 0; i < 50; i++) {
      agent.update('terminal_update', { terminalId: `c${i}`, command: `run ${i}`, exitStatus: { exitCode: 0 } });
      agent.spawned(`b${i}`, { toolCallId: `c${i}` });
      agent.call(`c${i}`, 'completed', { content: [{ type: 'terminal', terminalId: `c${i}` }] });
    }
    for (let i = 0; i < 50; i++) {
      agent.call(`x${i}`, 'completed');
      agent.update('terminal_update', { terminalId: `x${i}`, exitStatus: {} });
      agent.spawned(`y${i}`);
      agent.ended(`y${i}`, 'completed');
    }
    for (let i = 0; i < 50; i++) {
      expect(agent.item(`b${i}`)?.phase).toBe('background');
      expect(agent.seenCall(`c${i}`)?.terminals).toEqual([`c${i}`]);
      expect(agent.seenTerminal(`c${i}`)?.command).toBe(`run ${i}`);
    }
  });
});
