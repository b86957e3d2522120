/**
 * The plugin between an agent that speaks ACP v2 and lists its background work, and a client of ACP v1
 * that knows the private extension. In the place of the version bridge stands one that translates
 * `initialize` only: everything else is seen as ACP v2.
 */
import { LegacyClient } from '../../../plugins/legacy-client.js';
import { legacyTasks } from '../../../plugins/legacy-tasks/index.js';
import { replace, type Plugin } from '../../../src/plugin.js';
import { wired, type Message, type Wired } from '../../pipeline/harness.js';

export const SESSION = 's';
export const STOP = '_session/async_task/stop';

export const air = (...capabilities: readonly string[]): object => ({ _meta: { jetbrains: { air: { version: 1, capabilities } } } });

export const initializeBridge: Plugin = {
  name: 'initialize-bridge',
  toAgent: { calls: { initialize: ({ params }) => replace({ params: { protocolVersion: 2, info: params.clientInfo, capabilities: { _meta: params.clientCapabilities?._meta } } }) } },
  toClient: { replies: { initialize: ({ result }) => (result === undefined ? undefined : replace({ result: { ...result, protocolVersion: 1 } })) } },
};

export interface ConnectedOptions {
  readonly name?: string;
  readonly title?: string;
  readonly command?: readonly string[];
  /** What the client declares of the extension. Default `asyncTasks`. */
  readonly declared?: readonly string[];
  /** What the agent acknowledges by itself. */
  readonly acknowledged?: readonly string[];
  readonly agentVersion?: number;
  readonly clientVersion?: number;
  readonly source?: 'auto' | 'async-tasks' | 'claude-raw' | 'none';
}

export interface Connected extends Wired {
  /** What the agent was told in `initialize`, and what the client was answered. */
  readonly handshake: { readonly asked: Message; readonly answered: Message };
  readonly makesTasks: () => boolean;
  /** The agent sends an update. */
  says(sessionUpdate: string, members?: object, sessionId?: string): void;
  state(state: string, background?: readonly string[], members?: object, sessionId?: string): void;
  /** The client prompts and the agent takes it in. */
  prompts(id?: string): void;
  /** What the client saw since the last call, in short form. */
  saw(): string[];
  /** What the agent was sent since the last call. */
  asked(): Message[];
  /** A command of the background is listed and idle: terminal and call `c`. */
  runsShell(): void;
}

const item = (key: string): object => {
  const [type, id] = [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)];
  const members: Readonly<Record<string, string>> = { terminal: 'terminalId', tool_call: 'toolCallId', subagent: 'sessionId' };
  return { type, [members[type] ?? 'id']: id };
};

/** An update of the extension with its members; another one by its kind and what it is about. */
function inShort({ sessionUpdate, ...members }: Message): string {
  if (!sessionUpdate.startsWith('_async_task_')) {
    const mark = members._meta?.jetbrains?.air?.asyncTasks?.backgrounded ? ' backgrounded' : '';
    return `${sessionUpdate}${members.toolCallId || members.terminalId ? ` ${members.toolCallId ?? members.terminalId}` : ''}${members.state ? ` ${members.state.state ?? members.state}` : ''}${mark}`;
  }
  const { asyncTaskId, taskType, state, ...rest } = members;
  const kind = sessionUpdate.slice('_async_task_'.length).replace('state_update', 'is');
  return `${asyncTaskId} ${kind}${taskType ? ` ${taskType}` : ''}${state ? ` ${state}` : ''}${Object.keys(rest).length ? ` ${JSON.stringify(rest)}` : ''}`;
}

const shortOf = (message: Message): string => {
  if (message.method === 'session/update') return (message.params.sessionId === SESSION ? '' : `${message.params.sessionId}: `) + inShort(message.params.update);
  if (message.method !== undefined) return String(message.method);
  return 'error' in message ? `error ${JSON.stringify(message.id)} ${message.error.code}` : `ok ${JSON.stringify(message.id)} ${JSON.stringify(message.result)}`;
};

export function connected({ name = 'some-agent', title = 'Some Agent', command, declared = ['asyncTasks'], acknowledged = [], agentVersion = 2, clientVersion = 1, source = 'auto' }: ConnectedOptions = {}): Connected {
  const client = new LegacyClient();
  const legacy = legacyTasks({ source, client });
  const between = clientVersion === 1 && agentVersion === 2 ? [initializeBridge] : [];
  const on = wired([client.observer, ...between, legacy.plugin], command === undefined ? {} : { agentCommand: command });
  const capabilities = declared.length === 0 ? {} : air(...declared);
  on.client.sends({ jsonrpc: '2.0', id: 'init', method: 'initialize', params: { protocolVersion: clientVersion, [clientVersion === 1 ? 'clientCapabilities' : 'capabilities']: capabilities } });
  on.agent.answers('init', { protocolVersion: agentVersion, info: { name, title, version: '1' }, ...(acknowledged.length === 0 ? {} : air(...acknowledged)) });
  const handshake = { asked: on.agent.received()[0].params, answered: on.client.received()[0].result };
  const says = (sessionUpdate: string, members: object = {}, sessionId = SESSION): void => on.agent.notifies('session/update', { sessionId, update: { sessionUpdate, ...members } });
  const state = (word: string, background?: readonly string[], members: object = {}, sessionId = SESSION): void =>
    says('state_update', { state: word, ...(background === undefined ? {} : { background: background.map(item) }), ...members }, sessionId);
  const prompts = (id = 'p'): void => {
    on.client.sends({ jsonrpc: '2.0', id, method: 'session/prompt', params: { sessionId: SESSION, prompt: [] } });
    on.agent.answers(id, { messageId: id });
  };
  return {
    ...on, handshake, says, state, prompts,
    makesTasks: legacy.makesTasks,
    saw: () => on.client.received().map(shortOf),
    asked: () => on.agent.received(),
    runsShell() {
      prompts();
      state('running', []);
      says('terminal_update', { terminalId: 'c', command: './run.sh' });
      says('tool_call_update', { toolCallId: 'c', status: 'pending', title: './run.sh', rawInput: { description: 'Run it' }, content: [{ type: 'terminal', terminalId: 'c' }] });
      says('tool_call_update', { toolCallId: 'c', status: 'completed' });
      says('terminal_update', { terminalId: 'c', capabilities: { cancel: {} } });
      state('running', ['terminal:c']);
      state('idle', ['terminal:c'], { stopReason: 'end_turn' });
      on.client.received();
      on.agent.received();
    },
  };
}
