import { expect, test } from 'vitest';
import { BoundedMap, BoundedSet, FEW, MOST, Sessions } from '../../plugins/bounded.js';
import { OpenRequests } from '../../plugins/open-requests.js';

test('a map holds so many at most, forgets the oldest and says which', () => {
  const gone: string[] = [];
  const map = new BoundedMap<string, number>(3, (value, key) => gone.push(`${key}=${value}`));
  map.set('a', 1).set('b', 2).set('c', 3).set('a', 4);
  expect(gone).toEqual([]);
  map.set('__proto__', 5).set('e', 6);
  expect([...map.keys(), ...gone]).toEqual(['c', '__proto__', 'e', 'a=4', 'b=2']);
});

test('a set does, too', () => {
  const set = new BoundedSet<string>(2);
  for (const each of ['a', 'b', 'a', 'c']) set.add(each);
  expect([...set]).toEqual(['b', 'c']);
});

test('a million made-up names are held in bounds, the newest always, at little cost', () => {
  const started = process.cpuUsage().user;
  const map = new BoundedMap<number, number>();
  const set = new BoundedSet<number>();
  const requests = new OpenRequests<number>();
  for (let n = 0; n < 1_000_000; n += 1) {
    map.set(n, n);
    set.add(n);
    if (n % 4 === 0) requests.add(n % 8 === 0 ? 7 : n, n);
  }
  expect([map.size <= MOST, set.size <= MOST, map.has(999_999), map.has(999_999 - MOST / 2), map.has(0), set.has(999_999)]).toEqual([true, true, true, true, false, true]);
  expect([requests.take(999_996), requests.take(4), requests.find(999_988)]).toEqual([999_996, undefined, 999_988]);
  expect((process.cpuUsage().user - started) / 1000).toBeLessThan(20_000);
});

test('of sessions that nobody opened few are held, and those that were opened stay, before and after they are spoken of', () => {
  const gone: number[] = [];
  const sessions = new Sessions<number>((n) => gone.push(n));
  sessions.opened('first');
  sessions.set('first', -1).set('second', -2);
  sessions.opened('second');
  for (let n = 0; n < 5000; n += 1) sessions.set(`s${n}`, n);
  expect([sessions.get('first'), sessions.get('second'), sessions.get('s4999'), sessions.has('s0')]).toEqual([-1, -2, 4999, false]);
  expect([sessions.size <= FEW + 2, gone.length, gone[0]]).toEqual([true, 5002 - sessions.size, 0]);
  for (let n = 0; n < 10_000; n += 1) {
    sessions.opened(`o${n}`);
    sessions.set(`o${n}`, n);
  }
  expect([sessions.get('first'), sessions.get('o0'), sessions.get('o9999')]).toEqual([-1, 0, 9999]);
  sessions.delete('o0');
  expect(sessions.has('o0')).toBe(false);
});
