import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterUnits, isStringText, utf8Into } from '../../src/wire/json-string.js';

const pieces = ['a', 'abcdefgh', '\\n', '\\r\\n', '\\u001b[0m', 'é', '漢', '😀', '\\u00e9', '\\uFFFF', '\\ud83d\\ude00', '\\ud83d', '\\ude00', '\\ud83d\\n', '\\ud83d\\u0041', '\\\\', '\\"', '\\/', '/', '\\b\\f\\t', '\\u0000', '\u007f', '\u2028'];
const sound = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...pieces) }, { weight: 1, arbitrary: fc.string({ maxLength: 9 }).map((text) => JSON.stringify(text).slice(1, -1)) }), { maxLength: 40 }).map((parts) => parts.join(''));
const broken = fc.tuple(sound, fc.constantFrom('\\', '\\x', '\\u', '\\u12', '\\u12g4', '\\u-123', '\n', '\u0000', '\u001f', '\t', '\\\u00e9', '\\N', '\\ 0041', '\\0'), sound).map((parts) => parts.join(''));

/** The text in the middle of other bytes, at any place of a word. */
const placed = (text: string, before: number): { readonly bytes: Buffer; readonly end: number } => {
  const bytes = Buffer.concat([Buffer.alloc(before, '"'), Buffer.from(text), Buffer.from('"}\n\\u0041')]);
  return { bytes, end: before + Buffer.byteLength(text) };
};
const parsed = (text: string): string | undefined => {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined;
  }
};

describe('the text of a JSON string', () => {
  test('is sound where it can be parsed', () => {
    fc.assert(fc.property(fc.oneof(sound, broken), fc.nat(5), (text, before) => {
      // A quote that ends it belongs to nobody who asks.
      fc.pre(!/(?:^|[^\\])(?:\\\\)*"/.test(text));
      const { bytes, end } = placed(text, before);
      const isSound = parsed(text) !== undefined;
      expect(isStringText(bytes, before, end)).toBe(isSound);
      expect(utf8Into(Buffer.alloc(end - before), bytes, before, end) >= 0).toBe(isSound);
    }), { numRuns: 1000 });
  });

  test('is the UTF-8 of the string that it stands for', () => {
    fc.assert(fc.property(sound, fc.nat(5), (text, before) => {
      const { bytes, end } = placed(text, before);
      const target = Buffer.alloc(end - before);
      const length = utf8Into(target, bytes, before, end);
      expect(target.subarray(0, length)).toEqual(Buffer.from(parsed(text) as string));
    }), { numRuns: 1000 });
  });

  test('begins with so many units, and no character is torn', () => {
    fc.assert(fc.property(sound, fc.nat(5), fc.nat(30), (text, before, units) => {
      const { bytes, end } = placed(text, before);
      const beginning = parsed(bytes.toString('utf8', before, afterUnits(bytes, before, end, units))) as string;
      expect(beginning.slice(0, units)).toBe((parsed(text) as string).slice(0, units));
      expect(beginning.length).toBeLessThanOrEqual(2 * units);
    }), { numRuns: 1000 });
  });
});
