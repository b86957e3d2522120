/**
 * The way out of one direction: bytes in order, and as few writes as possible. Neighbouring bytes of
 * one read leave as one slice of it; messages that are made here are written into one piece of memory,
 * as long as nothing comes between them. Knows when the sink is full, and that a message never starts
 * in the middle of a line. Knows nothing of messages otherwise.
 */
import { Buffer } from 'node:buffer';
import type { Pieces } from './long-text.js';

const LF = 10;
/** Memory for messages that are made here, and for a few at first. */
const SLAB = 64 * 1024;
const FIRST_SLAB = 4 * 1024;
/** The bytes that a string may have for each of its units. */
const UNIT_BYTES = 3;

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
  /** What was made here and has not left: a range of this memory. */
  #slab: Buffer = Buffer.alloc(0);
  #madeFrom = 0;
  #madeTo = 0;

  constructor(write: (bytes: Uint8Array) => boolean) {
    this.#write = write;
  }

  /** Sends a peer's bytes on, as they came. They leave at the latest with `flush`. */
  pass(bytes: Uint8Array, start: number, end: number): void {
    this.told = true;
    const from = bytes.byteOffset + start;
    if (this.#memory !== bytes.buffer || this.#end !== from || this.#madeFrom < this.#madeTo) {
      this.flush();
      this.#memory = bytes.buffer;
      this.#bytes = bytes;
      this.#start = from;
    }
    this.#end = bytes.byteOffset + end;
  }

  /** Sends a message that was made here, on a line of its own. It leaves at the latest with `flush`. */
  send(pieces: Pieces): void {
    if (this.#memory !== undefined) this.flush();
    let size = this.#midLine ? this.#put('\n') : 0;
    for (const piece of pieces) size += this.#put(piece);
    this.#midLine = this.#slab[this.#madeTo - 1] !== LF;
    if (this.full) this.backlog += size;
  }

  flush(): void {
    const bytes = this.#bytes;
    if (bytes !== undefined) {
      const length = this.#end - this.#start;
      this.#memory = this.#bytes = undefined;
      // A read that goes on as a whole leaves as it is.
      this.#out(length === bytes.length && this.#start === bytes.byteOffset ? bytes : Buffer.from(bytes.buffer, this.#start, length));
    } else if (this.#madeFrom < this.#madeTo) {
      const made = this.#slab.subarray(this.#madeFrom, this.#madeTo);
      this.#madeFrom = this.#madeTo;
      this.#out(made);
    }
  }

  /** The sink took what it had. */
  drained(): void {
    this.full = false;
    this.backlog = 0;
  }

  /** Returns the bytes of the piece. */
  #put(piece: string | Uint8Array): number {
    this.#makeRoom(typeof piece === 'string' ? piece.length * UNIT_BYTES : piece.length, piece);
    const from = this.#madeTo;
    if (typeof piece === 'string') this.#madeTo += this.#slab.write(piece, from);
    else {
      this.#slab.set(piece, from);
      this.#madeTo += piece.length;
    }
    return this.#madeTo - from;
  }

  /** Memory that was written from is never written to again: the sink may still read it. */
  #makeRoom(most: number, piece: string | Uint8Array): void {
    if (this.#slab.length - this.#madeTo >= most) return;
    const size = Buffer.byteLength(piece);
    if (this.#slab.length - this.#madeTo >= size) return;
    const isFirst = this.#slab.length === 0;
    this.flush();
    this.#slab = Buffer.allocUnsafeSlow(Math.max(size, isFirst ? FIRST_SLAB : SLAB));
    this.#madeFrom = this.#madeTo = 0;
  }

  #out(bytes: Uint8Array): void {
    this.#midLine = bytes[bytes.length - 1] !== LF;
    if (!this.#write(bytes)) this.full = true;
  }
}
