/**
 * Agents of ACP v2 for a v2 client, at the place of the plugin in the whole list: those that list their
 * background work themselves, and those whose lists are made from the private extension. What is listed, or
 * shows a listed terminal, is never settled; what the agent left is.
 */
import { describe, expect, test } from 'vitest';
import { builtInPlugins } from '../../../plugins/index.js';
import type { Plugin } from '../../../src/plugin.js';
import { wired, type Message, type Wired } from '../../pipeline/harness.js';
import { codexRecording, ofStandardClient } from '../../tools/codex.js';
import { lineByLine } from '../../tools/line-by-line.js';
import { loadRecording, recordingNames, type RecordedMessage } from '../../tools/recording.js';
import { expectations } from '../codex/recordings.table.js';

const CLAUDE = 'claude-agent-acp';
const CODEX = 'codex-acp';
const MINUTE = 60_000;

const pluginsFor = (agent: string): Plugin[] => builtInPlugins({ agentProtocol: 'v2', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: [agent] });

const settledIn = (messages: readonly Message[]): string[] => messages.flatMap(({ params }) => (params?.update?._meta?.afterturn?.settled === true ? [`${params.update.toolCallId} ${params.update.status}`] : []));

/** Plays a recording at its times, then for longer than any grace. What the plugin settled. */
function settled(recording: readonly RecordedMessage[], agent: string): string[] {
  const { passed, rest } = lineByLine(recording, pluginsFor(agent), [agent]);
  const lines = [...passed.flatMap(({ record, got, late }) => [...late, ...(record.dir === 'a2c' ? got : [])]), ...rest];
  return settledIn(lines.map((line): Message => JSON.parse(line)));
}

test.each([...recordingNames('v2'), ...recordingNames('v2raw')])('claude-agent-acp, %s: nothing is settled', (name) => {
  expect(settled(loadRecording(name), CLAUDE)).toEqual([]);
});

/** Its process dies, and nothing tells the end of the call. */
const LEFT: Readonly<Record<string, readonly string[]>> = { p: ['call_mock_0001 cancelled'] };

test.each(Object.keys(expectations))('codex-acp in v2, %s: nothing that lives is settled', (scenario) => {
  expect(settled(ofStandardClient(codexRecording(`${scenario}.v2air`)), CODEX)).toEqual(LEFT[scenario] ?? []);
});

describe.each([
  [CLAUDE, { protocolVersion: 2, info: { name: `@agentclientprotocol/${CLAUDE}`, version: '0.101.0' }, capabilities: {}, authMethods: [] }],
  [CODEX, { protocolVersion: 2, info: { name: `@agentclientprotocol/${CODEX}`, version: '2.6.0' }, capabilities: {}, authMethods: [], _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks', 'nativeSubagentSessions'] } } } }],
])('%s', (agent, answer) => {
  const running = (): Wired & { says(update: Message): void; ends(): void; lists(state: string, ...items: readonly Message[]): void } => {
    const on = wired(pluginsFor(agent), { agentCommand: [agent] });
    on.client.sends({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: {} } });
    on.agent.answers('i', answer);
    const made = on.client.requests('session/new', { cwd: '/p', mcpServers: [] });
    on.agent.answers(made, { sessionId: 's' });
    const says = (update: Message): void => on.agent.notifies('session/update', { sessionId: 's', update });
    // Codex has no list of its own.
    const lists = (state: string, ...items: readonly Message[]): void => says({ sessionUpdate: 'state_update', state, ...(state === 'idle' ? { stopReason: 'end_turn' } : {}), ...(agent === CLAUDE ? { background: items } : {}) });
    const prompt = on.client.requests('session/prompt', { sessionId: 's', prompt: [] });
    on.agent.answers(prompt, { messageId: 'u' });
    lists('running');
    return { ...on, says, lists, ends: () => lists('idle') };
  };
  const terminal = { type: 'terminal', terminalId: 't' };

  test('a call that it left is settled once its turn is over, and its late word wins', () => {
    const on = running();
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'left', title: 'x', status: 'in_progress' });
    on.ends();
    on.clock.advance(1999);
    expect(settledIn(on.client.received())).toEqual([]);
    on.clock.advance(1);
    expect(settledIn(on.client.received())).toEqual(['left cancelled']);
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'left', status: 'completed' });
    expect(on.client.received().map(({ params }) => params.update.status)).toEqual(['completed']);
  });

  test('a call whose terminal is listed lives', () => {
    const on = running();
    on.says({ sessionUpdate: 'terminal_update', terminalId: 't', command: 'x' });
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 't', title: 'x', status: 'in_progress', content: [terminal] });
    if (agent === CODEX) on.says({ sessionUpdate: '_async_task_spawned', asyncTaskId: 't', taskType: 'shell', canStop: true, toolCallId: 't' });
    on.lists('idle', terminal);
    on.clock.advance(MINUTE);
    expect(settledIn(on.client.received())).toEqual([]);
    // Its end comes without an end of the call.
    if (agent === CODEX) on.says({ sessionUpdate: '_async_task_state_update', asyncTaskId: 't', state: 'stopped', toolCallId: 't' });
    else on.says({ sessionUpdate: 'state_update', state: 'idle', background: [] });
    on.clock.advance(MINUTE);
    expect(settledIn(on.client.received())).toEqual(['t cancelled']);
  });
});

