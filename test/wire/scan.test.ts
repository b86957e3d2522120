import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterSpace, afterString } from '../../src/wire/scan.js';

test('a string ends at its first quote that no backslash escapes', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, behind) => {
      const json = JSON.stringify(text);
      const line = Buffer.from(`${json}${behind}`);
      expect(afterString(line, 1, line.length)).toBe(Buffer.byteLength(json));
    }),
  );
  const open = Buffer.from('"text\\"and more');
  expect(afterString(open, 1, open.length)).toBe(-1);
  expect(afterString(Buffer.from('"a"'), 1, 2)).toBe(-1);
});

test('space is what JSON calls so', () => {
  const line = Buffer.from('a \t\r\n\v');
  expect([afterSpace(line, 0, 6), afterSpace(line, 1, 6), afterSpace(line, 1, 3)]).toEqual([0, 5, 3]);
});
