import { expect, it } from 'vitest';
import { now } from '../../src/edge/clock.js';

it('counts milliseconds, and never goes back', async () => {
  const begun = now();
  const real = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 30));
  const [passed, expected] = [now() - begun, Date.now() - real];
  expect(Math.abs(passed - expected)).toBeLessThan(20);
  const times = Array.from({ length: 1000 }, () => now());
  expect(times).toEqual([...times].sort((a, b) => a - b));
});
