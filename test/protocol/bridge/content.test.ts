import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isContentBlock, toV1ContentBlocks, toV2ContentBlock } from '../../../src/protocol/bridge/content.js';

describe('v1 blocks in v2', () => {
  test.each([
    { type: 'text', text: 'hi', annotations: { audience: ['user'], priority: 0.5 } },
    { type: 'image', data: 'aGk=', mimeType: 'image/png', uri: 'file:///a.png' },
    { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
    { type: 'resource_link', name: 'a', uri: 'file:///a', size: 3, title: 't' },
    { type: 'resource', resource: { text: 'x', uri: 'file:///a', mimeType: 'text/plain' } },
    { type: 'resource', resource: { blob: 'aGk=', uri: 'file:///a' }, _meta: { k: 1 } },
  ])('$type is the same', (block) => {
    expect(toV2ContentBlock(block, [])).toEqual(block);
  });

  test('whether it is one is known without its v2 form', () => {
    const block = fc.oneof(fc.anything(), fc.record({ type: fc.constantFrom('text', 'image', '_own', 'x', 1), text: fc.anything(), data: fc.constantFrom('aGk=', 1), mimeType: fc.constant('a/b'), annotations: fc.anything() }, { requiredKeys: [] }));
    fc.assert(fc.property(block, (value) => {
      expect(isContentBlock(value)).toBe(toV2ContentBlock(value, []) !== undefined);
    }), { numRuns: 1000 });
  });

  test('what v2 is stricter about is left out', () => {
    const faults: string[] = [];
    expect(toV2ContentBlock({ type: 'text', text: 'x', extra: 1, annotations: { audience: ['user', 'robot'], priority: 7 } }, faults))
      .toEqual({ type: 'text', text: 'x', annotations: { audience: ['user'] } });
    expect(faults).toEqual(['annotations.audience.[1]: expected assistant, user, got string']);
  });

  test.each([{ type: 'text' }, { type: 'image', data: 'not base64', mimeType: 'image/png' }, { type: 'video' }, 'text', null])('%j cannot be said', (block) => {
    const faults: string[] = [];
    expect(toV2ContentBlock(block, faults)).toBeUndefined();
    expect(faults).toHaveLength(1);
  });
});

describe('v2 blocks in v1', () => {
  test('known blocks pass; audiences that v1 does not know go', () => {
    expect(toV1ContentBlocks([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', annotations: { audience: ['user', '_robot'], priority: 1 } },
      { type: 'text', text: 'c', annotations: { audience: ['_robot'], priority: 1 } },
    ])).toEqual({ value: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', annotations: { audience: ['user'], priority: 1 } },
      { type: 'text', text: 'c', annotations: { priority: 1 } },
    ] });
  });

  test('icons are v2 only', () => {
    const link = { type: 'resource_link', name: 'a', uri: 'file:///a' };
    expect(toV1ContentBlocks([{ ...link, icons: [{ src: 'https://x/i.png' }] }])).toEqual({ value: [link] });
  });

  test('what is not taken here is an error', () => {
    expect(toV1ContentBlocks([{ type: 'audio', data: '', mimeType: 'audio/wav' }], new Set(['text'])).error)
      .toEqual({ code: -32602, message: 'Invalid params: this agent takes content of the types text here.', data: { type: 'audio' } });
  });

  test.each([[{ type: '_sketch' }, '_sketch'], ['text', 'string'], [{}, 'undefined']])('%j is an error that names its type', (block, type) => {
    expect(toV1ContentBlocks([block]).error).toEqual({ code: -32602, message: 'Invalid params: this agent speaks ACP v1, which has no such content block.', data: { type: type === 'undefined' ? 'object' : type } });
  });
});
