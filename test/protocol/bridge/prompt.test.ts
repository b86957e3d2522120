import { expect, test } from 'vitest';
import { v1AgentFactsOf } from '../../../src/protocol/bridge/initialize.js';
import { endingOfError, endingOfResult, toV1PromptParams } from '../../../src/protocol/bridge/prompt.js';

const rules = { full: false };
const agent = v1AgentFactsOf({});
const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };

test('a prompt is its blocks', () => {
  const params = { sessionId: 's', prompt: [{ type: 'text', text: 'x' }], _meta: { traceparent: 't' } };
  expect(toV1PromptParams(params, agent)).toEqual({ value: params });
});

test.each([[{ sessionId: 's', prompt: [] }], [{ sessionId: 's' }], [{ prompt: [{ type: '_x' }] }]])('%j cannot be sent', (params) => {
  expect(toV1PromptParams(params, agent).error?.code).toBe(-32602);
});

const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
const audio = { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' };
const link = { type: 'resource_link', name: 'a', uri: 'file:///a' };
const resource = { type: 'resource', resource: { uri: 'file:///a', text: 'x' } };

test('an agent that advertises them gets images, audio and resources', () => {
  const able = v1AgentFactsOf({ agentCapabilities: { promptCapabilities: { image: true, audio: true, embeddedContext: true } } });
  const prompt = [image, audio, link, resource];
  expect(toV1PromptParams({ sessionId: 's', prompt }, able)).toEqual({ value: { sessionId: 's', prompt } });
  expect(toV1PromptParams({ sessionId: 's', prompt: [link] }, agent).value).toEqual({ sessionId: 's', prompt: [link] });
});

test.each([image, audio, resource])('$type is an error that names it, where the agent does not', (block) => {
  expect(toV1PromptParams({ sessionId: 's', prompt: [link, block] }, agent).error)
    .toEqual({ code: -32602, message: 'Invalid params: this agent takes content of the types text, resource_link here.', data: { type: block.type } });
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

test('a code that is an HTTP status is the code; one that is no number is an internal error', () => {
  expect(endingOfError({ code: 500, message: 'terminated' }).error).toEqual({ code: 500, message: 'terminated' });
  expect(endingOfError({ code: 'ECONNRESET' as never, message: 'gone' }).error).toEqual({ code: -32603, message: 'gone' });
});

test('an error ends it with the error', () => {
  expect(endingOfError({ code: -32000, message: 'Authentication required' })).toEqual({ stopReason: 'error', error: { code: -32000, message: 'Authentication required' } });
  expect(endingOfError({ code: 1, message: 'x', data: { errorKind: 'unknown' } }).error).toEqual({ code: 1, message: 'x', data: { errorKind: 'unknown' } });
});
