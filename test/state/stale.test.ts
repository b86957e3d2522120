import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextStaleTick, reduceStale, unwatchedSession } from '../../src/state/stale.js';
import { ROOF } from '../../src/state/table.js';
import type { Revival, Settle, StaleEvent, StaleOptions, WatchedSession } from '../../src/state/stale-types.js';

const V1: StaleOptions = { version: 1, grace: 2000, settles: true, queuesPrompts: false, historyAfterLoad: false };

/** An event without its time. */
type What = StaleEvent extends infer E ? (E extends StaleEvent ? Omit<E, 'at'> : never) : never;
const call = (id: string, status?: string): What => ({ type: 'call', call: id, creates: true, starts: false, ...(status === undefined ? {} : { status }) });

function run(events: readonly (readonly [at: number, event: What])[], options: Partial<StaleOptions> = {}): { session: WatchedSession; settles: (Settle | Revival)[] } {
  let session = unwatchedSession;
  const settles: (Settle | Revival)[] = [];
  for (const [at, event] of events) {
    const [next, more] = reduceStale(session, { ...event, at }, { ...V1, ...options });
    session = next;
    settles.push(...more);
  }
  return { session, settles };
}

test('the tick is due a grace period after the last thing that spoke for a call', () => {
  const { session } = run([
    [0, { type: 'promptSent', prompt: '1' }],
    [1, call('a', 'pending')],
    [2, call('b', 'pending')],
    [3, { type: 'asked', question: 'q', call: 'b', creates: true, status: 'pending' }],
    [10, { type: 'promptEnded', prompt: '1', end: 'ended' }],
  ]);
  expect(nextStaleTick(session, V1)).toBe(2010);
  const [after, settles] = reduceStale(session, { type: 'tick', at: 2010 }, V1);
  expect(settles.map(({ call: id }) => id)).toEqual(['a']);
  expect(nextStaleTick(after, V1)).toBeUndefined();
  const [answered] = reduceStale(after, { type: 'answered', question: 'q', refused: false, at: 5000 }, V1);
  expect(nextStaleTick(answered, V1)).toBe(7000);
});

test('a tick that comes early or late does what is due', () => {
  const { session } = run([[0, { type: 'promptSent', prompt: '1' }], [0, call('a', 'pending')], [0, { type: 'promptEnded', prompt: '1', end: 'ended' }]]);
  expect(reduceStale(session, { type: 'tick', at: 1999 }, V1)).toEqual([session, []]);
  expect(reduceStale(session, { type: 'tick', at: 99_999 }, V1)[1]).toHaveLength(1);
});

test('an agent that ends its call between the due time and the tick is not overruled', () => {
  const { settles } = run([
    [0, { type: 'promptSent', prompt: '1' }], [0, call('a', 'pending')], [0, { type: 'promptEnded', prompt: '1', end: 'ended' }],
    [2100, call('a', 'completed')], [2100, { type: 'tick' }],
  ]);
  expect(settles).toEqual([]);
});

test('a call that was settled and that a list names lives again, as it was', () => {
  const listing = (...calls: string[]): What => ({ type: 'state', running: true, end: 'ended', list: { calls: new Set(calls), terminals: new Set() } });
  const before: (readonly [number, What])[] = [
    [0, { type: 'promptSent', prompt: '1' }], [0, { type: 'promptInserted', prompt: '1' }],
    [1, { ...call('a', 'in_progress'), canCancel: true } as What], [1, call('b', 'paused')], [1, call('c', 'in_progress')], [2, call('c', 'completed')],
    [3, { type: 'sessionEnded', why: 'inputEnded' }],
  ];
  const { session } = run(before, { version: 2 });
  expect(session.calls.size).toBe(0);
  const [after, said] = reduceStale(session, { ...listing('a', 'b', 'c'), at: 4 }, { ...V1, version: 2 });
  expect(said).toEqual([{ call: 'a', status: 'in_progress', canCancel: true }, { call: 'b', status: 'paused', canCancel: false }]);
  expect(reduceStale(after, { ...listing('a', 'b', 'c'), at: 5 }, { ...V1, version: 2 })[1]).toEqual([]);
  expect(reduceStale(after, { type: 'sessionEnded', why: 'agentExited', at: 6 }, { ...V1, version: 2 })[1].map(({ call: id, status }) => [id, status])).toEqual([['a', 'cancelled'], ['b', 'cancelled']]);
});

test('what changes nothing gives the same session', () => {
  const { session } = run([[0, { type: 'promptSent', prompt: '1' }], [1, call('a', 'in_progress')], [2, call('done', 'completed')], [3, { type: 'terminalLive', terminal: 't' }]]);
  const same: What[] = [
    call('a', 'in_progress'), call('a'), call('done', 'completed'), call('done'), { type: 'tick' }, { type: 'contentAdded', call: 'a', terminal: undefined },
    { type: 'answered', question: 'none', refused: true }, { type: 'promptEnded', prompt: 'none', end: 'ended' }, { type: 'promptInserted', prompt: 'none' },
    { type: 'taskEnded', task: 'none', completed: true }, { type: 'taskLive', task: 'none', starts: false, call: 'a' },
    { type: 'terminalLive', terminal: 't' }, { type: 'terminalEnded', terminal: 'none' },
  ];
  for (const event of same) expect(reduceStale(session, { ...event, at: 5 }, V1)[0], JSON.stringify(event)).toBe(session);
});

