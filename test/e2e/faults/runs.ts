/** Many runs at a time: how many, in which order, what is told of them on the way. Knows nothing of what a run is. */
import { existsSync } from 'node:fs';

/** So many at a time: those that keep the machine busy, and those that mostly wait. */
const atOnce = { busy: 6, patient: 40 } as const;
export type Manner = keyof typeof atOnce;

export interface Run {
  readonly manner: Manner;
  /** What was broken. */
  happens(): Promise<readonly string[]>;
}

interface Places {
  taken(): Promise<void>;
  freed(): void;
  allFree(): Promise<void>;
}

function places(count: number): Places {
  let free = count;
  const waiting: (() => void)[] = [];
  const taken = async (): Promise<void> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return {
    taken,
    freed() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
    async allFree() {
      for (let n = 0; n < count; n += 1) await taken();
    },
  };
}

const pauseEvery = 2000;
/** While this file is there no new run begins. */
async function allowed(pausedBy: string | undefined): Promise<void> {
  while (pausedBy !== undefined && existsSync(pausedBy)) await new Promise((resolve) => setTimeout(resolve, pauseEvery));
}

const tellEvery = 1000;

/** Runs these seeds, and tells of each that broke a promise. Ends early after `patience` of them. */
export async function brokenSeeds(first: number, count: number, runOf: (seed: number) => Run, { pausedBy, patience, tells }: { pausedBy: string | undefined; patience: number; tells: (text: string) => void }): Promise<{ seed: number; broken: readonly string[] }[]> {
  const pools = { busy: places(atOnce.busy), patient: places(atOnce.patient) };
  const found: { seed: number; broken: readonly string[] }[] = [];
  let done = 0;
  let since = performance.now();
  let worked = process.cpuUsage();
  const one = async (seed: number, { manner, happens }: Run): Promise<void> => {
    const broken = await happens().catch((error: unknown) => [`it can be played: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`]);
    pools[manner].freed();
    if (broken.length > 0) {
      found.push({ seed, broken });
      tells(`seed ${seed}: ${broken.join('; ')}`);
    }
    if (++done % tellEvery !== 0) return;
    const now = performance.now();
    const { user, system } = process.cpuUsage(worked);
    tells(`${done} of ${count} runs, ${((tellEvery * 1000) / (now - since)).toFixed(1)} a second, ${found.length} of them broken; here ${((user + system) / tellEvery / 1000).toFixed(1)} ms of CPU a run, ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB`);
    since = now;
    worked = process.cpuUsage();
  };
  for (let seed = first; seed < first + count && found.length < patience; seed += 1) {
    await allowed(pausedBy);
    const run = runOf(seed);
    await pools[run.manner].taken();
    void one(seed, run);
  }
  await Promise.all([pools.busy.allFree(), pools.patient.allFree()]);
  return found;
}
