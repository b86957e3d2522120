/**
 * The twelve cells of the README's table, "Every pair of client and agent": one conversation each, of a
 * recorded agent with a scripted client, through the built-in plugins.
 */
import { describe, expect, it } from 'vitest';
import { builtInPlugins, type Settings } from '../../plugins/index.js';
import { wired, type Message } from '../pipeline/harness.js';
import { loadCorpus, type RecordedMessage } from '../tools/recording.js';
import { played } from './bridge/replayed.js';
import { playedDown } from './bridge-down/replayed.js';
import { playedToLegacy } from './legacy-tasks/legacy-client.js';
import { taskFactsOf } from './legacy-tasks/task-facts.js';

const CLAUDE = ['claude-agent-acp'];
const CODEX = ['codex-acp'];
const OTHER = ['some-agent'];
const settings: Settings = { agentProtocol: 'auto', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: OTHER };
const pluginsFor = (agentCommand: readonly string[], changed: Partial<Settings> = {}) => builtInPlugins({ ...settings, agentCommand, ...changed });

/** The recorded client and agent, with the plugins between them. */
function between(name: string, agentCommand: readonly string[], changed: Partial<Settings> = {}, say: (message: Message) => Message = (message) => message) {
  const records = loadCorpus(name);
  const wires = wired(pluginsFor(agentCommand, changed), { agentCommand });
  const toClient: Message[] = [];
  const toAgent: Message[] = [];
  const ids = new Map<string, unknown>();
  const reached = (): void => {
    toClient.push(...wires.client.received());
    toAgent.push(...wires.agent.received());
  };
  for (const { t, dir, msg } of records as readonly { t: number; dir: string; msg: Message }[]) {
    wires.clock.advance(Math.max(0, t - wires.clock.now()));
    reached();
    const before = toAgent.length;
    if (dir === 'c2a') wires.client.sends(say(msg));
    else wires.agent.sends(msg.method === undefined ? { ...msg, id: ids.get(JSON.stringify(msg.id)) ?? msg.id } : msg);
    reached();
    const forwarded = dir === 'c2a' && msg.method !== undefined && msg.id !== undefined ? toAgent.slice(before).find((one) => one.method !== undefined && one.id !== undefined) : undefined;
    if (forwarded !== undefined) ids.set(JSON.stringify(msg.id), forwarded.id);
  }
  wires.clock.advance(3000);
  reached();
  return { records, toClient, toAgent, log: wires.log };
}

const sentBy = (records: readonly RecordedMessage[], dir: string): unknown[] => records.filter((record) => record.dir === dir).map(({ msg }) => msg);
const updates = (messages: readonly Message[]): Message[] => messages.filter(({ method }) => method === 'session/update').map(({ params }) => params.update);
const kinds = (messages: readonly Message[]): string[] => updates(messages).map(({ sessionUpdate }) => sessionUpdate);
const lists = (messages: readonly Message[]): (string[] | undefined)[] =>
  updates(messages).filter(({ sessionUpdate }) => sessionUpdate === 'state_update').map(({ background }) => background?.map((item: Message) => item.terminalId ?? item.toolCallId ?? item.sessionId));
const hasTasks = (messages: readonly Message[]): boolean => kinds(messages).some((kind) => kind.includes('async_task_'));

/** The statuses of the call that launched the command: what a client shows when its first prompt is answered, and at the end. */
function launch(messages: readonly Message[], call: string): { atAnswer: string | undefined; atEnd: string | undefined } {
  const answered = messages.findIndex(({ result }) => result?.stopReason !== undefined);
  const last = (some: readonly Message[]): string | undefined => updates(some).filter(({ toolCallId, status }) => toolCallId === call && status !== undefined).at(-1)?.status;
  return { atAnswer: last(messages.slice(0, answered + 1)), atEnd: last(messages) };
}

const SHELL = 'toolu_01BashBackground000001';
const CODEX_SHELL = 'call_mock_0001';

