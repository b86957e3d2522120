import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { isExtension, methodRow, methodTable } from '../../src/protocol/methods.js';

type Definition = { readonly 'x-method'?: string; readonly 'x-side'?: string };

/** The methods that a version's schema has, by the side that serves them; `proxy/` methods are another protocol's. */
function schemaMethods(version: 'v1' | 'v2'): Set<string> {
  const file = createRequire(import.meta.url).resolve(`@agentclientprotocol/sdk/schema/${version}/schema.unstable.json`);
  const { $defs } = JSON.parse(readFileSync(file, 'utf8')) as { $defs: Record<string, Definition> };
  return new Set(Object.values($defs).flatMap((definition) => (definition['x-method'] && !definition['x-method'].startsWith('proxy/') ? [definition['x-method']] : [])));
}

describe.each(['v1', 'v2'] as const)('the table and the schema of %s name the same methods', (version) => {
  const methods = schemaMethods(version);
  const rows = new Set(methodTable.flatMap((row) => row[version] ?? []));

  test('no method of the schema is missing', () => {
    expect([...methods].filter((method) => !rows.has(method))).toEqual([]);
  });

  test('no method is made up', () => {
    expect([...rows].filter((method) => !methods.has(method))).toEqual([]);
  });
});

test('a method is found as the side that sends it', () => {
  expect(methodRow('v2', 'client', 'auth/login')).toMatchObject({ v1: 'authenticate' });
  expect(methodRow('v2', 'agent', 'auth/login')).toBeUndefined();
  expect(methodRow('v1', 'agent', 'fs/read_text_file')?.v2).toBeUndefined();
  expect(methodRow('v1', 'client', 'mcp/message')).toBe(methodRow('v1', 'agent', 'mcp/message'));
  expect(methodRow('v2', 'client', 'toString')).toBeUndefined();
});

test('extension methods belong to no version', () => {
  expect(isExtension('_session/async_task/stop')).toBe(true);
  expect(isExtension('session/new')).toBe(false);
});
