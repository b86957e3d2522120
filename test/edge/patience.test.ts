import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { settledWithin } from '../../src/edge/patience.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<void>(() => {});

describe('patience', () => {
  it('ends with the work, whichever way that goes', async () => {
    expect(await settledWithin(Promise.resolve(), 1000)).toBe(true);
    expect(await settledWithin(Promise.reject(new Error('x')), 1000)).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends after its time', async () => {
    const result = settledWithin(never, 1000);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await result).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not count time that is excused', async () => {
    let excused = true;
    let result: boolean | undefined;
    void settledWithin(never, 1000, () => excused).then((value) => (result = value));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(result).toBeUndefined();
    excused = false;
    await vi.advanceTimersByTimeAsync(1000);
    expect(result).toBe(false);
  });
});
