/**
 * The requests that bring a session back to life, as far as they are open. Of a close and such a request
 * that are on their way together the one that was sent last decides, in whichever order they are answered.
 */
import { BoundedSet } from './bounded.js';

/** What becomes of the session if the request is refused. */
export interface Revival {
  closed: boolean;
}

export class Revivals {
  readonly #open = new BoundedSet<Revival>();

  /** A request is sent. `closed`: whether the session was closed before it. */
  sent(closed: boolean): Revival {
    const revival = { closed };
    this.#open.add(revival);
    return revival;
  }

  answered(revival: Revival): void {
    this.#open.delete(revival);
  }

  /** Those that are open when a close is sent. */
  get open(): readonly Revival[] {
    return [...this.#open];
  }

  /** A close was answered, before which these were sent. Whether nothing outlives it. */
  closed(before: readonly Revival[]): boolean {
    for (const revival of this.#open) revival.closed = true;
    return this.open.every((revival) => before.includes(revival));
  }
}
