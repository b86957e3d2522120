/**
 * The form of a line: fixed parts, and between them strings of any text. It is made of an example, in
 * which all is fixed at first; a text in which another line differs is opened then. Keys, and the texts
 * of the keys that it is told, stay fixed. So parsing two lines of one form gives the same structure.
 * Knows JSON's strings, and no message.
 */
import { Buffer } from 'node:buffer';
import { afterSpace, afterString } from './scan.js';

const QUOTE = 34, COLON = 58, BACKSLASH = 92, DELETE = 127;
/** The bytes of a word. */
const WORD = 8;

/** A text within the example, without its quotes. */
interface Text {
  readonly start: number;
  readonly end: number;
  isOpen: boolean;
}

/**
 * Fixed bytes. From one word on they are compared as words, of which the last ends with the part and may
 * overlap the one before. The words are numbers, and equal numbers are equal bytes: with all bytes between
 * 0 and 127 none is NaN or a zero.
 */
interface Part {
  readonly bytes: Buffer;
  readonly words: Float64Array;
}

const noWords = new Float64Array(0);

export class Form {
  readonly #example: Buffer;
  readonly #texts: readonly Text[];
  #parts: readonly Part[];

  private constructor(example: Buffer, texts: readonly Text[]) {
    this.#example = example;
    this.#texts = texts;
    this.#parts = this.#fixedParts();
  }

  /** The form of a line of sound structure; `undefined`: it has none that could be compared. */
  static of(line: Buffer, fixedKeys: readonly string[]): Form | undefined {
    const example = Buffer.from(line);
    const texts = textsOf(example, fixedKeys);
    if (texts === undefined) return undefined;
    const form = new Form(example, texts);
    return form.#parts.every(({ bytes }) => bytes.every(isPlain)) ? form : undefined;
  }

  /** Whether `lines[start, end)` has this form. `view` is a view of `lines`. */
  fits(lines: Buffer, view: DataView, start: number, end: number): boolean {
    const parts = this.#parts;
    const last = parts.length - 1;
    let at = start;
    for (let i = 0; ; i++) {
      const part = parts[i] as Part;
      const next = at + part.bytes.length;
      if (next > end || !isPart(part, lines, view, at)) return false;
      if (i === last) return next === end;
      at = afterString(lines, next, end) - 1;
      if (at < 0) return false;
    }
  }

  /** Opens the texts in which `lines[start, end)` differs. False: it differs in more. */
  widen(lines: Buffer, start: number, end: number): boolean {
    const example = this.#example;
    const differing: Text[] = [];
    let from = 0;
    let at = start;
    for (const text of this.#texts) {
      const next = at + text.start - from;
      if (next > end || !isSame(example, from, text.start, lines, at, next)) return false;
      const close = afterString(lines, next, end) - 1;
      if (close < 0) return false;
      if (!text.isOpen && !isSame(example, text.start, text.end, lines, next, close)) differing.push(text);
      from = text.end;
      at = close;
    }
    if (!isSame(example, from, example.length, lines, at, end)) return false;
    for (const text of differing) text.isOpen = true;
    this.#parts = this.#fixedParts();
    return true;
  }

  #fixedParts(): readonly Part[] {
    const open = this.#texts.filter(({ isOpen }) => isOpen);
    const starts = [0, ...open.map(({ end }) => end)];
    return starts.map((start, i) => partOf(this.#example.subarray(start, open[i]?.start ?? this.#example.length)));
  }
}

const isPlain = (byte: number): boolean => byte > 0 && byte < DELETE;

const isSame = (example: Buffer, from: number, to: number, lines: Buffer, start: number, end: number): boolean =>
  end - start === to - from && example.compare(lines, start, end, from, to) === 0;

function partOf(bytes: Buffer): Part {
  if (bytes.length < WORD) return { bytes, words: noWords };
  const words = new Float64Array(Math.ceil(bytes.length / WORD));
  for (let i = 0; i < words.length; i++) words[i] = bytes.readDoubleLE(Math.min(i * WORD, bytes.length - WORD));
  return { bytes, words };
}

function isPart({ bytes, words }: Part, lines: Buffer, view: DataView, at: number): boolean {
  const last = words.length - 1;
  for (let i = 0; i < last; i++) {
    if (view.getFloat64(at + i * WORD, true) !== words[i]) return false;
  }
  if (last >= 0) return view.getFloat64(at + bytes.length - WORD, true) === words[last];
  for (let i = 0; i < bytes.length; i++) {
    if (lines[at + i] !== bytes[i]) return false;
  }
  return true;
}

/** The texts that may differ. One that is not plain is open from the start. `undefined`: a key is written with escapes. */
function textsOf(line: Buffer, fixedKeys: readonly string[]): readonly Text[] | undefined {
  const texts: Text[] = [];
  let key: string | undefined;
  for (let quote = line.indexOf(QUOTE); quote !== -1; ) {
    const start = quote + 1;
    const end = afterString(line, start, line.length) - 1;
    if (end < 0) return undefined;
    const text = line.subarray(start, end);
    if (line[afterSpace(line, end + 1, line.length)] === COLON) {
      if (text.includes(BACKSLASH)) return undefined;
      key = text.toString();
    } else {
      // What stands in a list counts as its key's.
      if (key === undefined || !fixedKeys.includes(key)) texts.push({ start, end, isOpen: !text.every(isPlain) });
      key = undefined;
    }
    quote = line.indexOf(QUOTE, end + 1);
  }
  return texts;
}
