/**
 * The way out of one direction: bytes in order, and as few writes as possible. Neighbouring bytes of
 * one read leave as one slice of it. Knows when the sink is full, and that a message never starts in
 * the middle of a line. Knows nothing of messages otherwise.
 */
import { Buffer } from 'node:buffer';

const LF = 10;
const lineEnd = Uint8Array.of(LF);

export class Outbox {
  /** The sink said that it is full and has not drained since. */
  full = false;
  /** Something was written, other than what a plugin asked for itself. The one who sends knows, except for what passes. */
  told = false;
  /** Bytes of messages made here that were written in spite of that. */
  backlog = 0;
  readonly #write: (bytes: Uint8Array) => boolean;
  /** What waits for its neighbours: a range of this memory, which begins in these bytes. */
  #memory: ArrayBufferLike | undefined;
  #bytes: Uint8Array | undefined;
  #start = 0;
  #end = 0;
  #midLine = false;

  constructor(write: (bytes: Uint8Array) => boolean) {
    this.#write = write;
  }

  /** Sends a peer's bytes on, as they came. They leave at the latest with `flush`. */
  pass(bytes: Uint8Array, start: number, end: number): void {
    this.told = true;
    const from = bytes.byteOffset + start;
    if (this.#memory !== bytes.buffer || this.#end !== from) {
      this.flush();
      this.#memory = bytes.buffer;
      this.#bytes = bytes;
      this.#start = from;
    }
    this.#end = bytes.byteOffset + end;
  }

  /** Sends a message that was made here, on a line of its own. */
  send(bytes: Uint8Array): void {
    this.flush();
    if (this.#midLine) this.#out(lineEnd);
    this.#out(bytes);
    if (this.full) this.backlog += bytes.length;
  }

  flush(): void {
    const bytes = this.#bytes;
    if (bytes === undefined) return;
    const length = this.#end - this.#start;
    this.#memory = this.#bytes = undefined;
    // A read that goes on as a whole leaves as it is.
    this.#out(length === bytes.length && this.#start === bytes.byteOffset ? bytes : Buffer.from(bytes.buffer, this.#start, length));
  }

  /** The sink took what it had. */
  drained(): void {
    this.full = false;
    this.backlog = 0;
  }

  #out(bytes: Uint8Array): void {
    this.#midLine = bytes[bytes.length - 1] !== LF;
    if (!this.#write(bytes)) this.full = true;
  }
}
