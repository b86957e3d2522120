import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Form } from '../../src/wire/form.js';

const fixedKeys = ['method', 'kind'];
const formOf = (text: string): Form | undefined => Form.of(Buffer.from(text), fixedKeys);

/** Whether a line has the form, wherever in the buffer it lies. */
function fits(form: Form | undefined, text: string): boolean {
  const before = '{"x":1}\n';
  const lines = Buffer.from(`${before}${text}\n"}`);
  const start = before.length;
  return form?.fits(lines, new DataView(lines.buffer, lines.byteOffset, lines.length), start, start + Buffer.byteLength(text)) ?? false;
}

function widened(form: Form | undefined, text: string): boolean {
  const lines = Buffer.from(`\n${text}\n`);
  return form?.widen(lines, 1, lines.length - 1) ?? false;
}

/** What stays the same in all lines of a form: the value with the texts of its open strings left out. */
function structure(text: string): unknown {
  const left = (key: string, value: unknown): unknown => (typeof value === 'string' && !fixedKeys.includes(key) ? '' : Array.isArray(value) ? value.map((each) => left(key, each)) : value);
  return JSON.parse(text, left);
}

describe('a form', () => {
  test('fits its example only, until another line opens a text', () => {
    const form = formOf('{"method":"m","params":{"text":"one","id":"a"}}');
    expect(fits(form, '{"method":"m","params":{"text":"one","id":"a"}}')).toBe(true);
    expect(fits(form, '{"method":"m","params":{"text":"two","id":"a"}}')).toBe(false);
    expect(widened(form, '{"method":"m","params":{"text":"other","id":"a"}}')).toBe(true);
    for (const text of ['', 'x', '\\"', '\\\\', 'é日本 😀', '","text":"'.replaceAll('"', '\\"'), 'y'.repeat(5000)]) {
      expect([text, fits(form, `{"method":"m","params":{"text":"${text}","id":"a"}}`)]).toEqual([text, true]);
      expect([text, fits(form, `{"method":"m","params":{"text":"${text}","id":"b"}}`)]).toEqual([text, false]);
    }
    expect(widened(form, '{"method":"m","params":{"text":"one","id":"b"}}')).toBe(true);
    expect(fits(form, '{"method":"m","params":{"text":"two","id":"c"}}')).toBe(true);
  });

  test.each([
    ['another method', '{"method":"n","params":{"text":"a"}}'],
    ['another kind', '{"method":"m","params":{"text":"a","kind":"k"}}'],
    ['one member more', '{"method":"m","params":{"text":"a"},"id":1}'],
    ['one member more within', '{"method":"m","params":{"text":"a","method":"n"}}'],
    ['another key', '{"method":"m","params":{"tex":"a"}}'],
    ['a number in place of a text', '{"method":"m","params":{"text":1}}'],
    ['another number', '{"method":"m","params":{"text":"a"},"n":2}'],
    ['a space', '{"method":"m","params":{"text":"a" }}'],
    ['an end that is missing', '{"method":"m","params":{"text":"a"}'],
    ['a text that has no end', '{"method":"m","params":{"text":"a\\"}}'],
    ['an end too many', '{"method":"m","params":{"text":"a"}}}'],
  ])('does not fit, and is not opened for, %s', (_name, line) => {
    const form = formOf('{"method":"m","params":{"text":"a"}}');
    expect(widened(form, '{"method":"m","params":{"text":"b"}}')).toBe(true);
    expect([fits(form, line), widened(form, line), fits(form, line)]).toEqual([false, false, false]);
  });

  test('is not made of lines whose keys are escaped or whose fixed bytes could be no number', () => {
    for (const text of ['{"m\\u0065thod":"m"}', '{"é":1,"method":"m"}', '{"method":"é"}', '{"a":1,"method":"\u0000"}', '{"a":"b}']) expect([text, formOf(text)]).toEqual([text, undefined]);
    expect(fits(formOf('{"method":"m","text":"é"}'), '{"method":"m","text":"e"}')).toBe(true);
  });

  const texts = fc.oneof(fc.string(), fc.constantFrom('"', '\\', 'm', '{', '}]', 'é', '"method":"x"', '\n'));
  const tree = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, texts, fc.integer(), fc.constant(null), fc.array(tie('value'), { maxLength: 3 }), fc.dictionary(fc.constantFrom('method', 'kind', 'text', 'id', 'params'), tie('value'), { maxKeys: 4 })),
  })).value;

  test('fits lines only that differ in nothing but such texts', () => {
    fc.assert(
      fc.property(fc.array(tree.map((value) => JSON.stringify({ value })), { minLength: 2, maxLength: 8 }), ([first = '', ...others]) => {
        const form = formOf(first);
        for (const line of others) {
          if (widened(form, line)) expect(structure(line)).toEqual(structure(first));
          if (fits(form, line)) expect(structure(line)).toEqual(structure(first));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('that was opened for a line fits it, its example, and any text in their place', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 4 }), fc.array(texts, { minLength: 4, maxLength: 4 }), fc.array(texts, { minLength: 4, maxLength: 4 }), (first, second, third) => {
        const line = (values: readonly string[]): string => JSON.stringify({ method: 'm', params: first.map((_, i) => ({ text: values[i], n: i })) });
        const form = formOf(line(first));
        const differs = first.map((text, i) => text !== second[i]);
        expect(widened(form, line(second))).toBe(true);
        expect(fits(form, line(first)) && fits(form, line(second))).toBe(true);
        expect(fits(form, line(first.map((text, i) => (differs[i] ? (third[i] as string) : text))))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
