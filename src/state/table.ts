/**
 * A keyed table that is never changed in place: `set` and `delete` give a new table, or the same one
 * when nothing changed. Entries stay in the order in which they were first set.
 */
export class Table<V> {
  static readonly #empty = new Table<never>(new Map<string, never>());
  readonly #entries: ReadonlyMap<string, V>;

  private constructor(entries: ReadonlyMap<string, V>) {
    this.#entries = entries;
  }

  static empty<V>(): Table<V> {
    return Table.#empty as unknown as Table<V>;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  values(): IterableIterator<V> {
    return this.#entries.values();
  }

  entries(): IterableIterator<[string, V]> {
    return this.#entries.entries();
  }

  set(key: string, value: V): Table<V> {
    if (this.#entries.get(key) === value && this.#entries.has(key)) return this;
    return new Table(new Map(this.#entries).set(key, value));
  }

  /** As `set`, but the entry becomes the youngest. */
  renew(key: string, value: V): Table<V> {
    const entries = new Map(this.#entries);
    entries.delete(key);
    return new Table(entries.set(key, value));
  }

  delete(key: string): Table<V> {
    if (!this.#entries.has(key)) return this;
    const entries = new Map(this.#entries);
    entries.delete(key);
    return new Table(entries);
  }

  /** Forgets the oldest entries that `expendable` allows, until at most `limit` of them are left. */
  bounded(limit: number, expendable: (value: V) => boolean): Table<V> {
    if (this.#entries.size <= limit) return this;
    let excess = [...this.#entries.values()].filter(expendable).length - limit;
    if (excess <= 0) return this;
    const entries = new Map(this.#entries);
    for (const [key, value] of this.#entries) {
      if (excess === 0) break;
      if (expendable(value)) {
        entries.delete(key);
        excess--;
      }
    }
    return new Table(entries);
  }
}
