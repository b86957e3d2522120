/**
 * A line of a recording: when, on which side, which way, and the message as it came. Pure.
 */
import { problemOf, type Side } from '../check/reading.js';
import { at } from '../protocol/shape.js';
import { masked, redacted } from './redact.js';

export interface Seen {
  /** In milliseconds since the recording began. */
  readonly t: number;
  readonly at: Side;
  readonly dir: 'c2a' | 'a2c';
  /** One line as it came, without its end. */
  readonly text: string;
  /** The plugins, with their rules, that made or changed it. */
  readonly by?: readonly string[];
  /** Those that let it go no further: the last one dropped, answered or took it. */
  readonly droppedBy?: readonly string[];
}

/** What is known of a message that is in the recording already. */
export interface Noted extends Pick<Seen, 't' | 'at' | 'dir'> {
  readonly of: { readonly method: string | undefined; readonly id: string | undefined };
  readonly droppedBy: readonly string[];
}

/** The first line of a run. `continues`: it goes on from an older file. */
export const headerLine = (version: string, startedAt: string, continues: boolean): string =>
  `${JSON.stringify({ recorder: { name: 'afterturn', version }, startedAt, ...(continues ? { continues } : {}) })}\n`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.trim());
  } catch {
    return undefined;
  }
}

const namesIn = (member: string, names: readonly string[] | undefined): string => (names === undefined ? '' : `,"${member}":${JSON.stringify(names)}`);

/** The method, and the id where there is one, of the message in a line. */
export function nameIn(text: string): { readonly method: unknown; readonly id: string | undefined } {
  const message = parsed(text);
  const id = at(message, 'id');
  return { method: at(message, 'method'), id: id === undefined ? undefined : JSON.stringify(id) };
}

/** A line about a message further up: it went no further. */
export const notedLine = ({ t, at: side, dir, of, droppedBy }: Noted): string =>
  `{"t":${Math.round(t)},"at":"${side}","dir":"${dir}","of":{${[of.method === undefined ? [] : [`"method":${JSON.stringify(of.method)}`], of.id === undefined ? [] : [`"id":${of.id}`]].flat().join(',')}}${namesIn('droppedBy', droppedBy)}}\n`;

/** The line. A message stands in it as it came, digit by digit; what is none is kept as text (`raw`). */
export function recordedLine({ t, at: side, dir, text, by, droppedBy }: Seen, redacts: boolean): string {
  const message = parsed(text);
  const head = `{"t":${Math.round(t)},"at":"${side}","dir":"${dir}"${namesIn('by', by)}${namesIn('droppedBy', droppedBy)}`;
  if (problemOf(message) !== undefined) return `${head},"raw":${JSON.stringify(redacts ? masked(text) : text)}}\n`;
  return `${head},"msg":${redacts ? JSON.stringify(redacted(message)) : text.trim()}}\n`;
}
