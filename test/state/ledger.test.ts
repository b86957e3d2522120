import { describe, expect, it } from 'vitest';
import { isFinalStatus } from 'afterturn/state';
import { Listener, mark, running } from './listener.js';

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

describe('a conversation that begins anew (`/clear`)', () => {
  const cleared = (): Listener => {
    const agent = running();
    agent.spawned('b', { toolCallId: 'c' });
    agent.raw('task_started', { task_id: 'b', task_type: 'local_bash', tool_use_id: 'c' });
    agent.call('c', 'completed');
    agent.spawned('unfed');
    agent.spawned('t', { taskType: 'turn' });
    expect(agent.hears({ type: 'conversationReset' })).toEqual(['changed b']);
    return agent;
  };

  it('ends no work that the raw feed knows, whatever the extension says, and leaves it without a stop', () => {
    const agent = cleared();
    expect(agent.ended('b', 'failed')).toEqual([]);
    expect(agent.item('b')).toMatchObject({ phase: 'background', canCancel: false });
    expect(agent.raw('task_updated', { task_id: 'b', patch: { status: 'completed' } })).toEqual(['ended b completed']);
    expect(agent.ended('b', 'failed')).toEqual([]);
  });

  it('ends what only the extension tells of, and turns', () => {
    const agent = cleared();
    expect(agent.ended('unfed', 'failed')).toEqual(['ended unfed failed']);
    expect(agent.ended('t', 'failed')).toEqual(['ended t failed']);
  });

  it('is over for work that the extension tells of again', () => {
    const agent = cleared();
    agent.spawned('b');
    expect(agent.item('b')).toMatchObject({ phase: 'background', canCancel: true });
    expect(agent.ended('b', 'failed')).toEqual(['ended b failed']);
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

  it('forgets an exit that is taken back', () => {
    const agent = running();
    agent.update('terminal_update', { terminalId: 't', command: 'ls', exitStatus: { exitCode: 0 } });
    agent.update('terminal_update', { terminalId: 't', exitStatus: null });
    expect(agent.seenTerminal('t')).toMatchObject({ command: 'ls', exit: undefined });
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
