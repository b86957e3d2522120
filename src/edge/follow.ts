/**
 * Follows the bytes of files that someone else writes: what an agent's task prints. One timer for
 * all of them; regular files only, no links; reads and backlog are bounded, and a character is
 * never cut in two. Knows bytes and files, not what they mean.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Follow, FollowEvents } from '../plugin.js';

/** Between two looks at a file. */
export const pollMs = 200;
/** One read, and so one delivery. */
export const readLimit = 64 * 1024;
/** What one look reads at most; of more than this the newest is kept. */
export const backlogLimit = 1024 * 1024;
/** So many files are looked at in one go, in turns where there are more. */
export const looksAtOnce = 256;

const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** What is known of a followed file between two looks. */
interface Position {
  /** Device and inode: another file under the same name starts anew. */
  file: string | undefined;
  /** Delivered so far. The bytes of an unfinished character are read again. */
  offset: number;
  /** Whether the next bytes replace all that came before. */
  fresh: boolean;
}

const failures: Readonly<Record<string, string>> = { ELOOP: 'it is a symbolic link', EACCES: 'permission denied', EPERM: 'permission denied' };
/** Not there yet, or not at the moment. */
const passing = new Set(['ENOENT', 'ENOTDIR', 'EMFILE', 'ENFILE', 'EINTR', 'EAGAIN', 'EBUSY']);

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error';

/** Makes `Host.follow`. `every` starts a repeating timer and returns its stop. */
export function createFollower(every: (ms: number, run: () => void) => () => void): (path: string, events: FollowEvents) => Follow {
  const looks = new Set<() => void>();
  let stop: (() => void) | undefined;

  function remove(look: () => void): void {
    looks.delete(look);
    if (looks.size > 0) return;
    stop?.();
    stop = undefined;
  }

  return (path, events) => {
    const position: Position = { file: undefined, offset: 0, fresh: true };
    const look = (): void => lookAt(false);

    function lookAt(whole: boolean): void {
      const failure = newBytes(path, position, whole, (data, reset) => looks.has(look) && events.bytes(data, reset));
      if (failure === undefined || !looks.has(look)) return;
      remove(look);
      events.failed?.(failure);
    }

    looks.add(look);
    stop ??= every(pollMs, () => lookAtSome(looks));
    return {
      flush: () => looks.has(look) && lookAt(true),
      close: () => remove(look),
    };
  };
}

/** Those that were looked at go behind the others. */
function lookAtSome(looks: Set<() => void>): void {
  for (const look of [...looks].slice(0, looksAtOnce)) {
    if (!looks.delete(look)) continue;
    looks.add(look);
    look();
  }
}

/** Delivers what is new and moves the position. Returns why the file cannot be followed. */
function newBytes(path: string, position: Position, whole: boolean, deliver: (data: Uint8Array, reset: boolean) => void): string | undefined {
  if (!isAbsolute(path)) return 'its path is not absolute';
  let fd: number;
  try {
    fd = openSync(path, openFlags);
  } catch (error) {
    const code = codeOf(error);
    return passing.has(code) ? undefined : (failures[code] ?? code);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return 'it is not a regular file';
    startOver(position, `${stat.dev}:${stat.ino}`, stat.size, deliver);
    readOn(fd, position, stat.size, whole, deliver);
    if (whole && stat.size === 0 && position.fresh) {
      position.fresh = false;
      deliver(new Uint8Array(0), true);
    }
    return undefined;
  } catch (error) {
    return codeOf(error);
  } finally {
    closeSync(fd);
  }
}

/** A file that was replaced or cut starts anew, and one with too much that is new near its end. */
function startOver(position: Position, file: string, size: number, deliver: (data: Uint8Array, reset: boolean) => void): void {
  const replaced = position.file !== undefined && position.file !== file;
  const seen = !position.fresh;
  position.file = file;
  if (replaced || size < position.offset) {
    position.offset = 0;
    position.fresh = true;
    if (size === 0 && seen) deliver(new Uint8Array(0), true);
  }
  if (size - position.offset > backlogLimit) {
    position.offset = size - backlogLimit;
    position.fresh = true;
  }
}

function readOn(fd: number, position: Position, size: number, whole: boolean, deliver: (data: Uint8Array, reset: boolean) => void): void {
  while (position.offset < size) {
    const buffer = Buffer.allocUnsafe(Math.min(readLimit, size - position.offset));
    const length = readSync(fd, buffer, 0, buffer.length, position.offset);
    if (length === 0) return;
    const read = buffer.subarray(0, length);
    // A start in the middle of a file may be in the middle of a character.
    const from = position.fresh && position.offset > 0 ? continuationBytes(read) : 0;
    const last = position.offset + length >= size;
    const to = whole && last ? length : length - unfinishedBytes(read);
    if (to <= from) return;
    const reset = position.fresh;
    position.offset += to;
    position.fresh = false;
    deliver(read.subarray(from, to), reset);
  }
}

/** How many bytes at the start belong to a character that began earlier (at most 3). */
function continuationBytes(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}

/** How many bytes at the end are the start of a character that goes on (at most 3). */
export function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 && byte <= 0xf7 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return byte < 0xf8 && needed > back ? back : 0;
  }
  return 0;
}
