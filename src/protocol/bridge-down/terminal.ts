/**
 * The terminals of a v2 agent for a v1 client (ACP v2 "Terminals"). A client that takes the
 * `_meta.terminal_*` extension is told of each in the tool call that shows it; any other reads the end
 * of its output as text of that call. What is kept of an output is bounded.
 */
import { integerOf, objectOf, stringOf, type JsonObject } from '../shape.js';
import { goesOn, nothingTold, toldAfter, type Told } from './told.js';

/** How much of an output is kept, and shown as text, in UTF-16 units. */
export const MAX_TAIL = 32_768;

export interface V2Terminal {
  readonly command?: string | undefined;
  readonly cwd?: string | undefined;
  /** The end of the output. */
  readonly tail: string;
  /** The output is longer than what is kept of it. */
  readonly isCut: boolean;
  /** Bytes of a character that has not come whole. */
  readonly rest: Uint8Array;
  readonly exit?: JsonObject | undefined;
  /** What of the output the client was told in the extension. */
  readonly told: Told;
  /** What is still to be told in the extension. */
  readonly untold: string;
  readonly exitTold: boolean;
  /** The call that shows it to the client. */
  readonly shownBy?: string | undefined;
}

export const newTerminal: V2Terminal = { tail: '', isCut: false, rest: new Uint8Array(), told: nothingTold, untold: '', exitTold: false };

/** The terminal as for a client that knows nothing of it. */
export const untoldTerminal = (terminal: V2Terminal): V2Terminal => ({ ...terminal, told: nothingTold, untold: terminal.tail, exitTold: false, shownBy: undefined });

/** How many bytes at the end begin a character that has not come whole. */
function openBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

function decoded(rest: Uint8Array, data: unknown): { text: string; rest: Uint8Array } {
  const bytes = Buffer.concat([rest, Buffer.from(stringOf(data) ?? '', 'base64')]);
  const open = openBytes(bytes);
  return { text: bytes.subarray(0, bytes.length - open).toString('utf8'), rest: Uint8Array.from(bytes.subarray(bytes.length - open)) };
}

const bounded = (text: string): string => (text.length > MAX_TAIL ? text.slice(text.length - MAX_TAIL) : text);

/** What no call shows yet may wait for long; what one shows is told at once, and whole. */
const waiting = ({ shownBy }: V2Terminal, text: string): string => (shownBy === undefined ? bounded(text) : text);

function appended(terminal: V2Terminal, text: string): V2Terminal {
  const tail = terminal.tail + text;
  return { ...terminal, tail: bounded(tail), isCut: terminal.isCut || tail.length > MAX_TAIL, untold: waiting(terminal, terminal.untold + text) };
}

/** Output that is replaced: what goes on from what was told is told as its rest; else it is told whole behind that, on a line of its own. */
function replaced(before: V2Terminal, data: unknown): V2Terminal {
  const { text, rest } = decoded(new Uint8Array(), data);
  const known = { ...before, tail: bounded(text), isCut: text.length > MAX_TAIL, rest };
  if (goesOn(before.told, text)) return { ...known, untold: waiting(before, text.slice(before.told.length)) };
  return { ...known, told: nothingTold, untold: waiting(before, before.told.length > 0 ? `\n${text}` : text) };
}

const optional = (value: unknown, before: string | undefined): string | undefined => (value === undefined ? before : stringOf(value));

/** The terminal after a `terminal_update` or a `terminal_output_chunk`. `null` clears. */
export function terminalAfter(before: V2Terminal, update: JsonObject): V2Terminal {
  if (update.sessionUpdate === 'terminal_output_chunk') {
    const { text, rest } = decoded(before.rest, update.data);
    return { ...appended(before, text), rest };
  }
  const shown = update.output === undefined ? before : replaced(before, objectOf(update.output)?.data);
  return {
    ...shown,
    command: optional(update.command, before.command),
    cwd: optional(update.cwd, before.cwd),
    ...(update.exitStatus === undefined ? {} : { exit: objectOf(update.exitStatus), exitTold: before.exitTold && objectOf(update.exitStatus) !== undefined && JSON.stringify(before.exit) === JSON.stringify(update.exitStatus) }),
  };
}

const exitOf = (exit: JsonObject): JsonObject => ({ exit_code: integerOf(exit.exitCode) ?? null, signal: stringOf(exit.signal) ?? null });

/** What is to be told of a terminal in `_meta` of the call that shows it, and the terminal after that; `meta` is `undefined` when there is nothing. */
export function toldTerminal(terminalId: string, terminal: V2Terminal, call: string): { terminal: V2Terminal; meta: JsonObject | undefined } {
  if (terminal.shownBy !== undefined && terminal.shownBy !== call) return { terminal, meta: undefined };
  const begins = terminal.shownBy === undefined;
  const exits = terminal.exit !== undefined && !terminal.exitTold;
  const meta = {
    ...(begins ? { terminal_info: { terminal_id: terminalId, ...(terminal.cwd === undefined ? {} : { cwd: terminal.cwd }) } } : {}),
    ...(terminal.untold === '' ? {} : { terminal_output: { terminal_id: terminalId, data: terminal.untold } }),
    ...(exits ? { terminal_exit: { terminal_id: terminalId, ...exitOf(terminal.exit ?? {}) } } : {}),
  };
  if (Object.keys(meta).length === 0) return { terminal, meta: undefined };
  return { terminal: { ...terminal, shownBy: call, told: toldAfter(terminal.told, terminal.untold), untold: '', exitTold: terminal.exitTold || exits }, meta };
}

/** A fence that the text does not hold. */
const fenceFor = (text: string): string => '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));

function ended(exit: JsonObject | undefined): string[] {
  const code = integerOf(exit?.exitCode);
  const signal = stringOf(exit?.signal);
  if (signal !== undefined) return [`Ended by ${signal}`];
  return code === undefined || code === 0 ? [] : [`Exited with code ${code}`];
}

/** The terminal as text content of a call; nothing where there is nothing to read. */
export function toV1TerminalText({ command, tail, isCut, exit }: V2Terminal): JsonObject[] {
  const lines = [...(command === undefined ? [] : [`$ ${command}`]), ...(isCut ? ['...'] : []), ...(tail === '' ? [] : [tail.replace(/\n$/, '')])].join('\n');
  const parts = [...(lines === '' ? [] : [`${fenceFor(lines)}console\n${lines}\n${fenceFor(lines)}`]), ...ended(exit)];
  return parts.length === 0 ? [] : [{ type: 'content', content: { type: 'text', text: parts.join('\n\n') } }];
}
