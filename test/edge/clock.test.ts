import { expect, it } from 'vitest';
import { now } from '../../src/edge/clock.js';

it('counts milliseconds, and never goes back', async () => {
  const real = Date.now();
  const begun = now();
  await new Promise((resolve) => setTimeout(resolve, 30));
  const passed = now() - begun;
  expect(passed).toBeGreaterThan(25);
  expect(passed).toBeLessThanOrEqual(Date.now() - real + 1);
  const times = Array.from({ length: 1000 }, () => now());
  expect(times).toEqual([...times].sort((a, b) => a - b));
});
