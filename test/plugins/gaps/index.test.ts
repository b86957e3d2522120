/** An agent that reports its background work itself, with the gaps in that filled: conversations. */
import { describe, expect, it } from 'vitest';
import { builtInPlugins } from '../../../plugins/index.js';
import { GAPS, type Gap } from '../../../src/state/index.js';
import { wired, type Message, type Wired } from '../../pipeline/harness.js';

const S = 's';
const ONE = { type: 'terminal', terminalId: 't1' };
const TWO = { type: 'terminal', terminalId: 't2' };
const WATCH = { type: 'tool_call', toolCallId: 'm' };

interface Options {
  readonly fills?: readonly Gap[];
  readonly capabilities?: Message;
  readonly source?: 'auto' | 'none';
  readonly traces?: boolean;
}

interface Native extends Wired {
  /** The agent says it as one line. */
  says(update: Message): string;
  state(state: string, background: unknown, more?: Message): string;
  feed(message: Message): void;
  /** The updates that the client got. */
  got(): Message[];
  /** A Monitor is started: its task is known, and its call acknowledged. */
  watches(): void;
}

function native({ fills = GAPS, capabilities = {}, source = 'auto', traces = false }: Options = {}): Native {
  const agentCommand = ['claude-agent-acp'];
  const on = wired(builtInPlugins({ agentProtocol: 'v2', source, fills, traces, followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand }), { agentCommand });
  on.client.sends({ jsonrpc: '2.0', id: 'init', method: 'initialize', params: { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities } });
  on.agent.answers('init', { protocolVersion: 2, info: { name: '@agentclientprotocol/claude-agent-acp', version: '0.101.0' }, capabilities: { session: {} }, authMethods: [] });
  const id = on.client.requests('session/new', { cwd: '/p', mcpServers: [] });
  on.agent.answers(id, { sessionId: S });
  on.client.received();
  const lineOf = (update: Message): string => `{ "jsonrpc":"2.0", "method":"session/update","params":{"sessionId":"${S}","update":${JSON.stringify(update)}} }`;
  const says = (update: Message): string => {
    on.agent.sends(lineOf(update));
    return lineOf(update);
  };
  const feed = (message: Message): void => on.agent.notifies('_claude/sdkMessage', { sessionId: S, message: { type: 'system', ...message } });
  return {
    ...on, says, feed,
    state: (state, background, more = {}) => says({ sessionUpdate: 'state_update', state, ...more, ...(background === undefined ? {} : { background }) }),
    got: () => on.client.received().map(({ method, params, ...reply }) => (method === 'session/update' ? params.update : (method ?? reply))),
    watches() {
      says({ sessionUpdate: 'tool_call_update', toolCallId: 'm', name: 'Monitor', title: 'Monitor', status: 'pending', content: [] });
      feed({ subtype: 'background_tasks_changed', tasks: [{ task_id: 'k', run_id: 'r1', task_type: 'local_bash', description: 'watch' }] });
      feed({ subtype: 'task_started', task_id: 'k', run_id: 'r1', tool_use_id: 'm', task_type: 'local_bash', is_backgrounded: true, description: 'watch' });
      says({ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'completed', rawOutput: 'started' });
    },
  };
}

const ended = (on: Native, status = 'completed'): void => {
  on.feed({ subtype: 'task_updated', task_id: 'k', run_id: 'r1', patch: { status } });
  on.feed({ subtype: 'task_notification', task_id: 'k', run_id: 'r1', tool_use_id: 'm', status: status === 'killed' ? 'stopped' : status, summary: 'ended' });
  on.feed({ subtype: 'background_tasks_changed', tasks: [] });
};

const snapshot = (state: string, ...background: readonly Message[]): Message => ({ sessionUpdate: 'state_update', state, background });

