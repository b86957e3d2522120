import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { Asked } from '../../src/pipeline/pending.js';
import { replyTo } from '../../src/pipeline/reply.js';
import { Frame } from '../../src/wire/frame.js';

test('a reply shows the request as its reader saw it, and the response as it came', () => {
  const asked = new Asked('"a\\u0062"', 'toAgent', undefined);
  const good = replyTo(asked, { method: 'x', seenAt: 7 }, Frame.ofReply('"ab"', { result: { n: 1 } }));
  expect([good.kind, good.to, good.result, good.error]).toEqual(['reply', { method: 'x', id: 'ab', seenAt: 7 }, { n: 1 }, undefined]);
  expect(Buffer.from(good.raw).toString()).toBe('{"jsonrpc":"2.0","id":"ab","result":{"n":1}}\n');
  const bad = replyTo(asked, { method: 'x', seenAt: 7 }, Frame.ofReply('"ab"', { error: { code: 1, message: 'no' } }));
  expect([bad.result, bad.error]).toEqual([undefined, { code: 1, message: 'no' }]);
});
