import { expect, test } from 'vitest';
import { around, moved, whole, within, zoomed } from '../../../src/report/page/window.js';

test('zooming keeps what it is around in its place', () => {
  expect(zoomed({ from: 100, to: 300 }, 0.5, 1000)).toEqual({ from: 150, to: 250 });
  expect(zoomed({ from: 100, to: 300 }, 0.5, 1000, 100)).toEqual({ from: 100, to: 200 });
});

test('nothing before the start and nothing after the end is shown', () => {
  expect(zoomed({ from: 0, to: 500 }, 4, 1000)).toEqual(whole(1000));
  expect(moved({ from: 100, to: 300 }, -1, 1000)).toEqual({ from: 0, to: 200 });
  expect(moved({ from: 700, to: 900 }, 5, 1000)).toEqual({ from: 810, to: 1010 });
});

test('a moment has room around it', () => {
  expect(around(500, 500, 1000)).toEqual({ from: 495, to: 505 });
  expect(within({ from: 500, to: 500 }, 1000)).toEqual({ from: 500, to: 505 });
  expect(around(0, 0, 1)).toEqual(whole(1));
});