describe('a removal while idle', () => {
  it('is told before the message of a prompt, whose work it must not cut off', () => {
    const on = native();
    on.state('idle', [ONE], { stopReason: 'end_turn' });
    on.state('idle', []);
    on.got();
    on.says({ sessionUpdate: 'user_message', messageId: 'u', content: [] });
    on.clock.advance(1000);
    on.state('running', []);
    expect(on.got().map(({ sessionUpdate, state }) => state ?? sessionUpdate)).toEqual(['idle', 'user_message', 'running']);
  });

  it('waits for the turn of the agent that follows, and is told with it', () => {
    const on = native();
    on.state('idle', [ONE], { stopReason: 'end_turn' });
    on.got();
    on.state('idle', []);
    const other = on.says({ sessionUpdate: 'session_info_update', title: 'x' });
    expect(on.client.receivedLines()).toEqual([other]);
    on.clock.advance(200);
    const line = on.state('running', []);
    expect(on.client.receivedLines()).toEqual([line]);
    on.clock.advance(1000);
    expect(on.got()).toEqual([]);
  });

  it('is told when the window is over and no turn came', () => {
    const on = native();
    on.state('idle', [ONE], { stopReason: 'end_turn' });
    on.got();
    on.state('idle', []);
    on.clock.advance(249);
    expect(on.got()).toEqual([]);
    on.clock.advance(1);
    expect(on.got()).toEqual([snapshot('idle')]);
  });

  it('another one begins the wait anew, and the client is told of both at once', () => {
    const on = native();
    on.state('idle', [ONE, TWO], { stopReason: 'end_turn' });
    on.got();
    on.state('idle', [TWO]);
    on.clock.advance(200);
    on.state('idle', []);
    on.state('idle', []);
    on.clock.advance(200);
    expect(on.got()).toEqual([]);
    on.clock.advance(50);
    expect(on.got()).toEqual([snapshot('idle')]);
  });

  it.each([
    ['that lists something new', 'idle', [TWO], {}], ['that tells why work ended', 'idle', [], { stopReason: 'end_turn' }], ['while running', 'running', [], {}],
  ])('a state %s does not wait', (_, state, background, more) => {
    const on = native();
    on.state('running', [ONE]);
    if (state === 'idle') on.state('idle', [ONE], { stopReason: 'end_turn' });
    on.got();
    const line = on.state(state, background, more);
    expect(on.client.receivedLines()).toEqual([line]);
  });

  it('names nothing, when it is told, that has ended meanwhile', () => {
    const CALL = { type: 'tool_call', toolCallId: 'w' };
    const CHILD = { type: 'subagent', sessionId: 'child' };
    const on = native();
    on.state('idle', [ONE, TWO, CALL, CHILD], { stopReason: 'end_turn' });
    on.state('idle', [TWO, CALL, CHILD]);
    on.says({ sessionUpdate: 'terminal_update', terminalId: 't2', exitStatus: {} });
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'w', status: 'completed' });
    on.says({ sessionUpdate: 'subagent_update', sessionId: 'child', state: { state: 'idle', background: [] } });
    on.got();
    on.clock.advance(250);
    expect(on.got()).toEqual([snapshot('idle')]);
  });

  it('waits for what a resume tells, and goes out with its answer where that tells nothing', () => {
    const on = native();
    on.state('idle', [ONE, TWO], { stopReason: 'end_turn' });
    on.state('idle', [ONE]);
    on.got();
    const resume = (): number => on.client.requests('session/resume', { sessionId: S, cwd: '/p', mcpServers: [] });
    const refused = resume();
    on.clock.advance(1000);
    expect(on.got()).toEqual([]);
    on.agent.refuses(refused, { code: -32603, message: 'busy' });
    expect(on.got().slice(0, 1)).toEqual([snapshot('idle', ONE)]);
    on.state('idle', []);
    const id = resume();
    on.state('idle', []);
    on.agent.answers(id, {});
    expect(on.got().slice(0, 1)).toEqual([snapshot('idle')]);
    on.clock.advance(1000);
    expect(on.got()).toEqual([]);
  });

  it('goes out before the answer to a close, and nothing waits while one is on its way', () => {
    const on = native();
    on.state('idle', [ONE, TWO], { stopReason: 'end_turn' });
    on.got();
    on.state('idle', [TWO]);
    const id = on.client.requests('session/close', { sessionId: S });
    expect(on.got()).toEqual([snapshot('idle', TWO)]);
    on.state('idle', []);
    on.agent.answers(id, {});
    expect(on.got()).toEqual([snapshot('idle'), { jsonrpc: '2.0', id, result: {} }]);
    on.clock.advance(1000);
    expect(on.got()).toEqual([]);
  });

  it('goes out before a state that reports nothing', () => {
    const on = native();
    on.state('idle', [ONE], { stopReason: 'end_turn' });
    on.got();
    on.state('idle', []);
    on.state('running', undefined);
    expect(on.got()).toEqual([snapshot('idle'), { sessionUpdate: 'state_update', state: 'running' }]);
  });

  it('goes out when the agent is gone', async () => {
    const on = native();
    on.state('idle', [ONE], { stopReason: 'end_turn' });
    on.got();
    on.state('idle', []);
    await on.agentExits();
    expect(on.got()).toEqual([snapshot('idle')]);
  });

  it('waits for nothing where this gap is left open', () => {
    const on = native({ fills: ['monitors', 'replays'] });
    on.state('idle', [ONE], { stopReason: 'end_turn' });
    on.got();
    const line = on.state('idle', []);
    expect(on.client.receivedLines()).toEqual([line]);
  });
});

