import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { isUnmovedByWords, noTurns, turnsAfter } from '../../src/state/turns.js';
import { CLOSING_MS, INSERT_AFTER_MS } from '../../src/state/turns-steps.js';
import type { TurnsState } from '../../src/state/turns-types.js';
import { playedTurns, type Happened } from './played-turns.js';

const ended = (stopReason = 'end_turn') => ({ stopReason });
const sent = (prompt: string): Happened => ({ type: 'promptSent', prompt });
const answered = (prompt: string, stopReason?: string): Happened => ({ type: 'promptEnded', prompt, ending: ended(stopReason) });
const failed = (prompt: string): Happened => ({ type: 'promptFailed', prompt, error: { code: -32603, message: 'no model' } });
const said: Happened = { type: 'said', starts: false };
const content: Happened = { type: 'said', starts: true };
const own = (id: string): Happened => ({ type: 'ownStarted', id });
const ownEnds = (id: string, marks = true, stopReason?: string): Happened => ({ type: 'ownEnded', id, ending: ended(stopReason), marks });
const feed = (running: boolean): Happened => ({ type: 'feed', running });
const marked: Happened = { type: 'marked' };
const cancelled: Happened = { type: 'cancelled' };

/** Plays events; `[ms, event]` happens that much later. */
const play = (...events: (Happened | readonly [number, Happened] | number)[]): string[] => playedTurns().says(...events.flat());

describe('a prompt is taken in', () => {
  test("at the agent's first sign, when nothing is ahead of it", () => {
    expect(play(sent('p'), [100, said], said, [50, answered('p')])).toEqual(['+p', 'running', 'idle end_turn']);
  });

  test('after a quarter of a second without an error', () => {
    expect(play(sent('p'), INSERT_AFTER_MS - 1)).toEqual([]);
    expect(play(sent('p'), INSERT_AFTER_MS)).toEqual(['+p', 'running']);
  });

  test('and ends at once, when the agent answers before it says anything', () => {
    expect(play(sent('p'), [10, answered('p')])).toEqual(['+p', 'running', 'idle end_turn']);
  });

  test('when the prompt ahead of it ends, whose end is told first', () => {
    expect(play(sent('p'), said, sent('q'), [400, answered('p', 'max_tokens')], said, answered('q'))).toEqual(['+p', 'running', 'idle max_tokens', '+q', 'running', 'idle end_turn']);
  });

  test("when the agent's own turn ahead of it ends", () => {
    expect(play(own('t'), sent('p'), said, 500, ownEnds('t'), said, marked, answered('p'))).toEqual(['running', '+p', 'idle end_turn']);
  });

  test('in the order in which prompts were sent', () => {
    expect(play(sent('p'), sent('q'), sent('r'), said, answered('p'), answered('q'), answered('r'))).toEqual(['+p', 'running', 'idle end_turn', '+q', 'running', 'idle end_turn', '+r', 'running', 'idle end_turn']);
  });

  test('when it is answered while other work goes on', () => {
    expect(play(own('t'), sent('p'), answered('p'), ownEnds('t', false))).toEqual(['running', '+p', 'idle end_turn']);
  });

  test('not by an own turn that starts in the meantime', () => {
    expect(play(sent('p'), [10, own('t')], INSERT_AFTER_MS, said, ownEnds('t'), answered('p'))).toEqual(['running', '+p', 'idle end_turn']);
  });
});

describe('a prompt that is never taken in', () => {
  test.each([
    ['fails with the error of the agent', failed('p'), '-p -32603'],
    ['was cancelled', answered('p', 'cancelled'), '-p -32800'],
  ])('%s', (_, event, told) => {
    expect(play(sent('p'), event)).toEqual([told]);
  });

  test('does not keep the next one waiting', () => {
    expect(play(sent('p'), [100, sent('q')], [10, failed('p')], INSERT_AFTER_MS)).toEqual(['-p -32603', '+q', 'running']);
  });

  test('leaves the work ahead of it alone', () => {
    expect(play(sent('p'), said, sent('q'), cancelled, answered('q', 'cancelled'), answered('p', 'cancelled'))).toEqual(['+p', 'running', '-q -32800', 'idle cancelled']);
  });
});

