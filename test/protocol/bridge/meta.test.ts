import { describe, expect, test } from 'vitest';
import { toV2Meta, toV2ToolCallMeta, withV2Meta } from '../../../src/protocol/bridge/meta.js';

const standard = { full: false };
const own = { full: true };

describe('the _meta of a tool call', () => {
  test.each<[string, unknown, unknown]>([
    ['terminals are fields of v2', { terminal_info: { terminal_id: 't' }, terminal_exit: {}, terminal_output: {}, terminal_output_delta: {}, terminal_input: {} }, undefined],
    ['the name is a field of v2', { claudeCode: { toolName: 'Bash' } }, undefined],
    ['the rest of it stays', { claudeCode: { toolName: 'Bash', nonExecutionKind: 'user-rejected' }, codex: { a: 1 } }, { claudeCode: { nonExecutionKind: 'user-rejected' }, codex: { a: 1 } }],
    ['the private extension goes', { jetbrains: { air: { version: 1, commandTitle: 'x' } } }, undefined],
    ['but for the background mark', { jetbrains: { air: { version: 1, commandTitle: 'x', asyncTasks: { backgrounded: true, more: 1 } } } }, { jetbrains: { air: { asyncTasks: { backgrounded: true } } } }],
    ['no mark is no mark', { jetbrains: { air: { asyncTasks: { backgrounded: false } } } }, undefined],
    ['null is nothing', null, undefined],
    ['a list is nothing', [1], undefined],
  ])('%s', (_, meta, expected) => {
    expect(toV2ToolCallMeta(meta, standard)).toEqual(expected);
  });

  test('a client that declared the extension gets all of it', () => {
    const jetbrains = { air: { version: 1, commandTitle: 'x' } };
    expect(toV2ToolCallMeta({ jetbrains, terminal_exit: {} }, own)).toEqual({ jetbrains });
  });
});

test('any other _meta goes without what only such a client asks for', () => {
  const meta = { jetbrains: { air: {} }, promptSuggestions: {}, quota: 1 };
  expect(toV2Meta(meta, standard)).toEqual({ quota: 1 });
  expect(toV2Meta(meta, own)).toEqual(meta);
  expect(toV2Meta({ promptSuggestions: {} }, standard)).toBeUndefined();
});

test('withV2Meta changes nothing else, and nothing at all without _meta', () => {
  const plain = { a: 1 };
  expect(withV2Meta(plain, standard)).toBe(plain);
  expect(withV2Meta({ a: 1, _meta: { jetbrains: {} } }, standard)).toEqual({ a: 1 });
});
