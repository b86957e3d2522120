/**
 * What is known of requests that wait for their answers. Of two open ones with one id the first is
 * answered first; of those that nobody answers the oldest are forgotten.
 */
import type { RequestId } from 'afterturn/plugin';
import { MOST } from './bounded.js';

/** So many are forgotten in one go. */
const MANY = MOST >> 3;

interface Open<T> {
  readonly key: string;
  readonly value: T;
}

export class OpenRequests<T> {
  readonly #byId = new Map<string, Open<T>[]>();
  /** All of them, the oldest first. */
  readonly #all = new Set<Open<T>>();

  add(id: RequestId | undefined, value: T): void {
    if (id === undefined) return;
    const open = { key: JSON.stringify(id), value };
    const same = this.#byId.get(open.key);
    if (same === undefined) this.#byId.set(open.key, [open]);
    else same.push(open);
    this.#all.add(open);
    if (this.#all.size > MOST) this.#forgetOldest();
  }

  /** What was remembered of the request, once. */
  take(id: RequestId): T | undefined {
    const key = JSON.stringify(id);
    const same = this.#byId.get(key);
    const open = same?.shift();
    if (same?.length === 0) this.#byId.delete(key);
    if (open !== undefined) this.#all.delete(open);
    return open?.value;
  }

  find(id: unknown): T | undefined {
    return this.#byId.get(JSON.stringify(id))?.[0]?.value;
  }

  /** The oldest of all is the oldest of its id. */
  #forgetOldest(): void {
    for (const { key } of this.#all) {
      if (this.#all.size <= MOST - MANY) return;
      this.take(JSON.parse(key) as RequestId);
    }
  }
}
