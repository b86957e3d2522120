import { expect, test } from 'vitest';
import { OpenRequests } from '../../plugins/open-requests.js';

test('of two open requests with one id the first is answered first', () => {
  const open = new OpenRequests<string>();
  open.add(1, 'first');
  open.add('1', 'text');
  open.add(1, 'second');
  expect(open.find(1)).toBe('first');
  expect(open.take(1)).toBe('first');
  expect(open.take(1)).toBe('second');
  expect(open.take(1)).toBeUndefined();
  expect(open.take('1')).toBe('text');
});

test('notifications are not remembered, `null` and `0` are ids', () => {
  const open = new OpenRequests<string>();
  open.add(undefined, 'none');
  open.add(null, 'null');
  open.add(0, 'zero');
  expect([open.take(0), open.take(null), open.find(undefined)]).toEqual(['zero', 'null', undefined]);
});
