/** Trace texts as the timeline that a report shows. */
import { readTraceText, timelineOf, workOf, type Reading, type Timeline } from '../../src/report/index.js';

export const readingOf = (text: string, file = 'a.jsonl'): Reading => ({ file, form: 'trace', clock: 'absolute', zero: 0, remarks: [], spans: workOf(readTraceText(text)), titles: new Map() });

export const timelineOfTraces = (...texts: readonly string[]): Timeline => timelineOf(texts.map((text, index) => readingOf(text, `${index}.jsonl`)));

/** The entries of all sessions as lines: depth, kind, name, state, outcome, times. */
export const entriesOf = ({ sessions }: Timeline): string[] =>
  sessions.flatMap(({ id, entries }) =>
    entries.map(({ depth, kind, name, state, outcome, start, end }) => `${id} ${'  '.repeat(depth)}${kind} ${name} ${start}..${end} ${state}${outcome === '' ? '' : ` (${outcome})`}`));
