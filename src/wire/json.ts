/**
 * JSON text to values and back, with every digit kept: a number that JavaScript would print
 * differently (20 digits, `1.0`, `1e3`) becomes an `ExactNumber`, which prints as it came.
 * Knows nothing of JSON-RPC.
 */
import { parse, stringify } from 'lossless-json';

/** A number whose text JavaScript would not reproduce. `Number(x)`, `x + 1` and `x < 2` work on it. */
export class ExactNumber {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  valueOf(): number {
    return Number(this.#text);
  }

  toString(): string {
    return this.#text;
  }

  /** For `JSON.stringify` by others; `jsonText` keeps the digits. */
  toJSON(): number {
    met = true;
    return this.valueOf();
  }
}

/** Whether `JSON.stringify` has come across an `ExactNumber` since this was last set to false. */
let met = false;

const QUOTE = 34;
const BACKSLASH = 92;
const MINUS = 45;
const numberText = /-?\d[\d.eE+-]*/y;

const isExact = (text: string): boolean => String(Number(text)) === text;
const numberOf = (text: string): number | ExactNumber => (isExact(text) ? Number(text) : new ExactNumber(text));

/** The index after the string that starts at `start`. */
function afterString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return text.length;
    let slash = quote;
    while (slash > from && text.charCodeAt(slash - 1) === BACKSLASH) slash--;
    if ((quote - slash) % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

/** Whether a number of the text, outside its strings, would be printed differently by JavaScript. */
export function hasInexactNumber(text: string): boolean {
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = afterString(text, i);
    else if (code === MINUS || (code >= 48 && code <= 57)) {
      numberText.lastIndex = i;
      const token = numberText.exec(text)?.[0] ?? '-';
      if (!isExact(token)) return true;
      i += token.length;
    } else i++;
  }
  return false;
}

/**
 * Parses JSON. Throws a SyntaxError where `JSON.parse` would; of duplicate keys the last counts.
 */
export function parsedJson(text: string): unknown {
  if (!hasInexactNumber(text)) return JSON.parse(text);
  try {
    return parse(text, undefined, { parseNumber: numberOf, onDuplicateKey: ({ newValue }) => newValue });
  } catch {
    // Nested too deep for a recursive parser, or no JSON at all.
    return JSON.parse(text);
  }
}

const exactNumbers = [{ test: (value: unknown) => value instanceof ExactNumber, stringify: String }];

/**
 * The JSON text of a value, on one line; `undefined` where there is none. Throws on cycles and big integers,
 * as `JSON.stringify`. `again` is called when it has to be written a second time, for the digits of its numbers.
 */
export function jsonText(value: unknown, again = (): void => {}): string | undefined {
  met = false;
  const text = JSON.stringify(value) as string | undefined;
  if (!met) return text;
  again();
  return stringify(value, undefined, undefined, exactNumbers);
}
