/**
 * Random conversations against the rules. A run that fails prints its seed and the shortest conversation
 * that it found; the same one is played again with that seed in `AFTERTURN_SEED`.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { play } from './conversation.js';
import { script } from './script.js';

export const seed = Number(process.env.AFTERTURN_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.AFTERTURN_RUNS ?? 10_000);

/** Two files have a half each, so that they run side by side. */
export function itKeepsEveryRule(): void {
  it(`keep every rule: ${RUNS / 2} of them, seed ${seed}`, async () => {
    await fc.assert(fc.asyncProperty(script, async (each) => {
      const { findings, log } = await play(each);
      expect([findings, log]).toEqual([[], []]);
    }), { seed, numRuns: RUNS / 2 });
  }, 240_000);
}
