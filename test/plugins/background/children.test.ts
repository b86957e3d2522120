/** Child sessions in the lists: of their parent, and their own. */
import { describe, expect, it } from 'vitest';
import { connected as connectedTo, lastId, type Connected, type ConnectedOptions } from './connected.js';
import type { Message } from '../../pipeline/harness.js';
import { inShort } from '../../state/world.js';

const listOf = (items: readonly Message[] | undefined): string => (items === undefined ? 'no list' : `[${items.map(({ type, ...rest }) => `${String(type)} ${String(Object.values(rest)[0])}`).join(' ')}]`);
const stateOf = ({ state, stopReason, background }: Message): string => [state, stopReason, listOf(background)].filter((part) => part !== undefined).join(' ');

/** What the client saw, by session. */
const saw = (on: Connected): string[] => on.client.received().map((message: Message) => {
  if (message.method !== 'session/update') return message.method ?? `answer ${JSON.stringify(message.result ?? message.error.code)}`;
  const { sessionId, update } = message.params;
  if (update.sessionUpdate !== 'subagent_update') return `${String(sessionId)}: ${update.sessionUpdate === 'state_update' ? stateOf(update) : inShort(update)}`;
  const { sessionUpdate: _, sessionId: child, state, ...rest } = update;
  return `${String(sessionId)}: child ${String(child)}${state === undefined ? '' : ` ${stateOf(state)}`}${Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`}`;
});

const state = (on: Connected, session: string, word: string, more: object = {}): void => on.says('state_update', { state: word, ...more }, session);
const child = (on: Connected, id: string, word: string, more: object = {}, parent = 's'): void => {
  on.says('subagent_update', { sessionId: id, state: { state: word, ...(word === 'idle' ? { stopReason: 'end_turn' } : {}) }, ...more }, parent);
  state(on, id, word, word === 'idle' ? { stopReason: 'end_turn' } : {});
};
const live = (on: Connected, ...tasks: Message[]): void => on.raw('background_tasks_changed', { tasks });
const task = (id: string, more: object = {}): Message => ({ task_id: id, task_type: 'local_agent', ...more });

/** A background command of `session`: terminal `t`, task `b`. */
function runsShell(on: Connected, session: string): void {
  on.says('terminal_update', { terminalId: 't', command: './run.sh' }, session);
  on.says('tool_call_update', { toolCallId: 't', status: 'pending', content: [{ type: 'terminal', terminalId: 't' }] }, session);
  on.says('_async_task_spawned', { asyncTaskId: 'b', taskType: 'shell', canStop: true, toolCallId: 't' }, session);
  on.says('tool_call_update', { toolCallId: 't', status: 'completed' }, session);
}
const shellEnds = (on: Connected, session: string): void => on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'stopped' }, session);

function connected(options: ConnectedOptions = {}): Connected {
  const on = connectedTo(options);
  state(on, 's', 'running');
  on.client.received();
  return on;
}

const codex = { name: '@agentclientprotocol/codex-acp', acknowledged: ['asyncTasks', 'nativeSubagentSessions'] };

describe('a child that foreground work waits for', () => {
  it('has lists of its own, mirrored, and is in no list', () => {
    const on = connected();
    child(on, 'c', 'running', { title: 'Search' });
    expect(saw(on)).toEqual(['s: child c running [] {"title":"Search"}', 'c: running []']);
    child(on, 'c', 'idle');
    state(on, 's', 'idle', { stopReason: 'end_turn' });
    expect(saw(on)).toEqual(['s: child c idle end_turn []', 'c: idle end_turn []', 's: idle end_turn []']);
  });

  it('that runs on when foreground work ends has detached', () => {
    const on = connected();
    child(on, 'c', 'running');
    state(on, 's', 'idle', { stopReason: 'end_turn' });
    expect(saw(on).at(-1)).toBe('s: idle end_turn [subagent c]');
  });

  it('that leaves work behind is listed for that, with nobody waiting for it', () => {
    const on = connected(codex);
    child(on, 'c', 'running');
    runsShell(on, 'c');
    saw(on);
    child(on, 'c', 'idle');
    expect(saw(on)).toEqual(['s: child c idle end_turn [terminal t]', 'c: idle end_turn [terminal t]', 's: running [subagent c]']);
  });
});

describe('a child that the raw feed calls background work', () => {
  it('is listed as soon as it is announced', () => {
    const on = connected();
    live(on, task('c'));
    child(on, 'c', 'running');
    expect(saw(on)).toEqual(['_claude/sdkMessage', 's: child c running []', 's: running [subagent c]', 'c: running []']);
  });

  it('is listed when the feed says so later', () => {
    const on = connected();
    child(on, 'c', 'running');
    saw(on);
    live(on, task('c'));
    expect(saw(on)).toEqual(['_claude/sdkMessage', 's: running [subagent c]']);
  });

  it('is idle before the list without it, which waits for a turn that its end starts', () => {
    const on = connected();
    live(on, task('c'));
    child(on, 'c', 'running');
    state(on, 's', 'idle', { stopReason: 'end_turn' });
    saw(on);
    on.raw('task_updated', { task_id: 'c', patch: { status: 'completed' } });
    child(on, 'c', 'idle');
    expect(saw(on)).toEqual(['_claude/sdkMessage', 's: child c idle end_turn []', 'c: idle end_turn []']);
    state(on, 's', 'running');
    expect(saw(on)).toEqual(['s: running []']);
  });

  it('is listed in each of its runs', () => {
    const on = connected();
    live(on, task('c', { run_id: 'r1' }));
    child(on, 'c', 'running');
    child(on, 'c', 'idle');
    state(on, 's', 'idle', { stopReason: 'end_turn' });
    on.clock.advance(250);
    saw(on);
    live(on, task('c', { run_id: 'r2' }));
    child(on, 'c', 'running');
    expect(saw(on)).toEqual(['_claude/sdkMessage', 's: child c running []', 'c: running []', 's: idle [subagent c]']);
  });
});

describe("a child's own background work", () => {
  it('is in its list, and keeps it in its parent’s; its next run comes with the list that drops the work', () => {
    const on = connected();
    live(on, task('c'));
    child(on, 'c', 'running');
    state(on, 's', 'idle', { stopReason: 'end_turn' });
    runsShell(on, 'c');
    child(on, 'c', 'idle');
    expect(saw(on).slice(-4)).toEqual(['s: child c running [terminal t]', 'c: running [terminal t]', 's: child c idle end_turn [terminal t]', 'c: idle end_turn [terminal t]']);
    on.raw('task_notification', { task_id: 'b', status: 'completed', summary: 'Background command "x" completed (exit code 0)' });
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'completed' }, 'c');
    expect(saw(on)).toEqual(['_claude/sdkMessage', 'c: terminal t exited {"exitCode":0} not cancellable']);
    child(on, 'c', 'running');
    child(on, 'c', 'idle');
    on.clock.advance(250);
    expect(saw(on)).toEqual(['s: child c running []', 'c: running []', 's: child c idle end_turn []', 'c: idle end_turn []', 's: idle []']);
  });

  it('that ends while nothing follows empties both lists, the child’s first', () => {
    const on = connected();
    live(on, task('c'));
    child(on, 'c', 'running');
    runsShell(on, 'c');
    child(on, 'c', 'idle');
    state(on, 's', 'idle', { stopReason: 'end_turn' });
    saw(on);
    on.raw('task_notification', { task_id: 'b', status: 'stopped' });
    on.clock.advance(250);
    expect(saw(on)).toEqual(['_claude/sdkMessage', 'c: terminal t exited {} not cancellable', 's: child c idle []', 'c: idle []']);
    on.clock.advance(250);
    expect(saw(on)).toEqual(['s: idle []']);
  });

  it('is stopped with the id of the root, which is where the agent knows it', async () => {
    const on = connected(codex);
    child(on, 'c', 'running');
    child(on, 'd', 'running', {}, 'c');
    runsShell(on, 'd');
    saw(on);
    on.client.sends({ jsonrpc: '2.0', id: 7, method: 'terminal/cancel', params: { sessionId: 'd', terminalId: 't' } });
    const asked = on.agent.received();
    expect(asked).toMatchObject([{ method: '_session/async_task/stop', params: { sessionId: 's', asyncTaskId: 'b' } }]);
    shellEnds(on, 'd');
    on.agent.answers(lastId(asked), { stopped: true });
    await on.settled();
    expect(saw(on)).toEqual(['d: terminal t exited {} not cancellable', 'c: child d running []', 'd: running []', 'answer {}']);
  });

  it('is its own where only the raw feed tells of it', () => {
    const on = connected({ acknowledged: [] });
    live(on, task('c'));
    child(on, 'c', 'running');
    on.says('terminal_update', { terminalId: 't', command: './run.sh' }, 'c');
    on.says('tool_call_update', { toolCallId: 't', status: 'pending', content: [{ type: 'terminal', terminalId: 't' }] }, 'c');
    live(on, task('c'), { task_id: 'b', task_type: 'local_bash', parent_task_id: 'c' });
    on.raw('task_started', { task_id: 'b', task_type: 'local_bash', tool_use_id: 't', parent_task_id: 'c' });
    on.says('tool_call_update', { toolCallId: 't', status: 'completed' }, 'c');
    expect(saw(on).slice(-3)).toEqual(['c: terminal t "./run.sh"', 's: child c running [terminal t]', 'c: running [terminal t]']);
  });
});

describe('what is told of the association', () => {
  it('is told when it is new', () => {
    const on = connected();
    child(on, 'c', 'running', { title: 'Search', capabilities: {} });
    saw(on);
    on.says('subagent_update', { sessionId: 'c', title: 'Search', capabilities: {} });
    on.says('subagent_update', { sessionId: 'c', title: 'Search more', capabilities: {} });
    expect(saw(on)).toEqual(['s: child c {"title":"Search more"}']);
  });

  it('of a child within a child goes to that', () => {
    const on = connected();
    child(on, 'c', 'running');
    child(on, 'd', 'running', {}, 'c');
    state(on, 'c', 'idle', { stopReason: 'end_turn' });
    expect(saw(on)).toEqual([
      's: child c running []', 'c: running []', 'c: child d running []', 'd: running []', 's: child c idle end_turn [subagent d]', 'c: idle end_turn [subagent d]', 's: running [subagent c]',
    ]);
  });

  it('passes untouched where background work is not reported', () => {
    const on = connected({ acknowledged: [] });
    const update = { sessionUpdate: 'subagent_update', sessionId: 'c', state: { state: 'running' } };
    on.says('subagent_update', update);
    state(on, 'c', 'running');
    expect(on.client.received().map(({ params }) => params.update)).toEqual([update, { sessionUpdate: 'state_update', state: 'running' }]);
  });

  it('is reported from the moment on from which the parent reports', () => {
    const on = connected({ acknowledged: [] });
    child(on, 'c', 'running');
    saw(on);
    live(on, task('x', { task_type: 'local_workflow' }));
    on.raw('task_started', { task_id: 'x', task_type: 'local_workflow' });
    expect(saw(on)).toEqual(['_claude/sdkMessage', 's: child c running []', 'c: running []', '_claude/sdkMessage']);
  });
});

describe('the end of the session', () => {
  it('ends its children before it: their work, their states, then its own', () => {
    const on = connected();
    live(on, task('c'));
    child(on, 'c', 'running');
    runsShell(on, 'c');
    state(on, 's', 'idle', { stopReason: 'end_turn' });
    saw(on);
    on.client.sends({ jsonrpc: '2.0', id: 5, method: 'session/close', params: { sessionId: 's' } });
    const id = lastId(on.agent.received());
    expect(saw(on)).toEqual([]);
    on.agent.answers(id, {});
    expect(saw(on)).toEqual([
      'c: terminal t exited {} not cancellable because the session was closed', 's: child c idle cancelled []', 'c: idle cancelled []', 's: idle []', 'answer {}',
    ]);
    state(on, 'c', 'running');
    on.says('agent_message_chunk', { messageId: 'm', content: { type: 'text', text: 'late' } }, 'c');
    on.clock.advance(1000);
    expect(saw(on)).toEqual([]);
  });

  it('that is refused ends nothing', () => {
    const on = connected();
    live(on, task('c'));
    child(on, 'c', 'running');
    saw(on);
    on.client.sends({ jsonrpc: '2.0', id: 5, method: 'session/close', params: { sessionId: 's' } });
    on.agent.refuses(lastId(on.agent.received()), { code: -32603, message: 'no' });
    child(on, 'c', 'idle');
    state(on, 's', 'idle', { stopReason: 'end_turn' });
    expect(saw(on)).toEqual(['answer -32603', 's: child c idle end_turn []', 'c: idle end_turn []', 's: running []', 's: idle end_turn []']);
  });

  it('comes with the agent’s exit, too', async () => {
    const on = connected();
    live(on, task('c'));
    child(on, 'c', 'running');
    runsShell(on, 'c');
    state(on, 's', 'idle', { stopReason: 'end_turn' });
    saw(on);
    await on.agentExits(1);
    expect(saw(on)).toEqual(['c: terminal t exited {} not cancellable because the agent exited', 's: child c idle cancelled []', 'c: idle cancelled []', 's: idle []']);
  });

  it('is no end of a child that a later session of the same id tells of', () => {
    const on = connected();
    child(on, 'c', 'running');
    on.client.sends({ jsonrpc: '2.0', id: 5, method: 'session/close', params: { sessionId: 's' } });
    on.agent.answers(lastId(on.agent.received()), {});
    on.client.sends({ jsonrpc: '2.0', id: 6, method: 'session/resume', params: { sessionId: 's', cwd: '/w' } });
    on.agent.answers(lastId(on.agent.received()), {});
    state(on, 's', 'running');
    saw(on);
    child(on, 'c', 'running');
    expect(saw(on)).toEqual(['s: child c running []', 'c: running []']);
  });
});
