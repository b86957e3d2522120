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
