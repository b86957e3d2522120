/** The clock that never goes back, and its timers. `performance` would be loaded for it, at the first message of a session. */

/** Milliseconds, from a point that means nothing. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/**
 * Runs it once when `ms` milliseconds have passed by `now`, never earlier: Node's own timers know whole
 * milliseconds, of a clock that stands while a callback runs, so most ring a little before their time, and
 * who asks then whether something is due finds that it is not. Returns what keeps it from running.
 */
export function after(ms: number, run: () => void): () => void {
  const due = now() + ms;
  const ring = (): void => {
    const left = due - now();
    if (left > 0) timer = setTimeout(ring, Math.ceil(left));
    else run();
  };
  let timer = setTimeout(ring, Math.ceil(ms));
  return () => clearTimeout(timer);
}
