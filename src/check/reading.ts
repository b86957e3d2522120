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
  /** It begins in the middle: what came before is in an older file. */
  readonly continues: boolean;
  /** `undefined`: the recording has one side only and does not say which. */
  readonly side: Side | undefined;
  /** When its time 0 was, in milliseconds since the epoch; only ours says so. */
  readonly startedAt: number | undefined;
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

/** One run of a recorder: it begins with a line that says so, unless the recording is not ours. */
interface Run {
  readonly continues: boolean;
  readonly startedAt: number | undefined;
  readonly bySide: Map<Side | undefined, RecordedMessage[]>;
}

const quoted = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : typeName(value));

/** What keeps a value from being a message: an object with `method`, or with `id` and `result` or `error`. */
export function problemOf(message: unknown): string | undefined {
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

function addLine({ bySide }: Run, value: unknown, number: number): void {
  if (!isObject(value)) throw new UnusableLine(number, `expected a JSON object, but got ${typeName(value)}`);
  const { dir, at: side, msg, t: _t, ...bare } = value;
  if (dir !== 'c2a' && dir !== 'a2c') throw new UnusableLine(number, `expected "dir" to be "c2a" or "a2c", but got ${quoted(dir)}`);
  if (side !== undefined && side !== 'client' && side !== 'agent') throw new UnusableLine(number, `expected "at" to be "client" or "agent", but got ${quoted(side)}`);
  // What was no message at all, and what is known of a message further up.
  if (msg === undefined && ('raw' in bare || 'droppedBy' in bare)) return;
  const message = msg === undefined ? bare : msg;
  const problem = problemOf(message);
  if (problem !== undefined) throw new UnusableLine(number, problem);
  const messages = bySide.get(side) ?? [];
  messages.push({ t: timeOf(value, number), line: number, dir, msg: message as RecordedJson });
  bySide.set(side, messages);
}

function parsed(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableLine(number, 'expected one JSON object a line, but it cannot be parsed');
  }
}

/** When a run began, as its first line says. */
function startOf({ startedAt }: JsonObject): number | undefined {
  const start = typeof startedAt === 'string' ? Date.parse(startedAt) : NaN;
  return Number.isNaN(start) ? undefined : start;
}

const isHeader = (value: unknown): value is JsonObject => isObject(value) && isObject(value.recorder);

/** Whether a line that cannot be used is what a kill left behind: the last, without its end, or the one before a new run. */
function isCutOff(lines: readonly string[], index: number): boolean {
  if (index === lines.length - 1) return index > 0;
  return /^\{"recorder":/.test(lines[index + 1] ?? '');
}

/**
 * The recording that a text is: its connections, in order. Throws an `UnusableLine`. A line that a kill
 * cut off is left out: `isCut`.
 */
export function readRecording(text: string): Recording {
  const lines = text.split('\n');
  const runs: Run[] = [{ continues: false, startedAt: undefined, bySide: new Map() }];
  let isCut = false;
  lines.forEach((line, index) => {
    if (line.trim() === '') return;
    try {
      const value = parsed(line, index + 1);
      if (!isHeader(value)) addLine(runs.at(-1) as Run, value, index + 1);
      else if (value.continues !== true || index === 0) runs.push({ continues: value.continues === true, startedAt: startOf(value), bySide: new Map() });
    } catch (error) {
      if (!isCutOff(lines, index)) throw error;
      isCut = true;
    }
  });
  const connections = runs.flatMap(({ bySide, ...run }) => [...bySide].map(([side, messages]): Connection => ({ ...run, side, messages })));
  return { connections, isCut };
}
