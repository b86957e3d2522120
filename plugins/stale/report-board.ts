/**
 * Where the plugin that keeps launching calls open says for which sessions background work is
 * reported. Made by whoever puts the list together, and given to both.
 */
import type { Reporting } from './index.js';

export class ReportBoard implements Reporting {
  readonly #sessions = new Set<string>();
  #expected = false;

  expected(): boolean {
    return this.#expected;
  }

  reports(session: string): boolean {
    return this.#sessions.has(session);
  }

  /** The agent can report background work, and is going to be asked. Said at the answer to `initialize`. */
  expect(): void {
    this.#expected = true;
  }

  /** The session was set up with the report asked for. */
  add(session: string): void {
    this.#sessions.add(session);
  }

  /** The session is gone, or was set up without it. */
  remove(session: string): void {
    this.#sessions.delete(session);
  }
}
