/**
 * Our own stdin and stdout. stdout belongs to the protocol ("Shape of the program"): it is taken
 * once, and whatever else in this process writes to `process.stdout` comes out on stderr.
 */
import { Writable, type Readable } from 'node:stream';
import type { ByteWriter } from './stderr.js';

export interface OwnStdio {
  readonly input: Readable;
  readonly output: Writable;
}

/** Takes stdin and stdout. From here on `process.stdout` and `process.stderr` are `stderr`. */
export function takeStdio(stderr: ByteWriter): OwnStdio {
  const taken = { input: process.stdin, output: process.stdout };
  const diverted = () =>
    new Writable({
      write(chunk: Uint8Array, _encoding, done) {
        stderr.write(chunk);
        done();
      },
    });
  for (const name of ['stdout', 'stderr'] as const) {
    let stream: Writable | undefined;
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => (stream ??= diverted()) });
  }
  return taken;
}
