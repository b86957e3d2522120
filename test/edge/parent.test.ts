import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { whenParentIsGone } from '../../src/edge/parent.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the end of our parent', () => {
  it('is told once, soon after another process has taken its place', () => {
    let parent = 7;
    const told = vi.fn();
    whenParentIsGone(7, told, () => parent);
    vi.advanceTimersByTime(60_000);
    expect(told).not.toHaveBeenCalled();
    parent = 1;
    vi.advanceTimersByTime(1000);
    expect(told).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(60_000);
    expect(told).toHaveBeenCalledTimes(1);
  });

  it('is not told as long as the parent that we have is there', () => {
    const told = vi.fn();
    whenParentIsGone(process.ppid, told);
    vi.advanceTimersByTime(10_000);
    expect(told).not.toHaveBeenCalled();
  });
});
