/**
 * Chunks to lines: LF ends a line, CR and everything else stays in it. Linear in time: each byte is
 * searched once, and the parts of a long line are joined once. There is no size limit.
 * Knows bytes only: nothing is decoded here, so a character split between chunks stays whole.
 */
import { Buffer } from 'node:buffer';

const LF = 10;
/** Parts below this size are gathered in slabs, so that a line that comes byte by byte stays cheap. */
const SMALL = 1024;
const SLAB = 16 * 1024;
const nothing: Buffer = Buffer.alloc(0);

/** The same bytes as a Buffer, whose search is several times faster than that of a plain array. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The parts of a line whose end has not come yet. */
class Unfinished {
  parts: Buffer[] = [];
  size = 0;
  #slab: Buffer = nothing;
  #used = 0;

  add(part: Buffer): void {
    if (part.length === 0) return;
    this.size += part.length;
    if (part.length < SMALL) this.#gather(part);
    else this.parts.push(part);
  }

  /** Everything that was added, removed. */
  take(): Buffer[] {
    const { parts } = this;
    this.parts = [];
    this.size = 0;
    this.#slab = nothing;
    this.#used = 0;
    return parts;
  }

  /** Copies the part behind the previous small one; then one part stands for both. */
  #gather(part: Buffer): void {
    if (this.#used + part.length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(this.parts.length === 0 ? SMALL : SLAB);
      this.#used = 0;
    }
    const before = this.parts.at(-1);
    const joins = before?.buffer === this.#slab.buffer && before.byteOffset + before.length === this.#used;
    if (joins) this.parts.pop();
    const start = joins ? this.#used - before.length : this.#used;
    this.#used += part.copy(this.#slab, this.#used);
    this.parts.push(this.#slab.subarray(start, this.#used));
  }
}

/**
 * A cursor over lines. After `next()` returned true the line is `buffer[start, end)`, with its LF.
 * A line that lies within one chunk is a range of that chunk; any other is a buffer of its own.
 */
export class Lines {
  buffer: Buffer = nothing;
  start = 0;
  end = 0;
  /** The range continues a line whose beginning was taken with `cut`. */
  isRest = false;
  /** The beginning of a line was taken, and its LF has not come yet. */
  midLine = false;
  #waiting: Buffer[] = [];
  #waitingSize = 0;
  #chunk: Buffer | undefined;
  #position = 0;
  /** What is left of the chunk has no LF: it is the last part of a line that is unfinished. It is put away when more comes. */
  #isOpen = false;
  readonly #unfinished = new Unfinished();

  /** Bytes that have not been looked at. */
  get unread(): number {
    return this.#waitingSize + (this.#isOpen ? 0 : this.#left);
  }

  /** Bytes of a line whose end has not come yet. */
  get begun(): number {
    return this.#unfinished.size + (this.#isOpen ? this.#left : 0);
  }

  /** The first of those bytes. */
  get beginning(): Buffer {
    return this.#unfinished.parts[0] ?? (this.#isOpen ? this.#rest() : nothing);
  }

  /** Nothing that came before waits here. */
  get isEmpty(): boolean {
    return this.#chunk === undefined && this.#unfinished.size === 0;
  }

  /** Takes a chunk, from this place on. */
  push(chunk: Uint8Array, from = 0): void {
    if (chunk.length === from) return;
    const bytes = bufferOf(chunk);
    if (this.#isOpen) this.#putAway();
    if (this.#chunk === undefined) {
      this.#chunk = bytes;
      this.#position = from;
    } else {
      this.#waiting.push(bytes);
      this.#waitingSize += bytes.length;
    }
  }

  /** Moves to the next whole line. False: there is none yet. */
  next(): boolean {
    for (let chunk = this.#chunk; chunk !== undefined && !this.#isOpen; chunk = this.#chunk) {
      const until = chunk.indexOf(LF, this.#position) + 1;
      if (until > 0 || this.midLine) return this.#move(chunk, until);
      this.#isOpen = true;
      if (this.#waiting.length === 0) return false;
      this.#putAway();
    }
    return false;
  }

  /** Moves to as many whole lines as lie in one piece. False: there is none yet. */
  block(): boolean {
    const chunk = this.#chunk;
    if (chunk === undefined || this.#unfinished.size > 0 || this.midLine) return this.next();
    const until = chunk.lastIndexOf(LF) + 1;
    return until > this.#position ? this.#move(chunk, until) : this.next();
  }

  /** Takes more to the lines at hand: those behind them in the same piece, up to this place. */
  extend(end: number): void {
    if (end === this.end) return;
    this.end = end;
    if (end === this.#chunk?.length) this.#advance();
    else this.#position = end;
  }

  /** Moves to what came after the last LF, when nothing more will come. False: nothing did. */
  last(): boolean {
    this.midLine = false;
    if (this.#isOpen) this.#putAway();
    if (this.#unfinished.size === 0) return false;
    this.#set(this.#joined(nothing), 0);
    return true;
  }

  /** Takes the beginning of a line, in parts. What follows of it comes as ranges, up to its LF. */
  cut(): Buffer[] {
    this.midLine = true;
    const parts = this.#unfinished.take();
    if (!this.#isOpen) return parts;
    parts.push(this.#rest());
    this.#advance();
    return parts;
  }

  /** Lets go of the range, so that a long line does not stay in memory until the next. */
  release(): void {
    this.buffer = nothing;
    this.start = this.end = 0;
  }

  /** Moves to the bytes up to `until`; 0: to all that is left of the chunk, in the middle of a line. */
  #move(chunk: Buffer, until: number): true {
    const end = until === 0 ? chunk.length : until;
    const from = this.#position;
    if (this.#unfinished.size === 0) this.#set(chunk, from, end);
    else this.#set(this.#joined(chunk.subarray(from, end)), 0);
    this.isRest = this.midLine;
    if (until > 0) this.midLine = false;
    if (end === chunk.length) this.#advance();
    else this.#position = end;
    return true;
  }

  /** Bytes that are left of the chunk. */
  get #left(): number {
    return this.#chunk === undefined ? 0 : this.#chunk.length - this.#position;
  }

  #rest(): Buffer {
    const chunk = this.#chunk ?? nothing;
    return this.#position === 0 ? chunk : chunk.subarray(this.#position);
  }

  #putAway(): void {
    this.#unfinished.add(this.#rest());
    this.#advance();
  }

  #joined(last: Buffer): Buffer {
    return Buffer.concat([...this.#unfinished.take(), last]);
  }

  #set(buffer: Buffer, start: number, end = buffer.length): void {
    this.buffer = buffer;
    this.start = start;
    this.end = end;
    this.isRest = false;
  }

  #advance(): void {
    this.#chunk = this.#waiting.shift();
    this.#waitingSize -= this.#chunk?.length ?? 0;
    this.#position = 0;
    this.#isOpen = false;
  }
}
