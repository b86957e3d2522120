/**
 * Permission requests of foreground work whose agent does not say that it waits (ACP v2 "Requesting
 * Permission": the session is in `requires_action` while one is open): which are open, and in which
 * sessions that was said in the agent's place.
 */
import type { RequestId } from 'afterturn/plugin';
import { BoundedMap } from '../bounded.js';

const MAX_OPEN = 1000;

export class Questions {
  readonly #open = new BoundedMap<string, string>(MAX_OPEN);

  asked(id: RequestId, session: string): void {
    this.#open.set(JSON.stringify(id), session);
  }

  /** It was answered, or taken back. The session for which that was the last open one; `undefined`: none. */
  over(id: unknown): string | undefined {
    const key = JSON.stringify(id) ?? '';
    const session = this.#open.get(key);
    this.#open.delete(key);
    return session === undefined || [...this.#open.values()].includes(session) ? undefined : session;
  }
}
