/**
 * Random worlds of faults against the built command: pieces, pauses, crashes, signals, plugins that
 * misbehave, collectors that hang, disks that fill, clients that vanish, ids that collide.
 * AFTERTURN_RUNS=100000 makes a long run of it, AFTERTURN_SEED chooses its first seed, and while the file
 * that AFTERTURN_PAUSED_BY names is there no new run begins. It tells on stderr how far it is.
 */
import { writeSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hangingCollector, refusingAddress, type Collector } from '../edge/collector.js';
import { runOf } from './faults/kinds.js';
import { brokenSeeds } from './faults/runs.js';
import { openStage, type Stage } from './faults/stage.js';
import { endAll } from './session.js';

const runs = Number(process.env.AFTERTURN_RUNS ?? 200);
const first = Number(process.env.AFTERTURN_SEED ?? 1);
const stderr = 2;

let collector: Collector;
let refusing: string;
let stage: Stage;
beforeAll(async () => {
  collector = await hangingCollector();
  refusing = await refusingAddress();
  stage = await openStage();
});
afterAll(() => Promise.all([collector.close(), stage.close()]));
afterEach(endAll);

describe('whatever goes wrong', () => {
  it(`nothing is lost, doubled, reordered or left behind (${runs} runs, seeds from ${first})`, async () => {
    const found = await brokenSeeds(first, runs, (seed) => runOf(seed, stage, { hanging: collector.url, refusing }), { pausedBy: process.env.AFTERTURN_PAUSED_BY, patience: Math.max(5, runs / 1000), tells: (text) => void writeSync(stderr, `${text}\n`) });
    expect(found.map(({ seed, broken }) => `AFTERTURN_SEED=${seed} AFTERTURN_RUNS=1 npm test -- test/e2e/faults.test.ts\n  ${broken.join('\n  ')}`).join('\n')).toBe('');
    expect(stage.left()).toEqual([]);
  }, 120_000 + runs * 3000);
});
