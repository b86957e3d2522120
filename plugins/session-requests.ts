/** The sessions that open requests are about, by method and id. Knows not what the requests ask. */
import type { Call, Reply } from 'afterturn/plugin';
import { at, idOf } from 'afterturn/protocol';
import { OpenRequests } from './open-requests.js';

const keyOf = (method: string, id: unknown): string => JSON.stringify([method, id]);

/** Of two open requests with one method and id the first is answered first. */
export class SessionRequests {
  readonly #sessions = new OpenRequests<string>();

  /** The session that a request names. */
  opened(call: Call): string | undefined {
    const session = idOf(at(call.params, 'sessionId'));
    if (session === undefined || call.id === undefined) return undefined;
    this.#sessions.add(keyOf(call.method, call.id), session);
    return session;
  }

  /** The session of the request that is answered. */
  closed(reply: Reply): string | undefined {
    return this.#sessions.take(keyOf(reply.to.method, reply.to.id));
  }
}
