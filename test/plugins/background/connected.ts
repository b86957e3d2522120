/**
 * The background plugin between a v2 client and an agent that speaks ACP v2 with the private
 * extension, after `initialize`, for tests that read as a conversation.
 */
import { background, type BackgroundOptions } from '../../../plugins/background/index.js';
import { inShort } from '../../state/world.js';
import { wired, type Message, type Wired } from '../../pipeline/harness.js';

export const SESSION = 's';
export const STOP = '_session/async_task/stop';

export const air = (...capabilities: readonly string[]): object => ({ _meta: { jetbrains: { air: { version: 1, capabilities } } } });

export interface ConnectedOptions extends Partial<BackgroundOptions> {
  /** The agent's name. Default claude-agent-acp. */
  readonly name?: string;
  /** What it acknowledges. Default `asyncTasks`. */
  readonly acknowledged?: readonly string[];
  readonly clientVersion?: number;
  readonly agentVersion?: number;
  readonly declared?: readonly string[];
}

export interface Connected extends Wired {
  /** The agent sends an update of the session. */
  says(sessionUpdate: string, members?: object, sessionId?: string): void;
  raw(subtype: string, members?: object, sessionId?: string): void;
  /** What the client saw since the last call: updates in short form, answers as `ok <id>` and `error <id> <code>`. */
  saw(): string[];
  /** What the agent was asked since the last call: `<method> <id or params>`. */
  asked(): Message[];
  /** A background command of this session is listed and idle: terminal `c`, task `b`. */
  runsShell(members?: object): void;
  /** A workflow is listed and idle: call `w1`, task `w`. */
  runsWorkflow(members?: object): void;
}

const shortOf = (message: Message): string => {
  if (message.method === 'session/update') return (message.params.sessionId === SESSION ? '' : `${message.params.sessionId}: `) + inShort(message.params.update);
  if (message.method !== undefined) return `${message.method}`;
  return 'error' in message ? `error ${JSON.stringify(message.id)} ${message.error.code}` : `ok ${JSON.stringify(message.id)} ${JSON.stringify(message.result)}`;
};

export function connected({ name = '@agentclientprotocol/claude-agent-acp', acknowledged = ['asyncTasks'], clientVersion = 2, agentVersion = 2, declared = [], followUpWindow = 250, ...options }: ConnectedOptions = {}): Connected {
  const on = wired([background({ followUpWindow, ...options })]);
  const capabilities = declared.length === 0 ? {} : air(...declared);
  on.client.sends({ jsonrpc: '2.0', id: 'init', method: 'initialize', params: { protocolVersion: clientVersion, [clientVersion === 2 ? 'capabilities' : 'clientCapabilities']: capabilities } });
  on.agent.answers('init', { protocolVersion: agentVersion, [agentVersion === 2 ? 'info' : 'agentInfo']: { name, version: '1' }, ...(acknowledged.length === 0 ? {} : air(...acknowledged)) });
  on.client.received();
  on.agent.received();
  const says = (sessionUpdate: string, members: object = {}, sessionId = SESSION): void => on.agent.notifies('session/update', { sessionId, update: { sessionUpdate, ...members } });
  return {
    ...on,
    says,
    raw: (subtype, members = {}, sessionId = SESSION) => on.agent.notifies('_claude/sdkMessage', { sessionId, message: { type: 'system', subtype, ...members } }),
    saw: () => on.client.received().map(shortOf),
    asked: () => on.agent.received().map((message) => (message.method === STOP ? `stop ${message.params.asyncTaskId} of ${message.params.sessionId}` : message)),
    runsShell(members = {}) {
      says('state_update', { state: 'running' });
      says('terminal_update', { terminalId: 'c', command: './run.sh' });
      says('tool_call_update', { toolCallId: 'c', status: 'pending', content: [{ type: 'terminal', terminalId: 'c' }] });
      says('_async_task_spawned', { asyncTaskId: 'b', taskType: 'shell', canStop: true, toolCallId: 'c', ...members });
      says('tool_call_update', { toolCallId: 'c', status: 'completed' });
      says('state_update', { state: 'idle', stopReason: 'end_turn' });
      on.client.received();
    },
    runsWorkflow(members = {}) {
      says('state_update', { state: 'running' });
      says('tool_call_update', { toolCallId: 'w1', status: 'pending' });
      says('_async_task_spawned', { asyncTaskId: 'w', taskType: 'workflow', canStop: true, toolCallId: 'w1', ...members });
      says('tool_call_update', { toolCallId: 'w1', status: 'completed' });
      says('state_update', { state: 'idle', stopReason: 'end_turn' });
      on.client.received();
    },
  };
}

/** The id of the last request that the agent got and has not answered. */
export const lastId = (messages: readonly Message[]): Message => messages.filter((message) => message.id !== undefined && message.method !== undefined).at(-1)?.id;
