/** The marks of a time axis. Pure. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Steps that a person counts in, from a millisecond on; beyond the last its multiples by ten. */
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 30, 100, 300, 1000].map((count) => count * DAY),
];

export interface Tick {
  /** Milliseconds of the timeline. */
  readonly at: number;
  readonly text: string;
}

const units = [[DAY, 'd'], [HOUR, 'h'], [MINUTE, 'm'], [SECOND, 's'], [1, 'ms']] as const;

/** The text of a mark: the units that it has, the largest first. */
function tickText(at: number): string {
  const parts: string[] = [];
  let rest = Math.round(at);
  for (const [size, name] of units) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count} ${name}`);
    rest -= count * size;
  }
  return parts.join(' ') || '0';
}

/** Marks between two times, at most `most` of them, evenly. `from < to`. */
export function ticksOf(from: number, to: number, most: number): Tick[] {
  const wanted = (to - from) / Math.max(1, most);
  const step = steps.find((each) => each >= wanted) ?? Math.ceil(wanted / (1000 * DAY)) * 1000 * DAY;
  const ticks: Tick[] = [];
  for (let index = Math.ceil(from / step); index * step <= to; index += 1) ticks.push({ at: index * step, text: tickText(index * step) });
  return ticks;
}
