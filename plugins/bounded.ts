/**
 * Maps and sets of what a peer names. A peer can make up names without end, so each holds so many at
 * most and forgets the oldest then. The limit is beyond what any session has at once.
 */

/** So many are held where nothing else is said: more than are open or alive in any session that is none of an attack. */
export const MOST = 16 * 1024;

/** Of a large one many are forgotten in one go: to find the oldest costs more the more are gone already. */
const slackOf = (limit: number): number => (limit < 1024 ? 0 : limit >> 3);

export class BoundedMap<K, V> extends Map<K, V> {
  readonly #limit: number;
  readonly #forgotten: (value: V, key: K) => void;

  /** `forgotten` is told of what had to go. */
  constructor(limit: number = MOST, forgotten: (value: V, key: K) => void = () => {}) {
    super();
    this.#limit = limit;
    this.#forgotten = forgotten;
  }

  override set(key: K, value: V): this {
    super.set(key, value);
    if (this.size > this.#limit) this.#forgetOldest();
    return this;
  }

  #forgetOldest(): void {
    const left = this.#limit - slackOf(this.#limit);
    for (const [key, value] of this) {
      if (this.size <= left) return;
      this.delete(key);
      this.#forgotten(value, key);
    }
  }
}

export class BoundedSet<V> extends Set<V> {
  readonly #limit: number;

  constructor(limit: number = MOST) {
    super();
    this.#limit = limit;
  }

  override add(value: V): this {
    super.add(value);
    if (this.size > this.#limit) this.#forgetOldest();
    return this;
  }

  #forgetOldest(): void {
    const left = this.#limit - slackOf(this.#limit);
    for (const oldest of this) {
      if (this.size <= left) return;
      this.delete(oldest);
    }
  }
}
