/**
 * A day of traffic, compressed: hour after hour of prompts, calls, questions and background work over the
 * same sessions, with silences between, in one life of the command, which is recorded and traced. At its
 * end nothing is lost, doubled or left, by the rules and by the counts, and nothing has piled up.
 * AFTERTURN_DAY=1 makes a busy day of it and prints its figures.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { script } from '../plugins/conversations/script.js';
import { readRecording } from '../../src/check/index.js';
import { spansOfFile } from '../edge/otlp.js';
import { breachesIn } from './faults/judged.js';
import { openStage, type Stage } from './faults/stage.js';
import { Talk, type Casting } from './faults/talk.js';
import { v1Players } from './faults/v1-players.js';
import { v1Script } from './faults/v1-script.js';
import { v2Players } from './faults/v2-players.js';
import { endAll, start } from './session.js';

const isLong = process.env.AFTERTURN_DAY !== undefined;
const hours = 24;
/** Scripts of an hour, a script being some prompts and what goes on around them. */
const busyness = isLong ? 60 : 2;
/** What is held of the past has to fit into this heap, in megabytes: with more the process would end. */
const heap = 48;

let stage: Stage;
let folder: string;
beforeAll(async () => {
  stage = await openStage();
  folder = mkdtempSync(join(tmpdir(), 'afterturn-day-'));
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(endAll);

const silence = { by: 'clock', ms: 100 } as const;

/** The steps of a day: so many scripts for each hour, and a silence behind. */
const day = <S>(hour: fc.Arbitrary<readonly S[]>): (S | typeof silence)[] =>
  Array.from({ length: hours }, (_, index) => [...fc.sample(hour, { seed: index + 1, numRuns: busyness }).flat(), silence]).flat();

const clients: readonly (readonly [name: string, options: readonly string[], casting: () => Casting])[] = [
  ['a v2 client through the bridge', ['--agent-protocol', 'v1', '--source', 'async-tasks'], () => v2Players({ agent: 'claude', stale: 'auto', steps: day(script.map(({ steps }) => steps)) })],
  // A closed session of v1 stays closed.
  ['a v1 client at the defaults', [], () => v1Players(day(v1Script.map((steps) => steps.filter((step) => step.by === 'clock' || step.act !== 'close'))))],
];

interface Sample {
  readonly said: number;
  readonly megabytes: number;
  readonly files: number;
}

describe.runIf(process.platform === 'linux').each(clients)('a day with %s', (name, options, casting) => {
  it('ends with nothing lost, doubled or piled up', async () => {
    const files = { record: join(folder, `${options.length}.ndjson`), trace: join(folder, `${options.length}.trace`) };
    const counts = new Map<string, number>();
    const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
    const talk = new Talk({ end: { kind: 'rests', code: 0 }, pace: 0, cuts: 1 }, (sides) => {
      const players = casting()(sides);
      return {
        ...players,
        sees(way, message) {
          if (way === 'a2p') count(`a2p ${message.params?.update?.sessionUpdate ?? message.params?.message?.subtype ?? message.method ?? 'response'}`);
          if (way === 'p2a' && message.method !== undefined) count(message.method);
          count(way);
          players.sees(way, message);
        },
      };
    });
    const { command, leaves } = stage.cast(talk);
    const session = start([...options, '--follow-up-window', '20', '--stale-after', '60', '--no-propagate', '--record', files.record, '--trace-file', files.trace, '--', ...command], { env: { NODE_OPTIONS: `--max-old-space-size=${heap}` } });
    let hasEnded = false;
    void session.ended.then(() => (hasEnded = true));
    const samples: Sample[] = [];
    const taken = setInterval(() => {
      const { pid } = session.process;
      try {
        samples.push({ said: counts.get('a2p') ?? 0, megabytes: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024, files: readdirSync(`/proc/${pid}/fd`).length });
      } catch {
        // It has ended.
      }
    }, 200);
    await talk.plays(session, () => hasEnded);
    clearInterval(taken);
    const end = await session.ended;
    leaves();
    expect({ code: end.code, stderr: end.stderr, faults: talk.faults, left: talk.left() }).toEqual({ code: 0, stderr: '', faults: [], left: [] });

    const recorded = readRecording(readFileSync(files.record, 'utf8')).connections.filter(({ side }) => side === 'client').flatMap(({ messages }) => messages);
    expect(recorded.filter(({ dir }) => dir === 'a2c').length).toBe(counts.get('p2c'));
    expect(breachesIn(recorded, { isRecorded: true, isHeldUp: false, inputEndsFirst: false })).toEqual([]);
    const spans = spansOfFile(readFileSync(files.trace, 'utf8'));
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);

    const last = samples.at(-1);
    const early = samples.find(({ said }) => said >= (last?.said ?? 0) / 4);
    if (isLong) {
      const background = spans.filter(({ name: each }) => each.startsWith('background')).length;
      console.log(`${name}: ${JSON.stringify(Object.fromEntries(counts))}; ${spans.length} spans, ${background} of background work; ${early?.megabytes.toFixed(1)} MB after a quarter, ${last?.megabytes.toFixed(1)} MB at the end, files open ${early?.files}, ${last?.files}`);
    }
    expect(last?.files).toBe(early?.files);
  }, isLong ? 3_600_000 : 120_000);
});
