import { describe, expect, test } from 'vitest';
import {
  base64, dateTime, filledList, filledText, flag, integer, json, jsonObject, list, number, oneOf, patch, readFields, shape, tagged, text, uri, within, type Reader,
} from '../../../src/protocol/bridge/fields.js';

/** What a reader makes of a value, and what it finds wrong. */
const read = (reader: Reader, value: unknown): [unknown, string[]] => {
  const faults: string[] = [];
  return [reader(value, faults), faults];
};

describe('a value that v2 takes comes back as it is', () => {
  test.each<[string, Reader, unknown]>([
    ['text', text, ''], ['filled text', filledText, 'a'], ['a flag', flag, false], ['an object', jsonObject, { a: 1 }], ['anything', json, 1],
    ['an integer', integer(0), 0], ['an integer that keeps its digits', integer(), Object(7) as unknown], ['a number', number, 1.5],
    ['a name', oneOf('a', 'b'), 'b'], ['a name of an extension', oneOf('a'), '_c'], ['a URI', uri, 'https://a/b'], ['a date', dateTime, '2026-11-30T11:03:58.178Z'],
    ['base64', base64, 'aGk='], ['a list', list(text), ['a']], ['an empty list', list(text), []],
  ])('%s', (_, reader, value) => {
    expect(read(reader, value)).toEqual([value, []]);
  });
});

describe('a value that it does not take is named by type', () => {
  test.each<[Reader, unknown, string]>([
    [text, 1, 'expected a string, got number'], [filledText, '', 'expected a non-empty string, got string'], [flag, 'true', 'expected a boolean, got string'],
    [jsonObject, [], 'expected an object, got array'], [integer(0), -1, 'expected an integer of at least 0, got number'], [integer(), 1.5, 'expected an integer, got number'],
    [number, '1', 'expected a number, got string'], [oneOf('a', 'b'), 'secret', 'expected a, b, got string'], [uri, 'relative', 'expected a URI, got string'],
    [uri, 7, 'expected a URI, got number'], [dateTime, 'yesterday', 'expected a date and time, got string'], [base64, '!', 'expected base64, got string'],
    [list(text), {}, 'expected an array, got object'], [shape({}), null, 'expected an object, got null'],
  ])('%#', (reader, value, fault) => {
    expect(read(reader, value)).toEqual([undefined, [fault]]);
  });
});

test('a path is a file URI', () => {
  expect(read(uri, '/a b/ü')).toEqual(['file:///a%20b/%C3%BC', []]);
});

describe('shape', () => {
  const person = shape({ name: text }, { age: integer(0) });

  test('keeps what it names and _meta, and leaves out null, unknown and unreadable members', () => {
    expect(read(person, { name: 'a', age: null, city: 'x', _meta: { k: 1 } })).toEqual([{ name: 'a', _meta: { k: 1 } }, []]);
    expect(read(person, { name: 'a', age: 'old' })).toEqual([{ name: 'a' }, ['age: expected an integer of at least 0, got string']]);
  });

  test('is nothing without what it requires', () => {
    expect(read(person, { age: 1 })).toEqual([undefined, ['name: expected a value, got undefined']]);
    expect(read(person, { name: 7 })).toEqual([undefined, ['name: expected a string, got number']]);
  });
});

test('lists leave out what they cannot read, and say where it was', () => {
  expect(read(list(shape({ a: text })), [{ a: 'x' }, { a: 1 }, 2])).toEqual([[{ a: 'x' }], ['[1].a: expected a string, got number', '[2]: expected an object, got number']]);
  expect(read(filledList(text), [1])).toEqual([undefined, ['[0]: expected a string, got number']]);
});

test('a union is read by its tag; tags of extensions pass with all they carry', () => {
  const either = tagged('type', { a: shape({ x: text }), b: shape({}) });
  expect(read(either, { type: 'a', x: '1', y: 2 })).toEqual([{ type: 'a', x: '1' }, []]);
  expect(read(either, { type: '_own', y: 2 })).toEqual([{ type: '_own', y: 2 }, []]);
  expect(read(either, { type: 'c' })).toEqual([undefined, ['type: expected a, b, got string']]);
  expect(read(either, { type: 'toString' })).toEqual([undefined, ['type: expected a, b, got string']]);
  expect(read(either, {})).toEqual([undefined, ['type: expected a string, got undefined']]);
  expect(read(either, 'a')).toEqual([undefined, ['expected an object, got string']]);
});

test('within names the place', () => {
  const faults: string[] = [];
  within('outer', faults, (inner) => inner.push('expected x', 'a.b: expected y'));
  expect(faults).toEqual(['outer: expected x', 'outer.a.b: expected y']);
  expect(readFields({ a: 1, b: 2 }, { a: text, c: text }, [])).toEqual({});
});

test('in a patch null clears what is optional, and nothing else', () => {
  const reader = patch({ id: text }, { title: text, note: text });
  expect(read(reader, { id: 'a', title: null })).toEqual([{ id: 'a', title: null }, []]);
  expect(read(reader, { id: 'a', title: 7 })[0]).toEqual({ id: 'a' });
  expect(read(reader, { id: null, title: null })[0]).toBeUndefined();
});
