// The rig: a client and an agent in C (so that neither is what is measured) and payloads, built once
// into a cache folder. Knows how to run one candidate once.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = fileURLToPath(new URL('rig', import.meta.url));
const built = `${root}node_modules/.cache/afterturn-bench`;
const agent = `${built}/agent`;

const isOlder = (file, source) => !existsSync(file) || statSync(file).mtimeMs < statSync(source).mtimeMs;

/** Builds what is missing or older than its source. Needs a C compiler. */
export function buildRig() {
  mkdirSync(built, { recursive: true });
  for (const name of ['agent', 'load']) {
    const source = `${sources}/${name}.c`;
    if (isOlder(`${built}/${name}`, source)) execFileSync('cc', ['-O2', '-w', '-o', `${built}/${name}`, source], { stdio: 'inherit' });
  }
  const generator = `${sources}/gen.mjs`;
  if (isOlder(`${built}/payloads/mix.ndjson`, generator)) execFileSync(process.execPath, [generator, `${built}/payloads`]);
}

/** Whether a process can be kept on one core here: the round trip then measures work, not the scheduler. */
export function canPin() {
  return spawnSync('taskset', ['-c', '0', 'true']).status === 0;
}

/** Certificates that Node reads at each start would hide what a start costs. */
const lean = { ...process.env, NODE_EXTRA_CA_CERTS: undefined };

/** Runs the client against a candidate (a command that takes the agent's command behind it; empty: the agent itself). */
export function measured(candidate, args, { pinned = false, agentArgs = [] } = {}) {
  const [file, ...rest] = [...(pinned ? ['taskset', '-c', '0'] : []), `${built}/load`, '--timeout', '120', ...args, '--', ...candidate, agent, ...agentArgs];
  const { stdout, stderr, error } = spawnSync(file, rest, { env: { ...lean, BENCH_PAYLOADS: `${built}/payloads` }, encoding: 'utf8' });
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`${candidate.join(' ')}: ${error?.message ?? stderr.trim().split('\n').at(-1) ?? 'no result'}`);
  }
}
