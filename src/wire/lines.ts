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

/** The same bytes as a Buffer, whose search is several times faster than that of a plain array. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The parts of a line whose end has not come yet. */
class Unfinished {
  #parts: Buffer[] = [];
  #size = 0;
  #slab = Buffer.alloc(0);
  #used = 0;

  get empty(): boolean {
    return this.#size === 0;
  }

  add(part: Buffer): void {
    if (part.length === 0) return;
    this.#size += part.length;
    this.#parts.push(part.length < SMALL ? this.#gathered(part) : part);
  }

  /** The line with its last part, in one piece. */
  joined(last: Buffer): Buffer {
    const line = Buffer.concat([...this.#parts, last], this.#size + last.length);
    this.#parts = [];
    this.#size = 0;
    this.#slab = Buffer.alloc(0);
    this.#used = 0;
    return line;
  }

  /** The part, copied behind the previous small one; then one part stands for both. */
  #gathered(part: Buffer): Buffer {
    if (this.#used + part.length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(this.#parts.length === 0 ? SMALL : SLAB);
      this.#used = 0;
    }
    part.copy(this.#slab, this.#used);
    const before = this.#parts.at(-1);
    const adjacent = this.#used > 0 && before?.buffer === this.#slab.buffer && before.byteOffset + before.length === this.#used;
    const from = adjacent ? this.#used - before.length : this.#used;
    if (adjacent) this.#parts.pop();
    this.#used += part.length;
    return this.#slab.subarray(from, this.#used);
  }
}

/**
 * A cursor over lines. After `next()` returned true the line is `buffer[start, end)`, with its LF.
 * A line that lies within one chunk is a range of that chunk; any other is a buffer of its own.
 */
export class Lines {
  buffer: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  #waiting: Buffer[] = [];
  #waitingSize = 0;
  #chunk: Buffer | undefined;
  #position = 0;
  readonly #unfinished = new Unfinished();

  /** Bytes that have not been looked at. */
  get unread(): number {
    return this.#waitingSize + (this.#chunk === undefined ? 0 : this.#chunk.length - this.#position);
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const bytes = bufferOf(chunk);
    if (this.#chunk === undefined) this.#chunk = bytes;
    else {
      this.#waiting.push(bytes);
      this.#waitingSize += bytes.length;
    }
  }

  /** Moves to the next whole line. False: there is none yet. */
  next(): boolean {
    for (let chunk = this.#chunk; chunk !== undefined; chunk = this.#chunk) {
      const from = this.#position;
      const found = chunk.indexOf(LF, from);
      if (found === -1) {
        this.#unfinished.add(from === 0 ? chunk : chunk.subarray(from));
        this.#advance();
        continue;
      }
      const until = found + 1;
      if (this.#unfinished.empty) this.#set(chunk, from, until);
      else this.#set(this.#unfinished.joined(chunk.subarray(from, until)));
      if (until === chunk.length) this.#advance();
      else this.#position = until;
      return true;
    }
    return false;
  }

  /** Moves to as many whole lines as are in one piece. False: there is none yet. */
  block(): boolean {
    const chunk = this.#chunk;
    if (chunk === undefined || !this.#unfinished.empty) return this.next();
    const until = chunk.lastIndexOf(LF) + 1;
    if (until <= this.#position) return this.next();
    this.#set(chunk, this.#position, until);
    if (until === chunk.length) this.#advance();
    else this.#position = until;
    return true;
  }

  /** Moves to what came after the last LF, when nothing more will come. False: nothing did. */
  last(): boolean {
    if (this.#unfinished.empty) return false;
    this.#set(this.#unfinished.joined(Buffer.alloc(0)));
    return true;
  }

  #set(buffer: Buffer, start = 0, end = buffer.length): void {
    this.buffer = buffer;
    this.start = start;
    this.end = end;
  }

  #advance(): void {
    this.#chunk = this.#waiting.shift();
    this.#waitingSize -= this.#chunk?.length ?? 0;
    this.#position = 0;
  }
}
