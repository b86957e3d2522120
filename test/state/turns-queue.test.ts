import { describe, expect, test } from 'vitest';
import { INSERT_AFTER_MS } from '../../src/state/turns-steps.js';
import { playedTurns, type Happened } from './played-turns.js';

const sent = (prompt: string, overlaps = false): Happened => ({ type: 'promptSent', prompt, ...(overlaps ? { overlaps } : {}) });
const answered = (prompt: string, stopReason = 'end_turn'): Happened => ({ type: 'promptEnded', prompt, ending: { stopReason } });
const failed = (prompt: string, code = -32603): Happened => ({ type: 'promptFailed', prompt, error: { code, message: 'no' } });
const said: Happened = { type: 'said', starts: false };
const takenIn: Happened = { type: 'takenIn' };
const cancelled: Happened = { type: 'cancelled' };
const own = (id: string): Happened => ({ type: 'ownStarted', id });
const ownEnds = (id: string): Happened => ({ type: 'ownEnded', id, ending: { stopReason: 'end_turn' }, marks: false });
const says = (...events: (Happened | number)[]): string[] => playedTurns().says(...events);

describe('an agent that tells when it takes a message in', () => {
  test('has a prompt that is folded into running work taken in at once', () => {
    expect(says(sent('p'), takenIn, sent('q'), takenIn, answered('p'), answered('q'))).toEqual(['+p', 'running', '+q', 'idle end_turn']);
    expect(says(own('t'), sent('p'), takenIn, ownEnds('t'), answered('p'))).toEqual(['running', '+p', 'idle end_turn']);
  });

  test('has the next one wait for that, and is told the end of the last one meanwhile', () => {
    expect(says(sent('p'), takenIn, sent('q'), 500, answered('p'), INSERT_AFTER_MS - 1)).toEqual(['+p', 'running', 'idle end_turn']);
    expect(says(sent('p'), takenIn, sent('q'), 500, answered('p'), 20, takenIn, answered('q'))).toEqual(['+p', 'running', 'idle end_turn', '+q', 'running', 'idle end_turn']);
    expect(says(sent('p'), takenIn, sent('q'), answered('p'), INSERT_AFTER_MS)).toEqual(['+p', 'running', 'idle end_turn', '+q', 'running']);
  });

  test('goes on from a turn of its own to the prompt that waits, without an idle', () => {
    expect(says(sent('p'), takenIn, answered('p'), own('t'), sent('q'), ownEnds('t'), 100, takenIn, answered('q'))).toEqual(['+p', 'running', 'idle end_turn', 'running', '+q', 'idle end_turn']);
    expect(says(sent('p'), takenIn, answered('p'), own('t'), sent('q'), ownEnds('t'), 100, said)).toEqual(['+p', 'running', 'idle end_turn', 'running', '+q']);
    expect(says(sent('p'), takenIn, answered('p'), own('t'), sent('q'), ownEnds('t'), INSERT_AFTER_MS)).toEqual(['+p', 'running', 'idle end_turn', 'running', '+q']);
  });

  test('a message that is no prompt is nothing', () => {
    expect(says(takenIn, own('t'), takenIn)).toEqual(['running']);
  });
});

describe('a prompt that is never answered', () => {
  test('is over when a later one has ended, if it was cancelled', () => {
    expect(says(sent('p'), said, cancelled, sent('q'), 5000, answered('q'))).toEqual(['+p', 'running', 'idle cancelled', '+q', 'running', 'idle end_turn']);
  });

  test('may still run when a later one was refused', () => {
    expect(says(sent('p'), said, cancelled, sent('q'), 5000, failed('q'))).toEqual(['+p', 'running', '-q -32603']);
  });

  test('is over when a later one is worked on, where prompts do not wait for each other', () => {
    expect(says(sent('p'), said, cancelled, sent('q', true), said, 5000, answered('q'), answered('p', 'cancelled'))).toEqual(['+p', 'running', 'idle cancelled', '+q', 'running', 'idle end_turn']);
    expect(says(sent('p'), said, cancelled, sent('q', true), INSERT_AFTER_MS)).toEqual(['+p', 'running', 'idle cancelled', '+q', 'running']);
  });

  test('keeps the session running as long as nothing was cancelled', () => {
    expect(says(sent('p'), said, sent('q', true), said, answered('q'))).toEqual(['+p', 'running', '+q']);
  });

  test('its late answer is nothing', () => {
    const { says: more } = playedTurns();
    more(sent('p'), said, cancelled, sent('q'), answered('q'));
    expect(more(answered('p', 'cancelled'), failed('p'))).toEqual([]);
  });
});

describe('session/cancel', () => {
  test('before a prompt was taken in belongs to its work', () => {
    expect(says(sent('p'), cancelled, INSERT_AFTER_MS, answered('p'))).toEqual(['+p', 'running', 'idle cancelled']);
    expect(says(sent('p'), cancelled, answered('p', 'cancelled'), sent('q'), said, answered('q'))).toEqual(['-p -32800', '+q', 'running', 'idle end_turn']);
  });

  test('a request that the client took back after it was taken in ends its work as cancelled', () => {
    expect(says(sent('p'), said, failed('p', -32800))).toEqual(['+p', 'running', 'idle cancelled']);
  });
});

describe('a session that is being closed', () => {
  const closing: Happened = { type: 'closing' };
  const closeFailed: Happened = { type: 'closeFailed' };

  test('takes nothing in that waits', () => {
    expect(says(sent('p'), said, sent('q'), closing, answered('p', 'cancelled'), said, takenIn, 1000, answered('q', 'cancelled'), { type: 'closed' })).toEqual(['+p', 'running', 'idle cancelled', '-q -32800']);
    expect(says(sent('p'), said, sent('q'), closing, answered('p', 'cancelled'), { type: 'closed' })).toEqual(['+p', 'running', 'idle cancelled', '-q -32800']);
    expect(says(sent('p'), closing, 1000, { type: 'closed' })).toEqual(['-p -32800']);
  });

  test('goes on where it was, if that was refused', () => {
    expect(says(sent('p'), said, sent('q'), closing, answered('p'), 500, closeFailed, answered('q'))).toEqual(['+p', 'running', 'idle end_turn', '+q', 'running', 'idle end_turn']);
    expect(says(sent('p'), said, closing, closeFailed, answered('p'))).toEqual(['+p', 'running', 'idle end_turn']);
    expect(says(closeFailed)).toEqual([]);
  });
});
