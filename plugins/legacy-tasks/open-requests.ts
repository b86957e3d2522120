/** The sessions that open requests are about. Two requests with one id are answered first in, first out. */
import type { Call, Reply } from 'afterturn/plugin';
import { at, idOf } from 'afterturn/protocol';

const keyOf = (method: string, id: unknown): string => JSON.stringify([method, id]);

export class OpenRequests {
  readonly #sessions = new Map<string, string[]>();

  /** The session that a request names. */
  opened(call: Call): string | undefined {
    const session = idOf(at(call.params, 'sessionId'));
    if (session === undefined || call.id === undefined) return undefined;
    const key = keyOf(call.method, call.id);
    this.#sessions.set(key, [...(this.#sessions.get(key) ?? []), session]);
    return session;
  }

  /** The session of the request that is answered. */
  closed(reply: Reply): string | undefined {
    const key = keyOf(reply.to.method, reply.to.id);
    const [session, ...others] = this.#sessions.get(key) ?? [];
    if (others.length > 0) this.#sessions.set(key, others);
    else this.#sessions.delete(key);
    return session;
  }
}
