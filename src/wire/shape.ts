/**
 * Whether a line is a JSON-RPC message at all. A line is one when it is a JSON object with `method`,
 * `id`, `result`, `error` or `jsonrpc`. Nearly every line is accepted by its first and last bytes;
 * such a line is taken at its word until somebody reads it. Knows nothing of who wrote it.
 */
import type { Buffer } from 'node:buffer';

const HEAD = [...'{"jsonrpc"'].map((character) => character.charCodeAt(0));
const MARK = [0xef, 0xbb, 0xbf];
const LF = 10, CR = 13, CLOSE = 125, CURLY = 123;
const memberNames = ['jsonrpc', 'method', 'id', 'result', 'error'];

/**
 * Where the text of a line begins: behind a byte order mark. Decoders of UTF-8 leave one out, and so a
 * message behind one is a message (WHATWG Encoding, "UTF-8 decode").
 */
export const afterMark = (line: Buffer, start: number, end: number): number =>
  line[start] === MARK[0] && line[start + 1] === MARK[1] && line[start + 2] === MARK[2] && start + MARK.length <= end ? start + MARK.length : start;

/** The line starts as messages do. */
export function startsAsMessage(line: Buffer, start: number, end: number): boolean {
  if (end - start < HEAD.length) return false;
  for (let i = 0; i < HEAD.length; i++) {
    if (line[start + i] !== HEAD[i]) return false;
  }
  return true;
}

/** The line starts and ends as messages do. False: one has to look further to know. */
export function hasMessageShape(line: Buffer, start: number, end: number): boolean {
  let last = end - 1;
  if (line[last] === LF) last--;
  if (line[last] === CR) last--;
  return line[last] === CLOSE && startsAsMessage(line, start, last);
}

/** The index after the last of the whole lines from `from` on that one after the other have that shape. */
export function afterMessages(lines: Buffer, from: number): number {
  let at = from;
  for (let next = lines.indexOf(LF, at) + 1; next > 0; next = lines.indexOf(LF, at) + 1) {
    if (!hasMessageShape(lines, at, next)) return at;
    at = next;
  }
  return at;
}

/** A JSON array (a batch). Parses only what begins like one. */
export function isBatch(line: Buffer, start: number, end: number): boolean {
  const text = line[start] === CURLY ? '' : line.toString('utf8', start, end).trim();
  if (!text.startsWith('[')) return false;
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

/** What has no place on the wire: neither a message, nor a batch (a JSON array), nor a blank line. Parses. */
export function isStray(line: Buffer, start: number, end: number): boolean {
  const text = line.toString('utf8', start, end);
  if (text.trim() === '') return false;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return false;
    return typeof value !== 'object' || value === null || !memberNames.some((name) => Object.hasOwn(value, name));
  } catch {
    return true;
  }
}
