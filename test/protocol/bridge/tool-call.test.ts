import { describe, expect, test } from 'vitest';
import { isFinal, toV2PermissionCall, toV2ToolCall, type CallContext, type KnownCall } from '../../../src/protocol/bridge/tool-call.js';

const context: CallContext = { cwd: '/project', meta: { full: false }, cancelling: false };
const cancelling: CallContext = { ...context, cancelling: true };

/** Reads reports one after the other, and gives the update of the last one. */
function last(reports: readonly Record<string, unknown>[], by: CallContext = context) {
  let call: KnownCall | undefined;
  let update: unknown;
  const faults: string[] = [];
  for (const report of reports) {
    const read = toV2ToolCall({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...report }, call, by, faults);
    if (read) ({ call, update } = read);
    else update = 'no call';
  }
  return { call, update, faults };
}
const started = { sessionUpdate: 'tool_call', title: 'Terminal', kind: 'execute', status: 'pending' };

test('a start and a change are one kind of update', () => {
  expect(last([started]).update).toEqual({ sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'Terminal', kind: 'execute', status: 'pending' });
  expect(last([started, { status: 'completed', rawOutput: 'x' }]).update).toEqual({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed', rawOutput: 'x' });
});

test('null changes nothing in v1, and so is not said', () => {
  expect(last([started, { title: null, content: null, rawInput: null, status: 'in_progress' }]).update).toEqual({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'in_progress' });
});

test('content, diffs and locations', () => {
  expect(last([{
    content: [
      { type: 'content', content: { type: 'text', text: 'x' } }, { type: 'terminal', terminalId: 't' },
      { type: 'diff', path: 'a.txt', oldText: null, newText: 'x\n' }, { type: 'movie' },
    ],
    locations: [{ path: 'a.txt', line: 3 }, { path: '/b', line: 0 }, { line: 1 }],
  }])).toMatchObject({
    update: {
      content: [{ type: 'content' }, { type: 'terminal', terminalId: 't' }, { type: 'diff', changes: [{ operation: 'add', path: '/project/a.txt' }] }],
      locations: [{ path: '/project/a.txt', line: 3 }, { path: '/b' }],
    },
    faults: ['content.[3].type: expected content, terminal, diff, got string', 'locations.[2].path: expected an absolute path, got undefined'],
  });
});

describe('the name of the tool', () => {
  test('is a field of its own', () => {
    expect(last([{ ...started, name: 'Bash', _meta: { claudeCode: { toolName: 'Bash' } } }]).update).toMatchObject({ name: 'Bash' });
  });

  test('is told once where it stands in _meta only', () => {
    const stamped = { _meta: { claudeCode: { toolName: 'Bash' } } };
    expect(last([{ ...started, ...stamped }]).update).toMatchObject({ name: 'Bash' });
    expect(last([{ ...started, ...stamped }, stamped]).update).toBeUndefined();
  });
});

describe('_meta', () => {
  test('what did not change is not repeated', () => {
    const titled = { _meta: { claudeCode: { title: 'Run' } } };
    expect(last([started, titled]).update).toEqual({ sessionUpdate: 'tool_call_update', toolCallId: 'c', _meta: { claudeCode: { title: 'Run' } } });
    expect(last([started, titled, titled]).update).toBeUndefined();
  });

  test('the background mark belongs to the update that has it', () => {
    const mark = { _meta: { jetbrains: { air: { asyncTasks: { backgrounded: true } } } } };
    expect(last([started, mark, { ...mark, status: 'completed' }]).update).toEqual({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed', ...mark });
  });

  test('a report of nothing but what v2 says elsewhere tells nothing', () => {
    expect(last([started, { _meta: { jetbrains: { air: { commandTitle: 'x' } } } }]).update).toBeUndefined();
  });
});

describe('a call that fails', () => {
  test.each<[string, readonly Record<string, unknown>[], CallContext, string]>([
    ['on its own is failed', [started, { status: 'failed' }], context, 'failed'],
    ['while the client cancels was cancelled', [started, { status: 'failed' }], cancelling, 'cancelled'],
    ['first seen while the client cancels, too', [{ status: 'failed' }], cancelling, 'cancelled'],
  ])('%s', (_, reports, by, status) => {
    expect(last(reports, by).update).toMatchObject({ status });
  });

  test('before the cancel stays failed, and one that was cancelled stays cancelled', () => {
    const { call } = last([started, { status: 'failed' }]);
    const again = { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed' };
    expect(toV2ToolCall(again, call, cancelling, [])?.update).toMatchObject({ status: 'failed' });
    const { call: stopped } = last([started, { status: 'failed' }], cancelling);
    expect(toV2ToolCall(again, stopped, context, [])?.update).toMatchObject({ status: 'cancelled' });
    expect(isFinal(stopped)).toBe(true);
    expect(isFinal(undefined)).toBe(false);
  });
});

test('an id that is used again begins anew: what the new call does not have is cleared', () => {
  expect(last([{ ...started, rawOutput: 'x', content: [] }, { ...started, title: 'Again' }]).update)
    .toEqual({ sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'Again', kind: 'execute', status: 'pending', rawOutput: null, content: null });
});

test('what v2 does not take is left out and named; without an id there is no call', () => {
  expect(last([{ ...started, status: 'sleeping', kind: 7, title: 1 }])).toMatchObject({
    update: { toolCallId: 'c' },
    faults: ['title: expected a string, got number', 'kind: expected read, edit, delete, move, search, execute, think, fetch, switch_mode, other, got number', 'status: expected pending, in_progress, completed, failed, got string'],
  });
  expect(last([{ toolCallId: 7, status: 'completed' }])).toMatchObject({ update: 'no call', faults: ['toolCallId: expected a non-empty string, got number'] });
});

test('a permission request shows all that is known of the call, with what it says itself, but no status', () => {
  const { call } = last([{ ...started, name: 'Bash', content: [{ type: 'terminal', terminalId: 't' }], _meta: { claudeCode: { a: 1 } } }, { title: 'ls' }]);
  const shown = toV2PermissionCall({ toolCallId: 'c', title: 'ls -l', rawInput: { command: 'ls -l' } }, call, context, []);
  expect(shown?.shown).toEqual({
    toolCallId: 'c', name: 'Bash', title: 'ls -l', kind: 'execute', content: [{ type: 'terminal', terminalId: 't' }], rawInput: { command: 'ls -l' }, _meta: { claudeCode: { a: 1 } },
  });
  expect(shown?.call.fields).toMatchObject({ title: 'ls -l', status: 'pending' });
  expect(toV2PermissionCall({ title: 'x' }, call, context, [])).toBeUndefined();
});

test('a permission request does not know better how far its call has come', () => {
  const { call } = last([started, { status: 'in_progress' }]);
  const asked = toV2PermissionCall({ toolCallId: 'c', status: 'pending', title: 'ls -l' }, call, context, []);
  expect([asked?.shown.status, asked?.call.fields.status, asked?.update]).toEqual([undefined, 'in_progress', { sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'ls -l' }]);
});

test('one in words of its own only adds to the call', () => {
  const { call } = last([{ ...started, content: [], rawInput: { command: 'ls' } }, { status: 'in_progress' }]);
  const content = [{ type: 'content', content: { type: 'text', text: 'x' } }];
  const asked = toV2PermissionCall({ toolCallId: 'c', status: 'pending', title: '/etc', kind: 'other', rawInput: { parentDir: '/etc' }, content }, call, context, [], true);
  expect(asked?.shown).toEqual({ toolCallId: 'c', title: 'Terminal', kind: 'execute', rawInput: { command: 'ls' }, content });
});

test.each([false, true])('one of a call that was never heard of tells all of it (in words of its own: %j)', (adds) => {
  const toolCall = { toolCallId: 'c', title: 'ls', kind: 'execute', status: 'pending', content: [], locations: [] };
  const asked = toV2PermissionCall(toolCall, undefined, context, [], adds);
  expect(asked?.update).toEqual({ sessionUpdate: 'tool_call_update', ...toolCall });
});
