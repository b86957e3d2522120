/**
 * What a line says about itself, without parsing its payload: `method`, `id`, the kind of update,
 * and which members of a JSON-RPC message it has. The walk goes over the structure of the whole line
 * and jumps over strings, so a key inside a payload is never mistaken for one of the message, and of
 * duplicate keys the last counts, as with `JSON.parse`. For well-formed JSON the answers are exact.
 * For a line whose structure is broken there is none (`sure` is false): it has to be parsed.
 * Knows JSON and the names that it is told to look for.
 */
import { Buffer } from 'node:buffer';
import { afterSpace, afterString } from './scan.js';

const SPACE = 32, QUOTE = 34, PLUS = 43, COMMA = 44, MINUS = 45, DOT = 46, ZERO = 48, NINE = 57, COLON = 58;
const OPEN_LIST = 91, BACKSLASH = 92, CLOSE_LIST = 93, OPEN = 123, CLOSE = 125;
const UPPER_E = 69, LOWER_E = 101, LOWER_A = 97, LOWER_Z = 122;
/** From this many characters on a number may have more digits than JavaScript keeps. */
const LONG_NUMBER = 16;
/** From this many bytes on a string is long: its place is noted. */
const LONG_STRING = 1024;
/** Heads up to this many bytes are remembered. */
const HEAD_LIMIT = 512;
const nothing: Buffer = Buffer.alloc(0);
const noPlaces: number[] = [];

/** Where the kind of a call is found: the keys from the message down to a string. */
export interface KindPath {
  /** The only method whose calls have a kind. */
  readonly method: string;
  readonly path: readonly string[];
}

/** The kind of a call that is parsed already. */
export function kindIn(members: unknown, { path }: KindPath): string | undefined {
  let value = members;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === 'string' ? value : undefined;
}

const unescaped = (text: string): string => {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
};

/** So many names are remembered. */
const NAMES = 8;

/** Turns the bytes of a JSON string into its value, and remembers the last ones: nearly every line repeats one of them. */
class Name {
  readonly #known: { readonly bytes: Buffer; readonly text: string }[] = [];
  #oldest = 0;

  of(line: Buffer, start: number, end: number): string {
    for (const { bytes, text } of this.#known) if (isText(line, start, end, bytes)) return text;
    const bytes = Buffer.from(line.subarray(start, end));
    const raw = bytes.toString();
    const text = raw.includes('\\') ? unescaped(raw) : raw;
    // A long one costs more to remember than to read.
    if (bytes.length <= HEAD_LIMIT) this.#known[this.#oldest++ % NAMES] = { bytes, text };
    return text;
  }
}

function isText(line: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (line[start + i] !== text[i]) return false;
  }
  return true;
}

