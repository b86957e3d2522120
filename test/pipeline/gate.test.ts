import { describe, expect, test } from 'vitest';
import { Gate } from '../../src/pipeline/gate.js';

function gated() {
  const opened: string[] = [];
  const timers: { readonly ms: number; readonly run: () => void }[] = [];
  const gate = new Gate({ opened: () => opened.push(gate.isShut ? 'still shut' : 'open'), after: (ms, run) => (timers.push({ ms, run }), () => undefined) });
  return { gate, opened, timers };
}

describe('a gate', () => {
  test('is shut until all who hold it let go, each once', () => {
    const { gate, opened } = gated();
    expect(gate.isShut).toBe(false);
    const [one, other] = [gate.hold(), gate.hold()];
    one();
    one();
    expect(gate.isShut).toBe(true);
    other();
    expect([gate.isShut, opened]).toEqual([false, ['still shut', 'open']]);
  });

  test('opens by itself 10 s after the end of the input', () => {
    const { gate, timers } = gated();
    gate.hold();
    expect(timers).toEqual([]);
    gate.end();
    expect(timers.map(({ ms }) => ms)).toEqual([10_000]);
    timers[0]?.run();
    expect(gate.isShut).toBe(false);
  });

  test('also where it is shut after the end', () => {
    const { gate, timers } = gated();
    gate.end();
    expect(timers).toEqual([]);
    gate.hold();
    timers[0]?.run();
    expect(gate.isShut).toBe(false);
  });
});
