/**
 * `--record`: what passes on both sides of the proxy, written to a file before it goes on. Loaded only
 * where it is asked for. What goes wrong here ends the recording, never the session.
 */
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { relayError } from '../errors.js';
import type { Log } from '../plugin.js';
import type { Side } from '../check/index.js';
import { headerLine, recordedLine } from '../record/line.js';
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
  /** Bytes that passed on this side, this way. Returns when all whole lines are in the file. */
  seen(side: Side, dir: Way, bytes: Uint8Array): void;
  /** The agent was started again: nothing of its old half lines follows. */
  restarted(): void;
  /** Writes what came without an end. */
  close(): void;
}

// A recording holds what was said: it is its owner's alone. A pipe that nobody reads must not hold the session.
const mode = 0o600;
const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NONBLOCK ?? 0);
const LF = 10;

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

  /** The line that `cursor` stands on. */
  const lineAt = ({ buffer, start, end }: Lines, side: Side, dir: Way): string => {
    const text = buffer.toString('utf8', start, end).replace(/\r?\n$/, '');
    return text.trim() === '' ? '' : recordedLine({ t: now() - begunAt, at: side, dir, text }, redact);
  };

  try {
    open(false);
  } catch (error) {
    if (fd === undefined) throw relayError('UNWRITABLE_RECORDING', { path, reason: reasonOf(error) });
    giveUp(error);
  }

  return {
    seen(side, dir, bytes) {
      if (fd === undefined) return;
      const cursor = linesOf(side, dir);
      // The caller's bytes may be part of a buffer that is read into again.
      cursor.push(Uint8Array.from(bytes));
      let text = '';
      while (cursor.next()) text += lineAt(cursor, side, dir);
      cursor.release();
      write(text);
    },
    restarted() {
      lines.delete('agent c2a');
      lines.delete('agent a2c');
    },
    close() {
      for (const [name, cursor] of lines) {
        const [side, dir] = name.split(' ') as [Side, Way];
        if (cursor.last()) write(lineAt(cursor, side, dir));
      }
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}
