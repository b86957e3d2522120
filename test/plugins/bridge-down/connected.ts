/**
 * A connection that is bridged down, played by hand: an ACP v1 client, an agent that speaks v2, and a
 * session `s`. Every message of either side is checked against the strict schema of its version.
 */
import { expect } from 'vitest';
import { bridgeDown } from '../../../plugins/bridge-down/index.js';
import { wired, type Message, type Side, type Wired } from '../../pipeline/harness.js';
import { validateToAgent, validateToClient, type Version } from '../../tools/schema.js';

export const fullAgent = {
  protocolVersion: 2,
  info: { name: 'agent', version: '1.0.0' },
  capabilities: { session: { prompt: { image: {}, embeddedContext: {} }, mcp: { stdio: {}, http: {} }, delete: {}, fork: {}, additionalDirectories: {} } },
  authMethods: [],
};

/** A client that takes what the unstable schema of v1 has. */
export const richClient = { session: { configOptions: { boolean: {} }, notices: {}, compaction: {} }, plan: {}, subagents: {}, _meta: { terminal_output: true } };
export const terminalClient = { _meta: { terminal_output: true } };

function remembering(side: Side): { side: Side; methodOf(id: unknown): string | undefined } {
  const methods = new Map<string, string>();
  const requests: Side['requests'] = (method, params) => {
    const id = side.requests(method, params);
    methods.set(JSON.stringify(id), method);
    return id;
  };
  return { side: { ...side, requests }, methodOf: (id) => methods.get(JSON.stringify(id)) };
}

export interface ConnectedDown extends Wired {
  /** What the client was told since the last call: updates of `s` without their envelope, other messages whole. */
  readonly told: () => Message[];
  /** What reached the agent since the last call: `[method, params, id]`, `[result]` or `[error]`. */
  readonly asked: () => Message[];
  /** Updates of the session `s`, sent by the agent. */
  readonly updates: (...updates: Message[]) => void;
  /** A prompt of the client, taken in by the agent, which runs; gives the client's id of it. */
  readonly runs: (messageId?: string) => number;
}

export const state = (name: string, more: Record<string, unknown> = {}): Message => ({ sessionUpdate: 'state_update', state: name, ...more });
export const chunk = (text: string, messageId = 'm'): Message => ({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } });
export const call = (toolCallId: string, members: Record<string, unknown>): Message => ({ sessionUpdate: 'tool_call_update', toolCallId, ...members });
const words = (text: string): Message => [{ type: 'text', text }];

/** A connection before `initialize`. */
export function unconnected(version: Version = 'v1'): ConnectedDown {
  const wires = wired([bridgeDown({ agentProtocol: 'v2' })]);
  const client = remembering(wires.client);
  const agent = remembering(wires.agent);
  const told = (): Message[] => wires.client.received().map((message: Message) => {
    const method = client.methodOf(message.id);
    const isTask = String(message.params?.update?.sessionUpdate).startsWith('async_task_');
    if (!isTask) expect(validateToClient(version, message, method === undefined ? {} : { method }), JSON.stringify(message)).toEqual([]);
    return message.method === 'session/update' && message.params.sessionId === 's' ? message.params.update : message;
  });
  const asked = (): Message[] => wires.agent.received().map((message: Message) => {
    const method = agent.methodOf(message.id);
    expect(validateToAgent('v2', message, method === undefined ? {} : { method }), JSON.stringify(message)).toEqual([]);
    if (message.method === undefined) return [message.result ?? message.error];
    return message.id === undefined ? [message.method, message.params] : [message.method, message.params, message.id];
  });
  const updates = (...all: Message[]): void => all.forEach((update) => agent.side.notifies('session/update', { sessionId: 's', update }));
  return {
    ...wires, client: client.side, agent: agent.side, told, asked, updates,
    runs: (messageId = 'u') => {
      const id = client.side.requests('session/prompt', { sessionId: 's', prompt: words('do it') });
      const own = asked().at(-1)[2];
      updates({ sessionUpdate: 'user_message', messageId, content: words('do it') });
      agent.side.answers(own, { messageId });
      updates(state('running'));
      expect(told()).toEqual([]);
      return id;
    },
  };
}

/** A connection whose agent answered `initialize` in v2. */
export function initialized(capabilities: Record<string, unknown> = {}, agent: Record<string, unknown> = fullAgent): ConnectedDown {
  const wires = unconnected(capabilities === richClient ? 'v1-unstable' : 'v1');
  wires.client.requests('initialize', { protocolVersion: 1, clientInfo: { name: 'c', version: '1' }, clientCapabilities: capabilities });
  wires.agent.answers(wires.asked()[0][2], agent);
  wires.told();
  return wires;
}

export const modeOption = (currentValue = 'ask'): Message => ({
  configId: 'mode', name: 'Mode', category: 'mode', type: 'select', currentValue, options: [{ value: 'ask', name: 'Ask' }, { value: 'code', name: 'Code', description: 'Writes' }],
});

/** A connection with the session `s`, set up with `setup`. */
export function connected(capabilities: Record<string, unknown> = {}, setup: Record<string, unknown> = {}, agent: Record<string, unknown> = fullAgent): ConnectedDown {
  const wires = initialized(capabilities, agent);
  wires.client.requests('session/new', { cwd: '/project', mcpServers: [] });
  wires.agent.answers(wires.asked()[0][2], { sessionId: 's', ...setup });
  wires.told();
  return wires;
}