describe('an idle tells how the work ended', () => {
  test('an error after the prompt was taken in', () => {
    expect(play(sent('p'), said, failed('p'))).toEqual(['+p', 'running', 'idle error']);
  });

  test('the last of the work to end', () => {
    expect(play(sent('p'), said, own('t'), answered('p', 'max_tokens'), ownEnds('t', false, 'refusal'))).toEqual(['+p', 'running', 'idle refusal']);
  });

  test.each([answered('p', 'end_turn'), failed('p')])('cancelled, if a cancel fell in the work, whatever the agent says', (end) => {
    expect(play(sent('p'), said, cancelled, end)).toEqual(['+p', 'running', 'idle cancelled']);
  });

  test('with usage and meta, but without the error of work that was cancelled', () => {
    const state = [sent('p'), said, cancelled].reduce<TurnsState>((before, event) => turnsAfter(before, { ...event, at: 0 })[0], noTurns);
    const ending = { stopReason: 'error', error: { code: 1, message: 'x' }, usage: { totalTokens: 1 }, meta: { quota: {} } };
    const [, effects] = turnsAfter(state, { type: 'promptEnded', prompt: 'p', ending, at: 1 });
    expect(effects).toEqual([{ type: 'state', state: 'idle', ending: { stopReason: 'cancelled', usage: { totalTokens: 1 }, meta: { quota: {} } } }]);
  });

  test('a cancel while idle changes nothing', () => {
    expect(play(cancelled, sent('p'), said, answered('p'))).toEqual(['+p', 'running', 'idle end_turn']);
  });

  test('a cancel is confirmed before a prompt that was sent after it is taken in', () => {
    expect(play(sent('p'), said, cancelled, sent('q'), answered('p', 'cancelled'), said, answered('q'))).toEqual(['+p', 'running', 'idle cancelled', '+q', 'running', 'idle end_turn']);
  });

  test('and that prompt still waits a quarter of a second at most', () => {
    expect(play(sent('p'), said, cancelled, sent('q'), [1000, answered('p', 'cancelled')], INSERT_AFTER_MS)).toEqual(['+p', 'running', 'idle cancelled', '+q', 'running']);
  });
});

describe("the agent's own turns", () => {
  test('run from their task to its end, and wait for the update that closes them', () => {
    expect(play(own('t'), said, [900, ownEnds('t')], said)).toEqual(['running']);
    expect(play(own('t'), said, ownEnds('t'), said, marked)).toEqual(['running', 'idle end_turn']);
  });

  test('do not wait where the agent closes none, where it was closed already, or for ever', () => {
    expect(play(own('t'), ownEnds('t', false))).toEqual(['running', 'idle end_turn']);
    expect(play(own('t'), marked, ownEnds('t'))).toEqual(['running', 'idle end_turn']);
    expect(play(own('t'), ownEnds('t'), CLOSING_MS)).toEqual(['running', 'idle end_turn']);
  });

  test('a task that is told twice is one turn, and ends once', () => {
    expect(play(own('t'), own('t'), ownEnds('t', false), ownEnds('t', false))).toEqual(['running', 'idle end_turn']);
  });

  test('the end of a task that is no turn is nothing', () => {
    expect(play(ownEnds('shell'))).toEqual([]);
  });

  test('the next one ends the wait for the last one', () => {
    expect(play(own('t'), ownEnds('t'), own('u'), ownEnds('u', false))).toEqual(['running', 'idle end_turn', 'running', 'idle end_turn']);
  });

  test('a prompt ends the wait, too', () => {
    expect(play(own('t'), ownEnds('t'), sent('p'), said)).toEqual(['running', 'idle end_turn', '+p', 'running']);
  });

  test('from the raw feed, where no task tells them', () => {
    expect(play(feed(true), content, marked, feed(false))).toEqual(['running', 'idle end_turn']);
  });

  test("the feed frames a prompt's turn without another state", () => {
    expect(play(sent('p'), feed(true), said, answered('p'), feed(false))).toEqual(['+p', 'running', 'idle end_turn']);
  });

  test('task and feed of one turn are one turn', () => {
    expect(play(feed(true), own('t'), ownEnds('t'), marked, feed(false))).toEqual(['running', 'idle end_turn']);
    expect(play(own('t'), feed(true), ownEnds('t'), feed(false))).toEqual(['running', 'idle end_turn']);
  });

  test("the feed's word ends a turn whose task never does", () => {
    expect(play(own('t'), feed(false), CLOSING_MS - 1)).toEqual(['running']);
    expect(play(own('t'), feed(false), CLOSING_MS)).toEqual(['running', 'idle end_turn']);
  });

  test('from content alone, until the update that closes a turn', () => {
    expect(play(content, content, marked)).toEqual(['running', 'idle end_turn']);
    expect(play(said)).toEqual([]);
  });

  test('content that is no turn of its own does not keep a session running', () => {
    expect(play(content, sent('p'), answered('p'))).toEqual(['running', '+p', 'idle end_turn']);
    expect(play(content, sent('p'), failed('p'))).toEqual(['running', '-p -32603', 'idle end_turn']);
  });
});

