/**
 * `session/resume` on its way: from the request to its response a session's updates may be history, and
 * what waited for the response comes with it. Follows "`session/resume` restores the list" of the v2
 * Background Work RFD.
 */
import { instead, keep, ruled, type Call, type Outcome, type Outgoing, type Reply } from 'afterturn/plugin';
import { at, idOf } from 'afterturn/protocol';
import { REVIVING, Setups } from '../keep-open/setups.js';

export interface ResumePorts {
  /** The request goes to the agent. */
  started(session: string, replays: boolean, rebuilt: boolean): void;
  /** The response is at hand: what goes before it. */
  answered(session: string, accepted: boolean): readonly Outgoing[];
  /** What goes after it. */
  done(session: string): readonly Outgoing[];
  /** A live session is built anew by a request that differs from the ones before it. */
  rebuilds(): boolean;
}

export class ResumeService {
  readonly #ports: ResumePorts;
  readonly #setups = new Setups(true);

  constructor(ports: ResumePorts) {
    this.#ports = ports;
  }

  /** Any request that sets a session up. */
  onCall(call: Call): void {
    const rebuilt = this.#ports.rebuilds() && this.#setups.differs(call);
    const session = this.#setups.opened(call);
    if (session !== undefined) this.#ports.started(session, call.method === 'session/load' || idOf(at(call.params, 'replayFrom', 'type')) !== undefined, rebuilt);
  }

  onReply(reply: Reply): Outcome {
    const { session } = this.#setups.answered(reply);
    if (session === undefined || !REVIVING.has(reply.to.method)) return undefined;
    const before = this.#ports.answered(session, reply.error === undefined);
    const after = this.#ports.done(session);
    return before.length + after.length === 0 ? undefined : ruled('resume', instead(...before, keep, ...after));
  }

  forget(session: string): void {
    this.#setups.forget(session);
  }
}