describe('a subagent in the background', () => {
  function working(): Wired & { child(update: Message): void; settles(): string[] } {
    const on = wired(pluginsFor(CLAUDE), { agentCommand: [CLAUDE] });
    const says = (sessionId: string, update: Message): void => on.agent.notifies('session/update', { sessionId, update });
    const child = (update: Message): void => says('child', update);
    on.client.sends({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: {} } });
    on.agent.answers('i', { protocolVersion: 2, info: { name: `@agentclientprotocol/${CLAUDE}`, version: '0.101.0' }, capabilities: {}, authMethods: [] });
    on.agent.answers(on.client.requests('session/new', { cwd: '/p', mcpServers: [] }), { sessionId: 's' });
    says('s', { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Search', state: { state: 'running', background: [] } });
    says('s', { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn', background: [{ type: 'subagent', sessionId: 'child' }] });
    child({ sessionUpdate: 'state_update', state: 'running', background: [] });
    child({ sessionUpdate: 'tool_call_update', toolCallId: 'left', title: 'x', status: 'in_progress' });
    return { ...on, child, settles: () => settledIn(on.client.received()) };
  }

  test('that is stopped leaves no call unfinished', () => {
    const on = working();
    on.clock.advance(MINUTE);
    expect(on.settles()).toEqual([]);
    on.child({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'cancelled', background: [] });
    on.clock.advance(1999);
    expect(on.settles()).toEqual([]);
    on.clock.advance(1);
    expect(on.settles()).toEqual(['left cancelled']);
  });

  test('keeps what it has in the background, and what its next run starts', () => {
    const on = working();
    on.child({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn', background: [{ type: 'tool_call', toolCallId: 'left' }] });
    on.clock.advance(MINUTE);
    on.child({ sessionUpdate: 'state_update', state: 'running', background: [{ type: 'tool_call', toolCallId: 'left' }] });
    on.child({ sessionUpdate: 'tool_call_update', toolCallId: 'next', title: 'y', status: 'pending' });
    on.child({ sessionUpdate: 'state_update', state: 'requires_action', background: [{ type: 'tool_call', toolCallId: 'left' }] });
    on.clock.advance(MINUTE);
    expect(on.settles()).toEqual([]);
    on.child({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn', background: [] });
    on.clock.advance(2000);
    expect(on.settles()).toEqual(['left cancelled', 'next cancelled']);
  });
});

describe('the replay of a session whose subagent works', () => {
  function replayed(...states: readonly string[]): Wired & { child(update: Message): void; settles(): string[] } {
    const on = wired(pluginsFor(CLAUDE), { agentCommand: [CLAUDE] });
    const says = (sessionId: string, update: Message): void => on.agent.notifies('session/update', { sessionId, update });
    const child = (update: Message): void => says('child', update);
    const state = (name: string): void => child({ sessionUpdate: 'state_update', state: name, background: [] });
    const call = (): void => child({ sessionUpdate: 'tool_call_update', toolCallId: 'its', title: 'x', status: 'pending' });
    const told = (name: string): void => says('s', { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Search', state: { state: name, background: [] } });
    on.client.sends({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: {} } });
    on.agent.answers('i', { protocolVersion: 2, info: { name: `@agentclientprotocol/${CLAUDE}`, version: '0.101.0' }, capabilities: {}, authMethods: [] });
    on.agent.answers(on.client.requests('session/new', { cwd: '/p', mcpServers: [] }), { sessionId: 's' });
    told('running');
    says('s', { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn', background: [{ type: 'subagent', sessionId: 'child' }] });
    state('running');
    call();
    const resumed = on.client.requests('session/resume', { sessionId: 's', cwd: '/p', mcpServers: [], replayFrom: { type: 'start' } });
    told('running');
    call();
    for (const name of states) {
      told(name);
      state(name);
    }
    on.agent.answers(resumed, {});
    on.client.received();
    return { ...on, child, settles: () => settledIn(on.client.received()) };
  }

  test('says nothing of the end of its run: its call lives', () => {
    const on = replayed('idle', 'running');
    on.clock.advance(MINUTE);
    expect(on.settles()).toEqual([]);
    on.child({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn', background: [] });
    on.clock.advance(2000);
    expect(on.settles()).toEqual(['its cancelled']);
  });

  test('says with its last state whether it goes on', () => {
    const on = replayed('running', 'idle');
    on.clock.advance(2000);
    expect(on.settles()).toEqual(['its cancelled']);
  });
});

test('a Monitor lives as long as its watch, and a list that gets lost settles nothing', () => {
  const monitor = loadRecording('d_monitor.v2raw');
  const armed = monitor.findIndex(({ msg }) => JSON.stringify(msg).includes('"stopReason":"end_turn"'));
  expect(settled(monitor.slice(0, armed + 1), CLAUDE)).toEqual([]);
  const lost = monitor.slice(0, armed + 1).map((record, index) => (index === armed ? (JSON.parse(JSON.stringify(record).replace(/"background":\[[^\]]*\]/, '"background":null')) as RecordedMessage) : record));
  expect(settled(lost, CLAUDE)).toEqual([]);
});

describe('for a client of v1', () => {
  const running = (reports: boolean): Wired & { says(update: Message): void; ends(): void } => {
    const on = wired(pluginsFor('some-agent'), { agentCommand: ['some-agent'] });
    on.client.sends({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } });
    const answers = (result: Message): void => on.agent.answers(on.agent.received().at(-1).id, result);
    answers({ protocolVersion: 2, info: { name: 'some-agent', version: '1' }, capabilities: {}, authMethods: [] });
    on.client.requests('session/new', { cwd: '/p', mcpServers: [] });
    answers({ sessionId: 's' });
    on.client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'do' }] });
    answers({ messageId: 'u' });
    const says = (update: Message): void => on.agent.notifies('session/update', { sessionId: 's', update });
    const state = (word: string, more: object = {}): void => says({ sessionUpdate: 'state_update', state: word, ...more, ...(reports ? { background: word === 'idle' ? [{ type: 'tool_call', toolCallId: 'listed' }] : [] } : {}) });
    state('running');
    for (const toolCallId of ['listed', 'left']) says({ sessionUpdate: 'tool_call_update', toolCallId, title: 'x', status: 'in_progress' });
    return { ...on, says, ends: () => state('idle', { stopReason: 'end_turn' }) };
  };

  test('what the agent left is settled where it lists its work, and nothing that is listed', () => {
    const on = running(true);
    on.ends();
    on.clock.advance(MINUTE);
    expect(settledIn(on.client.received())).toEqual(['left completed']);
  });

  test('nothing is settled where it lists no work', async () => {
    const on = running(false);
    on.ends();
    on.clock.advance(MINUTE);
    await on.agentExits();
    expect(settledIn(on.client.received())).toEqual([]);
  });

  test('what an agent that lists its work leaves open is settled when it exits', async () => {
    const on = running(true);
    await on.agentExits();
    expect(settledIn(on.client.received())).toEqual(['listed failed', 'left failed']);
  });
});
