/**
 * A clock that stands still until it is moved: time and timers for tests.
 */

export interface Clock {
  now(): number;
  /** Runs `run` when `ms` milliseconds have passed. Returns its cancel. */
  after(ms: number, run: () => void): () => void;
  /** Moves on by `ms`, running what is due in order. */
  advance(ms: number): void;
  /** Moves on to the next timer and runs it. False: there is none. */
  runNext(): boolean;
  /** Moves on from timer to timer until there is none, at most `limit` of them. */
  runOut(limit?: number): void;
}

export function createClock(): Clock {
  let time = 0;
  let count = 0;
  let timers: { readonly at: number; readonly order: number; readonly run: () => void }[] = [];
  const runNext = (until: number): boolean => {
    const next = timers.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at || one.order - other.order)[0];
    if (!next) return false;
    timers = timers.filter((timer) => timer !== next);
    time = Math.max(time, next.at);
    next.run();
    return true;
  };
  return {
    now: () => time,
    after(ms, run) {
      const timer = { at: time + Math.max(0, ms), order: (count += 1), run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const until = time + ms;
      while (runNext(until));
      time = until;
    },
    runNext: () => runNext(Infinity),
    runOut(limit = 100_000) {
      for (let left = limit; left > 0; left -= 1) if (!runNext(Infinity)) return;
      throw new Error(`the clock still has timers after ${limit} of them`);
    },
  };
}
