import { expect, test } from 'vitest';
import { endingOfError, endingOfResult, toV1PromptParams } from '../../../src/protocol/bridge/prompt.js';

const rules = { full: false };
const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };

test('a prompt is its blocks', () => {
  const params = { sessionId: 's', prompt: [{ type: 'text', text: 'x' }], _meta: { traceparent: 't' } };
  expect(toV1PromptParams(params)).toEqual({ value: params });
});

test.each([[{ sessionId: 's', prompt: [] }], [{ sessionId: 's' }], [{ prompt: [{ type: '_x' }] }]])('%j cannot be sent', (params) => {
  expect(toV1PromptParams(params).error?.code).toBe(-32602);
});

test.each([
  [{ stopReason: 'end_turn', usage, _meta: { quota: 1 } }, { stopReason: 'end_turn', usage, meta: { quota: 1 } }],
  [{ stopReason: 'max_tokens', usage: null }, { stopReason: 'max_tokens' }],
  [{ stopReason: 'refusal', usage: { totalTokens: 'many' } }, { stopReason: 'refusal' }],
  [{ stopReason: 'budget' }, { stopReason: '_budget' }],
  [{ stopReason: '_budget' }, { stopReason: '_budget' }],
])('%j ends as %j', (result, ending) => {
  expect(endingOfResult(result, rules)).toEqual(ending);
});

test.each([{}, null, { stopReason: 7 }])('%j is an error: nobody said how it ended', (result) => {
  expect(endingOfResult(result, rules)).toMatchObject({ stopReason: 'error', error: { code: -32603 } });
});

test('an error ends it with the error', () => {
  expect(endingOfError({ code: -32000, message: 'Authentication required' })).toEqual({ stopReason: 'error', error: { code: -32000, message: 'Authentication required' } });
  expect(endingOfError({ code: 1, message: 'x', data: { errorKind: 'unknown' } }).error).toEqual({ code: 1, message: 'x', data: { errorKind: 'unknown' } });
});
