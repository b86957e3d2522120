/** An outbox that tells how many lines go out. Used only where somebody counts. */
import type { Pieces } from './long-text.js';
import { Outbox } from './outbox.js';

const LF = 10;

export interface LineCounts {
  /** Line ends of a peer's bytes that went on. */
  passed(lines: number): void;
  /** Messages that were made here. */
  made(messages: number): void;
}

function linesIn(bytes: Uint8Array, start: number, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF, start); at !== -1 && at < end; at = bytes.indexOf(LF, at + 1)) lines++;
  return lines;
}

export class CountedOutbox extends Outbox {
  readonly #counts: LineCounts;

  constructor(write: (bytes: Uint8Array) => boolean, counts: LineCounts) {
    super(write);
    this.#counts = counts;
  }

  override pass(bytes: Uint8Array, start: number, end: number): void {
    super.pass(bytes, start, end);
    this.#counts.passed(linesIn(bytes, start, end));
  }

  override send(pieces: Pieces): void {
    super.send(pieces);
    this.#counts.made(1);
  }
}
