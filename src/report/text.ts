/** A timeline as lines of text. Pure; what comes from an agent is not escaped yet. */
import { offsetText } from './duration.js';
import type { Entry, Session, Timeline } from './model.js';
import { totalsOf, type Found } from './totals.js';
import { countsText, countText, kindWords, labelOf, lengthText, remarksOf, sessionLabel, stateWords, subagentText, zeroText } from './words.js';

/** So many of those that failed or were left running are named. */
const NAMED = 10;

const columns = (...[start, length, state]: readonly [string, string, string]): string => `${start.padStart(12)}  ${length.padStart(8)}  ${state.padEnd(12)}`;

/** A label is one line, whatever is in it. */
const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').trim();

const named = (entry: Entry): string => `${kindWords[entry.kind]} ${oneLine(labelOf(entry))}`.trim();

/** An entry, what is known of its end, and what caused it. */
function described(entry: Entry, { entries }: Session): string {
  const caused = entry.causes.length === 0 ? [] : entries.filter(({ key }) => entry.causes.includes(key));
  const causes = caused.map((cause) => `after ${named(cause)}`);
  const more = [entry.outcome, ...causes].filter((part) => part !== '').map(oneLine);
  return `${named(entry)}${more.length === 0 ? '' : ` (${more.join('; ')})`}`;
}

const entryLine = (entry: Entry, before: string, text: string): string => `${columns(offsetText(entry.start), lengthText(entry), stateWords[entry.state])}  ${before}${text}`;

function* sessionLines(session: Session, timeline: Timeline): Generator<string> {
  const { agent, source, entries } = session;
  const file = timeline.sources.length > 1 ? timeline.sources[source]?.file : undefined;
  yield '';
  yield [oneLine(sessionLabel(session)), subagentText(session, timeline), agent, lengthText(session), file].filter((part) => part !== undefined).join(', ');
  yield columns('START', 'DURATION', 'STATE').trimEnd();
  for (const entry of entries) yield entryLine(entry, '  '.repeat(entry.depth), described(entry, session));
}

function* foundLines(title: string, found: readonly Found[], isPlaced: boolean): Generator<string> {
  yield `${title}: ${found.length === 0 ? 'nothing' : countText(found.length, 'item', 'items')}`;
  for (const { session, entry } of found.slice(0, NAMED)) yield entryLine(entry, '', `${described(entry, session)}${isPlaced ? `, in session ${session.id}` : ''}`);
  if (found.length > NAMED) yield `${' '.repeat(14)}and ${found.length - NAMED} more`;
}

/** The report: files, sessions, totals. */
export function* textLines(timeline: Timeline): Generator<string> {
  const { sources, sessions, length } = timeline;
  for (const source of sources) yield [`${source.file} (${source.form})`, ...remarksOf(source)].join('; ');
  if (sessions.length > 0) yield `0 is ${zeroText(timeline)}`;
  for (const session of sessions) yield* sessionLines(session, timeline);
  if (sessions.length === 0) return;
  const totals = totalsOf(timeline);
  const isPlaced = sessions.length > 1;
  yield '';
  yield `Totals: ${countText(sessions.length, 'session', 'sessions')}, ${countsText(totals.counts)}, in ${lengthText({ start: 0, end: length })}`;
  yield* foundLines('Ran longest', totals.longest, isPlaced);
  yield* foundLines('Left running', totals.running, isPlaced);
  yield* foundLines('Failed', totals.failed, isPlaced);
}
