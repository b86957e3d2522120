import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Table, type Index } from 'afterturn/state';
import { ROOF } from '../../src/state/table.js';

const filled = (...keys: readonly string[]): Table<number> => keys.reduce((table, key, i) => table.set(key, i), Table.empty<number>());
const keys = (table: Table<number>): string[] => [...table.entries()].map(([key]) => key);

const isGone = (value: number): boolean => value === 0;
const liveness: Index<number> = (value) => (isGone(value) ? 'gone' : 'live');

const parity: Index<number> = (value) => (value % 2 === 0 ? 'even' : ['odd', `ends in ${value % 10}`]);

describe('a table', () => {
  it('is never changed in place', () => {
    const before = filled('a');
    const after = before.set('b', 1).delete('a').renew('b', 2);
    expect(keys(before)).toEqual(['a']);
    expect([...after.entries()]).toEqual([['b', 2]]);
  });

  it('has a roof: of names without end the oldest go, and those that are renewed stay', () => {
    let table = filled('kept');
    for (let n = 0; n < ROOF + 5000; n++) table = (n % 1000 === 0 ? table.renew('kept', 1) : table).set(`n${n}`, n);
    expect([table.size, table.has('kept'), table.has('n0'), table.has(`n${ROOF + 4999}`), table.has('n6000')]).toEqual([ROOF, true, false, true, true]);
    expect(table.set('n6000', 7).size).toBe(ROOF);
  });

  it('is the same table when nothing changed', () => {
    const table = filled('a', 'b');
    expect(table.set('a', 0)).toBe(table);
    expect(table.delete('c')).toBe(table);
    expect(table.bounded(2, () => true)).toBe(table);
    expect(table.bounded(1, () => false)).toBe(table);
  });

  it('keeps the order in which keys were first set, and moves a renewed one to the end', () => {
    expect(keys(filled('a', 'b', 'c').set('a', 9))).toEqual(['a', 'b', 'c']);
    expect(keys(filled('a', 'b', 'c').renew('a', 9))).toEqual(['b', 'c', 'a']);
  });

  it('tells a value that is undefined from one that is not there', () => {
    const table = Table.empty<undefined>().set('a', undefined);
    expect(table.has('a')).toBe(true);
    expect(table.has('b')).toBe(false);
    expect(table.size).toBe(1);
  });

  it('takes keys that are names of object members', () => {
    const table = Table.empty<number>().set('__proto__', 1).set('constructor', 2);
    expect(table.get('__proto__')).toBe(1);
    expect(table.get('toString')).toBeUndefined();
  });

  it('forgets the oldest that may go, and only as many as needed', () => {
    const table = filled('a', 'b', 'c', 'd', 'e');
    expect(keys(table.bounded(3, () => true))).toEqual(['c', 'd', 'e']);
    expect(keys(table.bounded(1, (value) => value % 2 === 0))).toEqual(['b', 'd', 'e']);
    expect(keys(table.boundedWhere(parity, 'even', 1))).toEqual(['b', 'd', 'e']);
    expect(table.boundedWhere(parity, 'even', 3)).toBe(table);
  });
});

describe('what a table finds by a word', () => {
  it('is all that has it, in order, as the table is', () => {
    const before = filled('a', 'b', 'c', 'd');
    expect(before.where(parity, 'odd')).toEqual([1, 3]);
    const after = before.set('b', 2).set('e', 11).renew('d', 21).delete('a');
    expect([after.where(parity, 'even'), after.where(parity, 'odd'), after.where(parity, 'ends in 1')]).toEqual([[2, 2], [11, 21], [11, 21]]);
    expect([before.where(parity, 'even'), before.where(parity, 'odd'), before.where(parity, 'ends in 5')]).toEqual([[0, 2], [1, 3], []]);
  });
});

describe('a table of any past', () => {
  type Change = { readonly at: number; readonly do: 'set' | 'renew' | 'delete' | 'bounded' | 'boundedWhere' | 'youngest'; readonly key: string; readonly value: number };
  const change: fc.Arbitrary<Change> = fc.record({ at: fc.nat(), do: fc.constantFrom('set', 'set', 'set', 'set', 'renew', 'renew', 'delete', 'delete', 'bounded', 'boundedWhere', 'youngest'), key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), value: fc.nat(20) });
  const isEven = (value: number): boolean => value % 2 === 0;

  /** What the same change makes of a plain list of entries. */
  const changed: Readonly<Record<Change['do'], (entries: readonly [string, number][], change: Change) => [string, number][]>> = {
    set: (entries, { key, value }) => (entries.some(([other]) => other === key) ? entries.map(([other, old]) => [other, other === key ? value : old]) : [...entries, [key, value]]),
    renew: (entries, { key, value }) => [...entries.filter(([other]) => other !== key), [key, value]],
    delete: (entries, { key }) => entries.filter(([other]) => other !== key),
    bounded: (entries) => {
      const gone = entries.filter(([, value]) => isEven(value)).slice(0, Math.max(0, entries.filter(([, value]) => isEven(value)).length - 2)).map(([key]) => key);
      return entries.length <= 2 ? [...entries] : entries.filter(([key]) => !gone.includes(key));
    },
    boundedWhere: (entries) => {
      const gone = entries.filter(([, value]) => isEven(value)).slice(0, -1).map(([key]) => key);
      return entries.filter(([key]) => !gone.includes(key));
    },
    youngest: (entries) => entries.slice(-3),
  };
  const made: Readonly<Record<Change['do'], (table: Table<number>, change: Change) => Table<number>>> = {
    set: (table, { key, value }) => table.set(key, value),
    renew: (table, { key, value }) => table.renew(key, value),
    delete: (table, { key }) => table.delete(key),
    bounded: (table) => table.bounded(2, isEven),
    boundedWhere: (table) => table.boundedWhere(parity, 'even', 1),
    youngest: (table) => table.youngest(3),
  };

  it('holds what its changes made, whichever table they began from and which is read', () => {
    fc.assert(fc.property(fc.array(change, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 20 }), (changes, reads) => {
      const versions: { readonly table: Table<number>; readonly entries: readonly [string, number][] }[] = [{ table: Table.empty(), entries: [] }];
      for (const one of changes) {
        const from = versions[one.at % 3 === 0 ? one.at % versions.length : versions.length - 1] ?? versions[0];
        if (from !== undefined) versions.push({ table: made[one.do](from.table, one), entries: changed[one.do](from.entries, one) });
      }
      for (const read of [...reads, ...versions.keys()]) {
        const { table, entries } = versions[read % versions.length] ?? versions[0] ?? { table: Table.empty<number>(), entries: [] };
        expect(table.entries()).toEqual(entries);
        expect(table.size).toBe(entries.length);
        expect(table.where(parity, 'even')).toEqual(entries.map(([, value]) => value).filter(isEven));
        expect(table.get('c')).toBe(entries.find(([key]) => key === 'c')?.[1]);
      }
    }), { numRuns: 500 });
  });
});

it('a large table of entries that may not go is bounded now and then, and holds little more than it may', () => {
  let table = Table.empty<number>();
  for (let value = 0; value < 4000; value++) table = table.set(`live ${value}`, 1).bounded(100, isGone);
  for (let value = 0; value < 4000; value++) {
    table = table.set(`gone ${value}`, 0).bounded(100, isGone);
    expect(table.size).toBeLessThan(4100 * 1.25);
  }
  expect(table.where(liveness, 'live').length).toBe(4000);
});
