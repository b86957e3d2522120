/**
 * Whether the process that started us is still there: it is the client, or stands between the client
 * and us. The system tells nobody of a parent's end, so it is asked now and then. Knows nothing of pipes.
 */

const pollMs = 1000;

/** Runs once when `parent` is not our parent any more. On Windows a parent is ours for ever. */
export function whenParentIsGone(parent: number, run: () => void, now: () => number = () => process.ppid): void {
  const timer = setInterval(() => {
    if (now() === parent) return;
    clearInterval(timer);
    run();
  }, pollMs).unref();
}
