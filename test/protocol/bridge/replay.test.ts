import { expect, test } from 'vitest';
import { toV2EmptyMessage, toV2Replayed } from '../../../src/protocol/bridge/replay.js';

test.each([['user_message_chunk', 'user_message'], ['agent_message_chunk', 'agent_message'], ['agent_thought_chunk', 'agent_thought']])('a message of %s begins with %s', (kind, sessionUpdate) => {
  expect(toV2EmptyMessage(kind, 'm')).toEqual({ sessionUpdate, messageId: 'm', content: [] });
});

const begun = { sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'ls', status: 'pending' };
const cleared = { name: null, kind: null, content: null, locations: null, rawInput: null, rawOutput: null, capabilities: null };

test('a call that is begun clears what it leaves out', () => {
  expect(toV2Replayed({ sessionUpdate: 'tool_call', toolCallId: 'c' }, [begun], ['k'])).toEqual([{ ...begun, ...cleared, _meta: null }]);
  expect(toV2Replayed({ sessionUpdate: 'tool_call', toolCallId: 'c' }, [{ ...begun, _meta: { n: 1 } }], ['k', 'n'])).toEqual([{ ...begun, ...cleared, _meta: { k: null, n: 1 } }]);
});

test('a call that is changed clears nothing', () => {
  expect(toV2Replayed({ sessionUpdate: 'tool_call_update', toolCallId: 'c' }, [begun], [])).toEqual([begun]);
});

test('a terminal that is begun clears what it leaves out, once', () => {
  const report = { sessionUpdate: 'tool_call', toolCallId: 'c', _meta: { terminal_info: { terminal_id: 't' } } };
  const first = { sessionUpdate: 'terminal_update', terminalId: 't', command: 'ls' };
  const more = { sessionUpdate: 'terminal_update', terminalId: 't', output: { data: '' } };
  const other = { sessionUpdate: 'terminal_update', terminalId: 'u' };
  expect(toV2Replayed(report, [other, first, more], [])).toEqual([other, { ...first, cwd: null, output: null, exitStatus: null, capabilities: null }, more]);
});
