import { describe, expect, test } from 'vitest';
import { endOfWork, listedWork, offersCancel, workOfUpdate } from '../../src/protocol/listed-work.js';

describe('a list', () => {
  test('names terminals, tool calls and subagents, and nothing for types that nobody knows', () => {
    const background = [{ type: 'terminal', terminalId: 't' }, { type: 'tool_call', toolCallId: 'c' }, { type: 'subagent', sessionId: 's' }, { type: 'daemon', id: 'd' }];
    expect(listedWork({ background })).toEqual([{ type: 'terminal', id: 't' }, { type: 'tool_call', id: 'c' }, { type: 'subagent', id: 's' }]);
    expect(listedWork({ background: [] })).toEqual([]);
  });

  test.each([undefined, null, {}, 'none', [{ type: 'terminal' }], [{}], ['t']])('%j reports nothing', (background) => {
    expect(listedWork({ background })).toBeUndefined();
  });
});

test('an update is about its own entity', () => {
  expect(workOfUpdate({ sessionUpdate: 'terminal_update', terminalId: 't' })).toEqual({ type: 'terminal', id: 't' });
  expect(workOfUpdate({ sessionUpdate: 'subagent_update', sessionId: 's' })).toEqual({ type: 'subagent', id: 's' });
  expect(workOfUpdate({ sessionUpdate: 'plan_update', toolCallId: 'c' })).toBeUndefined();
  expect(workOfUpdate({ sessionUpdate: 'tool_call_update' })).toBeUndefined();
});

test('it can be cancelled when it says so', () => {
  expect(offersCancel({ capabilities: { cancel: {} } })).toBe(true);
  for (const capabilities of [null, undefined, {}, { cancel: null }]) expect(offersCancel({ capabilities })).toBe(false);
});

describe('the end of', () => {
  const terminal = (exitStatus: unknown): object | undefined => endOfWork({ sessionUpdate: 'terminal_update', terminalId: 't', exitStatus });
  const child = (state: unknown): object | undefined => endOfWork({ sessionUpdate: 'subagent_update', sessionId: 's', state });

  test('a terminal is told by its exit, and how by its code alone', () => {
    expect(terminal({ exitCode: 0 })).toEqual({ outcome: 'completed', exitCode: 0 });
    expect(terminal({ exitCode: 3 })).toEqual({ outcome: 'failed', exitCode: 3 });
    expect(terminal({})).toEqual({ outcome: 'unknown' });
    expect(terminal({ signal: 'SIGTERM' })).toEqual({ outcome: 'unknown' });
    for (const status of [undefined, null, 0]) expect(terminal(status)).toBeUndefined();
  });

  test('a call is its final status', () => {
    const call = (status: unknown): object | undefined => endOfWork({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status });
    expect(['completed', 'failed', 'cancelled'].map((status) => call(status))).toEqual([{ outcome: 'completed' }, { outcome: 'failed' }, { outcome: 'stopped' }]);
    for (const status of ['in_progress', 'paused', undefined, null]) expect(call(status)).toBeUndefined();
  });

  test('a subagent is that it idles and has nothing of its own in the background', () => {
    expect(child({ state: 'idle', stopReason: 'end_turn', background: [] })).toEqual({ outcome: 'completed' });
    expect(child({ state: 'idle', stopReason: 'cancelled' })).toEqual({ outcome: 'stopped' });
    expect(child({ state: 'idle', background: [{ type: 'terminal', terminalId: 't' }] })).toBeUndefined();
    expect(child({ state: 'running' })).toBeUndefined();
  });
});
