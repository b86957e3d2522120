/** Times for a person. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const two = (number: number): string => String(number).padStart(2, '0');

/** Two units of which the smaller is a whole number: `3 m 05 s`. */
function pair(ms: number, unit: number, name: string, part: number, partName: string): string {
  const parts = Math.round(ms / part);
  const perUnit = unit / part;
  return `${Math.floor(parts / perUnit)} ${name} ${two(parts % perUnit)} ${partName}`;
}

/** A duration in milliseconds, with about three digits: `0 ms`, `194 ms`, `4.12 s`, `42.5 s`, `3 m 05 s`, `2 h 03 m`, `4 d 07 h`. */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9.995 * SECOND) return `${(ms / SECOND).toFixed(2)} s`;
  if (ms < 59.95 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < HOUR - SECOND / 2) return pair(ms, MINUTE, 'm', SECOND, 's');
  if (ms < DAY - MINUTE / 2) return pair(ms, HOUR, 'h', MINUTE, 'm');
  return pair(ms, DAY, 'd', HOUR, 'h');
}

/** A place on the clock of a timeline, to the millisecond: `0:04.120`, `1:02:03.004`. */
export function offsetText(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const hours = Math.floor(whole / HOUR);
  const minutes = Math.floor((whole % HOUR) / MINUTE);
  const seconds = `${two(Math.floor((whole % MINUTE) / SECOND))}.${String(whole % SECOND).padStart(3, '0')}`;
  return hours === 0 ? `${minutes}:${seconds}` : `${hours}:${two(minutes)}:${seconds}`;
}

/** A time of day, in UTC. Out of the range of dates: empty. */
export function dateText(epochMs: number): string {
  const date = new Date(epochMs);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace('T', ' ').replace('Z', ' UTC');
}
