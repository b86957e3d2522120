import { describe, expect, test } from 'vitest';
import { isUpdate, toV2PlainUpdate, toV2UnknownUpdate, toV2UpdateKind } from '../../../src/protocol/bridge/updates.js';
import { validateToClient } from '../../tools/schema.js';

const rules = { full: false };
const read = (update: Record<string, unknown> & { sessionUpdate: string }, faults: string[] = []) => toV2PlainUpdate(update, rules, faults);
const entry = { content: 'a', priority: 'high', status: 'pending' };

describe.each<[Record<string, unknown> & { sessionUpdate: string }, Record<string, unknown>]>([
  [{ sessionUpdate: 'plan', entries: [entry], extra: 1 }, { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'plan', entries: [entry] } }],
  [{ sessionUpdate: 'plan_update', plan: { type: 'markdown', planId: 'p', content: '# x' } }, { sessionUpdate: 'plan_update', plan: { type: 'markdown', planId: 'p', content: '# x' } }],
  [{ sessionUpdate: 'plan_update', plan: { type: 'file', planId: 'p', uri: '/plans/p.md' } }, { sessionUpdate: 'plan_update', plan: { type: 'file', planId: 'p', uri: 'file:///plans/p.md' } }],
  [{ sessionUpdate: 'plan_removed', planId: 'p' }, { sessionUpdate: 'plan_removed', planId: 'p' }],
  [{ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'a', description: 'A', input: null }] }, { sessionUpdate: 'available_commands_update', availableCommands: [{ type: 'command', name: 'a', description: 'A' }] }],
  [{ sessionUpdate: 'session_info_update', title: 't', updatedAt: '2026-01-01T00:00:00Z' }, { sessionUpdate: 'session_info_update', title: 't', updatedAt: '2026-01-01T00:00:00Z' }],
  [{ sessionUpdate: 'session_info_update', title: null, _meta: { promptSuggestions: {}, codex: { a: 1 } } }, { sessionUpdate: 'session_info_update', title: null, _meta: { codex: { a: 1 } } }],
  [{ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.1, currency: 'USD' }, _meta: { '_claude/model': 'm' } }, { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.1, currency: 'USD' }, _meta: { '_claude/model': 'm' } }],
  [{ sessionUpdate: 'notice', severity: 'info', title: 't', description: null }, { sessionUpdate: 'notice', severity: 'info', title: 't' }],
  [{ sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed', summary: [{ type: 'text', text: 's' }] }, { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed', summary: [{ type: 'text', text: 's' }] }],
  [{ sessionUpdate: 'compaction_summary_chunk', compactionId: 'c', content: { type: 'text', text: 's' } }, { sessionUpdate: 'compaction_summary_chunk', compactionId: 'c', content: { type: 'text', text: 's' } }],
  [
    { sessionUpdate: 'subagent_update', sessionId: 'c', title: 't', capabilities: { cancel: {} }, state: { state: 'idle', stopReason: 'end_turn', usage: { totalTokens: 3, inputTokens: 1, outputTokens: 2 } }, cwd: '/w', additionalDirectories: ['/x', 'y'] },
    { sessionUpdate: 'subagent_update', sessionId: 'c', title: 't', capabilities: { cancel: {} }, state: { state: 'idle', stopReason: 'end_turn', usage: { totalTokens: 3, inputTokens: 1, outputTokens: 2 } }, cwd: '/w', additionalDirectories: ['/x'] },
  ],
  [{ sessionUpdate: 'subagent_update', sessionId: 'c', title: null, capabilities: null, state: null, cwd: 'relative' }, { sessionUpdate: 'subagent_update', sessionId: 'c', title: null, capabilities: null, state: null }],
  [{ sessionUpdate: 'compaction_update', compactionId: 'c', status: 'failed', summary: null, error: 'e' }, { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'failed', summary: null, error: 'e' }],
  [{ sessionUpdate: 'session_message', messageId: 'm', senderSessionId: 'a', recipientSessionId: null, content: null }, { sessionUpdate: 'session_message', messageId: 'm', senderSessionId: 'a', recipientSessionId: null, content: null }],
  [{ sessionUpdate: 'session_message', messageId: 'm', content: [{ type: 'text', text: 's' }] }, { sessionUpdate: 'session_message', messageId: 'm', content: [{ type: 'text', text: 's' }] }],
  [{ sessionUpdate: 'session_message_chunk', messageId: 'm', content: { type: 'text', text: 's' } }, { sessionUpdate: 'session_message_chunk', messageId: 'm', content: { type: 'text', text: 's' } }],
])('%j', (update, expected) => {
  test('is said in v2', () => {
    const faults: string[] = [];
    expect(read(update, faults)?.update).toEqual(expected);
    expect(faults).toEqual([]);
    expect(validateToClient('v2', { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: expected } })).toEqual([]);
  });
});

