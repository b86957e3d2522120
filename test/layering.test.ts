/**
 * Who may import whom, what only the edge may touch, and how long a file may be. The whole of src/
 * and plugins/ is walked and parsed, so neither a new folder nor a dynamic import gets around it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What each area may import besides itself. `type x`: only types of it. An area that is not listed may import nothing. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  errors: [],
  printable: [],
  plugin: ['type wire/jsonrpc'],
  protocol: ['type wire/jsonrpc'],
  state: ['protocol', 'type wire/jsonrpc'],
  pipeline: ['wire', 'plugin'],
  relay: ['wire', 'pipeline', 'plugin', 'errors'],
  index: ['relay', 'plugin', 'errors'],
  check: ['protocol', 'state', 'wire/jsonrpc'],
  record: ['check', 'protocol'],
  migrate: ['check', 'protocol'],
  replay: ['check', 'protocol', 'state', 'wire/jsonrpc'],
  live: ['check', 'protocol'],
  demo: ['check', 'replay', 'protocol', 'state', 'plugin', 'wire/jsonrpc'],
  doctor: ['protocol'],
  report: ['check', 'protocol', 'state', 'printable'],
  edge: ['*'],
};
/** The product by its public names: all that plugins may import of it. */
const publicNames = ['afterturn/plugin', 'afterturn/protocol', 'afterturn/state'];
/** Effects and their modules belong to the edge; they come to everybody else as parameters. */
const edgeGlobals = ['console', 'process', 'setTimeout', 'setInterval', 'setImmediate'];
const harmlessModules = ['node:buffer', 'node:path'];
const maxLines = 300;

interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