describe('a Monitor', () => {
  it('stays in progress, is in every list without a cancel, and settles by the feed before its removal', () => {
    const on = native();
    on.state('running', [ONE]);
    on.got();
    on.watches();
    expect(on.got().slice(1)).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'in_progress', rawOutput: 'started' }, snapshot('running', ONE, WATCH)]);
    on.state('idle', [ONE], { stopReason: 'end_turn' });
    on.state('running', []);
    expect(on.got()).toEqual([{ ...snapshot('idle', ONE, WATCH), stopReason: 'end_turn' }, snapshot('running', WATCH)]);
    ended(on);
    expect(on.got()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'completed' }, snapshot('running')]);
    const line = on.state('idle', [], { stopReason: 'end_turn' });
    expect(on.client.receivedLines()).toEqual([line]);
  });

  it('that ends while idle is removed with the turn that follows', () => {
    const on = native();
    on.state('running', []);
    on.watches();
    on.state('idle', [], { stopReason: 'end_turn' });
    on.got();
    ended(on, 'failed');
    expect(on.got()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'failed' }]);
    on.clock.advance(100);
    on.state('running', []);
    expect(on.got()).toEqual([snapshot('running')]);
    on.clock.advance(1000);
    expect(on.got()).toEqual([]);
  });

  it('that was killed is cancelled, and one that no turn follows is removed after the window', () => {
    const on = native();
    on.state('running', []);
    on.watches();
    on.state('idle', [], { stopReason: 'end_turn' });
    on.got();
    ended(on, 'killed');
    on.clock.advance(250);
    expect(on.got()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'cancelled' }, snapshot('idle')]);
  });

  it('that has ended before its acknowledgement is never listed', () => {
    const on = native();
    on.state('running', []);
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'm', name: 'Monitor', status: 'pending' });
    on.feed({ subtype: 'task_started', task_id: 'k', run_id: 'r1', tool_use_id: 'm', task_type: 'local_bash' });
    ended(on, 'failed');
    on.got();
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'completed' });
    on.state('idle', [], { stopReason: 'end_turn' });
    expect(on.got()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'failed' }, { ...snapshot('idle'), stopReason: 'end_turn' }]);
  });

  it.each<[string, (on: Native) => void]>([
    ['of which the feed knows nothing', (on) => on.state('running', [])],
    ['where no list is reported', (on) => on.feed({ subtype: 'task_started', task_id: 'k', tool_use_id: 'm', task_type: 'local_bash' })],
    ['whose task is housekeeping', (on) => {
      on.state('running', []);
      on.feed({ subtype: 'task_started', task_id: 'k', tool_use_id: 'm', task_type: 'local_bash', skip_transcript: true });
    }],
  ])('%s passes as it came', (_, prepare) => {
    const on = native();
    prepare(on);
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'm', name: 'Monitor', status: 'pending' });
    on.got();
    const line = on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'completed' });
    expect(on.client.receivedLines()).toEqual([line]);
  });

  it('is no other tool: a call of another name ends at its acknowledgement', () => {
    const on = native();
    on.state('running', []);
    on.feed({ subtype: 'task_started', task_id: 'k', tool_use_id: 'b', task_type: 'local_bash' });
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'b', name: 'Bash', status: 'pending' });
    on.got();
    const line = on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'b', status: 'completed' });
    expect(on.client.receivedLines()).toEqual([line]);
  });

  it('is settled before the answer to a close, and goes on where that is refused', () => {
    const on = native();
    on.state('running', []);
    on.watches();
    on.state('idle', [], { stopReason: 'end_turn' });
    on.got();
    const refused = on.client.requests('session/close', { sessionId: S });
    on.agent.refuses(refused, { code: -32603, message: 'no' });
    expect(on.got()).toHaveLength(1);
    const id = on.client.requests('session/close', { sessionId: S });
    on.state('idle', []);
    expect(on.got()).toEqual([]);
    on.agent.answers(id, {});
    const _meta = { afterturn: { reason: 'the session was closed' } };
    expect(on.got()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'cancelled', _meta }, snapshot('idle'), { jsonrpc: '2.0', id, result: {} }]);
    ended(on);
    expect(on.got()).toEqual([]);
  });

  it('is settled before the answer to a close that stops a turn, whose end is told however often the state is repeated', () => {
    const on = native();
    on.state('running', []);
    on.watches();
    on.got();
    const id = on.client.requests('session/close', { sessionId: S });
    on.state('idle', [], { stopReason: 'cancelled' });
    on.state('idle', []);
    on.agent.answers(id, {});
    const _meta = { afterturn: { reason: 'the session was closed' } };
    expect(on.got()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'cancelled', _meta }, { ...snapshot('idle'), stopReason: 'cancelled' }, { jsonrpc: '2.0', id, result: {} }]);
  });

  it('holds up no question while a close is on its way', () => {
    const on = native();
    on.state('running', []);
    on.watches();
    on.got();
    on.client.requests('session/close', { sessionId: S });
    on.state('requires_action', []);
    expect(on.got()).toEqual([snapshot('requires_action', WATCH)]);
    on.state('idle', [], { stopReason: 'end_turn' });
    on.state('running', []);
    expect(on.got()).toEqual([{ ...snapshot('idle', WATCH), stopReason: 'end_turn' }, snapshot('running', WATCH)]);
  });

  it('is settled when the agent is gone', async () => {
    const on = native();
    on.state('running', []);
    on.watches();
    on.got();
    await on.agentExits();
    expect(on.got()).toEqual([
      { sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'cancelled', _meta: { afterturn: { reason: 'the agent exited' } } }, { ...snapshot('idle'), stopReason: 'cancelled' },
    ]);
  });

  it('is told whole when the client resumes the session, and survives its replay', () => {
    const on = native();
    on.state('running', []);
    on.watches();
    on.state('idle', [], { stopReason: 'end_turn' });
    on.got();
    const whole = { sessionUpdate: 'tool_call_update', toolCallId: 'm', name: 'Monitor', title: 'Monitor', status: 'in_progress', content: [], rawOutput: 'started' };
    const live = on.client.requests('session/resume', { sessionId: S, cwd: '/p', mcpServers: [] });
    on.state('idle', []);
    on.agent.answers(live, {});
    expect(on.got().slice(0, 2)).toEqual([whole, snapshot('idle', WATCH)]);
    const replay = on.client.requests('session/resume', { sessionId: S, cwd: '/p', mcpServers: [], replayFrom: { type: 'start' } });
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'm', name: 'Monitor', title: 'Monitor', status: 'pending', content: [] });
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'completed', rawOutput: 'started' });
    on.state('idle', []);
    on.agent.answers(replay, {});
    expect(on.got().slice(1, 4)).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'in_progress', rawOutput: 'started' }, whole, snapshot('idle', WATCH)]);
  });

  it('dies where the client resumes the session with other options', () => {
    const on = native();
    on.state('running', []);
    on.watches();
    on.state('idle', [], { stopReason: 'end_turn' });
    on.got();
    const id = on.client.requests('session/resume', { sessionId: S, cwd: '/other', mcpServers: [] });
    on.state('idle', []);
    on.agent.answers(id, {});
    expect(on.got().slice(0, 2)).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'cancelled', _meta: { afterturn: { reason: 'the session was built anew' } } }, snapshot('idle')]);
  });
});

