/** What stands out in a timeline: what ran longest, what was left running, what failed. Pure. */
import type { Entry, Kind, Session, State, Timeline } from './model.js';

/** An entry and where it is. */
export interface Found {
  readonly session: Session;
  readonly entry: Entry;
}

export interface Totals {
  readonly counts: Readonly<Record<Kind, number>>;
  readonly states: Readonly<Record<State, number>>;
  /** Tool calls and background items, the longest first; at most `LONGEST` of them. */
  readonly longest: readonly Found[];
  /** Everything that nobody reported the end of, the longest first. */
  readonly running: readonly Found[];
  /** Everything that failed, in the order of time. */
  readonly failed: readonly Found[];
}

export const LONGEST = 5;

export const kinds: readonly Kind[] = ['turn', 'call', 'background', 'permission', 'other'];
export const states: readonly State[] = ['completed', 'failed', 'cancelled', 'running', 'unknown'];

const lengthOf = ({ entry: { start, end } }: Found): number => end - start;
const byLength = (one: Found, other: Found): number => lengthOf(other) - lengthOf(one);

/** How many entries there are of each name. */
export function countsOf<K extends string>(names: readonly K[], entries: readonly Entry[], nameOf: (entry: Entry) => K): Record<K, number> {
  const counts = Object.fromEntries(names.map((name) => [name, 0])) as Record<K, number>;
  for (const entry of entries) counts[nameOf(entry)] += 1;
  return counts;
}

export function totalsOf({ sessions }: Timeline): Totals {
  const all = sessions.flatMap((session) => session.entries.map((entry): Found => ({ session, entry })));
  const entries = all.map(({ entry }) => entry);
  return {
    counts: countsOf(kinds, entries, ({ kind }) => kind),
    states: countsOf(states, entries, ({ state }) => state),
    longest: all.filter(({ entry: { kind } }) => kind === 'call' || kind === 'background').sort(byLength).slice(0, LONGEST),
    running: all.filter(({ entry }) => entry.state === 'running').sort(byLength),
    failed: all.filter(({ entry }) => entry.state === 'failed').sort((one, other) => one.entry.start - other.entry.start),
  };
}
