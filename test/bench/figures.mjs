// What is measured, how each figure is taken from the raw numbers of one round, and what it must be.
// Every figure is relative to the floor of the same round; absolute times say more about the machine.

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const throughput = ({ flood_bytes: bytes, flood_ms: ms }) => bytes / ms;
const ratio = (of) => (own, floor) => of(own) / of(floor);

/** Loads for the client. `repeat`: the median of so many runs is one number of the round. */
export const loads = {
  start: { args: [], repeat: 7 },
  ping: { args: ['--ping', '3000'], pinned: true },
  mix: { args: ['--flood', 'mix:56'] },
  chunks: { args: ['--flood', 'chunks:20'] },
  tiny: { args: ['--flood', 'tiny:2'] },
  big10: { args: ['--flood', 'big10:6'] },
  up: { args: ['--up', String(10 * 1024 * 1024)] },
  stall: { args: ['--flood', 'mix:100', '--stall', '2000'] },
};

/** `of(own, floor, direct)`: the raw numbers of one round to the figure. `target`: what must hold for the median. */
export const figures = [
  { name: 'mix throughput', load: 'mix', of: ratio(throughput), target: { atLeast: 0.55 } },
  { name: 'chunks throughput', load: 'chunks', of: ratio(throughput), target: { atLeast: 0.5 } },
  { name: 'tiny throughput', load: 'tiny', of: ratio(throughput) },
  { name: 'big10 throughput', load: 'big10', of: ratio(throughput) },
  { name: 'round trip p50', load: 'ping', of: ratio((raw) => raw.p50_us), target: { atMost: 1.5 } },
  { name: 'round trip p99', load: 'ping', of: ratio((raw) => raw.p99_us) },
  { name: '10 MB up, time', load: 'up', of: ratio((raw) => raw.up_ms) },
  { name: 'start-up added', load: 'start', of: (own, floor, direct) => (own.init_ms - direct.init_ms) / (floor.init_ms - direct.init_ms), target: { atMost: 1.3 } },
  { name: 'stall, MB above floor', load: 'stall', of: (own, floor) => (own.hwm_kb - floor.hwm_kb) / 1024, target: { atMost: 40 } },
];

/** Whether the median of a figure is what it must be; true where nothing is demanded. */
export const holds = ({ target }, value) =>
  target === undefined || (value >= (target.atLeast ?? -Infinity) && value <= (target.atMost ?? Infinity));

export const targetText = ({ target }) =>
  target === undefined ? '' : target.atLeast === undefined ? `<= ${target.atMost}` : `>= ${target.atLeast}`;
