/**
 * Reads a stream as lines of JSON, whole characters only, split at newlines and nothing else.
 */
import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';

/** Calls `line` for each line of `stream`, `end` once after the last. A last line without a newline counts. */
export function readLines(stream: Readable, line: (text: string) => void, end: () => void = () => {}): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const parts = (rest + decoder.write(chunk)).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part.trim() !== '') line(part);
  });
  stream.on('end', () => {
    if (rest.trim() !== '') line(rest);
    end();
  });
}
