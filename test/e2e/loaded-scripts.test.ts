/** Which scripts of dist/ a session reads: what it does not need is left alone. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { agent, endAll, root, start } from './session.js';

const folder = mkdtempSync(join(tmpdir(), 'loaded-scripts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(endAll);
let files = 0;
const newPath = (): string => join(folder, `file-${++files}`);

/** What `bin/afterturn.js` read of dist/ for this command line, in order. */
async function scriptsFor(args: readonly string[], session: (started: ReturnType<typeof start>) => Promise<void>): Promise<string[]> {
  const path = newPath();
  const started = start(args, { env: { NODE_OPTIONS: `--require ${root}test/fixtures/loaded-modules.cjs`, LOADED_MODULES_FILE: path } });
  await session(started);
  started.endInput();
  const { code, stderr } = await started.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return readFileSync(path, 'utf8').split('\n').filter((each) => each.startsWith(`${root}dist/`)).map((each) => each.slice(`${root}dist/`.length));
}

const opening = {
  v1: { protocolVersion: 1, clientCapabilities: {} },
  v2: { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: {} },
};

const opens = (client: 'v1' | 'v2') => async ({ write, said }: ReturnType<typeof start>): Promise<void> => {
  write(`${JSON.stringify({ jsonrpc: '2.0', id: 'first', method: 'initialize', params: opening[client] })}\n`);
  await said('"first"');
  write(`${JSON.stringify({ jsonrpc: '2.0', id: 'second', method: 'session/new', params: { cwd: '/', mcpServers: [] } })}\n`);
  await said('"second"');
};

it.each<['v1' | 'v2', string, string[], string[]]>([
  ['v1', 'some', [], []],
  ['v1', 'claude-agent-acp', [], ['stale', 'keep-open']],
  ['v2', 'some', ['v1'], ['bridge', 'background', 'stale']],
  ['v2', 'some', ['v2'], ['bridge', 'gaps', 'background', 'stale']],
])('a client of %s with the agent "%s" (that speaks %j) reads what this needs: %j', async (client, name, [knows = 'v1'], plugins) => {
  const command = agent('negotiates', name.replaceAll('-', '~'), '0.60.0', knows, newPath());
  const scripts = await scriptsFor(['--', ...command], opens(client));
  expect(scripts.sort()).toEqual(['afterturn.cjs', ...plugins.map((plugin) => `plugin-${plugin}.cjs`)].sort());
});

it('a client of v1 with an agent that is spoken to in v2 reads what this needs', async () => {
  const scripts = await scriptsFor(['--agent-protocol', 'v2', '--', ...agent('negotiates', 'some', '1', 'v2', newPath())], opens('v1'));
  expect(scripts.sort()).toEqual(['afterturn.cjs', 'plugin-bridge-down.cjs', 'plugin-gaps.cjs', 'plugin-keep-open.cjs', 'plugin-stale.cjs']);
});

it('what a command line asks for is read for it alone', async () => {
  expect(await scriptsFor(['--record', newPath(), '--', ...agent('negotiates', 'some', '1', 'v1', newPath())], opens('v1'))).toEqual(['afterturn.cjs', 'options.cjs']);
  expect(await scriptsFor(['--version'], () => Promise.resolve())).toEqual(['afterturn.cjs', 'options.cjs']);
  expect(await scriptsFor(['check', '--help'], () => Promise.resolve())).toEqual(['afterturn.cjs', 'options.cjs']);
  expect(await scriptsFor(['demo'], () => Promise.resolve())).toContain('subcommands.cjs');
});
