/** Facts about requests that are open, by their ids. Two requests may share one: first in, first out. */
import type { RequestId } from 'afterturn/plugin';

export class OpenRequests<T> {
  readonly #open = new Map<string, T[]>();

  add(id: RequestId | undefined, value: T): void {
    if (id === undefined) return;
    const key = JSON.stringify(id);
    const same = this.#open.get(key);
    if (same === undefined) this.#open.set(key, [value]);
    else same.push(value);
  }

  take(id: RequestId): T | undefined {
    const key = JSON.stringify(id);
    const same = this.#open.get(key);
    const value = same?.shift();
    if (same?.length === 0) this.#open.delete(key);
    return value;
  }
}
