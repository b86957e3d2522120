/** What is known of requests that wait for their answers. Of two open ones with one id the first is answered first. */
import type { RequestId } from 'afterturn/plugin';

export class OpenRequests<T> {
  readonly #byId = new Map<string, T[]>();

  add(id: RequestId | undefined, value: T): void {
    if (id === undefined) return;
    const key = JSON.stringify(id);
    const same = this.#byId.get(key);
    if (same === undefined) this.#byId.set(key, [value]);
    else same.push(value);
  }

  /** What was remembered of the request, once. */
  take(id: RequestId): T | undefined {
    const key = JSON.stringify(id);
    const same = this.#byId.get(key);
    const value = same?.shift();
    if (same?.length === 0) this.#byId.delete(key);
    return value;
  }

  find(id: unknown): T | undefined {
    return this.#byId.get(JSON.stringify(id))?.[0];
  }
}
