import { expect, test } from 'vitest';
import { readRunUpdate, readSubagentUpdate } from '../../../src/protocol/index.js';

const read = (members: object) => readSubagentUpdate({ sessionUpdate: 'subagent_update', sessionId: 'c', ...members });

test('a child that works is a task of its parent', () => {
  const facts = { taskType: 'subagent', title: 'Search', description: 'explorer', canCancel: true, toolCallId: 'T' };
  expect(read({ title: 'Search', description: 'explorer', capabilities: { cancel: {} }, state: { state: 'running' }, _meta: { claudeCode: { parentToolUseId: 'T' } } }).signals).toEqual([
    { type: 'taskStarted', source: 'native', task: 'c', facts },
  ]);
  expect(read({ state: { state: 'requires_action' } }).signals[0]?.type).toBe('taskStarted');
});

test.each([['end_turn', 'completed'], ['cancelled', 'stopped'], ['error', 'failed'], ['refusal', 'failed'], ['max_tokens', 'completed'], [undefined, 'completed']])('one that is idle, %s, has ended: %s', (stopReason, outcome) =>
  expect(read({ state: { state: 'idle', stopReason } }).signals).toEqual([{ type: 'taskEnded', source: 'native', task: 'c', facts: { taskType: 'subagent' }, outcome }]));

test.each([[{}], [{ state: null }], [{ state: { state: 'unknown' } }]])('%j tells neither', (members) => expect(read(members).signals.map(({ type }) => type)).toEqual(['taskChanged']));

test('a capability is told only where it is', () => {
  expect(read({ capabilities: {} }).signals).toMatchObject([{ facts: { canCancel: false } }]);
  expect(read({ capabilities: null }).signals).toMatchObject([{ facts: { canCancel: false } }]);
  expect(read({}).signals).toEqual([{ type: 'taskChanged', source: 'native', task: 'c', facts: { taskType: 'subagent' } }]);
});

test('without an id it is malformed, and another kind is none', () => {
  expect(read({ sessionId: 3 })).toEqual({ signals: [], problem: 'sessionId is number, expected a non-empty string' });
  expect(readSubagentUpdate({ sessionUpdate: 'state_update', sessionId: 'c' }).signals).toEqual([]);
});

test('a run of the extension is a task under the id of its child', () => {
  const run = (sessionUpdate: string, members: object) => readRunUpdate({ sessionUpdate, ...members });
  expect(run('subagent_spawned', { subagentSessionId: 'c:generation:2', name: 'Search', capabilities: {} }).signals).toEqual([
    { type: 'taskStarted', source: 'native', task: 'c', facts: { taskType: 'subagent', title: 'Search', canCancel: false } },
  ]);
  const ends = ['completed', 'failed', 'cancelled', 'disconnected'].map((state) => run('subagent_state_update', { subagentSessionId: 'c', state }).signals[0]);
  expect(ends.map((signal) => signal?.type === 'taskEnded' && signal.outcome)).toEqual(['completed', 'failed', 'stopped', 'unknown']);
  expect(run('subagent_state_update', { subagentSessionId: 'c', state: 'paused' }).signals).toEqual([]);
  expect(run('_subagent_update', { subagentSessionId: 'c', state: 'completed' }).signals).toMatchObject([{ type: 'taskEnded', task: 'c' }]);
  expect(run('subagent_state_update', { state: 'completed' })).toEqual({ signals: [], problem: 'subagentSessionId is undefined, expected a non-empty string' });
  expect(run('tool_call', { subagentSessionId: 'c' }).signals).toEqual([]);
});
