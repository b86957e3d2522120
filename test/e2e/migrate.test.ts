import { expect, test } from 'vitest';
import { corpusPath } from '../tools/recording.js';
import { run } from './session.js';

test('it is shown by agent, client and kind, with what removes it', async () => {
  const { code, stdout } = await run(['migrate', corpusPath('codex/b.v2air')]);
  expect(code).toBe(0);
  expect(stdout.toString()).toMatch(/^@agentclientprotocol\/codex-acp 2\.6\.0 \(v2\+async\) with \S+ [\d.]+ \(v2\+async\)\n {2}\d+ in 1: async_task_\* updates\n {6}standard: .*\n {6}removed by: client v2, agent v2\+async: rewritten to lists and cancel\n/);
});

test('nothing left is said so; --json is for programs', async () => {
  const native = corpusPath('claude/b_background_exit0.v2');
  expect((await run(['migrate', native])).stdout.toString()).toBe('no legacy traffic in 1 connection\n');
  expect(JSON.parse((await run(['migrate', '--json', native])).stdout.toString())).toEqual({ connections: 1, legacy: [] });
});

test('without a file it ends with 2', async () => {
  const { code, stderr } = await run(['migrate']);
  expect(code).toBe(2);
  expect(stderr).toContain('NO_RECORDING: expected at least one recording, but got none. Run "afterturn migrate [--json] FILE...".');
});
