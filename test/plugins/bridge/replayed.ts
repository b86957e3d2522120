/**
 * Plays the agent's side of a v1 recording against the bridge, with an ACP v2 client in front of it
 * that does what the recorded client did. Time is the recording's.
 */
import { expect } from 'vitest';
import { bridge } from '../../../plugins/bridge/index.js';
import type { Plugin } from '../../../src/plugin.js';
import { wired, type Message, type Wired } from '../../pipeline/harness.js';
import { loadRecording, type RecordedMessage } from '../../tools/recording.js';
import { validateToAgent, validateToClient } from '../../tools/schema.js';

export interface Played {
  /** The recording that the client could have made. */
  readonly clientSide: RecordedMessage[];
  /** What the agent got, in order. */
  readonly toAgent: Message[];
  readonly log: string[];
}

type Params = Message;
const asOption = (configId: string, value: string, { sessionId }: Params): Message => ({ method: 'session/set_config_option', params: { sessionId, configId, type: 'id', value } });

/** What a v2 client says for what a v1 client says, by method. */
const toV2: Readonly<Record<string, (params: Params) => Message>> = {
  initialize({ clientInfo, clientCapabilities }) {
    const { terminal_output: _, ...meta } = clientCapabilities._meta ?? {};
    return { params: { protocolVersion: 2, info: clientInfo, capabilities: meta.jetbrains ? {} : { _meta: meta } } };
  },
  authenticate: () => ({ method: 'auth/login' }),
  'session/load': (params) => ({ method: 'session/resume', params: { ...params, replayFrom: { type: 'start' } } }),
  'session/set_mode': (params) => asOption('mode', params.modeId, params),
  'session/set_model': (params) => asOption('model', params.modelId, params),
  'session/set_config_option': (params) => ({ params: { ...params, type: 'id' } }),
};

const toV2Client = (message: Message): Message => ({ ...message, ...toV2[message.method]?.(message.params) });

/** From before v1 had options: some agents have it, no schema does. */
const BEYOND_THE_SCHEMA = 'session/set_model';

/** Checks each message as it goes by against the strict schema of its side. */
class Checked {
  readonly toClient: Message[] = [];
  readonly toAgent: Message[] = [];
  readonly clientSide: RecordedMessage[] = [];
  readonly #clientRequests = new Map<string, string>();
  readonly #agentRequests = new Map<string, string>();

  clientSends(wires: Wired, message: Message): void {
    this.clientSide.push({ t: wires.clock.now(), dir: 'c2a', msg: message });
    if (message.method && message.id !== undefined) this.#clientRequests.set(JSON.stringify(message.id), message.method);
    wires.client.sends(message);
  }

  agentSent(message: Message): void {
    if (message.method && message.id !== undefined) this.#agentRequests.set(JSON.stringify(message.id), message.method);
  }

  reached(wires: Wired): void {
    for (const message of wires.client.received()) {
      expect(validateToClient('v2', message, { method: this.#clientRequests.get(JSON.stringify(message.id)) }), JSON.stringify(message)).toEqual([]);
      this.toClient.push(message);
      this.clientSide.push({ t: wires.clock.now(), dir: 'a2c', msg: message });
    }
    for (const message of wires.agent.received()) {
      if (message.method !== BEYOND_THE_SCHEMA) expect(validateToAgent('v1-unstable', message, { method: this.#agentRequests.get(JSON.stringify(message.id)) }), JSON.stringify(message)).toEqual([]);
      this.toAgent.push(message);
    }
  }
}

/** The request that reached the client for the agent's request number `index`. */
const clientRequest = (toClient: readonly Message[], index: number): Message | undefined =>
  toClient.filter((message) => message.method !== undefined && message.id !== undefined)[index];

export interface PlayedOptions {
  readonly plugins?: readonly Plugin[];
  readonly agentCommand?: readonly string[];
  /** Milliseconds of silence after the last message. */
  readonly silence?: number;
}

/** What only a client of ACP v1 is asked. */
const isV1Only = (method: string): boolean => method.startsWith('fs/') || method.startsWith('terminal/');

export function played(records: readonly RecordedMessage[], { plugins = [bridge({ agentProtocol: 'v1' })], agentCommand = ['claude-agent-acp'], silence = 1000 }: PlayedOptions = {}): Played {
  const wires = wired(plugins, { agentCommand });
  const checked = new Checked();
  /** The id under which the agent knows the recorded request, by the recorded id. */
  const ownIds = new Map<string, unknown>();
  const asked: string[] = [];
  for (const { t, dir, msg } of records as readonly { t: number; dir: string; msg: Message }[]) {
    wires.clock.advance(Math.max(0, t - wires.clock.now()));
    checked.reached(wires);
    if (dir === 'c2a' && msg.method !== undefined) {
      const before = checked.toAgent.length;
      checked.clientSends(wires, toV2Client(msg));
      checked.reached(wires);
      const forwarded = checked.toAgent.slice(before).find(({ method, id }) => method !== undefined && id !== undefined);
      if (msg.id !== undefined && forwarded?.id !== undefined) ownIds.set(JSON.stringify(msg.id), forwarded.id);
    } else if (dir === 'c2a') {
      const request = clientRequest(checked.toClient, asked.indexOf(JSON.stringify(msg.id)));
      if (request) checked.clientSends(wires, { ...msg, id: request.id });
    } else if (msg.method !== undefined) {
      if (msg.id !== undefined && !isV1Only(msg.method)) asked.push(JSON.stringify(msg.id));
      checked.agentSent(msg);
      wires.agent.sends(msg);
    } else {
      const id = ownIds.get(JSON.stringify(msg.id));
      if (id !== undefined) wires.agent.sends({ ...msg, id });
    }
    checked.reached(wires);
  }
  wires.clock.advance(silence);
  checked.reached(wires);
  return { clientSide: checked.clientSide, toAgent: checked.toAgent, log: wires.log };
}

const results = new Map<string, Played>();

/** `played`, for a recording of the corpus; each is played once. */
export function playedRecording(name: string): Played {
  const known = results.get(name) ?? played(loadRecording(name));
  results.set(name, known);
  return known;
}