describe('a list that gets lost', () => {
  it.each([['is left out', undefined], ['is null', null], ['has a broken item', [ONE, { type: 'terminal' }]]])('because it %s ends nothing and fills nothing, until the next one', (_, background) => {
    const on = native();
    on.state('running', [ONE]);
    on.watches();
    on.got();
    const line = on.state('idle', background, { stopReason: 'end_turn' });
    expect(on.client.receivedLines()).toEqual([line]);
    on.clock.advance(10_000);
    expect(on.got()).toEqual([]);
    on.state('running', [ONE]);
    expect(on.got()).toEqual([snapshot('running', ONE, WATCH)]);
  });

  it('leaves what the feed tells: the end of a Monitor', () => {
    const on = native();
    on.state('running', []);
    on.watches();
    on.state('idle', null, { stopReason: 'end_turn' });
    on.got();
    ended(on);
    on.clock.advance(1000);
    expect(on.got()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'm', status: 'completed' }]);
  });
});

describe('a replay that calls a listed terminal exited', () => {
  const replaying = (fills: readonly Gap[] = GAPS): Native & { readonly id: number } => {
    const on = native({ fills });
    on.says({ sessionUpdate: 'terminal_update', terminalId: 't1', command: './server.sh', output: { data: 'b25lCg==' }, capabilities: { cancel: {} } });
    on.says({ sessionUpdate: 'terminal_output_chunk', terminalId: 't1', data: 'dHdvCg==' });
    on.state('idle', [ONE], { stopReason: 'end_turn' });
    const id = on.client.requests('session/resume', { sessionId: S, cwd: '/p', mcpServers: [], replayFrom: { type: 'start' } });
    on.says({ sessionUpdate: 'terminal_update', terminalId: 't1', command: './server.sh', output: { data: 'bGF1bmNoZWQ=' } });
    on.says({ sessionUpdate: 'terminal_update', terminalId: 't1', exitStatus: { exitCode: 0 } });
    on.says({ sessionUpdate: 'terminal_update', terminalId: 't0', exitStatus: { exitCode: 0 } });
    on.got();
    return { ...on, id };
  };
  const live = { sessionUpdate: 'terminal_update', terminalId: 't1', exitStatus: null, command: './server.sh', capabilities: { cancel: {} }, output: { data: 'b25lCnR3bwo=' } };

  it('is followed by the terminal as it is, with its cancel and what it printed, before the list', () => {
    const on = replaying();
    on.state('idle', [ONE]);
    on.agent.answers(on.id, {});
    expect(on.got().slice(0, 2)).toEqual([live, snapshot('idle', ONE)]);
  });

  it('also where no list comes with it, and where it is refused', () => {
    const without = replaying();
    without.agent.answers(without.id, {});
    expect(without.got().slice(0, 2)).toEqual([live, snapshot('idle', ONE)]);
    const refused = replaying();
    refused.agent.refuses(refused.id, { code: -32603, message: 'no' });
    expect(refused.got().slice(0, 2)).toEqual([live, snapshot('idle', ONE)]);
  });

  it('says nothing against one that is listed no more', () => {
    const on = replaying();
    const line = on.state('idle', []);
    expect(on.client.receivedLines()).toEqual([line]);
  });

  it('is followed by its exit before the list without it, which the agent leaves out', () => {
    const on = replaying();
    on.state('idle', [ONE]);
    on.agent.answers(on.id, {});
    on.got();
    on.state('running', []);
    const exit = { sessionUpdate: 'terminal_update', terminalId: 't1', exitStatus: {}, capabilities: null };
    expect(on.got()).toEqual([exit, snapshot('running')]);
    on.state('running', []);
    expect(on.got()).toEqual([snapshot('running')]);
  });

  it('has one exit where the agent tells it after all', () => {
    const on = replaying();
    on.state('idle', [ONE]);
    on.agent.answers(on.id, {});
    on.got();
    const exit = { sessionUpdate: 'terminal_update', terminalId: 't1', exitStatus: { exitCode: 3 }, capabilities: null };
    on.says(exit);
    on.state('running', []);
    expect(on.got()).toEqual([exit, snapshot('running')]);
  });

  it('passes where this gap is left open', () => {
    const on = replaying(['removals', 'monitors']);
    const line = on.state('idle', [ONE]);
    expect(on.client.receivedLines()).toEqual([line]);
  });
});

