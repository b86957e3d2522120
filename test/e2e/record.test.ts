import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRecording } from '../../src/check/index.js';
import { agent, endAll, run, start } from './session.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'afterturn-record-'));
  path = join(folder, 'a.ndjson');
});
afterEach(() => {
  endAll();
  rmSync(folder, { recursive: true, force: true });
});

const message = '{"jsonrpc":"2.0","method":"_a/b","params":{"text":"hush"}}\n';

test('both sides and both ways are recorded, and the wire is as without', async () => {
  const { code, stdout, stderr } = await run(['--record', path, '--', ...agent('echo')], { input: message });
  expect([code, stdout.toString(), stderr]).toEqual([0, message, '']);
  const { connections } = readRecording(readFileSync(path, 'utf8'));
  expect(connections.map(({ side, messages }) => [side, messages.map(({ dir, msg }) => [dir, msg.method])])).toEqual([
    ['client', [['c2a', '_a/b'], ['a2c', '_a/b']]],
    ['agent', [['c2a', '_a/b'], ['a2c', '_a/b']]],
  ]);
});

test('--redact stands without a value, before --', async () => {
  await run(['--redact', '--record', path, '--', ...agent('echo')], { input: message });
  expect(readFileSync(path, 'utf8')).not.toContain('hush');
  expect(readRecording(readFileSync(path, 'utf8')).connections).toHaveLength(2);
  const alone = await run(['--redact', '--', ...agent('echo')], { input: message });
  expect(alone.stderr).toContain('--redact masks a recording, but no --record FILE is given');
});

test('a kill loses nothing that had passed', async () => {
  const session = start(['--record', path, '--', ...agent('echo')]);
  session.write(message);
  await session.said('hush');
  session.process.kill('SIGKILL');
  await session.ended;
  const { connections, isCut } = readRecording(readFileSync(path, 'utf8'));
  expect([connections.flatMap(({ messages }) => messages).length, isCut]).toEqual([4, false]);
});

test.runIf(existsSync('/dev/full'))('a full disk is said once and costs nothing of the session', async () => {
  const { code, stdout, stderr } = await run(['--record', '/dev/full', '--', ...agent('echo')], { input: message.repeat(3) });
  expect([code, stdout.toString()]).toEqual([0, message.repeat(3)]);
  expect(stderr.match(/cannot be written/g)).toHaveLength(1);
});

test('a file that cannot be opened ends the call', async () => {
  const { code, stderr } = await run(['--record', join(folder, 'none', 'a'), '--', ...agent('echo')], { input: message });
  expect(code).toBe(2);
  expect(stderr).toContain('UNWRITABLE_RECORDING: expected --record');
});

test('a line that a plugin changed or dropped names it, and the rule', async () => {
  const plugin = join(folder, 'plugin.mjs');
  const does = { a: "{ do: 'replace', with: { params: { text: 'louder' } }, rule: 'volume' }", b: "{ do: 'drop' }" };
  writeFileSync(plugin, `export const plugin = { name: 'own', toAgent: { calls: { _a: () => (${does.a}), _b: () => (${does.b}) } } };`);
  await run(['--record', path, '--plugin', plugin, '--', ...agent('echo')], { input: '{"jsonrpc":"2.0","method":"_a"}\n{"jsonrpc":"2.0","method":"_b"}\n{"jsonrpc":"2.0","method":"_c"}\n' });
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(1).map((line) => JSON.parse(line) as { at: string; dir: string; by?: unknown; droppedBy?: unknown; msg: { method: string } });
  const toAgent = lines.filter(({ dir }) => dir === 'c2a').map(({ at, msg, by, droppedBy }) => [at, msg.method, by, droppedBy]);
  expect(toAgent).toEqual([
    ['client', '_a', undefined, undefined], ['agent', '_a', ['own: volume'], undefined],
    ['client', '_b', undefined, ['own']],
    ['client', '_c', undefined, undefined], ['agent', '_c', undefined, undefined],
  ]);
});
