/**
 * One writable stream as the relay sees it: ordered writes, "full" and "drained", and an end that
 * is never waited for in vain. Knows bytes only.
 */
import type { Writable } from 'node:stream';

export interface Sink {
  /** Writes in order. False: full, `drained` follows. What goes to a broken sink is dropped. */
  write(bytes: Uint8Array): boolean;
  /** Whether `drained` is still to come. */
  isFull(): boolean;
  /** Resolves when all that was written has left the process, or cannot. */
  flushed(): Promise<void>;
  /** Ends the stream behind the last write. */
  end(): void;
}

export interface SinkEvents {
  drained(): void;
  /** The reader is gone; told once. */
  broken(error: NodeJS.ErrnoException): void;
}

/**
 * What may wait inside the process before the source is paused. Above the streams' own marks, so
 * that `drain` follows each time: https://nodejs.org/api/stream.html#event-drain
 */
const fullAt = 128 * 1024;

export function createSink(stream: Writable, events: SinkEvents): Sink {
  let full = false;
  let broken = false;
  const flushes = new Set<() => void>();

  function settle(): void {
    if (full) {
      full = false;
      events.drained();
    }
  }

  stream.on('drain', settle);
  // Waiting for `drain` alone would never end once the reader is gone.
  stream.on('error', (error) => {
    if (broken) return;
    broken = true;
    for (const done of flushes) done();
    events.broken(error);
    settle();
  });

  return {
    write(bytes) {
      if (broken) return true;
      stream.write(bytes);
      full = stream.writableLength > fullAt;
      return !full;
    },
    isFull: () => full,
    flushed: () =>
      new Promise((resolve) => {
        if (broken || stream.destroyed) return resolve();
        flushes.add(resolve);
        stream.write('', () => resolve());
      }),
    end() {
      if (!broken) stream.end();
    },
  };
}
