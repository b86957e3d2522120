import { expect, test } from 'vitest';
import { Frame } from '../../src/wire/frame.js';
import { Queue, type Item } from '../../src/pipeline/queue.js';

const item = (at: number, method: string): Item => ({ at, frame: Frame.ofCall(method, undefined), asked: undefined, steps: undefined, line: undefined });

function order(queue: Queue): string[] {
  const found: string[] = [];
  for (let next = queue.next(); next !== undefined; next = queue.next()) found.push(next.frame.method);
  return found;
}

test('what is further on its way comes first; equals keep their order', () => {
  const queue = new Queue();
  for (const [at, method] of [[1, 'a'], [3, 'b'], [1, 'c'], [2, 'd'], [3, 'e']] as const) queue.add(item(at, method));
  expect(order(queue)).toEqual(['b', 'e', 'd', 'a', 'c']);
});

test('what stands for the message at hand comes before its equals, behind what is further on', () => {
  const queue = new Queue();
  for (const [at, method] of [[3, 'further'], [2, 'equal'], [1, 'behind']] as const) queue.add(item(at, method));
  queue.addFirst([item(2, 'one'), item(2, 'two')]);
  queue.addFirst([]);
  expect(order(queue)).toEqual(['further', 'one', 'two', 'equal', 'behind']);
});

test('thousands that wait cost each the same, and come in order', () => {
  const queue = new Queue();
  const started = process.cpuUsage().user;
  for (let n = 0; n < 100_000; n++) queue.add(item(1, `${n}`));
  for (let n = 0; n < 50_000; n++) expect(queue.next()?.frame.method === `${n}`).toBe(true);
  queue.add(item(1, '100000'));
  queue.addFirst([item(1, 'first'), item(1, 'second')]);
  expect(order(queue)).toEqual(['first', 'second', ...Array.from({ length: 50_001 }, (_, n) => `${50_000 + n}`)]);
  // Some 100 times as much where each is looked for among the others.
  expect((process.cpuUsage().user - started) / 1000).toBeLessThan(10_000);
});
