/** Where the parts of a JSON text end. Looks at bytes and reads no value. Knows nothing of messages. */
import type { Buffer } from 'node:buffer';

const SPACE = 32, QUOTE = 34, BACKSLASH = 92;

export function afterSpace(line: Buffer, from: number, end: number): number {
  let at = from;
  for (; at < end; at++) {
    const byte = line[at] as number;
    if (byte > SPACE || (byte !== SPACE && byte !== 10 && byte !== 13 && byte !== 9)) break;
  }
  return at;
}

/** The index after the closing quote of a string whose text starts at `from`; -1: it has none. */
export function afterString(line: Buffer, from: number, end: number): number {
  for (let start = from; ; ) {
    const quote = line.indexOf(QUOTE, start);
    if (quote === -1 || quote >= end) return -1;
    let slash = quote;
    while (slash > start && line[slash - 1] === BACKSLASH) slash--;
    if (((quote - slash) & 1) === 0) return quote + 1;
    start = quote + 1;
  }
}