describe('a plain client of ACP v1', () => {
  it('with a plain v1 agent: as is', () => {
    const { records, toClient, toAgent } = between('opencode/more/a_foreground_bash.rich', ['opencode']);
    expect(toClient).toEqual(sentBy(records, 'a2c'));
    expect(toAgent).toEqual(sentBy(records, 'c2a'));
  });

  it("with a v1 agent that tells its work, by Claude's raw feed: the launching call stays open until the work ends", () => {
    const { toClient } = between('claude/b_background_exit0.raw', CLAUDE);
    expect(launch(toClient, SHELL)).toEqual({ atAnswer: 'in_progress', atEnd: 'completed' });
    expect(hasTasks(toClient)).toBe(false);
  });

  it('with a v2 agent of the extension: in v1, the launching call open until the work ends', () => {
    const { toClient, log } = playedDown(loadCorpus('codex/b.v2air'), { plugins: pluginsFor(CODEX, { agentProtocol: 'v2' }), agentCommand: CODEX, capabilities: { _meta: { terminal_output: true } } });
    expect(log).toEqual([]);
    expect(launch(toClient, CODEX_SHELL)).toEqual({ atAnswer: 'in_progress', atEnd: 'completed' });
    expect(hasTasks(toClient)).toBe(false);
  });

  it('with a v2 agent that lists its work: in v1, the launching call open until the work ends', () => {
    const { toClient, log } = playedToLegacy('claude/b_background_exit0.v2', { declared: [] });
    expect(log).toEqual([]);
    expect(launch(toClient, SHELL)).toEqual({ atAnswer: 'in_progress', atEnd: 'completed' });
    expect(hasTasks(toClient)).toBe(false);
  });
});

const launching = ['a2_foreground_bash_fails', 'b_background_exit0', 'c2_background_silent_fast', 'c_background_exit3', 'd_monitor', 'e3_agent_with_background_bash', 'f_stop_server', 'g2_cancel_idle', 'h2_close_with_workflow', 'h_close_session', 'j2_workflow_stopped', 'j_workflow', 'o_timeout_to_background'];

describe.each(['v2', 'v2raw'])('a plain client of ACP v1 with a v2 agent that lists its work (%s)', (guise) => {
  it.each(launching)('%s: no call is open again once it is over', (scenario) => {
    const { toClient } = playedToLegacy(`claude/${scenario}.${guise}`, { declared: [] });
    const over = new Set<string>();
    const reopened: string[] = [];
    for (const { toolCallId, status } of updates(toClient)) {
      if (status === 'completed' || status === 'failed') over.add(toolCallId);
      else if (status !== undefined && over.has(toolCallId)) reopened.push(`${toolCallId} ${status}`);
    }
    expect(reopened).toEqual([]);
    const calls = [...new Set(updates(toClient).flatMap(({ sessionUpdate, toolCallId }) => (sessionUpdate === 'tool_call' ? [toolCallId] : [])))];
    expect(calls.filter((call) => !over.has(call))).toEqual([]);
  });
});

describe('a client of ACP v1 with the private extension', () => {
  it.each([
    ['a plain v1 agent', 'opencode/more/a_foreground_bash.rich', ['opencode']],
    ['a v1 agent of the extension', 'claude/f_stop_server.legacy', CLAUDE],
  ])('with %s: as is', (_, name, command) => {
    const declares = (message: Message): Message =>
      message.method === 'initialize' ? { ...message, params: { ...message.params, clientCapabilities: { _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } } } } : message;
    const { records, toClient, toAgent } = between(name, command, {}, declares);
    expect(toClient).toEqual(sentBy(records, 'a2c'));
    expect(toAgent).toEqual(sentBy(records, 'c2a').map(declares));
  });

  it('with a v2 agent of the extension: the same tasks, in the names of v1, and its stop', () => {
    const { toAgent, clientSide } = playedToLegacy('codex/f.v2air', { command: CODEX });
    const facts = taskFactsOf(clientSide);
    expect(facts.get('order')).toEqual([`start shell ${CODEX_SHELL}`, `end shell ${CODEX_SHELL}`]);
    expect([facts.get(`tasks/shell ${CODEX_SHELL}/end`), facts.get('stops/0')]).toEqual(['stopped', true]);
    expect(toAgent.map(({ method }) => method)).toContain('_session/async_task/stop');
  });

  it('with a v2 agent that lists its work: tasks made from the lists, and their stop', () => {
    const { toAgent, clientSide } = playedToLegacy('claude/f_stop_server.v2');
    const facts = taskFactsOf(clientSide);
    expect(facts.get('order')).toEqual([`start shell ${SHELL}`, `end shell ${SHELL}`]);
    expect([facts.get(`tasks/shell ${SHELL}/end`), facts.get('stops/0'), facts.get('stops/1'), facts.get('stops/2')]).toEqual(['stopped', true, false, false]);
    expect(toAgent.find(({ method }) => method === 'terminal/cancel')?.params.terminalId).toBe(SHELL);
  });
});

