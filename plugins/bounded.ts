/**
 * Maps and sets of what a peer names. A peer can make up names without end, so each holds so many at
 * most and forgets the oldest then. The limit is beyond what any session has at once.
 */

/** So many are held where nothing else is said: more than are open or alive in any session that is none of an attack. */
export const MOST = 16 * 1024;
/** So many sessions are held that an agent speaks of, and that nobody opened by a request. */
export const FEW = 1024;

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
    for (const key of this.keys()) {
      if (this.size <= left) return;
      this.forget(key);
    }
  }

  /** Takes an entry out as one that had to go. */
  protected forget(key: K): void {
    const value = this.get(key);
    this.delete(key);
    if (value !== undefined) this.#forgotten(value, key);
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

/** Sessions by id. Few of those that nobody opened, by a request or as a subagent of one that is known, are held at once. */
export class Sessions<V> extends BoundedMap<string, V> {
  readonly #opened = new BoundedSet<string>();
  readonly #heard = new Set<string>();

  /** `forgotten` is told of what had to go. */
  constructor(forgotten?: (session: V) => void) {
    super(MOST, forgotten);
  }

  /** A request or its answer names it, or the session that it is a subagent of. */
  opened(id: string | undefined): void {
    if (id === undefined) return;
    this.#opened.add(id);
    this.#heard.delete(id);
  }

  override set(id: string, session: V): this {
    if (!this.#opened.has(id) && !this.has(id)) this.#heard.add(id);
    super.set(id, session);
    if (this.#heard.size > FEW) this.#forgetHeard();
    return this;
  }

  override delete(id: string): boolean {
    this.#heard.delete(id);
    return super.delete(id);
  }

  #forgetHeard(): void {
    for (const id of this.#heard) {
      if (this.#heard.size <= FEW - slackOf(FEW)) return;
      this.forget(id);
    }
  }
}
