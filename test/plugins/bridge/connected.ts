/**
 * A bridged connection, played by hand: an ACP v2 client, an agent that speaks v1, and a session `s`.
 * Every message of either side is checked against the strict schema of its version.
 */
import { expect } from 'vitest';
import { bridge, type BridgeOptions } from '../../../plugins/bridge/index.js';
import { wired, type Message, type Side, type Wired, type WiredOptions } from '../../pipeline/harness.js';
import { validateToAgent, validateToClient } from '../../tools/schema.js';

export const fullAgent = {
  protocolVersion: 1,
  agentInfo: { name: '@agentclientprotocol/claude-agent-acp', version: '0.101.0' },
  agentCapabilities: {
    loadSession: true, mcpCapabilities: { http: true }, auth: { logout: {} },
    sessionCapabilities: { close: {}, delete: {}, fork: {}, list: {}, resume: {} },
  },
};

/** The methods of requests that a side made, for the check of their answers. */
function remembering(side: Side): { side: Side; methodOf(id: unknown): string | undefined } {
  const methods = new Map<string, string>();
  const note = (sent: Message): void => {
    const message = typeof sent === 'string' ? (JSON.parse(sent)) : sent;
    if (typeof message?.method === 'string' && message.id !== undefined) methods.set(JSON.stringify(message.id), message.method);
  };
  const sends: Side['sends'] = (...messages) => {
    messages.forEach(note);
    side.sends(...messages);
  };
  const requests: Side['requests'] = (method, params) => {
    const id = side.requests(method, params);
    note({ method, id });
    return id;
  };
  return { side: { ...side, sends, requests }, methodOf: (id) => methods.get(JSON.stringify(id)) };
}

export interface Connected extends Wired {
  /** What came since the last call, shortened: updates without their envelope. */
  readonly told: () => Message[];
  /** What reached the agent since the last call: `[method, params, id]`, `[result]` or `[error]`. */
  readonly asked: () => Message[];
  /** Updates of the session `s`, sent by the agent. */
  readonly updates: (...updates: Message[]) => void;
  /** A prompt of the client in `s`; gives the id under which the agent knows it. */
  readonly prompts: (text?: string) => unknown;
  /** As `prompts`, and the agent says a word, so that it is taken in. */
  readonly runs: (text?: string) => unknown;
}

export const chunk = (text: string, messageId?: string): Message => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...(messageId === undefined ? {} : { messageId }) });
export const state = (name: string, more: Record<string, unknown> = {}): Message => ({ sessionUpdate: 'state_update', state: name, ...more });

/** A connection before `initialize`. */
export function unconnected(options: Partial<BridgeOptions> = {}, wiring: WiredOptions = {}): Connected {
  const wires = wired([bridge({ agentProtocol: 'v1', ...options })], wiring);
  const client = remembering(wires.client);
  const agent = remembering(wires.agent);
  const told = (): Message[] => wires.client.received().map((message: Message) => {
    expect(validateToClient('v2', message, { method: client.methodOf(message.id) }), JSON.stringify(message)).toEqual([]);
    return message.method === 'session/update' && message.params.sessionId === 's' ? message.params.update : message;
  });
  const asked = (): Message[] => wires.agent.received().map((message: Message) => {
    expect(validateToAgent('v1-unstable', message, { method: agent.methodOf(message.id) }), JSON.stringify(message)).toEqual([]);
    if (message.method === undefined) return [message.result ?? message.error];
    return message.id === undefined ? [message.method, message.params] : [message.method, message.params, message.id];
  });
  const prompts = (text = 'do it'): unknown => {
    client.side.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text }] });
    return asked().at(-1)[2];
  };
  return {
    ...wires, client: client.side, agent: agent.side, told, asked, prompts,
    updates: (...updates) => updates.forEach((update) => agent.side.notifies('session/update', { sessionId: 's', update })),
    runs: (text) => {
      const id = prompts(text);
      agent.side.notifies('session/update', { sessionId: 's', update: chunk('word', 'm') });
      told();
      return id;
    },
  };
}

/** A connection whose agent answered `initialize` with `agentResult`. */
export function initialized(agentResult: Record<string, unknown> = fullAgent, options: Partial<BridgeOptions> = {}, capabilities: Record<string, unknown> = {}): Connected {
  const wires = unconnected(options);
  wires.client.requests('initialize', { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities });
  wires.agent.answers(wires.asked()[0][2], agentResult);
  wires.told();
  return wires;
}

/** A connection with the session `s`, set up with `setup`. */
export function connected(agentResult: Record<string, unknown> = fullAgent, setup: Record<string, unknown> = {}, capabilities: Record<string, unknown> = {}): Connected {
  const wires = initialized(agentResult, {}, capabilities);
  wires.client.requests('session/new', { cwd: '/project' });
  wires.agent.answers(wires.asked()[0][2], { sessionId: 's', ...setup });
  wires.told();
  return wires;
}
