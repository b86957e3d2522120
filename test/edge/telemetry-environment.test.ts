import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownVariables, withVariables } from '../../src/edge/telemetry-environment.js';

let before: NodeJS.ProcessEnv;
beforeEach(() => void (before = { ...process.env }));
afterEach(() => {
  expect(process.env).toEqual(before);
});

test('only what is meant for us, under its own name, and never empty', () => {
  const env = { AFTERTURN_OTEL_A: '1', AFTERTURN_OTEL_B: ' ', AFTERTURN_OTLP: 'http://x', OTEL_C: '3', AFTERTURN_OTEL_D: undefined };
  expect([...ownVariables(env)]).toEqual([['OTEL_A', '1']]);
});

test('is there while the SDK looks, and gone afterwards', () => {
  process.env.OTEL_OURS_A = 'theirs';
  before = { ...process.env };
  const own = new Map([['OTEL_OURS_A', 'ours'], ['OTEL_OURS_B', 'ours']]);
  expect(withVariables(own, () => [process.env.OTEL_OURS_A, process.env.OTEL_OURS_B])).toEqual(['ours', 'ours']);
  expect(process.env.OTEL_OURS_A).toBe('theirs');
  expect('OTEL_OURS_B' in process.env).toBe(false);
  expect(() => withVariables(own, () => { throw new Error('x'); })).toThrow('x');
  delete process.env.OTEL_OURS_A;
  before = { ...process.env };
});
