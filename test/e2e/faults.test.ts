/**
 * Random worlds of faults against the built command: pieces, pauses, crashes, signals, plugins that
 * misbehave, collectors that hang, disks that are full, clients that vanish, ids that collide.
 * AFTERTURN_RUNS=100000 makes a long run of it, AFTERTURN_SEED chooses its first seed.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hangingCollector, refusingAddress, type Collector } from '../edge/collector.js';
import { brokenIn } from './faults/run-world.js';
import { worldOf } from './faults/world.js';
import { endAll } from './session.js';

const runs = Number(process.env.AFTERTURN_RUNS ?? 80);
const first = Number(process.env.AFTERTURN_SEED ?? 1);
/** At a time: most of a run is waiting. */
const together = 4;

let collector: Collector;
let refusing: string;
beforeAll(async () => {
  collector = await hangingCollector();
  refusing = await refusingAddress();
});
afterAll(() => collector.close());
afterEach(endAll);

describe('whatever goes wrong', () => {
  it(`nothing is lost, doubled, reordered or left behind (${runs} runs, seeds from ${first})`, async () => {
    let seed = first;
    const failures: string[] = [];
    const worker = async (): Promise<void> => {
      while (seed < first + runs && failures.length < 5) {
        const mine = seed++;
        const broken = await brokenIn(worldOf(mine), { hanging: collector.url, refusing });
        if (broken.length > 0) failures.push(`AFTERTURN_SEED=${mine} AFTERTURN_RUNS=1 npm test -- test/e2e/faults.test.ts\n  ${broken.join('\n  ')}`);
      }
    };
    await Promise.all(Array.from({ length: together }, worker));
    expect(failures.join('\n')).toBe('');
  }, 120_000 + runs * 3000);
});
