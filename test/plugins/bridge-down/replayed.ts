/**
 * A recording of a v2 agent, played against a client of ACP v1: the recorded client's messages in the
 * form that a v1 client would send, the agent's as they were. Every message of either side is checked
 * by the strict schema of its version.
 */
import { expect } from 'vitest';
import type { Plugin } from '../../../src/plugin.js';
import { bridgeDown } from '../../../plugins/bridge-down/index.js';
import { wired, type Message, type Wired } from '../../pipeline/harness.js';
import type { RecordedMessage } from '../../tools/recording.js';
import { validateToAgent, validateToClient, type Version } from '../../tools/schema.js';

export interface PlayedDown {
  /** The client's view of the connection. */
  readonly clientSide: RecordedMessage[];
  readonly toClient: Message[];
  readonly toAgent: Message[];
  readonly log: string[];
}

export interface DownOptions {
  /** `clientCapabilities` of the client. */
  readonly capabilities?: Record<string, unknown>;
  readonly plugins?: readonly Plugin[];
  readonly agentCommand?: readonly string[];
  /** By which schema the client's messages are valid. Default: the stable one. */
  readonly version?: Version;
}

/** What a v1 client says for what a v2 client says, by method; `undefined`: it cannot say it. */
const toV1: Readonly<Record<string, (params: Message, options: DownOptions) => Message | undefined>> = {
  initialize: ({ info }, { capabilities = {} }) => ({ params: { protocolVersion: 1, clientInfo: info, clientCapabilities: capabilities } }),
  'auth/login': () => ({ method: 'authenticate' }),
  'auth/logout': () => ({ method: 'logout' }),
  'session/resume': ({ replayFrom, ...params }) => ({ method: replayFrom ? 'session/load' : 'session/resume', params }),
  'session/set_config_option': ({ type, ...params }) => ({ params: type === 'id' ? params : { type, ...params } }),
  'terminal/cancel': () => undefined,
  'tool_call/cancel': () => undefined,
};

/** v1 tells a server over stdio by its missing type. */
const withServers = (message: Message): Message =>
  message.params?.mcpServers === undefined && ['session/new', 'session/load'].includes(message.method) ? { ...message, params: { ...message.params, mcpServers: [] } } : message;

function toV1Client(message: Message, options: DownOptions): Message | undefined {
  const translate = toV1[message.method];
  if (translate === undefined) return message;
  const changed = translate(message.params, options);
  return changed && withServers({ ...message, ...changed });
}

class Checked {
  readonly toClient: Message[] = [];
  readonly toAgent: Message[] = [];
  readonly clientSide: RecordedMessage[] = [];
  readonly #methods = new Map<string, string>();
  readonly #version: Version;

  constructor(version: Version) {
    this.#version = version;
  }

  clientSends(wires: Wired, message: Message): void {
    this.clientSide.push({ t: wires.clock.now(), dir: 'c2a', msg: message });
    if (message.method && message.id !== undefined) this.#methods.set(`client ${JSON.stringify(message.id)}`, message.method);
    wires.client.sends(message);
  }

  agentSends(wires: Wired, message: Message): void {
    if (message.method && message.id !== undefined) this.#methods.set(`agent ${JSON.stringify(message.id)}`, message.method);
    wires.agent.sends(message);
  }

  reached(wires: Wired): void {
    for (const message of wires.client.received()) {
      const method = this.#methods.get(`client ${JSON.stringify(message.id)}`);
      const isExtension = String(message.params?.update?.sessionUpdate).match(/^(?:async_task|subagent_s)/);
      if (!isExtension) expect(validateToClient(this.#version, message, method === undefined ? {} : { method }), JSON.stringify(message)).toEqual([]);
      this.toClient.push(message);
      this.clientSide.push({ t: wires.clock.now(), dir: 'a2c', msg: message });
    }
    for (const message of wires.agent.received()) {
      const method = this.#methods.get(`agent ${JSON.stringify(message.id)}`);
      // A client's own request for v1 goes on as it came.
      const spoken = message.params?.protocolVersion === 1 ? 'v1' : 'v2';
      expect(validateToAgent(spoken, message, method === undefined ? {} : { method }), JSON.stringify(message)).toEqual([]);
      this.toAgent.push(message);
    }
  }
}

/** The request that reached the client for the agent's request number `index`. */
const clientRequest = (toClient: readonly Message[], index: number): Message | undefined =>
  toClient.filter((message) => message.method !== undefined && message.id !== undefined)[index];

export function playedDown(records: readonly RecordedMessage[], options: DownOptions = {}): PlayedDown {
  const { plugins = [bridgeDown({ agentProtocol: 'v2' })], agentCommand = ['agent'], version = 'v1' } = options;
  const wires = wired(plugins, { agentCommand });
  const checked = new Checked(version);
  const ownIds = new Map<string, unknown>();
  const asked: string[] = [];
  for (const { t, dir, msg } of records as readonly { t: number; dir: string; msg: Message }[]) {
    wires.clock.advance(Math.max(0, t - wires.clock.now()));
    checked.reached(wires);
    if (dir === 'c2a' && msg.method !== undefined) {
      const said = toV1Client(msg, options);
      if (said === undefined) continue;
      const before = checked.toAgent.length;
      checked.clientSends(wires, said);
      checked.reached(wires);
      const forwarded = checked.toAgent.slice(before).find(({ method, id }) => method !== undefined && id !== undefined);
      if (msg.id !== undefined && forwarded?.id !== undefined) ownIds.set(JSON.stringify(msg.id), forwarded.id);
    } else if (dir === 'c2a') {
      const request = clientRequest(checked.toClient, asked.indexOf(JSON.stringify(msg.id)));
      if (request) checked.clientSends(wires, { ...msg, id: request.id });
    } else if (msg.method !== undefined) {
      if (msg.id !== undefined) asked.push(JSON.stringify(msg.id));
      checked.agentSends(wires, msg);
    } else {
      const id = ownIds.get(JSON.stringify(msg.id));
      if (id !== undefined) wires.agent.sends({ ...msg, id });
    }
    checked.reached(wires);
  }
  wires.clock.advance(1000);
  checked.reached(wires);
  return { clientSide: checked.clientSide, toClient: checked.toClient, toAgent: checked.toAgent, log: wires.log };
}
