/**
 * Plays the agent's side of a v1 recording against the bridge, with an ACP v2 client in front of it
 * that does what the recorded client did. Time is the recording's.
 */
import { expect } from 'vitest';
import { bridge } from '../../../plugins/bridge/index.js';
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

/** What a v2 client says for what the recorded v1 client said. */
function toV2Client(message: Message): Message {
  if (message.method === 'session/load') return { ...message, method: 'session/resume', params: { ...message.params, replayFrom: { type: 'start' } } };
  if (message.method !== 'initialize') return message;
  const { clientInfo, clientCapabilities } = message.params;
  const { terminal_output: _, ...meta } = clientCapabilities._meta ?? {};
  return { ...message, params: { protocolVersion: 2, info: clientInfo, capabilities: meta.jetbrains ? {} : { _meta: meta } } };
}

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
      expect(validateToAgent('v1-unstable', message, { method: this.#agentRequests.get(JSON.stringify(message.id)) }), JSON.stringify(message)).toEqual([]);
      this.toAgent.push(message);
    }
  }
}

/** The request that reached the client for the agent's request number `index`. */
const clientRequest = (toClient: readonly Message[], index: number): Message | undefined =>
  toClient.filter((message) => message.method !== undefined && message.id !== undefined)[index];

export function played(records: readonly RecordedMessage[]): Played {
  const wires = wired([bridge({ agentProtocol: 'v1' })], { agentCommand: ['claude-agent-acp'] });
  const checked = new Checked();
  /** The id under which the agent knows the recorded request, by the recorded id. */
  const ownIds = new Map<string, unknown>();
  const asked: string[] = [];
  for (const { t, dir, msg } of records as readonly { t: number; dir: string; msg: Message }[]) {
    wires.clock.advance(Math.max(0, t - wires.clock.now()));
    checked.reached(wires);
    if (dir === 'c2a' && msg.method !== undefined) {
      const sent = toV2Client(msg);
      checked.clientSends(wires, sent);
      checked.reached(wires);
      const forwarded = checked.toAgent.at(-1);
      if (msg.id !== undefined && forwarded?.id !== undefined) ownIds.set(JSON.stringify(msg.id), forwarded.id);
    } else if (dir === 'c2a') {
      const request = clientRequest(checked.toClient, asked.indexOf(JSON.stringify(msg.id)));
      if (request) checked.clientSends(wires, { ...msg, id: request.id });
    } else if (msg.method !== undefined) {
      if (msg.id !== undefined) asked.push(JSON.stringify(msg.id));
      checked.agentSent(msg);
      wires.agent.sends(msg);
    } else {
      const id = ownIds.get(JSON.stringify(msg.id));
      if (id !== undefined) wires.agent.sends({ ...msg, id });
    }
    checked.reached(wires);
  }
  wires.clock.advance(1000);
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
