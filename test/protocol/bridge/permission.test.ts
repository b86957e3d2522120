import { expect, test } from 'vitest';
import { permissionToolCall, toV1PermissionResult, toV2PermissionParams } from '../../../src/protocol/bridge/permission.js';

const rules = { full: false };
const options = [{ optionId: 'a', name: 'Yes', kind: 'allow_once' }];

test('asks with the title of the call, about the call', () => {
  const toolCall = { toolCallId: 'c', title: 'ls', name: 'Bash' };
  expect(toV2PermissionParams({ sessionId: 's', toolCall: {}, options, _meta: { jetbrains: { air: {} }, k: 1 } }, toolCall, rules)).toEqual({
    value: { sessionId: 's', title: 'ls', subject: { type: 'tool_call', toolCall }, options, _meta: { k: 1 } },
  });
});

test.each([[{ toolCallId: 'c', name: 'Bash' }, 'Bash'], [{ toolCallId: 'c' }, 'Permission required']])('a call without a title has one: %j', (toolCall, title) => {
  expect(toV2PermissionParams({ sessionId: 's', options }, toolCall, rules).value).toMatchObject({ title });
});

test('asks in the words of the request, where it has words of its own', () => {
  const known = { toolCallId: 'c', title: 'read' };
  expect(toV2PermissionParams({ sessionId: 's', toolCall: { toolCallId: 'c', title: '/etc' }, options }, known, rules).value).toMatchObject({ title: '/etc', subject: { toolCall: known } });
  const words = { title: 'Run command?', description: 'Outside the sandbox' };
  const { value } = toV2PermissionParams({ sessionId: 's', toolCall: { title: 'ls' }, options, _meta: { jetbrains: { air: { permission: words } } } }, known, rules);
  expect(value).toEqual({ sessionId: 's', ...words, subject: { type: 'tool_call', toolCall: known }, options });
});

test.each([[[]], [undefined], [[{ optionId: 'a' }]]])('without an option there is nothing to ask: %j', (given) => {
  expect(toV2PermissionParams({ sessionId: 's', options: given }, { toolCallId: 'c' }, rules).error?.code).toBe(-32602);
});

test.each([
  [{ outcome: { outcome: 'selected', optionId: 'a' }, _meta: { k: 1 } }, { outcome: { outcome: 'selected', optionId: 'a' }, _meta: { k: 1 } }],
  [{ outcome: { outcome: 'cancelled' } }, { outcome: { outcome: 'cancelled' } }],
  [{ outcome: { outcome: '_later' } }, { outcome: { outcome: 'cancelled' } }],
  [{ outcome: { outcome: 'selected' } }, { outcome: { outcome: 'cancelled' } }],
  [undefined, { outcome: { outcome: 'cancelled' } }],
])('the answer %j is %j', (result, expected) => {
  expect(toV1PermissionResult(result)).toEqual(expected);
});

test('the call of a request', () => {
  expect(permissionToolCall({ toolCall: { toolCallId: 'c' } })).toEqual({ toolCallId: 'c' });
  expect(permissionToolCall({})).toBeUndefined();
});
