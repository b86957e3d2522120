// What is measured, how each figure is taken from the raw numbers of one round, and what it must be.
// Every figure is relative to the floor of the same round; absolute times say more about the machine.

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const throughput = ({ flood_bytes: bytes, flood_ms: ms }) => bytes / ms;
const cpuPerByte = ({ flood_bytes: bytes, flood_cpu_ms: ms }) => ms / bytes;
const ratio = (of) => (own, floor) => of(own) / of(floor);

/**
 * Loads for the client. `repeat`: the median of so many runs is one number of the round. `agent`: the
 * agent's own arguments. `rewritten`: afterturn has lines to change there, so the bytes differ.
 */
export const loads = {
  start: { args: [], repeat: 7 },
  ping: { args: ['--ping', '3000'], pinned: true },
  mix: { args: ['--flood', 'mix:56'] },
  chunks: { args: ['--flood', 'chunks:20'] },
  tiny: { args: ['--flood', 'tiny:2'] },
  big10: { args: ['--flood', 'big10:6'] },
  up: { args: ['--up', String(10 * 1024 * 1024)] },
  stall: { args: ['--flood', 'mix:100', '--stall', '2000'] },
  claudeMix: { args: ['--flood', 'claude-raw:56'], agent: ['--claude'], rewritten: true },
  claudeChunks: { args: ['--flood', 'claude-raw-chunks:20'], agent: ['--claude'], rewritten: true },
  claudePing: { args: ['--ping', '3000'], pinned: true, agent: ['--claude'], rewritten: true },
  bridgeMix: { args: ['--v2', '--flood', 'claude-async:56'], agent: ['--claude'], options: ['--agent-protocol', 'v1'], rewritten: true },
};

/** `of(own, floor, direct)`: the raw numbers of one round to the figure. `target`: what must hold for the median. */
export const figures = [
  { name: 'mix throughput', load: 'mix', of: ratio(throughput), target: { atLeast: 0.9 } },
  { name: 'mix, CPU per GB', load: 'mix', of: ratio(cpuPerByte), target: { atMost: 1.35 } },
  { name: 'chunks throughput', load: 'chunks', of: ratio(throughput), target: { atLeast: 0.78 } },
  { name: 'tiny throughput', load: 'tiny', of: ratio(throughput), target: { atLeast: 0.65 } },
  { name: 'big10 throughput', load: 'big10', of: ratio(throughput), target: { atLeast: 0.9 } },
  { name: 'round trip p50', load: 'ping', of: ratio((raw) => raw.p50_us), target: { atMost: 1.25 } },
  { name: 'round trip p99', load: 'ping', of: ratio((raw) => raw.p99_us) },
  { name: '10 MB up, time', load: 'up', of: ratio((raw) => raw.up_ms) },
  { name: 'start-up added', load: 'start', of: (own, floor, direct) => (own.init_ms - direct.init_ms) / (floor.init_ms - direct.init_ms), target: { atMost: 1.05 } },
  { name: 'idle memory', load: 'start', of: ratio((raw) => raw.rss_idle_kb), target: { atMost: 1.05 } },
  { name: 'stall, MB above floor', load: 'stall', of: (own, floor) => (own.hwm_kb - floor.hwm_kb) / 1024, target: { atMost: 10 } },
  { name: 'Claude, v1 client: mix throughput', load: 'claudeMix', of: ratio(throughput), target: { atLeast: 0.62 } },
  { name: 'Claude, v1 client: chunks throughput', load: 'claudeChunks', of: ratio(throughput), target: { atLeast: 0.6 } },
  { name: 'Claude, v1 client: round trip p50', load: 'claudePing', of: ratio((raw) => raw.p50_us), target: { atMost: 1.3 } },
  { name: 'Claude, v2 client bridged: mix throughput', load: 'bridgeMix', of: ratio(throughput), target: { atLeast: 0.4 } },
];

/** Whether the median of a figure is what it must be; true where nothing is demanded. */
export const holds = ({ target }, value) =>
  target === undefined || (value >= (target.atLeast ?? -Infinity) && value <= (target.atMost ?? Infinity));

export const targetText = ({ target }) =>
  target === undefined ? '' : target.atLeast === undefined ? `<= ${target.atMost}` : `>= ${target.atLeast}`;
