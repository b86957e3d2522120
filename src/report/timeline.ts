/** Readings as one timeline: their sessions and entries on one clock. Pure. */
import { Attribute } from '../state/trace-names.js';
import { cut, factsOf } from './facts.js';
import { endingOf, rowOf, textOf } from './kinds.js';
import type { Entry, Moment, Session, Source, Timeline } from './model.js';
import type { Span, SpanEvent, Values } from './otlp.js';
import { isPending, spanKey, type Reading } from './reading.js';
import { treesOf, type Placed, type SpanTree } from './sessions.js';
import { sessionTitle, type SessionTitles } from './titles.js';

/** A timeline is as long as this at least, so that something can be seen of it. Milliseconds. */
const SHORTEST = 1;

/** A double that holds milliseconds since the epoch is exact to about a quarter of a microsecond. */
const toMicroseconds = (ms: number): number => Math.round(ms * 1000) / 1000;

const least = (numbers: Iterable<number>): number | undefined => {
  let least: number | undefined;
  for (const number of numbers) if (least === undefined || number < least) least = number;
  return least;
};

const most = (numbers: Iterable<number>): number => {
  let most = 0;
  for (const number of numbers) if (number > most) most = number;
  return most;
};

const eventText = (values: Values): string => Object.keys(values).map((name) => `${name}: ${cut(textOf(values, name) ?? '')}`).join(', ');

/** What stands between a span of a file and the timeline. */
interface Frame {
  readonly source: number;
  /** Milliseconds of the timeline. */
  readonly onClock: (ms: number) => number;
  /** When the file says something for the last time, in its own milliseconds. */
  readonly lastKnown: number;
  readonly keyOf: (span: Span) => string;
  readonly keysById: ReadonlyMap<string, string>;
  /** The items that are subagents, by their sessions. */
  readonly subagents: ReadonlyMap<string, string>;
  readonly titles: SessionTitles | undefined;
}

const momentOf = ({ name, at, values }: SpanEvent, { onClock }: Frame): Moment => ({ at: onClock(at), name: name.replaceAll('_', ' '), text: eventText(values) });

/** The title of a call, and of the item that it launched. */
function titleOf({ values }: Span, kind: Entry['kind'], titles: SessionTitles | undefined): string | undefined {
  if (titles === undefined) return undefined;
  const call = titles.calls.get(textOf(values, Attribute.toolCallId) ?? '');
  return kind === 'background' ? (titles.tasks.get(textOf(values, Attribute.backgroundId) ?? '') ?? call) : call;
}

function entryOf({ span, parent, depth }: Placed, frame: Frame): Entry {
  const row = rowOf(span);
  const pending = isPending(span);
  const { state, outcome } = pending ? { state: 'running' as const, outcome: 'no end was written' } : endingOf(span);
  return {
    key: frame.keyOf(span),
    parent: parent && frame.keyOf(parent),
    depth,
    kind: row.kind,
    name: cut(row.nameOf(span)),
    title: titleOf(span, row.kind, frame.titles),
    state,
    outcome: cut(outcome),
    start: frame.onClock(span.start),
    end: frame.onClock(pending ? Math.max(span.end, frame.lastKnown) : span.end),
    moments: span.events.map((event) => momentOf(event, frame)),
    causes: span.links.flatMap((link) => frame.keysById.get(link) ?? []),
    facts: factsOf(span),
  };
}

function agentOf({ placed }: SpanTree): string | undefined {
  const values = placed.find(({ span }) => span.values[Attribute.agentName] !== undefined)?.span.values;
  return values && [textOf(values, Attribute.agentName), textOf(values, Attribute.agentVersion)].filter((part) => part !== undefined).join(' ');
}

function sessionOf(tree: SpanTree, frame: Frame, title: string | undefined): Session {
  const entries = tree.placed.map((placed) => entryOf(placed, frame));
  return {
    id: tree.session,
    title,
    source: frame.source,
    agent: agentOf(tree),
    workOf: frame.subagents.get(tree.session),
    start: least(entries.map(({ start }) => start)) ?? 0,
    end: most(entries.map(({ end }) => end)),
    entries,
  };
}

const startOf = ({ spans }: Reading): number | undefined => least(spans.map(({ start }) => start));
/** The last thing that the spans of a file tell. */
const lastKnownOf = ({ spans }: Reading): number => most(spans.flatMap(({ end, events }) => [end, ...events.map(({ at }) => at)]));

/** Sessions with times of day by their starts; the others after them, file by file. */
const inOrder = (readings: readonly Reading[]) => (one: Session, other: Session): number => {
  const fileOf = ({ source }: Session): number => (readings[source]?.clock === 'absolute' ? -1 : source);
  return fileOf(one) - fileOf(other) || one.start - other.start;
};

/**
 * The timeline of what was read. Files with times of day share a clock; the zero of another file is put
 * at the beginning of that clock.
 */
export function timelineOf(readings: readonly Reading[]): Timeline {
  const zero = least(readings.flatMap((reading) => (reading.clock === 'absolute' ? (startOf(reading) ?? []) : [])));
  let keys = 0;
  const sessions = readings.flatMap((reading, source) => {
    const own = reading.clock === 'absolute' ? (zero ?? 0) : reading.zero;
    const byKey = new Map(reading.spans.map((span) => [spanKey(span), String(keys++)]));
    const keyOf = (span: Span): string => byKey.get(spanKey(span)) ?? '';
    const keysById = new Map(reading.spans.map((span) => [span.id, keyOf(span)]));
    const subagents = new Map(reading.spans.flatMap((span) => {
      const session = rowOf(span).kind === 'background' ? textOf(span.values, Attribute.subagent) : undefined;
      return session === undefined ? [] : [[session, keyOf(span)] as const];
    }));
    const frame = { source, subagents, onClock: (ms: number) => toMicroseconds(ms - own), lastKnown: lastKnownOf(reading), keyOf, keysById };
    return treesOf(reading.spans).map((tree) => sessionOf(tree, { ...frame, titles: reading.titles.get(tree.session) }, sessionTitle(reading.titles, tree.session)));
  });
  return {
    sources: readings.map(({ file, form, clock, remarks }): Source => ({ file, form, clock, remarks })),
    zero,
    length: Math.max(SHORTEST, most(sessions.map(({ end }) => end))),
    sessions: sessions.sort(inOrder(readings)),
  };
}
