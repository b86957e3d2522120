/**
 * The text of a recording as messages: ours (`--record`), or one JSON object a line with a direction,
 * `{t, dir, msg}` or a bare message beside its `dir`. Knows the form of a line, not where it came from.
 */
import { isObject, typeName, type JsonObject } from '../protocol/shape.js';
import type { RecordedJson, RecordedMessage } from './record.js';

/** Which side of a proxy a line was recorded on. */
export type Side = 'client' | 'agent';

/** One conversation: a client and the one it speaks to. */
export interface Connection {
  /** `undefined`: the recording has one side only and does not say which. */
  readonly side: Side | undefined;
  readonly messages: readonly RecordedMessage[];
}

export interface Recording {
  readonly connections: readonly Connection[];
  /** The last line was cut off, and is left out. */
  readonly isCut: boolean;
}

/** A line that is none of a recording: which (from 1), and what is wrong with it. */
export class UnusableLine extends Error {
  override readonly name = 'UnusableLine';
  readonly line: number;
  readonly problem: string;

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.line = line;
    this.problem = problem;
  }
}

interface Read {
  readonly side: Side | undefined;
  readonly message: RecordedMessage;
}

const quoted = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : typeName(value));

/** A message: an object with `method`, or with `id` and `result` or `error`. */
function problemOf(message: unknown): string | undefined {
  if (!isObject(message)) return `expected a JSON-RPC message as an object, but got ${typeName(message)}`;
  const isMessage = 'method' in message || ('id' in message && ('result' in message || 'error' in message));
  return isMessage ? undefined : `expected a JSON-RPC message with "method", or with "id" and "result" or "error", but it has ${Object.keys(message).join(', ') || 'no members'}`;
}

/** The time of a line; `NaN` where it has none. */
function timeOf(line: JsonObject, number: number): number {
  if (line.t === undefined) return NaN;
  if (typeof line.t !== 'number') throw new UnusableLine(number, `expected "t" to be a number of milliseconds, but got ${typeName(line.t)}`);
  return line.t;
}

/** A line, or `undefined` for one that holds no message: output of the agent that was none. */
function readLine(value: unknown, number: number): Read | undefined {
  if (!isObject(value)) throw new UnusableLine(number, `expected a JSON object, but got ${typeName(value)}`);
  const { dir, at: side, msg, t: _t, ...bare } = value;
  if (dir !== 'c2a' && dir !== 'a2c') throw new UnusableLine(number, `expected "dir" to be "c2a" or "a2c", but got ${quoted(dir)}`);
  if (side !== undefined && side !== 'client' && side !== 'agent') throw new UnusableLine(number, `expected "at" to be "client" or "agent", but got ${quoted(side)}`);
  if (msg === undefined && 'raw' in bare) return undefined;
  const message = msg === undefined ? bare : msg;
  const problem = problemOf(message);
  if (problem !== undefined) throw new UnusableLine(number, problem);
  return { side, message: { t: timeOf(value, number), line: number, dir, msg: message as RecordedJson } };
}

function parsed(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableLine(number, 'expected one JSON object a line, but it cannot be parsed');
  }
}

/**
 * The recording that a text is. Throws an `UnusableLine`. A last line without its end that cannot be
 * parsed is what a kill leaves behind: `isCut`.
 */
export function readRecording(text: string): Recording {
  const lines = text.split('\n');
  const last = lines.length;
  const reads: Read[] = [];
  let isCut = false;
  lines.forEach((line, index) => {
    if (line.trim() === '') return;
    try {
      const read = readLine(parsed(line, index + 1), index + 1);
      if (read !== undefined) reads.push(read);
    } catch (error) {
      if (index + 1 < last || last === 1) throw error;
      isCut = true;
    }
  });
  return { connections: connectionsOf(reads), isCut };
}

function connectionsOf(reads: readonly Read[]): Connection[] {
  const bySide = new Map<Side | undefined, RecordedMessage[]>();
  for (const { side, message } of reads) {
    const messages = bySide.get(side) ?? [];
    messages.push(message);
    bySide.set(side, messages);
  }
  return [...bySide].map(([side, messages]) => ({ side, messages }));
}
