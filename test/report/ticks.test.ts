import { expect, test } from 'vitest';
import { ticksOf } from '../../src/report/ticks.js';

const textsOf = (...range: Parameters<typeof ticksOf>): string[] => ticksOf(...range).map(({ text }) => text);

test.each([
  [0, 6600, 5, ['0', '2 s', '4 s', '6 s']],
  [0, 4, 4, ['0', '1 ms', '2 ms', '3 ms', '4 ms']],
  [1990, 2110, 4, ['2 s', '2 s 50 ms', '2 s 100 ms']],
  [0, 6_420_000, 5, ['0', '30 m', '1 h', '1 h 30 m']],
  [3_150_000, 3_340_000, 4, ['53 m', '54 m', '55 m']],
  [0, 400 * 86_400_000, 4, ['0', '100 d', '200 d', '300 d', '400 d']],
])('from %d to %d, at most %d marks', (from, to, most, texts) => {
  expect(textsOf(from, to, most)).toEqual(texts);
});

test('there are never many more marks than asked for, and they are even', () => {
  for (let length = 5; length < 1e13; length *= 1.7) {
    const ticks = ticksOf(0, length, 6);
    expect(ticks.length).toBeGreaterThan(0);
    expect(ticks.length).toBeLessThanOrEqual(7);
    const steps = ticks.slice(1).map(({ at }, index) => at - (ticks[index]?.at ?? 0));
    expect(new Set(steps).size).toBeLessThanOrEqual(1);
  }
});