test('a task that is forgotten no longer hides one of the same call that lives', () => {
  const { session } = run([
    [0, { type: 'promptSent', prompt: '1' }], [0, call('a', 'pending')], [0, { type: 'promptEnded', prompt: '1', end: 'ended' }],
    [1, { type: 'taskLive', task: 't1', starts: true, call: 'a' }], [1, { type: 'taskLive', task: 't2', starts: true, call: 'a' }],
    [2, { type: 'taskEnded', task: 't2', completed: true }],
  ], { remembered: 1 });
  expect(nextStaleTick(session, V1)).toBe(2002);
  const [other] = reduceStale(session, { type: 'taskLive', task: 't3', starts: true, call: 'b', at: 3 }, { ...V1, remembered: 1 });
  const [forgotten] = reduceStale(other, { type: 'taskEnded', task: 't3', completed: true, at: 3 }, { ...V1, remembered: 1 });
  expect(nextStaleTick(forgotten, V1)).toBeUndefined();
});

test('calls beyond what a table holds are forgotten with their clocks', () => {
  const calls = Array.from({ length: ROOF + 2 }, (_, i) => [0, call(`c${i}`, 'pending')] as const);
  const { session } = run([[0, { type: 'promptSent', prompt: '1' }], ...calls.slice(0, ROOF), [0, { type: 'promptEnded', prompt: '1', end: 'ended' }], ...calls.slice(ROOF)]);
  expect(session.calls.size).toBe(ROOF);
  expect(nextStaleTick(session, V1)).toBe(2000);
  const [after, settles] = reduceStale(session, { type: 'tick', at: 2000 }, V1);
  expect(settles).toHaveLength(ROOF - 2);
  expect(nextStaleTick(after, V1)).toBeUndefined();
});

describe('what is remembered is bounded by count', () => {
  test('ended calls, oldest first, and never an unfinished one', () => {
    const calls = Array.from({ length: 20 }, (_, i) => [i, call(`c${i}`, 'completed')] as const);
    const { session } = run([[0, call('live', 'in_progress')], ...calls], { remembered: 5 });
    expect([...session.finished.entries()].map(([id]) => id)).toEqual(['c15', 'c16', 'c17', 'c18', 'c19']);
    expect(session.calls.size).toBe(1);
  });

  test('ended tasks, and never a live one', () => {
    const tasks = Array.from({ length: 20 }, (_, i): (readonly [number, What])[] => [
      [i, { type: 'taskLive', task: `t${i}`, starts: true, call: undefined }], [i, { type: 'taskEnded', task: `t${i}`, completed: true }],
    ]).flat();
    const { session } = run([[0, { type: 'taskLive', task: 'live', starts: true, call: undefined }], ...tasks], { remembered: 5 });
    expect([...session.tasks.entries()].map(([id]) => id)).toEqual(['live', 't15', 't16', 't17', 't18', 't19']);
  });
});

/** What a bystander can say of a session without the reducer: what forbids to settle a call now. */
class Bystander {
  readonly #openPrompts = new Set<string>();
  /** Prompts get their numbers anew each time they are sent. */
  #sent = 0;
  readonly #numbers = new Map<string, string>();
  readonly #owners = new Map<string, string | 'nobody' | 'history'>();
  readonly #final = new Map<string, boolean>();
  readonly #questions = new Map<string, string>();
  readonly #tasks = new Map<string, string>();
  #listed: ReadonlySet<string> = new Set();
  #replays = 0;

