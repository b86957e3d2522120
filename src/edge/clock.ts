/** The clock that never goes back. `performance` would be loaded for it, at the first message of a session. */

/** Milliseconds, from a point that means nothing. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
