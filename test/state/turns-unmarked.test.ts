import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { noTurns, turnsAfter } from '../../src/state/turns.js';
import { INSERT_AFTER_MS } from '../../src/state/turns-steps.js';
import { CANCELLED_SILENCE_MS, SILENCE_MS } from '../../src/state/turns-unmarked.js';
import { playedTurns, type Happened } from './played-turns.js';

const word: Happened = { type: 'worked', starts: true };
const call = (id: string, open: boolean, starts = false): Happened => ({ type: 'worked', starts, call: { id, open } });
const opens = (id = 'c'): Happened => call(id, true, true);
const ends = (id = 'c'): Happened => call(id, false);
const sent = (prompt: string): Happened => ({ type: 'promptSent', prompt });
const answered = (prompt: string, stopReason = 'end_turn'): Happened => ({ type: 'promptEnded', prompt, ending: { stopReason } });
const said: Happened = { type: 'said', starts: false };
const cancelled: Happened = { type: 'cancelled' };
const asked: Happened = { type: 'asked', question: 'q' };
const got: Happened = { type: 'answered', question: 'q' };

describe('a turn that nothing marks', () => {
  test('runs from its first content to a silence', () => {
    const { says } = playedTurns();
    expect(says(word)).toEqual(['running']);
    expect(says(SILENCE_MS - 1, word, SILENCE_MS - 1)).toEqual([]);
    expect(says(1)).toEqual(['idle end_turn']);
    expect(says(60_000)).toEqual([]);
  });

  test('begins with nothing that a turn does not begin with', () => {
    expect(playedTurns().says(call('c', true), ends(), 60_000)).toEqual([]);
  });

  test('goes on as long as a call is open, however long that is silent', () => {
    const { says } = playedTurns();
    expect(says(opens('a'), opens('b'), 600_000)).toEqual(['running']);
    expect(says(ends('a'), 600_000)).toEqual([]);
    expect(says(ends('b'), SILENCE_MS - 1)).toEqual([]);
    expect(says(1)).toEqual(['idle end_turn']);
  });

  test('goes on as long as a question is open, and a while after its answer', () => {
    const { says } = playedTurns();
    expect(says(word, asked, 600_000)).toEqual(['running', 'requires_action']);
    expect(says(got, SILENCE_MS - 1)).toEqual(['running']);
    expect(says(1)).toEqual(['idle end_turn']);
  });

  test('is cancelled by a session/cancel: a short silence ends it', () => {
    const { says } = playedTurns();
    expect(says(opens(), 3000, cancelled, 200, ends(), CANCELLED_SILENCE_MS - 1)).toEqual(['running']);
    expect(says(1)).toEqual(['idle cancelled']);
  });

  test('is over after a session/cancel, even if a call never ends', () => {
    const { says } = playedTurns();
    expect(says(opens(), cancelled, SILENCE_MS - 1)).toEqual(['running']);
    expect(says(1)).toEqual(['idle cancelled']);
  });

  test('is taken over by nothing that waits where the session is being closed', () => {
    const { says } = playedTurns();
    expect(says(sent('p'), { type: 'closing' }, opens())).toEqual(['running']);
    expect(says(word, asked, got)).toEqual(['requires_action', 'running']);
    expect(says({ type: 'closed' })).toEqual(['-p -32800', 'idle cancelled']);
  });

  test('ends with the session', () => {
    expect(playedTurns().says(opens(), { type: 'closed' }, 60_000)).toEqual(['running', 'idle cancelled']);
  });

  test('gives way to what marks a turn', () => {
    expect(playedTurns().says(word, { type: 'ownStarted', id: 't' }, 60_000, { type: 'ownEnded', id: 't', ending: { stopReason: 'end_turn' }, marks: false })).toEqual(['running', 'idle end_turn']);
  });

  test('is looked at again once at a time, also while it streams', () => {
    const { says, wakes } = playedTurns();
    says(word, ...Array.from({ length: 100 }, () => [10, word]).flat());
    expect(wakes()).toBe(1);
  });
});

describe('content while a prompt runs', () => {
  test("is the prompt's", () => {
    expect(playedTurns().says(sent('p'), said, word, opens(), answered('p'), 60_000)).toEqual(['+p', 'running', 'idle end_turn']);
  });
});

