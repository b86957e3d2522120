/**
 * What a line says about itself, without parsing its payload: `method`, `id`, the kind of update,
 * and which members a JSON-RPC message has. It walks the structure of the whole line and jumps over
 * strings, so a key inside a payload is never mistaken for one of the message, and of duplicate
 * keys the last counts, as with `JSON.parse`. For well-formed JSON its answers are exact. For a
 * line that it finds broken it does not answer (`sure` is false), and the line has to be parsed.
 * Knows JSON and the names that it is told to look for.
 */
import { Buffer } from 'node:buffer';

const QUOTE = 34, COMMA = 44, MINUS = 45, DOT = 46, ZERO = 48, NINE = 57, COLON = 58;
const OPEN_LIST = 91, BACKSLASH = 92, CLOSE_LIST = 93, OPEN = 123, CLOSE = 125;
const UPPER_E = 69, LOWER_E = 101;
/** From this many characters on a number may have more digits than JavaScript keeps. */
const LONG_NUMBER = 16;

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

/** Turns bytes into text, and remembers the last: nearly every line repeats it. */
class Name {
  #bytes: Buffer = Buffer.alloc(0);
  #text = '';

  text(line: Buffer, start: number, end: number): string {
    const known = this.#bytes;
    if (known.length === end - start) {
      let i = 0;
      while (i < known.length && known[i] === line[start + i]) i++;
      if (i === known.length) return this.#text;
    }
    this.#bytes = Buffer.from(line.subarray(start, end));
    const text = this.#bytes.toString();
    return (this.#text = text.includes('\\') ? unescaped(text) : text);
  }
}

const unescaped = (text: string): string => {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
};

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;

export class Peek {
  /** The line is an object whose structure is sound as far as it was looked at. */
  sure = false;
  method: string | undefined;
  kind: string | undefined;
  /** The range of the id's JSON text; -1: no id. */
  idStart = -1;
  idEnd = -1;
  /** Has `result` or `error`. */
  answers = false;
  /** Has any member that makes an object a JSON-RPC message. */
  isMessage = false;
  /** No number outside its strings needs its digits kept. */
  plainNumbers = true;

  readonly #kindMethod: string;
  readonly #path: readonly string[];
  readonly #methodName = new Name();
  readonly #kindName = new Name();
  #line: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;

  constructor(kinds: KindPath) {
    this.#kindMethod = kinds.method;
    this.#path = kinds.path;
  }

