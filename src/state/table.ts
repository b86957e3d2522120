/**
 * A keyed table that is never changed in place: `set` and `delete` give a new table, or the same one
 * when nothing changed. Entries stay in the order in which they were first set.
 *
 * A change costs the same however much a table holds. All tables that come from one another share one
 * store, which holds what the newest of them does; an older one knows what the next change to it was.
 * When an older one is read, the store is taken back to it: reducers read the newest nearly always.
 */

/** What a value is found by in a table: a word, several, or none. Always the same for the same value. */
export type Index<V> = (value: V) => string | readonly string[] | undefined;

interface Cell<V> {
  /** Its place in the order of the table. */
  readonly place: number;
  readonly value: V;
}

type Bucket<V> = Map<string, Cell<V>>;

const byPlace = <V>(a: Cell<V>, b: Cell<V>): number => a.place - b.place;

const noWords: readonly string[] = [];
const wordsIn = (words: string | readonly string[] | undefined): readonly string[] => (words === undefined ? noWords : typeof words === 'string' ? [words] : words);
const wordsOf = <V>(index: Index<V>, value: V): readonly string[] => wordsIn(index(value));

class Store<V> {
  newest: Table<V> | undefined;
  #cells: Bucket<V> = new Map();
  readonly #indexes = new Map<Index<V>, Map<string, Bucket<V>>>();
  #places = 0;
  #isInOrder = true;

  get(key: string): Cell<V> | undefined {
    return this.#cells.get(key);
  }

  /** The place behind all others. */
  nextPlace(): number {
    return ++this.#places;
  }

  /** Puts a cell in the place of the one that is there, or takes that away. */
  put(key: string, before: Cell<V> | undefined, cell: Cell<V> | undefined): void {
    if (before !== undefined && before.place !== cell?.place) this.#cells.delete(key);
    if (cell !== undefined) {
      this.#isInOrder &&= before?.place === cell.place || cell.place === this.#places;
      this.#cells.set(key, cell);
    }
    if (this.#indexes.size > 0) this.#reindex(key, before, cell);
  }

  #reindex(key: string, before: Cell<V> | undefined, cell: Cell<V> | undefined): void {
    for (const [index, buckets] of this.#indexes) {
      const word = before === undefined ? undefined : index(before.value);
      const next = cell === undefined ? undefined : index(cell.value);
      // Most changes leave what a value is found by; a bucket is put in order when it is read.
      if (word === next && typeof word !== 'object') {
        if (word !== undefined && cell !== undefined) buckets.get(word)?.set(key, cell);
        continue;
      }
      if (before !== undefined) removeFrom(buckets, wordsIn(word), key);
      if (cell !== undefined) addTo(buckets, wordsIn(next), key, cell);
    }
  }

