/**
 * The bytes between the quotes of a JSON string: whether they are sound, what they say in UTF-8, and where
 * their first characters end. Looks at four bytes at a time where nothing is written with an escape.
 * Knows one string, not where it stands.
 */
import type { Buffer } from 'node:buffer';

const SPACE = 0x20, QUOTE = 0x22, SLASH = 0x2f, BACKSLASH = 0x5c;
const WORD = 4;
/** `simple[byte]`: what a backslash before this letter stands for, in one byte; 0: no such escape. */
const simple = new Uint8Array(256);
for (const [letter, meant] of [['"', QUOTE], ['\\', BACKSLASH], ['/', SLASH], ['b', 8], ['f', 12], ['n', 10], ['r', 13], ['t', 9]] as const) simple[letter.charCodeAt(0)] = meant;
/** `digits[byte]`: the value of a hexadecimal digit; -1: it is none. */
const digits = new Int8Array(256).fill(-1);
for (const [value, letters] of [...'0123456789'].map((digit) => [Number(digit), digit] as const).concat([...'abcdef'].map((digit, i) => [10 + i, digit + digit.toUpperCase()] as const))) {
  for (const letter of letters) digits[letter.charCodeAt(0)] = value;
}
const LETTER_U = 0x75;
/** What stands for half of a character whose other half is not there. */
const REPLACEMENT = 0xfffd;

/** Of four bytes none is a control character or a backslash: no borrow leaves a byte whose high bit is not set in the end. */
function isPlainWord(word: number): boolean {
  const slash = word ^ 0x5c5c5c5c;
  return ((((word - 0x20202020) & ~word) | ((slash - 0x01010101) & ~slash)) & 0x80808080) === 0;
}

const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

const digitAt = (json: Buffer, at: number): number => digits[json[at] as number] as number;

/** The number that four hexadecimal digits stand for; negative: there are none. */
const hexAt = (json: Buffer, at: number, end: number): number =>
  at + 4 > end ? -1 : (digitAt(json, at) << 12) | (digitAt(json, at + 1) << 8) | (digitAt(json, at + 2) << 4) | digitAt(json, at + 3);

/** Whether `json[from, end)` is what may stand between the quotes of a JSON string, given that it is UTF-8 and has no quote that ends it. */
export function isStringText(json: Buffer, from: number, end: number): boolean {
  const view = viewOf(json);
  const lastWord = end - WORD;
  for (let at = from; at < end; ) {
    if (at <= lastWord && isPlainWord(view.getInt32(at, true))) {
      at += WORD;
      continue;
    }
    while (at < end && json[at] !== BACKSLASH) if ((json[at++] as number) < SPACE) return false;
    if (at === end) return true;
    if (at + 1 === end) return false;
    const letter = json[at + 1] as number;
    if (letter === LETTER_U ? hexAt(json, at + 2, end) < 0 : simple[letter] === 0) return false;
    at += letter === LETTER_U ? 6 : 2;
  }
  return true;
}

/**
 * Writes the UTF-8 of such a text into `target`, which has room for as many bytes as there are; returns its
 * length, or -1 where it is no such text. Halves of characters are told as U+FFFD.
 */
export function utf8Into(target: Buffer, json: Buffer, from: number, end: number): number {
  const view = viewOf(json);
  const out = viewOf(target);
  const lastWord = end - WORD;
  let length = 0;
  for (let at = from; at < end; ) {
    if (at <= lastWord) {
      const word = view.getInt32(at, true);
      if (isPlainWord(word)) {
        out.setInt32(length, word, true);
        at += WORD;
        length += WORD;
        continue;
      }
    }
    while (at < end && json[at] !== BACKSLASH) {
      const byte = json[at++] as number;
      if (byte < SPACE) return -1;
      target[length++] = byte;
    }
    if (at === end) return length;
    if (at + 1 === end) return -1;
    const letter = json[at + 1] as number;
    if (letter !== LETTER_U) {
      const meant = simple[letter] as number;
      if (meant === 0) return -1;
      target[length++] = meant;
      at += 2;
      continue;
    }
    const unit = hexAt(json, at + 2, end);
    if (unit < 0) return -1;
    at += 6;
    if (unit < 0x80) {
      target[length++] = unit;
      continue;
    }
    const low = unit >= 0xd800 && unit < 0xdc00 && json[at] === BACKSLASH && json[at + 1] === LETTER_U ? hexAt(json, at + 2, end) : -1;
    if (low >= 0xdc00 && low < 0xe000) {
      length = putPoint(target, length, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
      at += 6;
    } else length = putPoint(target, length, unit >= 0xd800 && unit < 0xe000 ? REPLACEMENT : unit);
  }
  return length;
}

/** Writes a character beyond ASCII; returns the index after it. */
function putPoint(target: Buffer, at: number, point: number): number {
  let i = at;
  if (point < 0x800) target[i++] = 0xc0 | (point >> 6);
  else {
    if (point < 0x10000) target[i++] = 0xe0 | (point >> 12);
    else {
      target[i++] = 0xf0 | (point >> 18);
      target[i++] = 0x80 | ((point >> 12) & 0x3f);
    }
    target[i++] = 0x80 | ((point >> 6) & 0x3f);
  }
  target[i++] = 0x80 | (point & 0x3f);
  return i;
}

/** Where at least the first `units` UTF-16 units of a sound text end, and no character is torn. */
export function afterUnits(json: Buffer, from: number, end: number, units: number): number {
  let at = from;
  for (let left = units; left > 0 && at < end; left--) {
    const byte = json[at] as number;
    if (byte === BACKSLASH) at += json[at + 1] === LETTER_U ? 6 : 2;
    else if (byte < 0x80) at++;
    else at += byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  }
  return Math.min(at, end);
}
