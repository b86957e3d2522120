/** What was read of one file, and what a report needs of it before it is on the common clock. Pure. */
import { Attribute } from '../state/trace-names.js';
import type { Clock } from './model.js';
import type { LogRecord, Span, TraceText } from './otlp.js';
import type { Titles } from './titles.js';

/** The spans of a trace file, or of one conversation. */
export interface Reading {
  readonly file: string;
  readonly form: 'trace' | 'recording';
  readonly clock: Clock;
  /** What the zero of a clock without times of day is in the times of the spans. */
  readonly zero: number;
  readonly remarks: readonly string[];
  readonly spans: readonly Span[];
  readonly titles: Titles;
}

export const spanKey = ({ trace, id }: Pick<Span, 'trace' | 'id'>): string => `${trace}/${id}`;

/** A span that is shown before it has ended: it has no length, and says so. */
export const isPending = ({ values }: Span): boolean => values[Attribute.pending] === true;

/** A span without length announces its parent: it stands for that until it has ended. */
function announced(span: Span): Span {
  if (!isPending(span) || span.parent === undefined) return span;
  const above = span.values[Attribute.pendingParent];
  return { ...span, id: span.parent, parent: above === undefined ? undefined : String(above) };
}

/** The latest of the spans of each id: one that has ended takes the place of its pending form. */
export function latestSpans(spans: readonly Span[]): Span[] {
  const latest = new Map<string, Span>();
  for (const span of spans) {
    const before = latest.get(spanKey(span));
    if (before === undefined || isPending(before) || !isPending(span)) latest.set(spanKey(span), span);
  }
  return [...latest.values()];
}

/** The start record of work whose span is not there: it had not ended when the file was written. */
function startedOnly({ trace, span, at, name, values, resource }: LogRecord): Span | undefined {
  const id = values[Attribute.backgroundId];
  if (id === undefined) return undefined;
  return {
    trace: trace ?? '', id: span ?? String(id), parent: undefined, name, start: at, end: at, isError: false,
    values: { ...values, [Attribute.pending]: true }, events: [], links: [], resource,
  };
}

const itemKey = ({ values }: Pick<Span, 'values'>): string => JSON.stringify([values[Attribute.conversation] ?? values[Attribute.session], values[Attribute.backgroundId]]);

/** All work of a trace file: its spans, and what only a start record tells of. */
export function workOf({ spans, records }: TraceText): Span[] {
  const ended = latestSpans(spans.map(announced));
  const known = new Set(ended.flatMap((span) => [spanKey(span), itemKey(span)]));
  const started = records.flatMap((record) => startedOnly(record) ?? []).filter((span) => !known.has(spanKey(span)) && !(span.trace === '' && known.has(itemKey(span))));
  return [...ended, ...latestSpans(started)];
}
