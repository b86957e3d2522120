import { expect, test } from 'vitest';
import { idKey, rpcError } from '../../src/wire/jsonrpc.js';

test('1 and "1" have different keys, and so have null and "null"', () => {
  expect([1, '1', null, 'null', 0, ''].map((id) => idKey(id))).toEqual(['1', '"1"', 'null', '"null"', '0', '""']);
});

test('an error has data only where there is some', () => {
  expect([rpcError(1, 'm'), rpcError(1, 'm', null)]).toEqual([{ code: 1, message: 'm' }, { code: 1, message: 'm', data: null }]);
});
