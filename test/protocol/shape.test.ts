import { describe, expect, it } from 'vitest';
import { arrayOf, at, booleanOf, defined, idOf, integerOf, isObject, objectOf, stringOf, typeName } from 'afterturn/protocol';
import { parsedJson } from '../../src/wire/json.js';

describe('readers of untrusted JSON', () => {
  it('give the value when it has the type, else undefined', () => {
    const values: readonly unknown[] = ['text', '', 3, true, null, undefined, [1], { a: 1 }];
    expect(values.map(stringOf)).toEqual(['text', '', undefined, undefined, undefined, undefined, undefined, undefined]);
    expect(values.map(idOf)).toEqual(['text', undefined, undefined, undefined, undefined, undefined, undefined, undefined]);
    expect(values.map(booleanOf)).toEqual([undefined, undefined, undefined, true, undefined, undefined, undefined, undefined]);
    expect(values.map(arrayOf)).toEqual([undefined, undefined, undefined, undefined, undefined, undefined, [1], undefined]);
    expect(values.map(objectOf)).toEqual([undefined, undefined, undefined, undefined, undefined, undefined, undefined, { a: 1 }]);
    expect(values.map(isObject)).toEqual([false, false, false, false, false, false, false, true]);
    expect(values.map(typeName)).toEqual(['string', 'string', 'number', 'boolean', 'null', 'undefined', 'array', 'object']);
  });

  it('read an integer however its digits are kept', () => {
    expect([3, -1, 0, 1.5, NaN, '3', null, undefined, [3], {}].map(integerOf)).toEqual([3, -1, 0, undefined, undefined, undefined, undefined, undefined, undefined, undefined]);
    expect(integerOf(parsedJson('3.0'))).toBe(3);
    expect(integerOf(parsedJson('1e2'))).toBe(100);
    expect(integerOf(parsedJson('1.50'))).toBeUndefined();
  });

  it('do not fall for names of object members', () => {
    expect(integerOf({ valueOf: 3 })).toBeUndefined();
    expect(integerOf(JSON.parse('{"__proto__":{"valueOf":3}}'))).toBeUndefined();
    expect(integerOf(Object.assign(Object.create({ valueOf: 3 }) as object, { a: 1 }))).toBeUndefined();
    expect(integerOf(Object.create(null))).toBeUndefined();
    expect(at({}, 'constructor', 'name')).toBeUndefined();
    expect(at([1], 'length')).toBeUndefined();
    expect(at({ a: { b: [2] } }, 'a', 'b')).toEqual([2]);
    expect(at(undefined, 'a')).toBeUndefined();
    expect(at('x')).toBe('x');
  });

  it('leave out what is undefined, and nothing else', () => {
    expect(Object.entries(defined({ a: undefined, b: null, c: 0, d: '' }))).toEqual([['b', null], ['c', 0], ['d', '']]);
  });
});
