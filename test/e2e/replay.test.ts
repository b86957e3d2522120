import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { check, readRecording, type Connection, type RecordedMessage } from '../../src/check/index.js';
import { corpusPath, parseRecording } from '../tools/recording.js';
import { agent, bin, endAll, run } from './session.js';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'afterturn-replay-'))));
afterEach(() => {
  endAll();
  rmSync(folder, { recursive: true, force: true });
});

const self = (...args: string[]): string[] => [process.execPath, bin, ...args];
const fast = ['--speed', '5', '--longest-wait', '500'];
const sides = (path: string): readonly Connection[] => readRecording(readFileSync(path, 'utf8')).connections;
const messages = (path: string, side: string): readonly RecordedMessage[] => sides(path).find((one) => one.side === side)?.messages ?? [];

/** What happened, without texts and times: methods, kinds, states, and what is listed. */
const facts = (records: readonly RecordedMessage[]): ReadonlySet<string> =>
  new Set(records.map(({ dir, msg }) => {
    const { sessionUpdate, state, status, toolCallId, terminalId, background } = ((msg.params as { update?: Record<string, unknown> } | undefined)?.update ?? {}) as Record<string, unknown>;
    return JSON.stringify([dir, msg.method, sessionUpdate, state, status, toolCallId, terminalId, background, msg.error?.code]);
  }));

test('record, redact, replay, check: the bridged session says the same again', async () => {
  const first = join(folder, 'first.ndjson');
  const agentOf = (path: string) => self('replay', ...fast, path);
  const proxied = (record: string, agentCommand: readonly string[]) => self('--agent-protocol', 'v1', '--record', record, '--redact', '--', ...agentCommand);
  const played = await run(['replay', ...fast, '--patience', '1500', corpusPath('claude/f_stop_server.v2'), '--', ...proxied(first, agentOf(corpusPath('claude/f_stop_server.legacy')))]);
  expect([played.code, played.stderr]).toEqual([0, '']);
  expect(sides(first).map(({ side }) => side)).toEqual(['client', 'agent']);
  expect(readFileSync(first, 'utf8')).not.toMatch(/server\.sh|workspace\/project/);
  expect(check(messages(first, 'client'))).toEqual([]);
  expect(JSON.stringify(messages(first, 'client'))).toContain('"background":[{"type":"terminal"');

  const second = join(folder, 'second.ndjson');
  const again = await run(['replay', ...fast, '--patience', '1500', first, '--', ...proxied(second, agentOf(first))]);
  expect([again.code, again.stderr]).toEqual([0, '']);
  expect(facts(messages(second, 'client'))).toEqual(facts(messages(first, 'client')));
  expect(facts(messages(second, 'agent'))).toEqual(facts(messages(first, 'agent')));
  const verdict = await run(['check', second]);
  expect(verdict.stdout.toString()).toMatch(/second\.ndjson \(client side, ACP v2\): no breaches in \d+ messages/);
});

test('what the client prints is a recording of what was said', async () => {
  const { code, stdout } = await run(['replay', ...fast, corpusPath('claude/a_foreground_bash.v2'), '--cwd', folder, '--', ...self('replay', ...fast, corpusPath('claude/a_foreground_bash.v2'))]);
  expect(code).toBe(0);
  const said = parseRecording(stdout.toString());
  expect(check(said)).toEqual([]);
  expect(said.find(({ msg }) => msg.method === 'session/new')?.msg.params).toMatchObject({ cwd: folder });
});

test('an agent that ends, or says nothing, ends the replay with 1', async () => {
  const ended = await run(['replay', corpusPath('claude/a_foreground_bash.v2'), '--', ...agent('exits', '3')]);
  expect([ended.code, ended.stderr]).toEqual([1, 'afterturn: error: the agent ended before the recording did\n']);
  const silent = await run(['replay', '--timeout', '300', corpusPath('claude/a_foreground_bash.v2'), '--', process.execPath, '-e', 'process.stdin.resume()']);
  expect([silent.code, silent.stderr]).toEqual([1, 'afterturn: error: the agent said nothing for 300 ms that the recording goes on with\n']);
});

test('bare messages are played without waiting, and rubbish on stdin is passed over', async () => {
  const path = join(folder, 'bare.ndjson');
  writeFileSync(path, '{"dir":"c2a","jsonrpc":"2.0","id":7,"method":"initialize"}\n{"dir":"a2c","jsonrpc":"2.0","id":7,"result":{"protocolVersion":1}}\n');
  const { code, stdout, stderr } = await run(['replay', path], { input: 'rubbish\n{"jsonrpc":"2.0","id":"mine","method":"initialize"}\n' });
  expect([code, stdout.toString()]).toEqual([0, '{"jsonrpc":"2.0","id":"mine","result":{"protocolVersion":1}}\n']);
  expect(stderr).toBe('afterturn replay: a line on stdin is no JSON object and is passed over\n');
});

test.each([
  [['replay'], 'NO_RECORDING: expected one recording, but got none'],
  [['replay', 'a', 'b'], 'NO_RECORDING: expected one recording, but got 2'],
  [['replay', '--as', 'client', corpusPath('claude/a_foreground_bash.v2')], 'NO_RECORDING: expected the command of an agent after "--", but got none'],
  [['replay', '--speed', '0', 'a'], 'BAD_VALUE: --speed expects a number above 0, but got "0"'],
])('%j ends with 2 and says why', async (args, message) => {
  const { code, stderr } = await run(args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
