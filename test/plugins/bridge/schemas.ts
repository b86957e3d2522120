/** Checks a table of every method and kind (`schema-table.ts`) against the schemas that the SDK ships. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import type { Row } from './schema-table.js';

type Schema = { readonly [keyword: string]: unknown };

const ROOT = new URL('../../../', import.meta.url);
const FILES = { v1: ['schema/v1/schema.json', 'schema/v1/schema.unstable.json'], v2: ['schema/v2/schema.json', 'schema/v2/schema.unstable.json'] } as const;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const definitionsOf = (file: string): Schema =>
  (JSON.parse(readFileSync(createRequire(import.meta.url).resolve(`@agentclientprotocol/sdk/${file}`), 'utf8')) as { $defs: Schema }).$defs;

/** What an arm of a union is called: its constant, the constant of its tag, its title. */
function kindOf(arm: unknown): string {
  if (!isSchema(arm)) return String(arm);
  const tag = Object.values(isSchema(arm.properties) ? arm.properties : {}).find((member) => isSchema(member) && member.const !== undefined);
  return String(arm.const ?? (isSchema(tag) ? tag.const : undefined) ?? arm.title ?? arm.$ref ?? arm.type);
}

/** Every kind of the schemas as `<family>: <kind>`, and the versions that have it. */
function kindsOfSchemas(): Map<string, Set<string>> {
  const kinds = new Map<string, Set<string>>();
  const add = (name: string, version: string): void => void kinds.set(name, (kinds.get(name) ?? new Set()).add(version));
  for (const [version, files] of Object.entries(FILES)) for (const [name, definition] of files.flatMap((file) => Object.entries(definitionsOf(file)))) {
    if (!isSchema(definition)) continue;
    if (typeof definition['x-method'] === 'string') add(`methods: ${String(definition['x-side'])} ${definition['x-method']}`, version);
    for (const arm of [...listOf(definition.oneOf ?? definition.anyOf), ...listOf(definition.enum)]) add(`${name}: ${kindOf(arm)}`, version);
  }
  return kinds;
}

const versionsOf = ({ versions }: Row): string[] => (versions === 'both' ? ['v1', 'v2'] : [versions]);
const inShort = (kinds: Iterable<[string, Iterable<string>]>): string[] => [...kinds].map(([kind, versions]) => `${kind} (${[...versions].sort().join(', ')})`).sort();
type Table = Readonly<Record<string, readonly Row[]>>;

const kindsOfTable = (table: Table): [string, string[]][] => Object.entries(table).flatMap(([family, rows]) => rows.flatMap((row) => row.kinds.map((kind): [string, string[]] => [`${family}: ${kind}`, versionsOf(row)])));

/** A word of the kind that its test must name: a method without who serves it. */
const wordOf = (kind: string): string => kind.split(' ').at(-1) ?? kind;

/** Arms that are told apart by their shape, not by a word. */
const hasNoName = /^(?:other|none|titled|unstructured|value_id|[A-Z]\w*)$/;

/** Holds a table of every method and kind against the schemas, and each row against the files that it names. */
export function holdsAgainstTheSchemas(table: Table, beyondTheSchemas: readonly Row[]): void {
  test('the schemas and the table name the same methods and kinds, of the same versions', () => {
    const schemas = kindsOfSchemas();
    expect(schemas.size).toBeGreaterThan(250);
    expect(inShort(kindsOfTable(table))).toEqual(inShort(schemas));
  });

  test('what is beyond the schemas is in none of them', () => {
    const schemas = kindsOfSchemas();
    for (const kind of beyondTheSchemas.flatMap(({ kinds }) => kinds)) expect([schemas.has(`methods: ${kind}`), schemas.has(`SessionUpdate: ${kind}`)]).toEqual([false, false]);
  });

  describe.each([...Object.entries(table), ['beyond the schemas', beyondTheSchemas] as const])('%s', (_, rows) => {
    test.each(rows.map((row): [string, Row] => [row.kinds.join(', '), row]))('%s', (__, { kinds, by, test: shown, why }) => {
      if (by === undefined || shown === undefined) return expect([by, shown, (why ?? '').length > 10]).toEqual([undefined, undefined, true]);
      expect(existsSync(new URL(by, ROOT)), by).toBe(true);
      expect(shown.endsWith('.test.ts') && existsSync(new URL(shown, ROOT)), shown).toBe(true);
      const text = readFileSync(new URL(shown, ROOT), 'utf8');
      expect(kinds.map(wordOf).filter((word) => !hasNoName.test(word) && !text.includes(word))).toEqual([]);
    });
  });
}