it("asks a v2 agent for Claude's raw feed in the name of a client of v1, which never sees it", () => {
  for (const capabilities of [{}, { _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } }]) {
    const { client, agent } = wired(pluginsFor(CLAUDE, { agentProtocol: 'v2' }), { agentCommand: CLAUDE });
    client.sends({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: capabilities } });
    const [initialize] = agent.received();
    expect(initialize.params.capabilities?._meta?.jetbrains).toBeUndefined();
    agent.answers(initialize.id, { protocolVersion: 2, info: { name: '@agentclientprotocol/claude-agent-acp', version: '0.101.0' }, capabilities: { session: {} } });
    client.sends({ jsonrpc: '2.0', id: 1, method: 'session/new', params: { cwd: '/w', mcpServers: [] } });
    const [create] = agent.received();
    expect(create.params._meta.claudeCode.emitRawSDKMessages.map(({ subtype }: Message) => subtype)).toContain('background_tasks_changed');
    agent.answers(create.id, { sessionId: 's', configOptions: [] });
    client.received();
    agent.notifies('_claude/sdkMessage', { sessionId: 's', message: { type: 'system', subtype: 'background_tasks_changed', tasks: [] } });
    expect(client.received()).toEqual([]);
  }
});

describe('a client of ACP v2', () => {
  it('with a plain v1 agent: bridged, and nothing is said of background work', () => {
    const { clientSide, log } = played(loadCorpus('opencode/more/a_foreground_bash.rich'), { plugins: pluginsFor(['opencode'], { agentProtocol: 'v1' }), agentCommand: ['opencode'] });
    const toClient = clientSide.filter(({ dir }) => dir === 'a2c').map(({ msg }) => msg as Message);
    expect(log).toEqual([]);
    expect(updates(toClient).filter(({ sessionUpdate }) => sessionUpdate === 'state_update').map(({ state }) => state)).toEqual(['running', 'idle']);
    expect(lists(toClient)).toEqual([undefined, undefined]);
  });

  it('with a v1 agent of the extension: bridged, with lists', () => {
    const { clientSide } = played(loadCorpus('claude/b_background_exit0.legacy'), { plugins: pluginsFor(CLAUDE, { agentProtocol: 'v1' }), agentCommand: CLAUDE });
    const toClient = clientSide.filter(({ dir }) => dir === 'a2c').map(({ msg }) => msg as Message);
    expect(lists(toClient).filter((list, index, all) => JSON.stringify(list) !== JSON.stringify(all[index - 1]))).toEqual([[], [SHELL], []]);
    expect(hasTasks(toClient)).toBe(false);
  });

  it('with a v2 agent of the extension: its tasks become lists, and cancel', () => {
    const asStandard = (message: Message): Message => {
      if (message.method === 'initialize') return { ...message, params: { ...message.params, capabilities: {} } };
      return message.method === '_session/async_task/stop' ? { ...message, method: 'terminal/cancel', params: { sessionId: message.params.sessionId, terminalId: CODEX_SHELL } } : message;
    };
    const { toClient, toAgent } = between('codex/f.v2air', CODEX, { agentProtocol: 'v2' }, asStandard);
    expect(lists(toClient).filter((list, index, all) => JSON.stringify(list) !== JSON.stringify(all[index - 1])).slice(-2)).toEqual([[CODEX_SHELL], []]);
    expect(toAgent.find(({ method }) => method === '_session/async_task/stop')?.params.asyncTaskId).toBe(CODEX_SHELL);
    expect(hasTasks(toClient)).toBe(false);
  });

  it('with a v2 agent of the extension, which the client knows itself: as is', () => {
    const { records, toClient, toAgent } = between('codex/f.v2air', CODEX, { agentProtocol: 'v2' });
    expect(toClient).toEqual(sentBy(records, 'a2c'));
    expect(toAgent).toEqual(sentBy(records, 'c2a'));
  });

  it('with a v2 agent that lists its work: as is where no gap is filled', () => {
    const { records, toClient, toAgent } = between('claude/f_stop_server.v2', CLAUDE, { agentProtocol: 'v2', fills: [] });
    expect(toClient).toEqual(sentBy(records, 'a2c'));
    expect(toAgent).toEqual(sentBy(records, 'c2a'));
  });

  it('with a v2 agent that lists its work: a Monitor is listed, too', () => {
    const { toClient } = between('claude/d_monitor.v2raw', CLAUDE, { agentProtocol: 'v2' });
    expect(lists(toClient)).toContainEqual(['toolu_01MonitorWatch0000001']);
  });
});
