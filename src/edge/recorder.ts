/**
 * `--record`: what passes on both sides of the proxy, written to a file before it goes on. Loaded only
 * where it is asked for. What goes wrong here ends the recording, never the session.
 */
import { constants } from 'node:buffer';
import { closeSync, constants as fileConstants, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { relayError } from '../errors.js';
import type { Direction, Log } from '../plugin.js';
import type { Side } from '../check/index.js';
import type { MessageName, OriginPort } from '../pipeline/origins.js';
import { headerLine, nameIn, notedLine, recordedLine, type Seen } from '../record/line.js';
import { Lines } from '../wire/lines.js';
import { packageVersion } from './version.js';

export interface RecorderSettings {
  readonly path: string;
  /** A file that would grow beyond this many bytes becomes `<path>.1`. `undefined`: it grows. */
  readonly size: number | undefined;
  /** Contents and secrets are masked. */
  readonly redact: boolean;
  readonly log: Log;
  readonly now: () => number;
}

export type Way = 'c2a' | 'a2c';

export interface Recorder {
  /** Bytes that leave on this side, this way. Returns when all whole lines are in the file. */
  seen(side: Side, dir: Way, bytes: Uint8Array): void;
  /**
   * Bytes that came on this side, this way: `pass` is called with each line of them, and the line is in
   * the file before anything leaves because of it. Returns what the last `pass` did.
   */
  came(side: Side, dir: Way, bytes: Uint8Array, pass: (bytes: Uint8Array) => boolean): boolean;
  /** Whose work the lines are. */
  readonly origin: OriginPort;
  /** The agent was started again: nothing of its old half lines follows. */
  restarted(): void;
  /** Writes what came without an end. */
  close(): void;
}

// A recording holds what was said: it is its owner's alone. A pipe that nobody reads must not hold the session.
const mode = 0o600;
const { O_RDWR, O_CREAT, O_APPEND, O_NONBLOCK = 0 } = fileConstants;
const flags = O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK;
const LF = 10;
/** A line is written as a JSON string, in which each byte may take six characters. */
const longestText = Math.floor(constants.MAX_STRING_LENGTH / 8);

const wayOf: Readonly<Record<Direction, Way>> = { toAgent: 'c2a', toClient: 'a2c' };

/** The bytes line by line, the last one perhaps without its end. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LF, start);
    const end = found === -1 ? bytes.length : found + 1;
    yield bytes.subarray(start, end);
    start = end;
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The length of a file, and whether its last line was cut off by a kill. */
function endOf(fd: number): { readonly size: number; readonly isCut: boolean } {
  const stat = fstatSync(fd);
  if (!stat.isFile() || stat.size === 0) return { size: 0, isCut: false };
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, stat.size - 1);
  return { size: stat.size, isCut: last[0] !== LF };
}

/** Opens the recording, behind what it holds already. Throws a `RelayError`. */
export function openRecorder({ path, size: limit, redact, log, now }: RecorderSettings): Recorder {
  const begunAt = now();
  const lines = new Map<string, Lines>();
  let fd: number | undefined;
  let size = 0;

  function open(continues: boolean): void {
    fd = openSync(path, flags, mode);
    const end = endOf(fd);
    size = end.size;
    append(`${end.isCut ? '\n' : ''}${headerLine(packageVersion(), new Date().toISOString(), continues)}`);
  }

  function append(text: string): void {
    const bytes = Buffer.from(text);
    if (fd === undefined) return;
    // One write is one piece of the file.
    for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
    size += bytes.length;
  }

  function giveUp(error: unknown): void {
    log.error(`--record ${path} cannot be written, the recording ends here and the session goes on: ${reasonOf(error)}`);
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  }

  function rotate(): void {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
    renameSync(path, `${path}.1`);
    open(true);
  }

  function write(text: string): void {
    if (fd === undefined || text === '') return;
    try {
      if (limit !== undefined && size > 0 && size + Buffer.byteLength(text) > limit) rotate();
      append(text);
    } catch (error) {
      giveUp(error);
    }
  }

  const linesOf = (side: Side, dir: Way): Lines => {
    const found = lines.get(`${side} ${dir}`) ?? new Lines();
    lines.set(`${side} ${dir}`, found);
    return found;
  };

  /** The line that `cursor` stands on; `undefined`: it is blank, or longer than a string can be. */
  const lineAt = ({ buffer, start, end }: Lines, side: Side, dir: Way): Seen | undefined => {
    if (end - start > longestText) {
      log.warn(`--record: a line of ${end - start} bytes is too long for a recording and is not in it`);
      return undefined;
    }
    const text = buffer.toString('utf8', start, end).replace(/\r?\n$/, '');
    return text.trim() === '' ? undefined : { t: now() - begunAt, at: side, dir, text };
  };

  /** The whole lines, and half a one before, that these bytes end. */
  function linesIn(side: Side, dir: Way, bytes: Uint8Array): Seen[] {
    const cursor = linesOf(side, dir);
    // The caller's bytes may be part of a buffer that is read into again.
    cursor.push(Uint8Array.from(bytes));
    const found: Seen[] = [];
    while (cursor.next()) {
      const line = lineAt(cursor, side, dir);
      if (line !== undefined) found.push(line);
    }
    cursor.release();
    return found;
  }

  /** The line that is on its way through the plugins, and not written yet. */
  let pending: Seen | undefined;
  /** Who made the next line that leaves. */
  const makers = new Map<Way, readonly string[]>();

  function writePending(): void {
    const line = pending;
    pending = undefined;
    if (line !== undefined) write(recordedLine(line, redact));
  }

  function noteDropped(direction: Direction, message: MessageName, droppedBy: readonly string[]): void {
    const side = direction === 'toAgent' ? 'client' : 'agent';
    const name = pending?.at === side ? nameIn(pending.text) : undefined;
    if (pending !== undefined && name?.method === message.method && name?.id === message.id) pending = { ...pending, droppedBy };
    else write(notedLine({ t: now() - begunAt, at: side, dir: wayOf[direction], of: message, droppedBy }));
  }

  try {
    open(false);
  } catch (error) {
    if (fd === undefined) throw relayError('UNWRITABLE_RECORDING', { path, reason: reasonOf(error) });
    giveUp(error);
  }

  return {
    seen(side, dir, bytes) {
      if (fd === undefined) return;
      writePending();
      const by = makers.get(dir);
      // A large line leaves in several writes, and is known with its last.
      if (bytes.includes(LF)) makers.delete(dir);
      write(linesIn(side, dir, bytes).map((line) => recordedLine(by === undefined ? line : { ...line, by }, redact)).join(''));
    },
    came(side, dir, bytes, pass) {
      if (fd === undefined) return pass(bytes);
      let goesOn = true;
      for (const piece of piecesOf(bytes)) {
        writePending();
        [pending] = linesIn(side, dir, piece);
        goesOn = pass(piece);
      }
      writePending();
      return goesOn;
    },
    origin: {
      made: (direction, by) => void makers.set(wayOf[direction], by),
      dropped: noteDropped,
    },
    restarted() {
      lines.delete('agent c2a');
      lines.delete('agent a2c');
    },
    close() {
      for (const [name, cursor] of lines) {
        const [side, dir] = name.split(' ') as [Side, Way];
        const line = cursor.last() ? lineAt(cursor, side, dir) : undefined;
        if (line !== undefined) write(recordedLine(line, redact));
      }
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}
