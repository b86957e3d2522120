/** The clock that never goes back, and its timers. `performance` would be loaded for it, at the first message of a session. */

/** Milliseconds, from a point that means nothing. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/**
 * Runs it once when `ms` milliseconds have passed by `now`, never earlier: Node's own timers know whole
 * milliseconds, of a clock that stands while a callback runs, so most ring a little before their time, and
 * who asks then whether something is due finds that it is not. What has arrived by then is read first: on a
 * busy machine it may have come in time, and what waits for it must not go out without it. Returns what
 * keeps it from running.
 */
export function after(ms: number, run: () => void): () => void {
  const due = now() + ms;
  const ring = (): void => {
    const left = due - now();
    if (left > 0) timer = setTimeout(ring, Math.ceil(left));
    else reading = setImmediate(run);
  };
  let reading: NodeJS.Immediate | undefined;
  let timer = setTimeout(ring, Math.ceil(ms));
  return () => {
    clearTimeout(timer);
    clearImmediate(reading);
  };
}

export interface Timers {
  readonly after: typeof after;
  /** What arrives is left where it is from now on. */
  stopsListening(): void;
  listens(): void;
}

/**
 * Timers that wait for a word of somebody: time in which nobody listened does not count. So what goes out
 * for want of a word does not when the word has only not been read, as while a client reads nothing and the
 * agent is not read for that.
 */
export function createTimers(): Timers {
  let since: number | undefined;
  let before = 0;
  const waiting = new Set<() => void>();
  /** How long nobody listened, since the beginning. */
  const unheard = (): number => before + (since === undefined ? 0 : now() - since);
  return {
    after(ms, run) {
      let counted = unheard();
      let cancel: () => void;
      const wait = (left: number): void => void (cancel = after(left, ring));
      const goOn = (): void => {
        const left = Math.min(ms, unheard() - counted);
        counted = unheard();
        wait(left);
      };
      const ring = (): void => {
        if (since === undefined) return unheard() > counted ? goOn() : run();
        waiting.add(goOn);
        cancel = () => void waiting.delete(goOn);
      };
      wait(ms);
      return () => cancel();
    },
    stopsListening: () => void (since ??= now()),
    listens() {
      if (since === undefined) return;
      before += now() - since;
      since = undefined;
      const due = [...waiting];
      waiting.clear();
      for (const goOn of due) goOn();
    },
  };
}
