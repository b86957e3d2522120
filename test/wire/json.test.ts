import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactNumber, hasInexactNumber, jsonText, parsedJson } from '../../src/wire/json.js';
import { valueText } from './json-text.js';

describe('digits survive', () => {
  test.each(['12345678901234567890', '-98765432109876543210', '1.0', '1e3', '1E+2', '-0', '0.10', '1e400', '0.0000001', '3.141592653589793238'])('%s', (digits) => {
    const text = `{"a":${digits},"b":[${digits},1],"c":"${digits}"}`;
    const value = parsedJson(text) as { a: unknown; b: unknown[] };
    expect(jsonText({ ...value, b: [...value.b] })).toBe(text);
    expect(value.a).toBeInstanceOf(ExactNumber);
    expect(Number(value.a)).toBe(Number(digits));
    expect(value.b[1]).toBe(1);
  });

  test('plain numbers stay numbers', () => {
    expect(parsedJson('[0,-1,1.5,9007199254740991,1e21]')).toEqual([0, -1, 1.5, 9007199254740991, new ExactNumber('1e21')]);
    expect(parsedJson('[0.30000000000000004,1,1.0]')).toEqual([0.30000000000000004, 1, new ExactNumber('1.0')]);
  });

  test('an exact number counts as a number in sums and comparisons, and in JSON that others write', () => {
    const exact = new ExactNumber('1.0') as unknown as number;
    expect([exact + 1, exact < 2, `${exact}`, JSON.stringify({ exact })]).toEqual([2, true, '1.0', '{"exact":1}']);
  });
});

describe('only numbers outside strings count', () => {
  test.each([
    ['{"a":"1.0, 12345678901234567890","b":1}', false],
    ['{"a":"\\"","b":1.0}', true],
    ['{"a":"\\\\","b":1}', false],
    ['{"a":"\\\\\\"1.0"}', false],
    ['{"1.0":-1}', false],
    ['[[1],[2,[-0]]]', true],
    ['[0.5,1.25,-7]', false],
  ])('%s', (text, inexact) => expect(hasInexactNumber(text)).toBe(inexact));
});

test('of duplicate keys the last counts, also beside odd numbers', () => {
  expect(jsonText(parsedJson('{"a":1,"b":1.0,"a":2,"b":2.0}'))).toBe('{"a":2,"b":2.0}');
});

test('a prototype cannot be set', () => {
  const value = parsedJson('{"__proto__":{"x":1},"n":1.0}') as Record<string, unknown>;
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(jsonText(value)).toBe('{"__proto__":{"x":1},"n":1.0}');
});

test('very deep nesting does not need the digits to be readable', () => {
  const deep = `${'['.repeat(50_000)}1.0${']'.repeat(50_000)}`;
  expect(() => parsedJson(deep)).not.toThrow();
});

test('what is no JSON is a syntax error', () => {
  for (const text of ['', '{', '{"a":1.0', '{"a":01}', '{"a":1.}', '{"a":-}', '[1.0,]', 'nul']) expect(() => parsedJson(text), text).toThrow(SyntaxError);
});

test('what has no JSON is refused or left out as JSON.stringify does', () => {
  const cycle: Record<string, unknown> = { n: new ExactNumber('1.0') };
  cycle.self = cycle;
  expect(() => jsonText(cycle)).toThrow(TypeError);
  expect(() => jsonText({ a: 1n })).toThrow(TypeError);
  expect(jsonText(undefined)).toBeUndefined();
  expect(jsonText({ a: undefined, n: new ExactNumber('1.0'), f: () => 1 })).toBe('{"n":1.0}');
});

test('any JSON text keeps its value, and is stable once written', () => {
  fc.assert(
    fc.property(valueText, (text) => {
      const written = jsonText(parsedJson(text)) as string;
      expect(JSON.parse(written)).toEqual(JSON.parse(text));
      expect(jsonText(parsedJson(written))).toBe(written);
      const numbers = (json: string): string[] => json.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
      if (!/"(?:[^"\\]|\\.)*"\s*:/.test(text)) expect(numbers(written)).toEqual(numbers(text));
    }),
    { numRuns: 1000 },
  );
});