describe('a prompt during such a turn', () => {
  test('takes it over after a while, with no idle in between, and its end is the end of both', () => {
    const { says } = playedTurns();
    expect(says(opens(), 500, sent('p'), INSERT_AFTER_MS - 1, call('c', true))).toEqual(['running']);
    expect(says(1)).toEqual(['+p']);
    expect(says(ends(), word, 60_000)).toEqual([]);
    expect(says(answered('p'))).toEqual(['idle end_turn']);
  });

  test('takes it over with the first word that is not about a call of the turn', () => {
    const { says } = playedTurns();
    expect(says(opens(), sent('p'), call('c', true), ends())).toEqual(['running']);
    expect(says(said, word)).toEqual(['+p']);
  });

  test('takes over a turn that is silent already', () => {
    expect(playedTurns().says(word, 3000, sent('p'), said, word, answered('p'))).toEqual(['running', '+p', 'idle end_turn']);
  });

  test('waits for the end of one that was cancelled, which is told first', () => {
    const { says } = playedTurns();
    expect(says(opens(), cancelled, sent('p'), INSERT_AFTER_MS)).toEqual(['running', 'idle cancelled']);
    expect(says(INSERT_AFTER_MS)).toEqual(['+p', 'running']);
  });

  test('that is answered at once is taken in first', () => {
    expect(playedTurns().says(opens(), sent('p'), answered('p'), 60_000)).toEqual(['running', '+p', 'idle end_turn']);
  });

  test('that is refused leaves it as it is', () => {
    const { says } = playedTurns();
    expect(says(opens(), sent('p'), { type: 'promptFailed', prompt: 'p', error: { code: -32603, message: 'busy' } }, 60_000)).toEqual(['running', '-p -32603']);
    expect(says(ends(), SILENCE_MS)).toEqual(['idle end_turn']);
  });
});

describe('prompts that overlap', () => {
  const next = (prompt: string): Happened => ({ type: 'promptSent', prompt, overlaps: true });

  test('the second is taken in while the first still runs, which ends in its name', () => {
    const { says } = playedTurns();
    expect(says(next('p'), said, next('q'), said)).toEqual(['+p', 'running', '+q']);
    expect(says(answered('q', 'max_tokens'), answered('p', 'cancelled'))).toEqual(['idle max_tokens']);
  });

  test('the first to end is told only if it is the last', () => {
    expect(playedTurns().says(next('p'), said, next('q'), said, answered('p', 'cancelled'), answered('q'))).toEqual(['+p', 'running', '+q', 'idle end_turn']);
  });

  test('what was not stopped for a later one ended as it says', () => {
    expect(playedTurns().says(next('p'), said, next('q'), said, answered('q'), answered('p', 'refusal'))).toEqual(['+p', 'running', '+q', 'idle refusal']);
  });

  test('a session/cancel counts for both', () => {
    expect(playedTurns().says(next('p'), said, next('q'), said, cancelled, answered('q'), answered('p'))).toEqual(['+p', 'running', '+q', 'idle cancelled']);
  });

  test('one without a sign is taken in after a while', () => {
    expect(playedTurns().says(next('p'), said, next('q'), INSERT_AFTER_MS)).toEqual(['+p', 'running', '+q']);
  });
});

test('the same state comes back when nothing changed', () => {
  expect(turnsAfter(noTurns, { type: 'worked', starts: false, at: 1 })[0]).toBe(noTurns);
});

test('whatever happens, states alternate, and the session ends idle when nothing more comes', () => {
  const key = fc.constantFrom('a', 'b');
  const event: fc.Arbitrary<Happened> = fc.oneof(
    key.map(sent), key.map((k): Happened => ({ type: 'promptSent', prompt: k, overlaps: true })), key.map((k) => answered(k)), key.map((k) => answered(k, 'cancelled')),
    fc.constantFrom(said, word, cancelled, asked, got), key.map(opens), key.map(ends),
  );
  fc.assert(fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), event), { maxLength: 40 }), (events) => {
    const unique = events.filter(([, one], index) => one.type !== 'promptSent' || !events.slice(0, index).some(([, other]) => other.type === 'promptSent' && other.prompt === one.prompt));
    const { says } = playedTurns();
    const told = says(...unique.flat(), got, ends('a'), ends('b'), 1000, answered('a'), answered('b'), 60_000);
    const states = told.filter((line) => /^(idle|running|requires_action)/.test(line)).map((line) => line.split(' ')[0]);
    for (const [index, state] of states.entries()) expect(state).not.toBe(index === 0 ? 'idle' : states[index - 1]);
    if (states.length > 0) expect(states.at(-1)).toBe('idle');
    for (const prompt of ['a', 'b']) {
      const was = unique.some(([, one]) => one.type === 'promptSent' && one.prompt === prompt);
      expect(told.filter((line) => line === `+${prompt}` || line.startsWith(`-${prompt} `)).length).toBe(was ? 1 : 0);
    }
  }), { numRuns: 2000 });
});
