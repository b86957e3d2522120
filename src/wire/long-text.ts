/**
 * A long string of a message that can be moved without being read: it is written again from the bytes
 * that it came as. Whoever asks for its text, its beginning or its base64 pays for that alone.
 * Knows JSON strings, not where they stand.
 */
import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { afterUnits, isStringText, utf8Into } from './json-string.js';

/** By this a value is known as one, also to other copies of this module. No value of JSON has it. */
export const TEXT: unique symbol = Symbol.for('afterturn.text') as never;

/** Memory for what is in hand for a moment only. */
const SCRATCH = 64 * 1024;
let scratch: Buffer | undefined;

/** What marks begin with: NUL, which has one spelling in JSON. */
const NUL = '\\u0000';

/** The texts that `textPieces` is writing; in anybody else's JSON a text is the string that it is. */
let written: LongText[] | undefined;

export class LongText {
  readonly [TEXT] = true;
  /** JSON in UTF-8 with its quotes, or a string that is its own JSON between them. */
  #json: Buffer | string;
  /** Known where it was asked for from the start. */
  #base64: string | undefined;

  private constructor(json: Buffer | string) {
    this.#json = json;
  }

  /** The string that is these bytes, which begin and end with quotes. Throws a SyntaxError where that is no JSON, or no UTF-8. */
  static ofJson(bytes: Buffer): LongText {
    if (!isUtf8(bytes) || !isStringText(bytes, 1, bytes.length - 1)) throw new SyntaxError('expected a JSON string in UTF-8');
    return new LongText(bytes);
  }

  /** As `ofJson`, for a text of which the base64 is wanted: it is looked through once for both. */
  static ofJsonInBase64(bytes: Buffer): LongText {
    const base64 = isUtf8(bytes) ? base64Of(bytes) : undefined;
    if (base64 === undefined) throw new SyntaxError('expected a JSON string in UTF-8');
    const text = new LongText(bytes);
    text.#base64 = base64;
    return text;
  }

  /** What is written between the quotes. */
  get json(): Uint8Array | string {
    return typeof this.#json === 'string' ? this.#json : this.#json.subarray(1, -1);
  }

  toString(): string {
    return typeof this.#json === 'string' ? this.#json : stringOfJson(this.#json);
  }

  /** Its first `units` units (as `slice` has them). */
  start(units: number): string {
    const json = this.#json;
    if (typeof json === 'string') return json.slice(0, units);
    return (JSON.parse(`"${json.toString('utf8', 1, afterUnits(json, 1, json.length - 1, units))}"`) as string).slice(0, units);
  }

