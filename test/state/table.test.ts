import { describe, expect, it } from 'vitest';
import { Table } from 'afterturn/state';

const filled = (...keys: readonly string[]): Table<number> => keys.reduce((table, key, i) => table.set(key, i), Table.empty<number>());
const keys = (table: Table<number>): string[] => [...table.entries()].map(([key]) => key);

describe('a table', () => {
  it('is never changed in place', () => {
    const before = filled('a');
    const after = before.set('b', 1).delete('a').renew('b', 2);
    expect(keys(before)).toEqual(['a']);
    expect([...after.entries()]).toEqual([['b', 2]]);
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
  });
});
