/**
 * Reads a stream as lines of JSON, whole characters only, split at newlines and nothing else. Each piece
 * is looked at once, however long the line becomes; one that is longer than a string may be comes in parts.
 */
import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';

/** Characters of a line that are held at most. */
const longest = 256 * 1024 * 1024;

/** Calls `line` for each line of `stream`, `end` once after the last. A last line without a newline counts. */
export function readLines(stream: Readable, line: (text: string) => void, end: () => void = () => {}, limit = longest): void {
  const decoder = new StringDecoder('utf8');
  let begun: string[] = [];
  let size = 0;
  const told = (last: string): void => {
    const text = begun.length === 0 ? last : begun.join('') + last;
    begun = [];
    size = 0;
    if (text.trim() !== '') line(text);
  };
  stream.on('data', (chunk: Buffer) => {
    const parts = decoder.write(chunk).split('\n');
    const rest = parts.pop() ?? '';
    for (const part of parts) told(part);
    begun.push(rest);
    size += rest.length;
    if (size > limit) told('');
  });
  stream.on('end', () => {
    told('');
    end();
  });
}
