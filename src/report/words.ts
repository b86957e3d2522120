/** The words of a report, for its text and its page alike. */
import type { Entry, Kind, Session, Source, State, Timeline } from './model.js';
import { dateText, durationText } from './duration.js';
import { kinds } from './totals.js';

export const stateWords: Readonly<Record<State, string>> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  running: 'left running',
  unknown: 'end unknown',
};

export const kindWords: Readonly<Record<Kind, string>> = { turn: 'turn', call: 'tool', background: 'background', permission: 'permission', other: 'span' };

const counted: Readonly<Record<Kind, readonly [one: string, many: string]>> = {
  turn: ['turn', 'turns'],
  call: ['tool call', 'tool calls'],
  background: ['background item', 'background items'],
  permission: ['permission wait', 'permission waits'],
  other: ['other span', 'other spans'],
};

export const countText = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** How many there are of each kind; kinds that there are none of are left out. */
export const countsText = (counts: Readonly<Record<Kind, number>>): string =>
  kinds.filter((kind) => counts[kind] > 0).map((kind) => countText(counts[kind], ...counted[kind])).join(', ') || 'nothing';

/** What an entry is called: its title, if there is one, else its name. */
export const labelOf = ({ name, title }: Entry): string => (title === undefined || title === name ? name : name === '' ? title : `${name}: ${title}`);

export const lengthText = ({ start, end }: Pick<Entry, 'start' | 'end'>): string => durationText(end - start);

/** The item whose work a session is, in words. */
export function subagentText(session: Session, { sessions }: Timeline): string | undefined {
  if (session.workOf === undefined) return undefined;
  const item = sessions.flatMap(({ entries }) => entries).find(({ key }) => key === session.workOf);
  return item && `the work of ${kindWords[item.kind]} ${labelOf(item)}`;
}

export const sessionLabel = ({ id, title }: Session): string => (title === undefined ? `Session ${id}` : `Session ${id}: ${title}`);

const clocks: Readonly<Record<Source['clock'], string>> = {
  absolute: '',
  relative: 'its times are relative, from 0 at its start',
  none: 'it has no times: one message is shown as one millisecond',
};

/** What a reader must know of a file before its times. */
export const remarksOf = ({ clock, remarks }: Source): string[] => [...(clock === 'absolute' ? [] : [clocks[clock]]), ...remarks];

/** When the clock of the timeline is 0. */
export const zeroText = ({ zero }: Timeline): string => (zero === undefined ? 'the start of each file' : dateText(zero));

/** The last part of a path: a page may be shown to others, and the folders are nobody's business. */
export const fileName = (path: string): string => path.replace(/^.*[\\/](?=[^\\/])/, '');
