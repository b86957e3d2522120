/**
 * The watch over unfinished calls takes ways that cost the same however many there are. What comes of
 * them is what comes of the long way, now and at every later time. A failing run prints its seed; the
 * same is played again with that seed in `AFTERTURN_SEED`, and more runs with `AFTERTURN_RUNS`.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextStaleTick, reduceStale, unwatchedSession, type StaleEvent, type StaleOptions } from 'afterturn/state';
import { LongWay } from './stale-the-long-way.js';

const seed = Number(process.env.AFTERTURN_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.AFTERTURN_RUNS ?? 1500);

type What = StaleEvent extends infer E ? (E extends StaleEvent ? Omit<E, 'at'> : never) : never;
type Step = { readonly wait: number } & ({ readonly event: What } | { readonly settles: boolean });

const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: value });
const mostly = fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });
const call = fc.constantFrom('a', 'b', 'c', 'd');
const prompt = fc.constantFrom('1', '2');
const question = fc.constantFrom('q1', 'q2');
const task = fc.constantFrom('t1', 't2', 't3');
const terminal = fc.constantFrom('x', 'y');
const end = fc.constantFrom('ended' as const, 'cancelled' as const, 'failed' as const);
const status = fc.constantFrom('pending', 'in_progress', 'in_progress', 'paused', 'in_progress', 'completed', 'of another version', undefined, undefined);
const list = fc.oneof(
  { weight: 1, arbitrary: fc.constant('unreported' as const) },
  { weight: 2, arbitrary: fc.record({ calls: fc.subarray(['a', 'b', 'c', 'd']).map((ids) => new Set(ids)), terminals: fc.subarray(['x', 'y']).map((ids) => new Set(ids)) }) },
);

const word: fc.Arbitrary<What> = fc.record({
  type: fc.constant('call' as const), call, creates: mostly, starts: fc.boolean(), status,
  parent: rarely(call), terminals: rarely(fc.subarray(['x', 'y'])), keptOpen: rarely(fc.boolean()), canCancel: rarely(fc.boolean()),
});
/** By what a session is like, some kinds of events come more often than others. */
const kinds: Readonly<Record<string, fc.Arbitrary<What>>> = {
  word,
  added: fc.record({ type: fc.constant('contentAdded' as const), call, terminal: rarely(terminal) }),
  prompt: fc.oneof(
    prompt.map((p): What => ({ type: 'promptSent', prompt: p })), prompt.map((p): What => ({ type: 'promptInserted', prompt: p })),
    fc.record({ type: fc.constant('promptEnded' as const), prompt, end }), fc.record({ type: fc.constant('promptEnded' as const), prompt, end }), fc.constant<What>({ type: 'cancelSent' }),
  ),
  state: fc.record({ type: fc.constant('state' as const), running: fc.boolean(), end, list }),
  question: fc.oneof(fc.record({ type: fc.constant('asked' as const), question, call, creates: fc.boolean(), status }), fc.record({ type: fc.constant('answered' as const), question, refused: fc.boolean() })),
  task: fc.oneof(fc.record({ type: fc.constant('taskLive' as const), task, starts: mostly, call: fc.option(call, { nil: undefined }) }), fc.record({ type: fc.constant('taskEnded' as const), task, completed: fc.boolean() })),
  terminal: fc.oneof(terminal.map((id): What => ({ type: 'terminalLive', terminal: id })), terminal.map((id): What => ({ type: 'terminalEnded', terminal: id }))),
  replay: fc.constantFrom<What>({ type: 'replayStarted' }, { type: 'replayEnded' }, { type: 'replayEnded' }),
  tick: fc.constant<What>({ type: 'tick' }),
  ended: fc.constantFrom<What>({ type: 'sessionEnded', why: 'inputEnded' }, { type: 'sessionEnded', why: 'agentExited' }),
};
/** Unfinished calls of a turn that is over, or of a history, some of them made by others. */
const left: fc.Arbitrary<readonly What[]> = fc.tuple(fc.boolean(), fc.array(fc.record({
  type: fc.constant('call' as const), call, creates: fc.constant(true), starts: fc.constant(true), status: fc.constant('in_progress'),
  parent: fc.oneof(call, fc.constant(undefined)), terminals: rarely(fc.subarray(['x', 'y'])), keptOpen: rarely(fc.constant(true)),
}), { maxLength: 6 })).map(([isHistory, words]) => (isHistory ? [{ type: 'replayStarted' }, ...words, { type: 'replayEnded' }] : [{ type: 'promptSent', prompt: '1' }, { type: 'promptInserted', prompt: '1' }, ...words, { type: 'promptEnded', prompt: '1', end: 'ended' }]));
const wait = fc.oneof({ weight: 6, arbitrary: fc.nat(300) }, { weight: 1, arbitrary: fc.constantFrom(0, 1, 1999, 2000, 2001) });
const goesOn = fc.subarray(Object.keys(kinds), { maxLength: 3 }).chain((chosen) => {
  const often = ['word', 'word', 'prompt', ...chosen].map((kind) => ({ weight: 3, arbitrary: fc.record({ wait, event: kinds[kind] ?? word }) }));
  // An agent's reports can turn out to come, or not to.
  return fc.array(fc.oneof(...often, { weight: 1, arbitrary: fc.record({ wait, settles: mostly }) }) as fc.Arbitrary<Step>, { maxLength: 25 });
});
const steps = fc.tuple(left, goesOn).map(([before, after]): readonly Step[] => [...before.map((event) => ({ wait: 1, event })), ...after]);
const options: fc.Arbitrary<StaleOptions> = fc.record({
  version: fc.constantFrom(1 as const, 2 as const), grace: fc.constant(2000), settles: mostly,
  queuesPrompts: fc.boolean(), historyAfterLoad: fc.boolean(), remembered: fc.constantFrom(1, 2, 256),
});

test(`any session is watched as the long way watches it (seed ${seed})`, () => {
  fc.assert(fc.property(options, steps, (first, happened) => {
    const longWay = new LongWay();
    let session = unwatchedSession;
    let now = first;
    let at = 0;
    const happens = (what: What): void => {
      const [next, settles] = reduceStale(session, { ...what, at }, now);
      expect(settles).toEqual(longWay.happened({ ...what, at }, now));
      expect(next.calls.keys()).toEqual(longWay.calls.map(({ id }) => id));
      expect(nextStaleTick(next, now)).toBe(longWay.nextTick(now));
      session = next;
    };
    const passes = (until: number): void => {
      for (let due = nextStaleTick(session, now); due !== undefined && due <= until; due = nextStaleTick(session, now)) {
        at = Math.max(at, due);
        happens({ type: 'tick' });
      }
      at = until;
    };
    for (const one of happened) {
      passes(at + one.wait);
      if ('event' in one) happens(one.event);
      else now = { ...now, settles: one.settles };
    }
    passes(at + 10_000);
    happens({ type: 'sessionEnded', why: 'closed' });
  }), { numRuns: RUNS, seed });
}, 120_000);
