/**
 * The timeline as the rows of a treegrid (WAI-ARIA "Treegrid"): a table that says everything without a
 * script or a style. The bars only repeat what the cells say.
 */
import { offsetText } from './duration.js';
import { htmlText } from './html-text.js';
import type { Entry, Session, State, Timeline } from './model.js';
import { countsOf, kinds, states } from './totals.js';
import { countsText, countText, fileName, kindWords, labelOf, lengthText, stateWords, subagentText } from './words.js';

/** The id of the row of a session, by its place in the timeline. */
export const sessionRowId = (place: number): string => `s${place}`;
/** The id of the row of an entry. */
export const entryRowId = ({ key }: Pick<Entry, 'key'>): string => `e${key}`;

export const stateIcon = (state: State): string => `<svg class="icon" aria-hidden="true"><use href="#i-${state}"/></svg>`;

interface Row {
  readonly id: string;
  readonly level: number;
  readonly isParent: boolean;
  readonly kind: string;
  readonly word: string;
  readonly label: string;
  readonly notes: readonly (string | undefined)[];
  /** `undefined`: the row has no state, and its first cell takes the room. */
  readonly state: State | undefined;
  readonly start: number;
  readonly end: number;
}

function rowHtml({ id, level, isParent, kind, word, label, notes, state, start, end }: Row): string {
  const expanded = isParent ? ' aria-expanded="true"' : '';
  const note = notes.filter((part) => part !== undefined && part !== '').join(' · ');
  const what = `<span class="twist" aria-hidden="true"></span><span class="kind">${word}</span> <span class="label">${htmlText(label)}</span>${note === '' ? '' : ` <span class="note">${htmlText(note)}</span>`}`;
  return (
    `<tr role="row" id="${id}" class="k-${kind}${state === undefined ? '' : ` s-${state}`}" aria-level="${level}"${expanded} tabindex="-1">` +
    `<th role="rowheader" scope="row"${state === undefined ? ' colspan="2" aria-colspan="2"' : ''}><span class="what">${what}</span></th>` +
    (state === undefined ? '' : `<td role="gridcell" class="state">${stateIcon(state)}${stateWords[state]}</td>`) +
    `<td role="gridcell" class="start">${offsetText(start)}</td>` +
    `<td role="gridcell" class="length">${lengthText({ start, end })}</td>` +
    '<td role="gridcell" class="track"><i></i></td></tr>\n'
  );
}

/** What is in a turn: how much, and how much of it needs a look. */
function insideText(inside: readonly Entry[]): string {
  if (inside.length === 0) return '';
  const counts = countsOf(states, inside, ({ state }) => state);
  const named = (['failed', 'running'] as const).filter((state) => counts[state] > 0).map((state) => `${counts[state]} ${stateWords[state]}`);
  return [countText(inside.length, 'item', 'items'), ...named].join(', ');
}

/** The entries under the one at a place. */
function insideOf(entries: readonly Entry[], place: number): readonly Entry[] {
  const depth = entries[place]?.depth ?? 0;
  const end = entries.findIndex((entry, index) => index > place && entry.depth <= depth);
  return entries.slice(place + 1, end < 0 ? entries.length : end);
}

function entryRow(entries: readonly Entry[], place: number): Row {
  const entry = entries[place] as Entry;
  const { depth, kind, state, outcome, start, end } = entry;
  const isParent = (entries[place + 1]?.depth ?? 0) > depth;
  const inside = isParent && kind === 'turn' ? insideText(insideOf(entries, place)) : '';
  return { id: entryRowId(entry), level: depth + 2, isParent, kind, word: kindWords[kind], label: labelOf(entry), notes: [outcome, inside], state, start, end };
}

function sessionRow(session: Session, place: number, timeline: Timeline): Row {
  const { id, title, agent, start, end, entries } = session;
  const { sources } = timeline;
  const file = sources.length > 1 ? fileName(sources[session.source]?.file ?? '') : undefined;
  const counts = countsText(countsOf(kinds, entries, ({ kind }) => kind));
  return {
    id: sessionRowId(place), level: 1, isParent: entries.length > 0, kind: 'session', word: '',
    label: title ?? `Session ${id}`, notes: [subagentText(session, timeline), agent, counts, file, title === undefined ? undefined : id], state: undefined, start, end,
  };
}

/** The rows of all sessions, in order. */
export function* rowsHtml(timeline: Timeline): Generator<string> {
  for (const [place, session] of timeline.sessions.entries()) {
    yield rowHtml(sessionRow(session, place, timeline));
    for (const index of session.entries.keys()) yield rowHtml(entryRow(session.entries, index));
  }
}