  /** Looks at `line[start, end)`. Its answers are the fields; they hold until the next look. */
  look(line: Buffer, start: number, end: number): void {
    this.sure = false;
    this.method = this.kind = undefined;
    this.idStart = this.idEnd = -1;
    this.answers = this.isMessage = false;
    this.plainNumbers = true;
    this.#line = line;
    this.#at = start;
    this.#end = end;
    this.#space();
    if (this.#byte() !== OPEN) return;
    this.#at++;
    if (!this.#members()) return;
    this.#space();
    this.sure = this.#at === end;
    if (this.method !== this.#kindMethod) this.kind = undefined;
  }

  /** The members of the message, with those on the path to the kind opened on the way. */
  #members(): boolean {
    for (let depth = 0, first = true; ; ) {
      this.#space();
      let byte = this.#byte();
      if (byte === CLOSE) {
        this.#at++;
        if (depth === 0) return true;
        depth--;
        first = false;
        continue;
      }
      if (!first) {
        if (byte !== COMMA) return false;
        this.#at++;
        this.#space();
        byte = this.#byte();
      }
      first = false;
      if (byte !== QUOTE) return false;
      const keyStart = this.#at + 1;
      if (!this.#string()) return false;
      const keyEnd = this.#at - 1;
      this.#space();
      if (this.#byte() !== COLON) return false;
      this.#at++;
      this.#space();
      const onPath = this.#isKey(keyStart, keyEnd, this.#path[depth] ?? '');
      if (onPath) {
        this.kind = undefined;
        if (depth === this.#path.length - 1) {
          const from = this.#at + 1;
          const isText = this.#byte() === QUOTE;
          if (!this.#value()) return false;
          if (isText) this.kind = this.#kindName.text(this.#line, from, this.#at - 1);
          continue;
        }
        if (this.#byte() === OPEN) {
          this.#at++;
          depth++;
          first = true;
          continue;
        }
      }
      if (depth === 0 ? !this.#member(keyStart, keyEnd) : !this.#value()) return false;
    }
  }

  /** One member of the message itself. */
  #member(keyStart: number, keyEnd: number): boolean {
    const from = this.#at;
    if (!this.#value()) return false;
    if (this.#isKey(keyStart, keyEnd, 'method')) {
      this.method = this.#line[from] === QUOTE ? this.#methodName.text(this.#line, from + 1, this.#at - 1) : undefined;
    } else if (this.#isKey(keyStart, keyEnd, 'id')) {
      this.idStart = from;
      this.idEnd = this.#at;
    } else if (this.#isKey(keyStart, keyEnd, 'result') || this.#isKey(keyStart, keyEnd, 'error')) this.answers = true;
    else if (!this.#isKey(keyStart, keyEnd, 'jsonrpc')) return true;
    this.isMessage = true;
    return true;
  }

  #isKey(start: number, end: number, key: string): boolean {
    const line = this.#line;
    if (end - start !== key.length) return end - start > key.length && this.#isEscapedKey(start, end, key);
    for (let i = 0; i < key.length; i++) {
      if (line[start + i] !== key.charCodeAt(i)) return false;
    }
    return true;
  }

  /** A key may be written with escapes. Nobody does; it costs one search of a few bytes. */
  #isEscapedKey(start: number, end: number, key: string): boolean {
    const line = this.#line;
    for (let i = start; i < end; i++) {
      if (line[i] === BACKSLASH) return unescaped(line.toString('utf8', start, end)) === key;
    }
    return false;
  }

  #byte(): number {
    return this.#at < this.#end ? (this.#line[this.#at] as number) : -1;
  }

  #space(): void {
    for (let byte = this.#byte(); byte === 32 || byte === 10 || byte === 13 || byte === 9; byte = this.#byte()) this.#at++;
  }

  /** Steps over the string whose opening quote is here. */
  #string(): boolean {
    const line = this.#line;
    let from = this.#at + 1;
    for (;;) {
      const quote = line.indexOf(QUOTE, from);
      if (quote === -1 || quote >= this.#end) return false;
      let slash = quote;
      while (slash > from && line[slash - 1] === BACKSLASH) slash--;
      if (((quote - slash) & 1) === 0) {
        this.#at = quote + 1;
        return true;
      }
      from = quote + 1;
    }
  }

  /** Steps over the value that starts here. */
  #value(): boolean {
    const line = this.#line;
    const end = this.#end;
    let depth = 0;
    do {
      if (this.#at >= end) return false;
      const byte = line[this.#at] as number;
      if (byte === QUOTE) {
        if (!this.#string()) return false;
      } else if (byte === OPEN || byte === OPEN_LIST) {
        depth++;
        this.#at++;
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        if (--depth < 0) return false;
        this.#at++;
      } else if (byte === MINUS || isDigit(byte)) this.#number();
      else if (depth === 0) return this.#word();
      else this.#at++;
    } while (depth > 0);
    return true;
  }

  #number(): void {
    const line = this.#line;
    const start = this.#at;
    let at = start;
    for (; at < this.#end; at++) {
      const byte = line[at] as number;
      if (isDigit(byte)) continue;
      if (byte === DOT || byte === UPPER_E || byte === LOWER_E) this.plainNumbers = false;
      else if (byte !== MINUS && byte !== 43) break;
    }
    if (at - start >= LONG_NUMBER || (line[start] === MINUS && line[start + 1] === ZERO)) this.plainNumbers = false;
    this.#at = at;
  }

  /** `true`, `false` or `null`. */
  #word(): boolean {
    const start = this.#at;
    for (let byte = this.#byte(); byte >= 97 && byte <= 122; byte = this.#byte()) this.#at++;
    return this.#at > start;
  }
}
