/**
 * A line of a recording: when, on which side, which way, and the message as it came. Pure.
 */
import { problemOf, type Side } from '../check/reading.js';
import { masked, redacted } from './redact.js';

export interface Seen {
  /** In milliseconds since the recording began. */
  readonly t: number;
  readonly at: Side;
  readonly dir: 'c2a' | 'a2c';
  /** One line as it came, without its end. */
  readonly text: string;
}

/** The first line of a run. `continues`: it goes on from an older file. */
export const headerLine = (version: string, startedAt: string, continues: boolean): string =>
  `${JSON.stringify({ recorder: { name: 'afterturn', version }, startedAt, ...(continues ? { continues } : {}) })}\n`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The line. A message stands in it as it came, digit by digit; what is none is kept as text (`raw`). */
export function recordedLine({ t, at, dir, text }: Seen, redacts: boolean): string {
  const message = parsed(text);
  const head = `{"t":${Math.round(t)},"at":"${at}","dir":"${dir}"`;
  if (problemOf(message) !== undefined) return `${head},"raw":${JSON.stringify(redacts ? masked(text) : text)}}\n`;
  return `${head},"msg":${redacts ? JSON.stringify(redacted(message)) : text.trim()}}\n`;
}
