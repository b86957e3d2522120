import { expect, test } from 'vitest';
import { isOfKind, legacyKinds, type LegacyMessage } from '../../src/protocol/legacy.js';

const kindsOf = (message: LegacyMessage): string[] => legacyKinds.filter((kind) => isOfKind(kind, message)).map(({ word }) => word);
const update = (members: object): LegacyMessage => ({ from: 'agent', method: 'session/update', params: { sessionId: 's', update: members } });

test('a method is legacy from the side that v1 has it from', () => {
  expect(kindsOf({ from: 'client', method: 'session/load' })).toEqual(['v1_method']);
  expect(kindsOf({ from: 'agent', method: 'session/load' })).toEqual([]);
  expect(kindsOf({ from: 'agent', method: 'fs/read_text_file' })).toEqual(['client_request']);
  expect(kindsOf({ from: 'client', method: 'terminal/cancel' })).toEqual([]);
  expect(kindsOf({ from: 'agent' })).toEqual([]);
});

test('an update can be of several kinds', () => {
  expect(kindsOf(update({ sessionUpdate: 'tool_call', _meta: { terminal_info: {}, claudeCode: { backgroundTask: {} } } }))).toEqual(['background_mark', 'terminal_mark', 'v1_update']);
  expect(kindsOf(update({ sessionUpdate: '_async_task_spawned' }))).toEqual(['async_task_update']);
  expect(kindsOf(update({ sessionUpdate: 'tool_call_update', _meta: { other: {} } }))).toEqual([]);
});
