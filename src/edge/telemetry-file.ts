/** The trace file: lines appended to its end. Knows lines only. */
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { relayError } from '../errors.js';

export interface TraceFile {
  readonly path: string;
  /** Appends a whole line before it returns. Throws as `fs.writeSync`. */
  append(line: Uint8Array): void;
  close(): void;
}

// A pipe that nobody reads must not hold the session: there a write fails, and its spans are counted as lost.
// Windows has no such flag.
const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NONBLOCK ?? 0);

const newline = Buffer.from('\n');

/**
 * Opens the file, which several processes may share. One that is made for contents is its owner's alone.
 * Throws a `RelayError`.
 */
export function openTraceFile(path: string, holdsContent = false): TraceFile {
  let fd: number;
  try {
    fd = openSync(path, flags, holdsContent ? 0o600 : 0o666);
  } catch (error) {
    throw relayError('UNWRITABLE_TRACE_FILE', { path, reason: error instanceof Error ? error.message : String(error) });
  }
  let torn = false;
  return {
    path,
    append(line) {
      const bytes = Buffer.concat([...(torn ? [newline] : []), line, newline]);
      let written = 0;
      try {
        // One write is one piece of the file, also where others append to it.
        while (written < bytes.length) written += writeSync(fd, bytes, written);
        torn = false;
      } catch (error) {
        torn ||= written > 0;
        throw error;
      }
    },
    close: () => closeSync(fd),
  };
}