  happened(event: What): void {
    if (event.type === 'promptSent') {
      this.#numbers.set(event.prompt, `${event.prompt} ${++this.#sent}`);
      this.#openPrompts.add(this.#numbers.get(event.prompt) ?? '');
    }
    if (event.type === 'promptEnded') this.#openPrompts.delete(this.#numbers.get(event.prompt) ?? '');
    if (event.type === 'call' && event.status !== undefined) this.#final.set(event.call, event.status === 'completed');
    // What is asked about a life says nothing of the next one under the same id.
    if (event.type === 'call' && event.status === 'completed') for (const [question, about] of this.#questions) if (about === event.call) this.#questions.delete(question);
    if (event.type === 'asked' && this.#final.get(event.call) !== true) this.#questions.set(event.question, event.call);
    if (event.type === 'answered') this.#questions.delete(event.question);
    if (event.type === 'taskLive' && event.starts && event.call !== undefined) this.#tasks.set(event.task, event.call);
    if (event.type === 'taskEnded') this.#tasks.delete(event.task);
    if (event.type === 'state') this.#listed = event.list === 'unreported' ? new Set() : event.list.calls;
    if (event.type === 'replayStarted') this.#replays += 1;
    if (event.type === 'replayEnded') this.#replays = Math.max(0, this.#replays - 1);
  }

  /** A call's life began. */
  began(id: string): void {
    this.#owners.set(id, [...this.#openPrompts].at(-1) ?? (this.#replays > 0 ? 'history' : 'nobody'));
  }

  speaksFor(id: string): boolean {
    const owner = this.#owners.get(id) ?? '';
    const itsTurnIsOn = owner === 'nobody' || (owner === 'history' ? this.#openPrompts.size > 0 : this.#openPrompts.has(owner));
    return itsTurnIsOn || this.#final.get(id) === true || [...this.#questions.values(), ...this.#tasks.values()].includes(id) || this.#listed.has(id) || this.#replays > 0;
  }
}

describe('any order of events', () => {
  const id = fc.constantFrom('a', 'b', 'c');
  const prompt = fc.constantFrom('1', '2');
  const question = fc.constantFrom('q1', 'q2');
  const what: fc.Arbitrary<What> = fc.oneof(
    prompt.map((p): What => ({ type: 'promptSent', prompt: p })),
    fc.tuple(prompt, fc.constantFrom('ended' as const, 'cancelled' as const, 'failed' as const)).map(([p, end]): What => ({ type: 'promptEnded', prompt: p, end })),
    fc.tuple(id, fc.constantFrom('pending', 'in_progress', 'completed', undefined)).map(([c, status]): What => call(c, status)),
    fc.tuple(id, fc.constantFrom('pending', 'in_progress')).map(([c, status]): What => call(c, status)),
    fc.tuple(question, id).map(([q, c]): What => ({ type: 'asked', question: q, call: c, creates: true, status: 'pending' })),
    fc.tuple(question, fc.boolean()).map(([q, refused]): What => ({ type: 'answered', question: q, refused })),
    id.map((c): What => ({ type: 'taskLive', task: `task of ${c}`, starts: true, call: c })),
    id.map((c): What => ({ type: 'taskEnded', task: `task of ${c}`, completed: true })),
    fc.subarray(['a', 'b', 'c']).map((calls): What => ({ type: 'state', running: false, end: 'ended', list: { calls: new Set(calls), terminals: new Set() } })),
    fc.constant<What>({ type: 'replayStarted' }),
    fc.constant<What>({ type: 'replayEnded' }),
    fc.constant<What>({ type: 'cancelSent' }),
  );
  /** A session's requests and questions are not asked twice while they are open. */
  const sensible = (events: readonly What[]): What[] => {
    const open = new Set<string>();
    return events.filter((event) => {
      const key = event.type === 'promptSent' || event.type === 'promptEnded' ? `p${event.prompt}` : event.type === 'asked' || event.type === 'answered' ? event.question : undefined;
      if (key === undefined) return true;
      const opens = event.type === 'promptSent' || event.type === 'asked';
      if (open.has(key) === opens) return false;
      if (opens) open.add(key);
      else open.delete(key);
      return true;
    });
  };

  test('settles a call at most once a life, never while something speaks for it, and all that is left at the end; only what a list names lives again', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), what), { maxLength: 40 }), (steps) => {
        const bystander = new Bystander();
        const open = new Set<string>();
        let session = unwatchedSession;
        let at = 0;
        const step = (event: What): readonly (Settle | Revival)[] => {
          const [next, settles] = reduceStale(session, { ...event, at }, V1);
          session = next;
          return settles;
        };
        const ticks = (until: number): void => {
          for (;;) {
            const due = nextStaleTick(session, V1);
            if (due === undefined || due > until) break;
            at = Math.max(at, due);
            const settles = step({ type: 'tick' });
            expect(settles.length).toBeGreaterThan(0);
            for (const settle of settles) {
              expect(open.delete(settle.call)).toBe(true);
              expect(bystander.speaksFor(settle.call)).toBe(false);
            }
          }
          at = until;
        };
        const events = sensible(steps.map(([, event]) => event));
        events.forEach((event, i) => {
          ticks(at + (steps[i]?.[0] ?? 0));
          bystander.happened(event);
          for (const alive of step(event)) {
            expect([event.type, alive.reason, open.has(alive.call)]).toEqual(['state', undefined, false]);
            expect(bystander.speaksFor(alive.call)).toBe(true);
          }
          for (const watched of session.calls.values()) {
            if (open.has(watched.id)) continue;
            open.add(watched.id);
            bystander.began(watched.id);
          }
          for (const known of open) if (!session.calls.has(known)) open.delete(known);
        });
        ticks(at + 1_000_000);
        const last = step({ type: 'sessionEnded', why: 'closed' });
        expect(last.map((settle) => settle.call).sort()).toEqual([...open].sort());
        expect(session.calls.size).toBe(0);
        for (const known of session.finished.values()) expect(known === 'agent' || ['pending', 'in_progress', 'paused', 'of another version'].includes(known.status)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});