  cells(): Bucket<V> {
    if (!this.#isInOrder) this.#cells = new Map([...this.#cells].sort(([, a], [, b]) => byPlace(a, b)));
    this.#isInOrder = true;
    return this.#cells;
  }

  where(index: Index<V>, word: string): Bucket<V> | undefined {
    return (this.#indexes.get(index) ?? this.#indexed(index)).get(word);
  }

  #indexed(index: Index<V>): Map<string, Bucket<V>> {
    const buckets = new Map<string, Bucket<V>>();
    for (const [key, cell] of this.#cells) addTo(buckets, wordsOf(index, cell.value), key, cell);
    this.#indexes.set(index, buckets);
    return buckets;
  }
}

function addTo<V>(buckets: Map<string, Bucket<V>>, words: readonly string[], key: string, cell: Cell<V>): void {
  for (const word of words) {
    const bucket = buckets.get(word) ?? new Map<string, Cell<V>>();
    buckets.set(word, bucket.set(key, cell));
  }
}

function removeFrom<V>(buckets: Map<string, Bucket<V>>, words: readonly string[], key: string): void {
  for (const word of words) {
    const bucket = buckets.get(word);
    bucket?.delete(key);
    if (bucket?.size === 0) buckets.delete(word);
  }
}

/** The usual case of a bound: there is one too many. */
function oldestOf<V>(bucket: Bucket<V>): string {
  let oldest = '';
  let first = Infinity;
  for (const [key, { place }] of bucket) {
    if (place >= first) continue;
    oldest = key;
    first = place;
  }
  return oldest;
}

/** What has to be put to come from the next table back to this one. */
interface Undo<V> {
  readonly key: string;
  readonly cell: Cell<V> | undefined;
  readonly next: Table<V>;
}

/**
 * No table holds more. A peer can make up ids without end; what is alive in one session at once is far
 * below this, so only what an attack made up is forgotten, or lost by it.
 */
export const ROOF = 20_000;

/** A table that holds at most so many more than it may is looked through at every bound; a larger one when an eighth of that is new. */
const EXACT = 64;

const nothing: readonly never[] = [];

export class Table<V> {
  readonly #store: Store<V>;
  #undo: Undo<V> | undefined;

  /** `fresh`: entries that came since it was looked through. */
  private constructor(store: Store<V>, readonly size: number, private readonly fresh: number) {
    this.#store = store;
    store.newest = this;
  }

  static empty<V>(): Table<V> {
    return new Table(new Store<V>(), 0, 0);
  }

  get(key: string): V | undefined {
    const store = this.#store;
    return (store.newest === this ? store : this.#current()).get(key)?.value;
  }

  has(key: string): boolean {
    return this.size > 0 && this.#current().get(key) !== undefined;
  }

  keys(): readonly string[] {
    return [...this.#current().cells().keys()];
  }

  /** The values as they are now, in order. */
  values(): readonly V[] {
    const values: V[] = [];
    for (const { value } of this.#current().cells().values()) values.push(value);
    return values;
  }

  entries(): readonly (readonly [string, V])[] {
    const entries: (readonly [string, V])[] = [];
    for (const [key, cell] of this.#current().cells()) entries.push([key, cell.value]);
    return entries;
  }

  /** The entry that was set first. */
  first(): readonly [string, V] | undefined {
    const [oldest] = this.#current().cells();
    return oldest && [oldest[0], oldest[1].value];
  }

  /** The values that `index` finds by this word, in order. */
  where(index: Index<V>, word: string): readonly V[] {
    if (this.size === 0) return nothing;
    const bucket = this.#current().where(index, word);
    if (bucket === undefined) return nothing;
    const values: V[] = [];
    if (bucket.size === 1) for (const { value } of bucket.values()) values.push(value);
    else for (const { value } of [...bucket.values()].sort(byPlace)) values.push(value);
    return values;
  }

  set(key: string, value: V): Table<V> {
    const store = this.#current();
    const before = store.get(key);
    if (before === undefined) return this.#with(key, value);
    return before.value === value ? this : this.#next(store, key, before, { place: before.place, value }, this.size, this.fresh);
  }

  /** As `set`, but the entry becomes the youngest. */
  renew(key: string, value: V): Table<V> {
    return this.#with(key, value);
  }

  delete(key: string): Table<V> {
    if (this.size === 0) return this;
    const store = this.#current();
    const before = store.get(key);
    return before === undefined ? this : this.#next(store, key, before, undefined, this.size - 1, this.fresh);
  }

  /**
   * Forgets the oldest entries that `expendable` allows, until at most `limit` of them are left. A large
   * table of entries that may not go is looked through now and then only, and may hold some more.
   */
  bounded(limit: number, expendable: (value: V, key: string) => boolean): Table<V> {
    const over = this.size - limit;
    const isLarge = over > EXACT;
    if (over <= 0 || (isLarge && this.fresh * 8 < over)) return this;
    const old = this.entries().filter(([key, value]) => expendable(value, key));
    const gone = old.slice(0, Math.max(0, old.length - limit));
    const left = gone.reduce<Table<V>>((table, [key]) => table.delete(key), this);
    return isLarge ? left.#lookedThrough() : left;
  }

  /** The youngest entries, at most so many. */
  youngest(limit: number): Table<V> {
    let left: Table<V> = this;
    while (left.size > limit) left = left.delete((left.first() as readonly [string, V])[0]);
    return left;
  }

  /** Forgets the oldest of those that `index` finds by this word, until at most `limit` of them are left. */
  boundedWhere(index: Index<V>, word: string, limit: number): Table<V> {
    const bucket = this.#current().where(index, word);
    if (bucket === undefined || bucket.size <= limit) return this;
    if (bucket.size === limit + 1) return this.delete(oldestOf(bucket));
    const oldest = [...bucket].sort(([, a], [, b]) => byPlace(a, b)).slice(0, bucket.size - limit);
    return oldest.reduce<Table<V>>((table, [key]) => table.delete(key), this);
  }

  #with(key: string, value: V): Table<V> {
    // Tables that begin from nothing have nothing to share.
    const from: Table<V> = this.size === 0 ? new Table(new Store<V>(), 0, this.fresh) : this.size < ROOF || this.has(key) ? this : this.#withoutFirst();
    const store = from.#current();
    const before = store.get(key);
    return from.#next(store, key, before, { place: store.nextPlace(), value }, before === undefined ? from.size + 1 : from.size, from.fresh + 1);
  }

  #withoutFirst(): Table<V> {
    const oldest = this.first();
    return oldest === undefined ? this : this.delete(oldest[0]);
  }

  /** `store`: as this table is. */
  #next(store: Store<V>, key: string, before: Cell<V> | undefined, cell: Cell<V> | undefined, size: number, fresh: number): Table<V> {
    store.put(key, before, cell);
    const next = new Table(store, size, fresh);
    this.#undo = { key, cell: before, next };
    return next;
  }

  #lookedThrough(): Table<V> {
    const store = this.#current();
    const [key] = store.cells().keys();
    const cell = key === undefined ? undefined : store.get(key);
    return key === undefined ? this : this.#next(store, key, cell, cell, this.size, 0);
  }

  /** The store, as this table is. */
  #current(): Store<V> {
    const store = this.#store;
    if (store.newest === this) return store;
    const newer: Table<V>[] = [];
    for (let table: Table<V> = this; table.#undo !== undefined; table = table.#undo.next) newer.push(table);
    for (const table of newer.reverse()) {
      const { key, cell, next } = table.#undo as Undo<V>;
      const before = store.get(key);
      store.put(key, before, cell);
      next.#undo = { key, cell: before, next: table };
      table.#undo = undefined;
    }
    store.newest = this;
    return store;
  }
}