interface Source {
  /** Relative to the root, with slashes. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly globals: readonly string[];
  readonly defaultExport: boolean;
}

function filesOf(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => posix.join(posix.relative(root, entry.parentPath), entry.name));
}

const isTypeOnly = (clause: ts.ImportClause | undefined): boolean => {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = clause;
  return name === undefined && namedBindings !== undefined && ts.isNamedImports(namedBindings) && namedBindings.elements.length > 0 && namedBindings.elements.every((element) => element.isTypeOnly);
};

const textOf = (node: ts.Node | undefined): string => (node !== undefined && ts.isStringLiteralLike(node) ? node.text : '(not a literal)');

function importOf(node: ts.Node): Import | undefined {
  if (ts.isImportDeclaration(node)) return { from: textOf(node.moduleSpecifier), typeOnly: isTypeOnly(node.importClause) };
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) return { from: textOf(node.moduleSpecifier), typeOnly: node.isTypeOnly };
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return { from: textOf(node.argument.literal), typeOnly: true };
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return { from: textOf(node.arguments[0]), typeOnly: false };
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'require') return { from: textOf(node.arguments[0]), typeOnly: false };
  return undefined;
}

/** The name of a global that this identifier is, unless it is a key or a member of something. */
function globalOf(node: ts.Node): string | undefined {
  if (!ts.isIdentifier(node) || !edgeGlobals.includes(node.text)) return undefined;
  const { parent } = node;
  const isMember = (ts.isPropertyAccessExpression(parent) && parent.name === node) || ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodSignature(parent);
  return isMember ? undefined : node.text;
}

const isDefaultExport = (node: ts.Node): boolean =>
  ts.isExportAssignment(node) || node.kind === ts.SyntaxKind.DefaultKeyword || (ts.isExportSpecifier(node) && node.name.text === 'default');

function parsed(path: string, text: string): Source {
  const imports: Import[] = [];
  const globals: string[] = [];
  let defaultExport = false;
  const visit = (node: ts.Node): void => {
    const found = importOf(node);
    if (found !== undefined) imports.push(found);
    const global = globalOf(node);
    if (global !== undefined) globals.push(global);
    defaultExport ||= isDefaultExport(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return { path, lines: text.split('\n').length - 1, imports, globals, defaultExport };
}

const sources = ['src', 'plugins'].flatMap(filesOf).map((path) => parsed(path, readFileSync(`${root}${path}`, 'utf8')));

/** `src/wire/lines.ts` and `src/wire/lines.js` are `wire/lines`; `src/relay.ts` is `relay`. */
const moduleOf = (path: string): string => path.replace(/^src\//, '').replace(/\.[jt]s$/, '');
const areaOf = (path: string): string => (path.startsWith('src/') ? (moduleOf(path).split('/')[0] ?? '') : 'plugins');

/** Whether a rule lets a file import this module of src. */
function permits(rule: string, module: string, typeOnly: boolean): boolean {
  if (rule === '*') return true;
  const [name, needsType] = rule.startsWith('type ') ? [rule.slice(5), true] : [rule, false];
  return (module === name || module.startsWith(`${name}/`)) && (typeOnly || !needsType);
}

function isAllowed(path: string, { from, typeOnly }: Import): boolean {
  const area = areaOf(path);
  const isEdge = area === 'edge';
  if (from.startsWith('.')) {
    const target = posix.join(posix.dirname(path), from);
    if (!from.endsWith('.js')) return false;
    if (!target.startsWith('src/')) return isEdge || (area === 'plugins' && target.startsWith('plugins/'));
    return area !== 'plugins' && (areaOf(target) === area || (allowed[area] ?? []).some((rule) => permits(rule, moduleOf(target), typeOnly)));
  }
  if (/^(afterturn\b|#|\()/.test(from)) return isEdge || (area === 'plugins' && publicNames.includes(from));
  if (isEdge || typeOnly) return true;
  return from.startsWith('node:') ? harmlessModules.includes(from) : !/^@opentelemetry\/(?!api(-logs)?$)/.test(from);
}

/** What is wrong with these files, as text. */
const problems = (files: readonly Source[]): string[] =>
  files.flatMap(({ path, lines, imports, globals, defaultExport }) => [
    ...imports.filter((one) => !isAllowed(path, one)).map(({ from, typeOnly }) => `${path} imports ${typeOnly ? 'types of ' : ''}${from}`),
    ...(areaOf(path) === 'edge' ? [] : [...new Set(globals)].map((name) => `${path} uses ${name}`)),
    ...(lines > maxLines ? [`${path} has ${lines} lines`] : []),
    ...(defaultExport ? [`${path} has a default export`] : []),
    ...(path.split('/').every((part) => /^[a-z0-9]+(-[a-z0-9]+)*(\.[cm]?[jt]s)?$/.test(part)) ? [] : [`${path} is not in kebab-case`]),
  ]);

test('the walk found the sources', () => {
  const paths = sources.map(({ path }) => path);
  for (const path of ['src/plugin.ts', 'src/relay.ts', 'src/wire/lines.ts', 'src/pipeline/lane.ts', 'src/edge/main.ts', 'plugins/index.ts']) expect(paths).toContain(path);
  expect(paths.length).toBeGreaterThan(60);
  expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(150);
  expect(sources.flatMap(({ globals }) => globals)).toContain('process');
});

test('imports go one way, effects belong to the edge, files are short', () => {
  expect(problems(sources)).toEqual([]);
});

describe('the rules can fail', () => {
  test.each([
    ['src/wire/a.ts', "import { kinds } from '../pipeline/compile.js';"],
    ['src/wire/a.ts', "export * from '../plugin.js';"],
    ['src/wire/a.ts', "export type A = import('../plugin.js').Plugin;"],
    ['src/protocol/a.ts', "import { idKey } from '../wire/jsonrpc.js';"],
    ['src/plugin.ts', "import { idKey, type RequestId } from './wire/jsonrpc.js';"],
    ['src/state/a.ts', "import { createRelay } from '../relay.js';"],
    ['src/pipeline/a.ts', "void import('../edge/cli.js');"],
    ['src/pipeline/a.ts', "import { createRelay } from 'afterturn';"],
    ['src/newcomer/a.ts', "import { idKey } from '../wire/jsonrpc.js';"],
    ['src/relay.ts', "import { readFileSync } from 'node:fs';"],
    ['src/relay.ts', 'const name = "node:fs"; void import(name);'],
    ['src/relay.ts', "import { bridge } from '../plugins/index.js';"],
    ['src/relay.ts', "import { Frame } from './wire/frame';"],
    ['src/check/a.ts', 'console.log(1);'],
    ['src/check/a.ts', 'process.stdout.write("");'],
    ['plugins/a.ts', "import { Frame } from '../src/wire/frame.js';"],
    ['plugins/a.ts', "import { createRelay } from 'afterturn';"],
    ['plugins/a.ts', "import { NodeSDK } from '@opentelemetry/sdk-node';"],
    ['plugins/a.ts', 'setTimeout(() => 1, 1);'],
    ['plugins/a.ts', 'export default 1;'],
    ['plugins/a.ts', 'const a = 1; export { a as default };'],
    ['plugins/a.ts', 'export default function a() {}'],
    ['plugins/camelCase.ts', ''],
    ['plugins/a.ts', '\n'.repeat(301)],
  ])('%s: %j', (path, text) => {
    expect(problems([parsed(path, text)])).toHaveLength(1);
  });

  test.each([
    ['src/protocol/a.ts', "import type { RpcError } from '../wire/jsonrpc.js';"],
    ['src/plugin.ts', "import { type RequestId } from './wire/jsonrpc.js';"],
    ['src/edge/a.ts', "import { readFileSync } from 'node:fs'; console.error(process.pid); void import('../../plugins/index.js');"],
    ['plugins/a/index.ts', "import { keep } from 'afterturn/plugin'; import { b } from '../b.js'; import { trace } from '@opentelemetry/api';"],
    ['plugins/a.ts', 'const log = { console: 1 }; log.console;'],
  ])('but not on %s: %j', (path, text) => {
    expect(problems([parsed(path, text)])).toEqual([]);
  });
});