test.each([
  { sessionUpdate: 'plan', entries: 'none' }, { sessionUpdate: 'plan_update' }, { sessionUpdate: 'plan_update', plan: { type: 'file', planId: 'p', uri: 'x' } }, { sessionUpdate: 'plan_removed', planId: 7 },
  { sessionUpdate: 'available_commands_update', availableCommands: {} }, { sessionUpdate: 'usage_update', used: -1, size: 1 }, { sessionUpdate: 'notice', severity: 'loud', title: 't' },
  { sessionUpdate: 'compaction_update', compactionId: 'c' }, { sessionUpdate: 'compaction_summary_chunk', compactionId: 'c', content: 'x' },
])('%j is malformed', (update) => {
  const faults: string[] = [];
  expect(read(update, faults)).toEqual({ update: undefined });
  expect(faults).not.toEqual([]);
});

test('what only a client of the private extension asks for is not said, and not malformed', () => {
  const faults: string[] = [];
  expect(read({ sessionUpdate: 'session_info_update', _meta: { promptSuggestions: { suggestions: [] } } }, faults)).toEqual({ update: undefined });
  expect(faults).toEqual([]);
});

test('entries that v2 cannot show are left out of a plan', () => {
  const faults: string[] = [];
  expect(read({ sessionUpdate: 'plan', entries: [entry, { content: 'b' }] }, faults)?.update).toMatchObject({ plan: { entries: [entry] } });
  expect(faults).toEqual(['entries.[1].priority: expected a value, got undefined', 'entries.[1].status: expected a value, got undefined']);
});

test('a kind that nobody knows passes unchanged; one that only v2 has cannot be meant', () => {
  const faults: string[] = [];
  expect(toV2UnknownUpdate({ sessionUpdate: 'new_kind', a: 1 }, faults)).toEqual({ sessionUpdate: 'new_kind', a: 1 });
  expect(toV2UnknownUpdate({ sessionUpdate: 'async_task_spawned', asyncTaskId: 7 }, faults)).toEqual({ sessionUpdate: '_async_task_spawned', asyncTaskId: 7 });
  expect(faults).toEqual([]);
  expect(toV2UnknownUpdate({ sessionUpdate: 'state_update', state: 'idle' }, faults)).toBeUndefined();
  expect(faults).toEqual(['expected a kind of ACP v1, got one of ACP v2']);
});

test('other kinds are not its business; tasks have the name of an extension in v2', () => {
  expect(read({ sessionUpdate: 'tool_call' })).toBeUndefined();
  expect(['async_task_spawned', 'async_task_progress', 'async_task_state_update', 'new_kind'].map(toV2UpdateKind)).toEqual(['_async_task_spawned', '_async_task_progress', '_async_task_state_update', 'new_kind']);
  expect(isUpdate({ sessionUpdate: 'x' })).toBe(true);
  expect([isUpdate({}), isUpdate(null), isUpdate({ sessionUpdate: 7 })]).toEqual([false, false, false]);
});
