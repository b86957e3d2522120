/**
 * Writing to stderr without touching it: `process.stderr` would switch a pipe to non-blocking mode,
 * and with it the agent, which shares it, and whose own writes would then fail with EAGAIN. Order is
 * kept; nothing here blocks the session on a pipe that nobody reads. Knows bytes only.
 */
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';

export interface ByteWriter {
  write(bytes: Uint8Array | string): void;
  /** Writes what waits, as far as the reader takes it at once. */
  flush(): void;
  /** Resolves when nothing waits any more, or nobody can read it. */
  flushed(): Promise<void>;
}

export interface WriterPorts {
  /** Writes a part and returns its length; throws like `fs.writeSync`. */
  writePart(bytes: Uint8Array): number;
  after(ms: number, run: () => void): void;
}

/**
 * What waits for a reader that does not read is bounded; what comes then is counted and dropped. What
 * was begun is written to its end, however long it is.
 */
const backlogLimit = 1 << 20;
/** Shorter pieces than this wait as one. */
const pieceSize = 1024;
const retryMs = 20;

const isFull = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN';

/** A writer that keeps order, retries what did not fit, and says how much it dropped. */
export function createByteWriter(ports: WriterPorts): ByteWriter {
  const waiting: Uint8Array[] = [];
  let size = 0;
  let dropped = 0;
  let broken = false;
  const atRest: (() => void)[] = [];

  function drain(): void {
    writeWaiting();
    if (waiting.length > 0 && !broken) return;
    for (const resolve of atRest.splice(0)) resolve();
  }

  function writeWaiting(): void {
    while (waiting[0] !== undefined && !broken) {
      try {
        const written = ports.writePart(waiting[0]);
        size -= written;
        if (written < waiting[0].length) waiting[0] = waiting[0].subarray(written);
        else waiting.shift();
      } catch (error) {
        if (isFull(error)) return;
        // Nobody can be told that stderr is gone: the session goes on without it.
        broken = true;
      }
    }
  }

  function retryLater(): void {
    ports.after(retryMs, () => {
      drain();
      if (size > 0 && !broken) retryLater();
    });
  }

  /** Puts short pieces together: a flood of lines of two bytes would hold far more than their bytes. */
  function queue(bytes: Uint8Array): void {
    const last = waiting.length > 1 ? waiting[waiting.length - 1] : undefined;
    if (last === undefined || last.length + bytes.length > pieceSize) waiting.push(bytes);
    else waiting[waiting.length - 1] = Buffer.concat([last, bytes]);
  }

  function enqueue(bytes: Uint8Array): void {
    const idle = waiting.length === 0;
    size += bytes.length;
    // What waits is copied: it may be part of a read buffer.
    if (!idle) return queue(Uint8Array.from(bytes));
    waiting.push(bytes);
    drain();
    if (waiting[0] === undefined || broken) return;
    waiting[0] = Uint8Array.from(waiting[0]);
    retryLater();
  }

  return {
    write(data) {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      if (broken || bytes.length === 0) return;
      if (size > 0 && size + bytes.length > backlogLimit) {
        dropped += bytes.length;
        return;
      }
      if (dropped > 0) {
        enqueue(Buffer.from(`afterturn: stderr was not read; ${dropped} bytes were dropped\n`));
        dropped = 0;
      }
      enqueue(bytes);
    },
    flush: drain,
    flushed() {
      drain();
      return waiting.length === 0 || broken ? Promise.resolve() : new Promise((resolve) => atRest.push(resolve));
    },
  };
}

/** A descriptor whose writes do not block, where that is possible without changing the shared one. */
function ownDescriptor(): number {
  try {
    // Opening a pipe once more through /proc gives an open file description of our own.
    if (fstatSync(2).isFIFO()) return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // No /proc here: the shared descriptor does as well.
  }
  return 2;
}

/** The process's stderr. Opened at the first write. */
export function createStderr(): ByteWriter {
  let fd: number | undefined;
  process.once('exit', () => fd !== undefined && fd !== 2 && closeSync(fd));
  return createByteWriter({
    writePart: (bytes) => writeSync((fd ??= ownDescriptor()), bytes),
    after: (ms, run) => void setTimeout(run, ms).unref(),
  });
}
