/**
 * One connection of the bridge down to v1: its sessions, what is known of both sides, and the one way
 * in which anything is said to the client. Knows no ACP method but `session/update`.
 */
import type { Host } from 'afterturn/plugin';
import type { JsonObject, V1ClientFacts, V2AgentFacts } from 'afterturn/protocol';
import { countMalformed, type Malformed } from '../malformed.js';
import { DownSession, newTranscript } from './session.js';
import { BoundedMap } from '../bounded.js';
import type { Revival } from '../revivals.js';

export interface Sides {
  readonly client: V1ClientFacts;
  readonly agent: V2AgentFacts;
}

export class DownConnection {
  readonly host: Host;
  readonly malformed: Malformed;
  readonly client: V1ClientFacts;
  readonly agent: V2AgentFacts;
  readonly #sessions = new BoundedMap<string, DownSession>();

  constructor(host: Host, { client, agent }: Sides) {
    this.host = host;
    this.client = client;
    this.agent = agent;
    this.malformed = countMalformed(() => host.log);
  }

  session(id: string): DownSession {
    const known = this.#sessions.get(id);
    if (known) return known;
    const session = new DownSession(id);
    this.#sessions.set(id, session);
    return session;
  }

  known(id: string): DownSession | undefined {
    return this.#sessions.get(id);
  }

  sessions(): DownSession[] {
    return [...this.#sessions.values()];
  }

  /** Nothing more is said of the session, unless it is set up again. What waits was told before (`DownCalls.settle`). `before`: the set-ups that do not outlive it. */
  close(session: DownSession, before: readonly Revival[]): void {
    session.closed = session.revivals.closed(before);
    session.transcript = newTranscript();
    session.earlier = undefined;
  }

  send(session: DownSession, update: JsonObject): void {
    if (!session.closed) this.host.notify('toClient', 'session/update', { sessionId: session.id, update });
  }

  /** Names what was left out of a message, if anything was. */
  report(session: DownSession, kind: string, faults: readonly string[]): void {
    if (faults.length > 0) this.malformed.report(session.id, kind, faults.join('; '));
  }
}
