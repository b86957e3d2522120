import { expect, test } from 'vitest';
import { dateText, durationText, offsetText } from '../../src/report/duration.js';

const [s, m, h, d] = [1000, 60_000, 3_600_000, 86_400_000];

test.each([
  [0, '0 ms'], [0.4, '0 ms'], [999.4, '999 ms'], [999.6, '1.00 s'], [9.994 * s, '9.99 s'], [9.996 * s, '10.0 s'], [59.94 * s, '59.9 s'], [59.96 * s, '1 m 00 s'],
  [185 * s, '3 m 05 s'], [h - 400, '1 h 00 m'], [2 * h + 3 * m, '2 h 03 m'], [d - s, '1 d 00 h'], [4 * d + 7 * h, '4 d 07 h'], [400 * d, '400 d 00 h'],
])('%d ms lasts %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test.each([[0, '0:00.000'], [4120, '0:04.120'], [59_999.6, '1:00.000'], [3 * m + 5 * s, '3:05.000'], [h + 2 * m + 3 * s + 4, '1:02:03.004'], [30 * h, '30:00:00.000'], [-5, '0:00.000']])('%d ms is at %s', (ms, text) => {
  expect(offsetText(ms)).toBe(text);
});

test('a date is in UTC, and one that is none is empty', () => {
  expect([dateText(0), dateText(1e20)]).toEqual(['1970-01-01 00:00:00.000 UTC', '']);
});
