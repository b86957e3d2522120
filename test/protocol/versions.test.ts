import { expect, test } from 'vitest';
import { protocolVersionOf } from '../../src/protocol/versions.js';

test.each([
  [{ protocolVersion: 1 }, 1], [{ protocolVersion: 0 }, 1], [{ protocolVersion: 2 }, 2], [{ protocolVersion: 3 }, 2],
  [{ protocolVersion: '2' }, undefined], [{}, undefined], [null, undefined], [undefined, undefined],
])('%j speaks %s', (params, version) => {
  expect(protocolVersionOf(params)).toBe(version);
});
