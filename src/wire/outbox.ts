/**
 * The way out of one direction: bytes in order, and as few writes as possible. Neighbouring lines
 * of one read leave as one slice of it. Knows when the sink is full, and that a message never
 * starts in the middle of a line. Knows nothing of messages otherwise.
 */
const LF = 10;
const lineEnd = Uint8Array.of(LF);

export class Outbox {
  /** The sink said that it is full and has not drained since. */
  full = false;
  readonly #write: (bytes: Uint8Array) => boolean;
  #slice: Uint8Array | undefined;
  #start = 0;
  #end = 0;
  #midLine = false;

  constructor(write: (bytes: Uint8Array) => boolean) {
    this.#write = write;
  }

  /** Sends a peer's bytes on, as they came. They leave at the latest with `flush`. */
  pass(buffer: Uint8Array, start: number, end: number): void {
    if (this.#slice === buffer && this.#end === start) {
      this.#end = end;
      return;
    }
    this.flush();
    this.#slice = buffer;
    this.#start = start;
    this.#end = end;
  }

  /** Sends a message that was made here, on a line of its own. */
  send(bytes: Uint8Array): void {
    this.flush();
    if (this.#midLine) this.#out(lineEnd);
    this.#out(bytes);
  }

  flush(): void {
    const slice = this.#slice;
    if (slice === undefined) return;
    this.#slice = undefined;
    this.#out(this.#start === 0 && this.#end === slice.length ? slice : slice.subarray(this.#start, this.#end));
  }

  #out(bytes: Uint8Array): void {
    this.#midLine = bytes[bytes.length - 1] !== LF;
    if (!this.#write(bytes)) this.full = true;
  }
}
