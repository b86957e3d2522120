/** The replay agent as a process, from the sources: `afterturn replay` with these arguments. */
import { runReplay } from '../../src/edge/replay.js';

runReplay(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`replay-agent: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  },
);