  /** Its UTF-8 in base64, as a text that nobody has to look through. */
  base64(): LongText {
    const json = this.#json;
    return new LongText(typeof json === 'string' ? Buffer.from(json).toString('base64') : (this.#base64 ?? base64Of(json) ?? ''));
  }

  /** Holds its own bytes from now on: those of a line share memory with all that was read with it. */
  keep(): this {
    const json = this.#json;
    this.#base64 = undefined;
    if (typeof json === 'string' || json.buffer.byteLength === json.length) return this;
    const own = Buffer.allocUnsafeSlow(json.length);
    json.copy(own);
    this.#json = own;
    return this;
  }

  toJSON(): string {
    if (written === undefined) return this.toString();
    written.push(this);
    return `\0${written.length - 1}`;
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
/** The UTF-8 of a JSON string in base64; `undefined`: it is none. */
function base64Of(json: Buffer): string | undefined {
  const bytes = json.length <= SCRATCH ? (scratch ??= Buffer.allocUnsafeSlow(SCRATCH)) : Buffer.allocUnsafeSlow(json.length);
  const length = utf8Into(bytes, json, 1, json.length - 1);
  return length < 0 ? undefined : bytes.toString('base64', 0, length);
}
/** The string that is these bytes, with its quotes. Throws a SyntaxError where that is no JSON. */
const stringOfJson = (bytes: Buffer): string => JSON.parse(bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')) as string;

export const isLongText = (value: unknown): value is LongText => value instanceof LongText;

/** A line in pieces, in order: text, and bytes that are UTF-8 already. */
export type Pieces = readonly (string | Uint8Array)[];

export interface Written {
  readonly pieces: Pieces;
  readonly hasTexts: boolean;
}

/**
 * JSON text in pieces: that of `write`, with the bytes of the long texts that `JSON.stringify` met in it.
 * A mark stands for each: a string that begins with NUL. Where others begin like one, or a part has to be
 * written `again`, all is written out.
 */
export function textPieces(write: (again: () => void) => string): Written {
  const texts: LongText[] = [];
  const around = marked(texts, write);
  if (texts.length === 0 && around !== undefined) return { pieces: [around], hasTexts: false };
  const between = around?.split(`"${NUL}`) ?? [];
  if (between.length !== texts.length + 1) return { pieces: [write(() => {})], hasTexts: true };
  const pieces: (string | Uint8Array)[] = [];
  let before = between[0] as string;
  for (const [index, text] of texts.entries()) {
    pieces.push(`${before}"`, text.json);
    before = (between[index + 1] as string).slice(String(index).length);
  }
  return { pieces: [...pieces, before], hasTexts: true };
}

/** The marks that were made already would stand twice. */
class Again extends Error {}

function marked(texts: LongText[], write: (again: () => void) => string): string | undefined {
  written = texts;
  try {
    return write(() => {
      if (texts.length > 0) throw new Again();
    });
  } catch (error) {
    if (error instanceof Again) return undefined;
    throw error;
  } finally {
    written = undefined;
  }
}

/** Where long strings are wanted as `LongText`s: keys down to `true`, or to `base64` where that is what will be asked of them; `*` for each item of a list. */
export interface TextPlaces {
  readonly [key: string]: TextPlaces | true | 'base64';
}
type TextPlace = TextPlaces[string];

/** The value with something else for each long text that it finds outside of `places`. A value without one is the same value. */
export function withoutTexts(value: unknown, instead: (text: LongText) => string, places?: TextPlace): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof LongText) return places === true || places === 'base64' ? value : instead(value);
  const inner = (key: string): TextPlace | undefined => (typeof places === 'object' && Object.hasOwn(places, key) ? places[key] : undefined);
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutTexts(item, instead, inner('*')));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let changed: Record<string, unknown> | undefined;
  const members = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(members)) {
    const member = members[key];
    if (typeof member !== 'object' || member === null) continue;
    const next = withoutTexts(member, instead, inner(key));
    if (next === member) continue;
    changed ??= { ...value };
    define(changed, key, next);
  }
  return changed ?? value;
}

/** `__proto__` is a name like any other. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** The text of a line without its long strings, each replaced by its mark; `undefined`: another string of it may begin like one. */
export function markedText(line: Uint8Array, places: readonly number[]): string | undefined {
  const bytes = bufferOf(line);
  let text = '';
  let from = 0;
  for (let i = 0; i <= places.length; i += 2) {
    // Quotes stand around each long string, so that no character is torn.
    const part = bytes.toString('utf8', from, places[i]);
    if (part.includes(NUL)) return undefined;
    text += i < places.length ? `${part}${NUL}${i / 2}` : part;
    from = places[i + 1] ?? 0;
  }
  return text;
}

/** A mark stands in the place of a key. */
class MarkedKey extends Error {}

/** The value of a marked line with what its marks stand for: long texts at `wanted`, else the strings themselves. Throws where that cannot be. */
export function unmarked(value: unknown, line: Uint8Array, places: readonly number[], wanted: TextPlace | undefined): unknown {
  if (typeof value === 'string') {
    if (!value.startsWith('\0')) return value;
    const index = 2 * Number(value.slice(1));
    const bytes = bufferOf(line.subarray((places[index] as number) - 1, (places[index + 1] as number) + 1));
    if (wanted === true) return LongText.ofJson(bytes);
    if (wanted === 'base64') return LongText.ofJsonInBase64(bytes);
    if (!isUtf8(bytes)) throw new SyntaxError('expected UTF-8');
    return stringOfJson(bytes);
  }
  if (typeof value !== 'object' || value === null) return value;
  const inner = (key: string): TextPlace | undefined => (typeof wanted === 'object' && Object.hasOwn(wanted, key) ? wanted[key] : undefined);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = unmarked(value[i], line, places, inner('*'));
    return value;
  }
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    if (key.startsWith('\0')) throw new MarkedKey(key);
    const member = object[key];
    if (typeof member === 'string' ? member.startsWith('\0') : typeof member === 'object') define(object, key, unmarked(member, line, places, inner(key)));
  }
  return value;
}
