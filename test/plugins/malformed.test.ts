import { describe, expect, it } from 'vitest';
import type { Log } from 'afterturn/plugin';
import { countMalformed, type Malformed } from '../../plugins/malformed.js';

function counted(): { readonly malformed: Malformed; readonly lines: string[] } {
  const lines: string[] = [];
  const quiet = (): void => undefined;
  const log: Log = { error: quiet, info: quiet, debug: quiet, warn: (text) => lines.push(text) };
  return { malformed: countMalformed(() => log), lines };
}

describe('malformed messages', () => {
  it('are named once per kind and session', () => {
    const { malformed, lines } = counted();
    for (const [session, kind] of [['s', 'a'], ['s', 'a'], ['s', 'b'], ['t', 'a'], ['s', 'a']] as const) malformed.report(session, kind, 'x is number, expected string');
    expect(lines).toEqual([
      'malformed a of session s: x is number, expected string. It was left out; further ones of this session are only counted.',
      'malformed b of session s: x is number, expected string. It was left out; further ones of this session are only counted.',
      'malformed a of session t: x is number, expected string. It was left out; further ones of this session are only counted.',
    ]);
  });

  it('are said to be left out only where they are', () => {
    const lines: string[] = [];
    const log = { warn: (text: string) => lines.push(text) } as unknown as Log;
    countMalformed(() => log, 'Nothing follows from it').report('s', 'a', 'p');
    expect(lines).toEqual(['malformed a of session s: p. Nothing follows from it; further ones of this session are only counted.']);
  });

  it('are counted by kind, and the totals told at the end', () => {
    const { malformed, lines } = counted();
    for (const kind of ['a', 'b', 'a', 'a']) malformed.report('s', kind, 'p');
    lines.length = 0;
    malformed.close();
    expect(lines).toEqual(['malformed a: 3 in all.', 'malformed b: 1 in all.']);
  });

  it('say nothing when there were none', () => {
    const { malformed, lines } = counted();
    malformed.close();
    expect(lines).toEqual([]);
  });

  it('of any number of sessions take a bounded memory, and are counted all the same', () => {
    const { malformed, lines } = counted();
    for (let i = 0; i < 5000; i++) malformed.report(`s${i}`, 'a', 'p');
    expect(lines).toHaveLength(1000);
    malformed.close();
    expect(lines.at(-1)).toBe('malformed a: 5000 in all.');
  });

  it('without a log are no reason to fail', () => {
    const malformed = countMalformed(() => undefined);
    malformed.report('s', 'a', 'p');
    malformed.close();
  });
});
