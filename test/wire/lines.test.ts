import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Lines } from '../../src/wire/lines.js';

const rangeOf = ({ buffer, start, end }: Lines): Buffer => buffer.subarray(start, end);

/** All lines of these chunks, read as they come. */
function linesOf(chunks: readonly Uint8Array[], step: 'next' | 'block' = 'next'): string[] {
  const lines = new Lines();
  const found: string[] = [];
  for (const chunk of chunks) {
    lines.push(chunk);
    while (lines[step]()) found.push(rangeOf(lines).toString('latin1'));
  }
  if (lines.last()) found.push(rangeOf(lines).toString('latin1'));
  return found;
}

/** The bytes, cut at these places. */
function chunksOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return places.slice(1).map((place, i) => bytes.subarray(places[i], place));
}

const expected = (bytes: Buffer): string[] => bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];

const someBytes = fc
  .array(fc.oneof(fc.constantFrom('\n', '\r\n', 'né 日本 😀', '\u2028', '{"a":1}\n'), fc.string(), fc.uint8Array({ maxLength: 4 }), fc.integer({ min: 0, max: 5000 }).map((n) => 'x'.repeat(n))), { maxLength: 20 })
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part as string))));

describe('any chunking gives the same lines', () => {
  test('one by one', () => {
    fc.assert(
      fc.property(someBytes, fc.array(fc.nat(), { maxLength: 30 }), (bytes, cuts) => {
        expect(linesOf(chunksOf(bytes, cuts))).toEqual(expected(bytes));
      }),
      { numRuns: 500 },
    );
  });

  test('byte by byte', () => {
    const bytes = Buffer.from(`né 日本\r\n\n${'x'.repeat(70_000)}\n{"a":"😀"}`);
    expect(linesOf([...bytes].map((byte) => Buffer.of(byte)))).toEqual(expected(bytes));
  });

  test('in blocks: whole lines only, all bytes in order', () => {
    fc.assert(
      fc.property(someBytes, fc.array(fc.nat(), { maxLength: 10 }), (bytes, cuts) => {
        const blocks = linesOf(chunksOf(bytes, cuts), 'block');
        expect(blocks.join('')).toBe(bytes.toString('latin1'));
        expect(blocks.slice(0, -1).every((block) => block.endsWith('\n'))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('chunks that came before anybody asked', () => {
    fc.assert(
      fc.property(someBytes, fc.array(fc.nat(), { maxLength: 10 }), (bytes, cuts) => {
        const lines = new Lines();
        for (const chunk of chunksOf(bytes, cuts)) lines.push(chunk);
        expect(lines.unread).toBe(bytes.length);
        const found: string[] = [];
        while (lines.next() || lines.last()) found.push(rangeOf(lines).toString('latin1'));
        expect(found).toEqual(expected(bytes));
        expect(lines.unread).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});

test('the last line comes as it is, without an LF', () => {
  expect(linesOf([Buffer.from('a\nb')])).toEqual(['a\n', 'b']);
  expect(linesOf([Buffer.from('a\r')])).toEqual(['a\r']);
  expect(linesOf([Buffer.from('a\n')])).toEqual(['a\n']);
  expect(linesOf([])).toEqual([]);
});

test('lines of one chunk are ranges of it, and plain byte arrays are taken too', () => {
  const lines = new Lines();
  const chunk = new Uint8Array([97, 10, 98, 10]);
  lines.push(chunk);
  expect([lines.next(), lines.buffer.buffer === chunk.buffer, lines.start, lines.end]).toEqual([true, true, 0, 2]);
  expect([lines.next(), lines.start, lines.end]).toEqual([true, 2, 4]);
  expect(lines.block()).toBe(false);
  lines.push(chunk);
  expect([lines.block(), lines.start, lines.end]).toEqual([true, 0, 4]);
});

test('what is left of a chunk without an LF is a range of it until more comes', () => {
  const lines = new Lines();
  const chunk = Buffer.from('done\nopen');
  lines.push(chunk, 5);
  expect([lines.isEmpty, lines.next(), lines.begun, lines.unread]).toEqual([false, false, 4, 0]);
  expect([lines.beginning.buffer === chunk.buffer, lines.beginning.toString()]).toEqual([true, 'open']);
  lines.push(Buffer.from('ed\n'));
  expect([lines.next(), rangeOf(lines).toString(), lines.isEmpty]).toEqual([true, 'opened\n', true]);
  lines.push(Buffer.from('all'), 3);
  expect(lines.isEmpty).toBe(true);
});

describe('a line whose beginning was taken', () => {
  test('goes on in ranges up to its LF', () => {
    const lines = new Lines();
    lines.push(Buffer.from('one\ntw'));
    expect([lines.next(), lines.next(), lines.begun, lines.beginning.toString()]).toEqual([true, false, 2, 'tw']);
    expect(lines.cut().map(String)).toEqual(['tw']);
    expect([lines.midLine, lines.begun]).toEqual([true, 0]);
    lines.push(Buffer.from('o-'));
    expect([lines.next(), rangeOf(lines).toString(), lines.isRest, lines.midLine]).toEqual([true, 'o-', true, true]);
    expect(lines.next()).toBe(false);
    lines.push(Buffer.from('!\nthree\n'));
    expect([lines.block(), rangeOf(lines).toString(), lines.isRest, lines.midLine]).toEqual([true, '!\n', true, false]);
    expect([lines.block(), rangeOf(lines).toString(), lines.isRest]).toEqual([true, 'three\n', false]);
  });

  test('ends with the input', () => {
    const lines = new Lines();
    lines.push(Buffer.from('tw'));
    expect(lines.next()).toBe(false);
    lines.cut();
    expect([lines.last(), lines.midLine]).toEqual([false, false]);
  });
});

test('a long line in small chunks takes linear time', () => {
  const time = (size: number): number => {
    const lines = new Lines();
    const chunk = Buffer.alloc(64, 'x');
    const before = process.hrtime.bigint();
    for (let sent = 0; sent < size; sent += chunk.length) {
      lines.push(chunk);
      lines.next();
    }
    lines.push(Buffer.from('\n'));
    expect(lines.next()).toBe(true);
    expect(lines.end).toBe(size + 1);
    return Number(process.hrtime.bigint() - before);
  };
  const least = (size: number): number => Math.min(time(size), time(size), time(size));
  least(1 << 20);
  // 16 times the bytes: 16 times the time if linear, 256 times if quadratic.
  expect(least(1 << 24) / least(1 << 20)).toBeLessThan(100);
});