describe('an agent that is gone without a word', () => {
  const CHILD = { type: 'subagent', sessionId: 'child' };
  const CALL = { type: 'tool_call', toolCallId: 'w' };
  const _meta = { afterturn: { reason: 'the agent exited' } };

  it('has what it listed settled, and its turn ended, with an empty list', async () => {
    const on = native();
    on.says({ sessionUpdate: 'subagent_update', sessionId: 'child', state: { state: 'running', background: [] } });
    on.state('running', [ONE, CALL, CHILD]);
    on.got();
    await on.agentExits();
    expect(on.got()).toEqual([
      { sessionUpdate: 'terminal_update', terminalId: 't1', exitStatus: {}, capabilities: null },
      { sessionUpdate: 'tool_call_update', toolCallId: 'w', status: 'cancelled', capabilities: null, _meta },
      { sessionUpdate: 'subagent_update', sessionId: 'child', state: { state: 'idle', stopReason: 'cancelled', background: [], _meta } },
      { ...snapshot('idle'), stopReason: 'cancelled' },
    ]);
  });

  it('has nothing settled again that it ended itself', async () => {
    const on = native();
    on.says({ sessionUpdate: 'subagent_update', sessionId: 'child', state: { state: 'running', background: [] } });
    on.state('idle', [ONE, CALL, CHILD], { stopReason: 'end_turn' });
    on.says({ sessionUpdate: 'terminal_update', terminalId: 't1', exitStatus: {} });
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'w', status: 'cancelled' });
    on.says({ sessionUpdate: 'subagent_update', sessionId: 'child', state: { state: 'idle', stopReason: 'cancelled', background: [] } });
    on.got();
    await on.agentExits();
    expect(on.got()).toEqual([snapshot('idle')]);
  });

  it('that waited with a removal tells it, with how its turn ended', async () => {
    const on = native();
    on.state('idle', [ONE], { stopReason: 'end_turn' });
    on.says({ sessionUpdate: 'terminal_update', terminalId: 't1', exitStatus: {} });
    on.state('idle', []);
    on.got();
    await on.agentExits();
    expect(on.got()).toEqual([snapshot('idle')]);
  });

  it('with nothing left says nothing, and where this gap is left open', async () => {
    const on = native();
    on.state('idle', [], { stopReason: 'end_turn' });
    on.got();
    await on.agentExits();
    expect(on.got()).toEqual([]);
    const open = native({ fills: ['removals', 'monitors', 'replays'] });
    open.state('running', [ONE]);
    open.got();
    await open.agentExits();
    expect(open.got()).toEqual([]);
  });
});

describe('what is asked in the name of a v2 client', () => {
  const asked = (options?: Options): Message => {
    const on = native(options);
    return on.agent.received().find(({ method }) => method === 'session/new').params._meta;
  };

  it('is the feed, where it is needed, and nothing else: the agent spares background work by itself', () => {
    expect(Object.keys(asked().claudeCode)).toEqual(['emitRawSDKMessages']);
    expect(asked({ fills: ['removals', 'replays'], traces: true }).claudeCode.emitRawSDKMessages).toHaveLength(6);
    expect(asked({ fills: ['removals', 'replays'] })).toBeUndefined();
    expect(asked({ source: 'none' })).toBeUndefined();
  });

  it('is nothing where it declares the extension itself, and then all passes as it came', () => {
    const on = native({ capabilities: { _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } } });
    expect(on.agent.received().find(({ method }) => method === 'session/new').params._meta).toBeUndefined();
    on.state('running', [ONE]);
    on.state('idle', [ONE], { stopReason: 'end_turn' });
    on.client.received();
    const line = on.state('idle', []);
    expect(on.client.receivedLines()).toEqual([line]);
  });
});
