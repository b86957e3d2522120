import { describe, expect, test } from 'vitest';
import { emptyLedger, emptySession, reduceLedger, type LedgerEvent, type SessionLedger } from 'afterturn/state';
import { newsOf, pastSignal, startsOf, type TaskSignal } from '../../src/state/history.js';

type Told = LedgerEvent['signal'];

const spawned = (task: string, toolCallId?: string): TaskSignal => ({ type: 'taskStarted', source: 'async', task, facts: { taskType: 'shell', ...(toolCallId === undefined ? {} : { toolCallId }) } });
const ended = (task: string): TaskSignal => ({ type: 'taskEnded', source: 'async', task, outcome: 'stopped', facts: {} });
const progress = (task: string): TaskSignal => ({ type: 'taskChanged', source: 'async', task, facts: { title: 'x' } });
const call = (id: string, facts: object): Told => ({ type: 'toolCall', call: id, facts });
const terminal = (id: string, facts: object): Told => ({ type: 'terminal', terminal: id, facts });

function after(...signals: Told[]): SessionLedger {
  let ledger = emptyLedger();
  for (const signal of signals) [ledger] = reduceLedger(ledger, { session: 's', at: 0, signal });
  return ledger.get('s') ?? emptySession;
}

const living = after(call('c', { status: 'pending', terminals: ['t'] }), terminal('t', {}), call('old', { status: 'failed' }), call('open', { status: 'in_progress' }), spawned('b', 'c'), call('c', { status: 'completed' }));

describe('a replayed call', () => {
  test('that launched what lives has no status and no exit code any more', () => {
    expect(pastSignal(living, call('c', { start: true, status: 'failed', exitCode: 1, title: 'x' }))).toEqual(call('c', { title: 'x' }));
  });

  test('that has ended stays so, and its id is not used again', () => {
    expect(pastSignal(living, call('old', { start: true, status: 'pending', title: 'x' }))).toEqual(call('old', { title: 'x' }));
  });

  test.each(['open', 'unknown'])('that is %s has the status that it is said to have', (id) => {
    expect(pastSignal(living, call(id, { start: true, status: 'completed', exitCode: 0 }))).toEqual(call(id, { status: 'completed', exitCode: 0 }));
  });
});

test.each([['t', {}], ['c', {}], ['other', { exit: { exitCode: 0 } }]])('a replayed exit of the terminal %s', (id, facts) => {
  expect(pastSignal(living, terminal(id, { exit: { exitCode: 0 } }))).toEqual(terminal(id, facts));
});

test('that a replayed terminal has not exited says nothing of one that has', () => {
  expect(pastSignal(living, terminal('other', { reopened: true, output: true }))).toEqual(terminal('other', { output: true }));
});

test('anything else counts as it is', () => {
  const state: Told = { type: 'foreground', state: 'idle' };
  expect(pastSignal(living, state)).toBe(state);
});

describe('what is told of tasks', () => {
  test('dead work that is told with its end is history', () => {
    expect(startsOf(living, [spawned('dead'), ended('dead')])).toEqual([]);
    expect(newsOf(living, [spawned('dead'), progress('dead'), ended('dead')])).toEqual([]);
  });

  test('work that nobody here knew of, and that has not ended, lives', () => {
    expect(startsOf(living, [spawned('new'), progress('new'), spawned('b', 'c')])).toEqual([spawned('new'), progress('new')]);
  });

  test('of what lives here its end is news, to announce it again is none', () => {
    expect(startsOf(living, [spawned('b', 'c'), ended('b')])).toEqual([]);
    expect(newsOf(living, [spawned('b', 'c'), progress('b'), ended('b')])).toEqual([progress('b'), ended('b')]);
  });
});
