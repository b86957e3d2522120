import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Frame, NotAMessage } from '../../src/wire/frame.js';
import { LongText } from '../../src/wire/long-text.js';
import { Peek } from '../../src/wire/peek.js';
import { stringText } from './json-text.js';

/** A message as it came, as the intake makes it. */
function came(line: string | Buffer): Frame {
  const peek = new Peek({ method: 'x', path: [] });
  const bytes = Buffer.from(line);
  peek.look(bytes, 0, bytes.length);
  expect(peek.sure).toBe(true);
  return Frame.ofLine(bytes, { kind: 'notification', method: 'x', idText: undefined }, false, peek.longStrings);
}

const textOf = (frame: Frame): string => Buffer.from(frame.raw).toString();
const whole = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const places = { long: true, list: { '*': { long: true } }, b: true } as const;

/** A JSON string of more than 1 KiB, written in any way. */
const longString = fc
  .tuple(stringText(fc.string({ unit: 'grapheme', maxLength: 20 })), fc.constantFrom('a', '\\n', '\\u001b[0m', 'é', '漢\\r\\n', '\\u00e9', '\\ud83d\\ude00', '😀', '\\ud800', '\\u0000', '\\\\u00e9', '\\"', '/\\/'))
  .map(([text, filling]) => `"${text.slice(1, -1)}${filling.repeat(Math.ceil(1100 / filling.length))}"`);
const anyString = fc.oneof(stringText(fc.string({ maxLength: 8 })), longString);
const params = fc
  .record({ key: fc.constantFrom('other', 'b', '__proto__', 'rest'), a: anyString, b: anyString, long: longString, items: fc.array(fc.tuple(anyString, anyString), { maxLength: 3 }), number: fc.constantFrom('1.0', '7', '12345678901234567890') })
  .map(({ key, a, b, long, items, number }) => `{"n":${number},"a":${a},"long":${long}, "list" : [${items.map(([one, other]) => `{"long":${one},"other":${other}}`).join(',')}],"${key}":${b}}`);

