import { expect, test } from 'vitest';
import { internalError, invalidParams, methodNotFound, requestCancelled } from '../../src/protocol/errors.js';

test('each error has its code, says why, and carries data only where there is some', () => {
  expect(methodNotFound('session/fork', 'It cannot fork.')).toEqual({ code: -32601, message: 'Method not found: session/fork. It cannot fork.' });
  expect(invalidParams('no.', { id: 'x' })).toEqual({ code: -32602, message: 'Invalid params: no.', data: { id: 'x' } });
  expect(internalError('broken.')).toEqual({ code: -32603, message: 'Internal error: broken.' });
  expect(requestCancelled()).toEqual({ code: -32800, message: 'Request cancelled' });
});