/** Whether the key in `line[start, end)` is this one. Keys may be written with escapes; hardly any is. */
function isKey(line: Buffer, start: number, end: number, key: Buffer): boolean {
  if (isText(line, start, end, key)) return true;
  if (end - start <= key.length) return false;
  for (let i = start; i < end; i++) {
    if (line[i] === BACKSLASH) return unescaped(line.toString('utf8', start, end)) === key.toString();
  }
  return false;
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;
const isLetter = (byte: number): boolean => byte >= LOWER_A && byte <= LOWER_Z;

const keys = {
  method: Buffer.from('method'),
  id: Buffer.from('id'),
  result: Buffer.from('result'),
  error: Buffer.from('error'),
  jsonrpc: Buffer.from('jsonrpc'),
};

export class Peek {
  /** The line is an object of sound structure: the answers below are exact. */
  sure = false;
  method: string | undefined;
  kind: string | undefined;
  /** The range of the id's JSON text; -1: no id. */
  idStart = -1;
  idEnd = -1;
  /** Has `result` or `error`. */
  answers = false;
  /** Has a member that makes an object a JSON-RPC message. */
  isMessage = false;
  /** No number needs its digits kept, as far as their length and form tell. */
  plainNumbers = true;
  /** The places of the long strings among the values, without their quotes: start and end by turns. Of `look`'s buffer. */
  longStrings: number[] = noPlaces;

  readonly #kindMethod: string;
  readonly #path: readonly Buffer[];
  readonly #methodName = new Name();
  readonly #kindName = new Name();
  /** The bytes of the last line up to its kind: a line that starts with them says the same so far. */
  readonly #head: Buffer = Buffer.alloc(HEAD_LIMIT);
  #headLength = 0;
  #headKind: string | undefined;

  constructor({ method, path }: KindPath) {
    this.#kindMethod = method;
    this.#path = path.map((key) => Buffer.from(key));
  }

  /** Looks at `line[start, end)`. The answers hold until the next look. */
  look(line: Buffer, start: number, end: number): void {
    this.method = this.kind = undefined;
    this.idStart = this.idEnd = -1;
    this.answers = this.isMessage = false;
    this.plainNumbers = true;
    this.longStrings = noPlaces;
    const close = this.#afterMessage(line, start, end);
    this.sure = close !== -1 && afterSpace(line, close, end) === end;
    if (this.method !== this.#kindMethod) this.kind = undefined;
  }

  /** The index after the message; -1: it has no end, or is none. */
  #afterMessage(line: Buffer, start: number, end: number): number {
    const head = this.#head;
    const known = this.#headLength;
    let i = 0;
    while (i < known && head[i] === line[start + i]) i++;
    if (known > 0 && i === known && start + known < end) {
      this.method = this.#kindMethod;
      this.kind = this.#headKind;
      this.isMessage = true;
      return this.#afterMembers(line, start, start + known, end, this.#path.length - 1);
    }
    const open = afterSpace(line, start, end);
    return open < end && line[open] === OPEN ? this.#afterMembers(line, start, open + 1, end, 0) : -1;
  }

  /** Remembers the line up to its kind, unless what else it says differs from line to line. */
  #remember(line: Buffer, start: number, end: number): void {
    if (end - start > HEAD_LIMIT || this.method !== this.#kindMethod || this.idStart !== -1 || this.answers || !this.plainNumbers) return;
    this.#headLength = line.copy(this.#head, 0, start, end);
    this.#headKind = this.kind;
  }

  /** The index after the message, from this place and depth on; the objects on the way to the kind are entered. */
  #afterMembers(line: Buffer, start: number, from: number, end: number, fromDepth: number): number {
    const path = this.#path;
    let depth = fromDepth;
    let first = fromDepth === 0;
    for (let at = afterSpace(line, from, end); at < end; at = afterSpace(line, at, end)) {
      if (line[at] === CLOSE) {
        at++;
        if (depth === 0) return at;
        depth--;
        first = false;
        continue;
      }
      if (!first) {
        if (line[at] !== COMMA) return -1;
        at = afterSpace(line, at + 1, end);
      }
      if (line[at] !== QUOTE) return -1;
      const keyStart = at + 1;
      const keyEnd = afterString(line, keyStart, end) - 1;
      if (keyEnd < 0) return -1;
      at = afterSpace(line, keyEnd + 1, end);
      if (line[at] !== COLON) return -1;
      at = afterSpace(line, at + 1, end);
      const onPath = isKey(line, keyStart, keyEnd, path[depth] ?? nothing);
      if (onPath) this.kind = undefined;
      if (onPath && depth < path.length - 1 && line[at] === OPEN) {
        depth++;
        first = true;
        at++;
        continue;
      }
      first = false;
      const valueEnd = this.#afterValue(line, at, end);
      if (valueEnd === -1) return -1;
      if (depth === 0) this.#member(line, keyStart, keyEnd, at, valueEnd);
      else if (onPath && depth === path.length - 1 && line[at] === QUOTE) {
        this.kind = this.#kindName.of(line, at + 1, valueEnd - 1);
        this.#remember(line, start, valueEnd);
      }
      at = valueEnd;
    }
    return -1;
  }

  /** One member of the message itself. */
  #member(line: Buffer, keyStart: number, keyEnd: number, start: number, end: number): void {
    if (isKey(line, keyStart, keyEnd, keys.method)) {
      this.method = line[start] === QUOTE ? this.#methodName.of(line, start + 1, end - 1) : undefined;
    } else if (isKey(line, keyStart, keyEnd, keys.id)) {
      this.idStart = start;
      this.idEnd = end;
    } else if (isKey(line, keyStart, keyEnd, keys.result) || isKey(line, keyStart, keyEnd, keys.error)) this.answers = true;
    else if (!isKey(line, keyStart, keyEnd, keys.jsonrpc)) return;
    this.isMessage = true;
  }

  /** The index after the value that starts at `from`; -1: it has no end. */
  #afterValue(line: Buffer, from: number, end: number): number {
    let depth = 0;
    let at = from;
    while (at < end) {
      const byte = line[at] as number;
      if (byte === QUOTE) {
        const text = at + 1;
        at = afterString(line, text, end);
        if (at === -1) return -1;
        if (at - text > LONG_STRING) this.#noteLong(text, at - 1);
      } else if (byte === COMMA || byte === COLON || byte <= SPACE) {
        if (depth === 0) return -1;
        at++;
        continue;
      } else if (byte === OPEN || byte === OPEN_LIST) {
        depth++;
        at++;
        continue;
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        if (--depth < 0) return -1;
        at++;
      } else if (byte === MINUS || isDigit(byte)) at = this.#afterNumber(line, at, end);
      else if (isLetter(byte)) {
        while (at < end && isLetter(line[at] as number)) at++;
      } else return -1;
      if (depth === 0) return at;
    }
    return -1;
  }

  #noteLong(start: number, end: number): void {
    if (this.longStrings === noPlaces) this.longStrings = [];
    this.longStrings.push(start, end);
  }

  #afterNumber(line: Buffer, from: number, end: number): number {
    let at = from;
    for (; at < end; at++) {
      const byte = line[at] as number;
      if (isDigit(byte)) continue;
      if (byte === DOT || byte === UPPER_E || byte === LOWER_E) this.plainNumbers = false;
      else if (byte !== MINUS && byte !== PLUS) break;
    }
    if (at - from >= LONG_NUMBER || (line[from] === MINUS && line[from + 1] === ZERO)) this.plainNumbers = false;
    return at;
  }
}
