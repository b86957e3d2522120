/**
 * Ends this process as the agent ended: with its code, or by its signal. Knows nothing of sessions.
 */
import type { ProcessEnd } from './agent.js';

/** Does not return. All output must have been written. */
export function endProcess({ code, signal }: ProcessEnd): void {
  if (signal === null) process.exit(code ?? 1);
  restoreDefault(signal);
  process.kill(process.pid, signal);
  // A signal that does not end us here (blocked, or not known to this system): the shell's convention.
  setTimeout(() => void exitAsShellsDo(signal), 1000);
}

/** Not on the start path of a session: it is loaded here. */
async function exitAsShellsDo(signal: NodeJS.Signals): Promise<void> {
  const { constants } = await import('node:os');
  process.exit(128 + (constants.signals[signal] ?? 0));
}

/** Node ignores some signals (SIGPIPE); adding and removing a listener leaves the system's default. */
function restoreDefault(signal: NodeJS.Signals): void {
  try {
    process.on(signal, () => {});
  } catch {
    // SIGKILL and SIGSTOP take no listener and need none.
  }
  process.removeAllListeners(signal);
}