describe('questions', () => {
  const asked = (question: string): Happened => ({ type: 'asked', question });
  const got = (question: string): Happened => ({ type: 'answered', question });

  test('requires_action from the first that is open to the last that is answered', () => {
    expect(play(own('t'), asked('a'), asked('b'), got('a'), got('b'), ownEnds('t', false))).toEqual(['running', 'requires_action', 'running', 'idle end_turn']);
  });

  test('while idle they are no state', () => {
    expect(play(asked('a'), got('a'))).toEqual([]);
  });

  test('work that ends takes back what it asked', () => {
    expect(play(own('t'), asked('a'), ownEnds('t', false), got('a'))).toEqual(['running', 'requires_action', '?a', 'idle end_turn']);
  });
});

test('a closed session: waiting prompts are refused, work ends cancelled, and nothing more is said', () => {
  expect(play(sent('p'), said, sent('q'), { type: 'closed' }, answered('p'), answered('q'), 1000)).toEqual(['+p', 'running', '-q -32800', 'idle cancelled']);
  expect(play({ type: 'closed' })).toEqual([]);
});

test('the same state comes back when nothing changed', () => {
  expect(turnsAfter(noTurns, { type: 'marked', at: 1 })[0]).toBe(noTurns);
  expect(turnsAfter(noTurns, { type: 'feed', running: false, at: 1 })[0]).toBe(noTurns);
});

describe('whatever happens', () => {
  const key = fc.constantFrom('a', 'b');
  const event: fc.Arbitrary<Happened> = fc.oneof(
    key.map(sent), key.map((k) => answered(k)), key.map((k) => answered(k, 'cancelled')), key.map(failed), fc.constantFrom(said, content, marked, cancelled),
    key.map(own), fc.tuple(key, fc.boolean()).map(([k, marks]) => ownEnds(k, marks)), fc.boolean().map(feed),
    key.map((question): Happened => ({ type: 'asked', question })), key.map((question): Happened => ({ type: 'answered', question })),
  );

  test('words that are told to change nothing change nothing', () => {
    let taken = 0;
    const withSigns = fc.oneof(event, fc.constantFrom<Happened>({ type: 'worked', starts: true }, { type: 'closing' }, { type: 'closeFailed' }, { type: 'promptSent', prompt: 'c', overlaps: true }));
    fc.assert(fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), withSigns), { maxLength: 20 }), fc.nat(2000), (events, later) => {
      const turns = playedTurns();
      for (const [ms, one] of events) {
        turns.says(ms, one);
        const state = turns.state();
        if (!isUnmovedByWords(state)) continue;
        taken++;
        for (const starts of [true, false]) expect(turnsAfter(state, { type: 'said', starts, at: 1_000_000 + later })).toEqual([state, []]);
        expect(turnsAfter(state, { type: 'said', starts: true, at: 1_000_000 + later })[0]).toBe(state);
      }
    }), { numRuns: 500 });
    expect(taken).toBeGreaterThan(100);
  });

  test('states alternate, each prompt is answered once, and when all has ended the session is idle', () => {
    fc.assert(fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), event), { maxLength: 40 }), (events) => {
      const unique = events.filter(([, one], index) => one.type !== 'promptSent' || !events.slice(0, index).some(([, other]) => other.type === 'promptSent' && other.prompt === one.prompt));
      const told = play(...unique, ownEnds('a'), ownEnds('b'), answered('a'), answered('b'), feed(false), marked, 1000);
      const states = told.filter((word) => /^(idle|running|requires_action)/.test(word)).map((word) => word.split(' ')[0]);
      for (const [index, state] of states.entries()) expect(state).not.toBe(index === 0 ? 'idle' : states[index - 1]);
      if (states.length > 0) expect(states.at(-1)).toBe('idle');
      for (const prompt of ['a', 'b']) {
        const was = unique.some(([, one]) => one.type === 'promptSent' && one.prompt === prompt);
        expect(told.filter((word) => word === `+${prompt}` || word.startsWith(`-${prompt} `)).length).toBe(was ? 1 : 0);
      }
    }), { numRuns: 2000 });
  });
});