describe('a message with long texts', () => {
  test('says the same as without, and is written so', () => {
    fc.assert(fc.property(params, (text) => {
      const line = `{"jsonrpc":"2.0","method":"x","params":${text}}\n`;
      const exact = came(line);
      const expected = Frame.ofCall('y', { kept: exact.params });
      const made = Frame.ofCall('y', { kept: came(line).withTexts(places) });
      expect(JSON.parse(textOf(made))).toEqual(JSON.parse(textOf(expected)));
      expect(JSON.stringify(JSON.parse(textOf(made)))).toBe(JSON.stringify(JSON.parse(textOf(expected))));
      expect(whole(made.params)).toEqual(whole(expected.params));
      expect(Buffer.concat(made.pieces.map((piece) => Buffer.from(piece as string)))).toEqual(Buffer.from(made.raw));
      expect(JSON.stringify(made.withTexts({ kept: places }))).toBe(JSON.stringify(expected.params));
      const changed = made.changed({ method: 'z' });
      expect(JSON.stringify(JSON.parse(textOf(changed)))).toBe(JSON.stringify(JSON.parse(textOf(expected.changed({ method: 'z' })))));
    }), { numRuns: 100 });
  });

  test('has them at the places that were asked for, and strings everywhere else', () => {
    const long = 'x'.repeat(2000);
    const frame = came(JSON.stringify({ method: 'x', params: { long, other: long, list: [{ long, other: long }, 'short'], b: { deep: long } } }));
    const { long: text, ...rest } = frame.withTexts(places) as { long: unknown; other: unknown; list: [{ long: unknown; other: unknown }]; b: { deep: unknown } };
    expect([text, rest.list[0].long].every((one) => one instanceof LongText)).toBe(true);
    expect([rest.other, rest.list[0].other, rest.b.deep]).toEqual([long, long, long]);
    expect(frame.params).toEqual({ long, other: long, list: [{ long, other: long }, 'short'], b: { deep: long } });
  });

  test('is written from the bytes that it came as, and read by the plugins behind as strings', () => {
    const spelled = '\\u0041\\/'.repeat(200);
    const made = Frame.ofCall('y', came(`{"method":"x","params":{"long":"${spelled}","n":1}}`).withTexts(places));
    expect(textOf(made)).toBe(`{"jsonrpc":"2.0","method":"y","params":{"long":"${spelled}","n":1}}\n`);
    expect(made.outline).toEqual({ long: '', n: 1 });
    expect(made.params).toMatchObject({ long: 'A/'.repeat(200) });
    expect(JSON.stringify(made.withTexts({ long: true }))).toContain('A/A/');
  });

  test('whose other strings begin with NUL is read as a whole', () => {
    const long = 'x'.repeat(2000);
    const line = JSON.stringify({ method: 'x', params: { long, a: '\u00000', b: '"\u00001' } });
    expect(came(line).withTexts(places)).toEqual({ long, a: '\u00000', b: '"\u00001' });
    const text = (came(JSON.stringify({ method: 'x', params: { long } })).withTexts(places) as { long: unknown }).long;
    const made = Frame.ofCall('y', { a: '\u00000', text, b: 'q"\u00001' });
    expect(made.params).toEqual({ a: '\u00000', text: long, b: 'q"\u00001' });
    expect(JSON.parse(textOf(made)).params).toEqual({ a: '\u00000', text: long, b: 'q"\u00001' });
  });

  test('with a long key is one, too', () => {
    const key = 'k'.repeat(2000);
    expect(came(JSON.stringify({ method: 'x', params: { in: { [key]: 1 }, long: key } })).withTexts(places)).toEqual({ in: { [key]: 1 }, long: key });
  });

  test.each([['a control character', '\n'], ['a broken escape', '\\x'], ['half an escape', '\\u12']])('that holds %s is no message', (_, inside) => {
    expect(() => came(`{"method":"x","params":{"long":"${'a'.repeat(2000)}${inside}"}}`).withTexts(places)).toThrow(NotAMessage);
  });

  test('that is no UTF-8 is read as any other', () => {
    const line = Buffer.concat([Buffer.from(`{"method":"x","params":{"long":"${'a'.repeat(2000)}`), Buffer.from([0xff]), Buffer.from('"}}')]);
    expect(came(line).withTexts(places)).toEqual({ long: `${'a'.repeat(2000)}\ufffd` });
  });
});

describe('a long text', () => {
  const read = (json: string): LongText => LongText.ofJson(Buffer.from(json));

  test('is its string, its beginning and its base64, also when it is kept', () => {
    fc.assert(fc.property(fc.oneof(longString, stringText(fc.string({ unit: 'grapheme' }))), fc.nat(80), fc.constantFrom('text', 'start', 'base64', 'keep'), (written, units, first) => {
      // Half a character has no UTF-8.
      const json = Buffer.from(written).toString();
      const string = JSON.parse(json) as string;
      const text = read(json);
      if (first === 'keep') text.keep();
      if (first === 'text') expect(String(text)).toBe(string);
      if (first === 'base64') expect(String(text.base64())).toBe(Buffer.from(string).toString('base64'));
      expect(text.start(units)).toBe(string.slice(0, units));
      expect(String(text.base64())).toBe(Buffer.from(string).toString('base64'));
      expect(String(text.keep())).toBe(string);
      expect(JSON.stringify({ text })).toBe(JSON.stringify({ text: string }));
    }), { numRuns: 300 });
  });

  test('that is kept holds nothing else of what was read', () => {
    const buffer = Buffer.alloc(64 * 1024, 'a');
    buffer[100] = buffer[1201] = 34;
    const text = LongText.ofJson(buffer.subarray(100, 1202)).keep();
    expect((text.json as Uint8Array).buffer.byteLength).toBe(1102);
    expect(String(text)).toBe('a'.repeat(1100));
  });
});
