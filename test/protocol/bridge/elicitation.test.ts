import { expect, test } from 'vitest';
import { toV2ElicitationParams } from '../../../src/protocol/bridge/elicitation.js';
import { validateToClient } from '../../tools/schema.js';

const form = { mode: 'form', message: 'Who?', sessionId: 's' };
const valid = (params: unknown): unknown => validateToClient('v2', { jsonrpc: '2.0', id: 1, method: 'elicitation/create', params });

test('a form of every kind of property is the same', () => {
  const requestedSchema = {
    type: 'object', title: 'T', required: ['name'],
    properties: {
      name: { type: 'string', title: 'Name', minLength: 1, pattern: '^[a-z]+$', format: 'email', default: null },
      one: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
      other: { type: 'string', enum: ['a', 'b'] },
      amount: { type: 'number', minimum: 0 }, count: { type: 'integer' }, yes: { type: 'boolean' },
      some: { type: 'array', items: { type: 'string', enum: ['a'] } }, titled: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
      own: { type: '_color', palette: 'warm' },
    },
  };
  const { value } = toV2ElicitationParams({ ...form, requestedSchema, toolCallId: 'c' });
  expect(value).toEqual({ ...form, requestedSchema, toolCallId: 'c' });
  expect(valid(value)).toEqual([]);
});

test.each([[{}], [{ properties: {} }], [undefined]])('a schema %j has what v2 requires', (requestedSchema) => {
  const { value } = toV2ElicitationParams({ ...form, requestedSchema });
  expect(value).toEqual({ ...form, requestedSchema: { type: 'object', properties: {} } });
  expect(valid(value)).toEqual([]);
});

test('what v2 takes as no schema is left out: it only narrows what may be entered', () => {
  const properties = { a: { type: 'string', pattern: '(', enum: [] }, b: { type: 'string', oneOf: [], title: 'B' } };
  const { value } = toV2ElicitationParams({ ...form, requestedSchema: { properties } });
  expect(value?.requestedSchema).toEqual({ type: 'object', properties: { a: { type: 'string' }, b: { type: 'string', title: 'B' } } });
  expect(valid(value)).toEqual([]);
});

test('a page is the same; an address that is none is refused', () => {
  const page = { mode: 'url', message: 'Sign in', requestId: 3, elicitationId: 'e', url: 'https://x.example/login' };
  expect(toV2ElicitationParams(page)).toEqual({ value: page });
  expect(valid(page)).toEqual([]);
  expect(toV2ElicitationParams({ ...page, url: 'login' }).error).toEqual({ code: -32602, message: 'Invalid params: an elicitation of mode url needs a url.', data: { url: 'string' } });
});

test('a mode of an extension passes', () => {
  const params = { mode: '_voice', message: 'Say it', sessionId: 's' };
  expect(toV2ElicitationParams(params)).toEqual({ value: params });
});

test('one that belongs to nothing is refused', () => {
  expect(toV2ElicitationParams({ mode: 'form', message: 'Who?' }).error).toMatchObject({ code: -32602, data: { sessionId: 'undefined', requestId: 'undefined' } });
});
