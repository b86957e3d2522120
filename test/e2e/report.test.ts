import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { callSpan, spanLine, turnSpan } from '../report/otlp-lines.js';
import { corpusPath } from '../tools/recording.js';
import { run } from './session.js';

const folder = mkdtempSync(join(tmpdir(), 'afterturn-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a recording is shown as text, with totals', async () => {
  const { code, stdout, stderr } = await run(['report', corpusPath('claude/c_background_exit3.legacyrich')]);
  expect(stdout.toString().replace(/^\S*\/claude\//, '')).toBe(`c_background_exit3.legacyrich.ndjson (recording); its times are relative, from 0 at its start
0 is the start of each file

Session e56d6901-3a52-4486-926d-5cfefe626080: Background work, @agentclientprotocol/claude-agent-acp 0.101.0, 4.85 s
       START  DURATION  STATE
    0:01.755    850 ms  completed     turn prompt (end_turn)
    0:02.299    162 ms  completed       tool Bash: ./build.sh
    0:02.456    4.01 s  failed            background shell: Run the build in background (exit code 3)
    0:06.483    118 ms  completed     turn started by the agent (after background shell: Run the build in background)

Totals: 1 session, 2 turns, 1 tool call, 1 background item, in 6.60 s
Ran longest: 2 items
    0:02.456    4.01 s  failed        background shell: Run the build in background (exit code 3)
    0:02.299    162 ms  completed     tool Bash: ./build.sh
Left running: nothing
Failed: 1 item
    0:02.456    4.01 s  failed        background shell: Run the build in background (exit code 3)
`);
  expect([code, stderr]).toEqual([0, '']);
});

test('a trace file that the proxy wrote, and the recording beside it, are the same on one clock', async () => {
  const [trace, recording] = [join(folder, 'trace.jsonl'), join(folder, 'recording.ndjson')];
  const agent = ['afterturn', 'replay', '--speed', '20', corpusPath('claude/b_background_exit0.legacyrich')];
  const command = (words: readonly string[]): string[] => [process.execPath, new URL('../../bin/afterturn.js', import.meta.url).pathname, ...words.slice(1)];
  await run(['replay', '--speed', '20', corpusPath('claude/b_background_exit0.legacyrich'), '--', ...command(['afterturn', '--trace-file', trace, '--record', recording, '--', ...command(agent)])]);
  const { code, stdout } = await run(['report', '--json', trace, recording]);
  expect(code).toBe(0);
  const { sessions, zero } = JSON.parse(stdout.toString()) as { zero: number; sessions: { id: string; entries: { kind: string; name: string; start: number; end: number }[] }[] };
  expect(Math.abs(Date.now() - zero)).toBeLessThan(120_000);
  const [one, other] = sessions.map(({ entries }) => entries);
  expect(one?.map(({ kind, name }) => [kind, name])).toEqual(other?.map(({ kind, name }) => [kind, name]));
  expect(one?.map(({ kind }) => kind)).toEqual(['turn', 'call', 'background', 'turn']);
  // The recorder and the tracer read the same clock at about the same time.
  for (const [index, { start }] of (one ?? []).entries()) expect(Math.abs(start - (other?.[index]?.start ?? Infinity))).toBeLessThan(1000);
});

test('what could move the cursor is escaped, and a long report comes whole through a pipe', async () => {
  const file = join(folder, 'long.jsonl');
  const calls = Array.from({ length: 3000 }, (_, index) => callSpan({ id: `c${index}`, parent: 'a', from: index, to: index + 1, attributes: { 'gen_ai.tool.name': '\u001b[2Jx\u202e' } }));
  writeFileSync(file, spanLine(turnSpan({ id: 'a', from: 0, to: 4000 }), ...calls));
  const text = (await run(['report', file])).stdout.toString();
  expect(text).toContain('tool \\u001b[2Jx\\u202e');
  expect(text).not.toContain('\u001b');
  expect(text).not.toContain('\u202e');
  expect(text.split('\n').filter((line) => line.includes('completed       tool'))).toHaveLength(3000);
  expect(text.endsWith('Failed: nothing\n')).toBe(true);
});

test('a file in which nothing was done says so', async () => {
  const { code, stdout } = await run(['report', '-'], { input: '{"dir":"c2a","jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n' });
  expect(stdout.toString()).toBe('- (recording); it has no times: one message is shown as one millisecond; it holds no turn, tool call or background item\n');
  expect(code).toBe(0);
});

test('stdin is a file, too', async () => {
  const { stdout } = await run(['report', '-'], { input: spanLine(turnSpan({ id: 'a', to: 5 })) });
  expect(stdout.toString()).toContain('- (trace)');
});

describe('a bad call or file', () => {
  const recording = readFileSync(corpusPath('claude/a_foreground_bash.legacy'), 'utf8').split('\n')[0] ?? '';
  test.each([
    [['report'], '', 'NO_REPORT_FILE: expected at least one trace file or recording, but got none.'],
    [['report', '--htm', '-'], '', 'UNKNOWN_OPTION: expected an option of afterturn report, but got --htm.'],
    [['report', '/nonexistent/x'], '', 'UNREADABLE_REPORT_FILE: expected a trace file or a recording that can be read, but /nonexistent/x could not be'],
    [['report', '-'], 'rubbish\nrubbish\n', 'INVALID_REPORT_FILE: expected a trace file or a recording, but in - line 1: expected one JSON object a line'],
    [['report', '-'], `${recording}\nrubbish\n\n`, 'INVALID_REPORT_FILE: expected a trace file or a recording, but in - line 2: expected one JSON object a line'],
    [['report', '-'], `${spanLine({ id: 'a' })}{"secret":1}\n\n`, 'INVALID_REPORT_FILE: expected a trace file or a recording, but in - line 2: expected an OTLP export'],
    [['report', '-'], '{"dir":"here"}\n\n', 'INVALID_REPORT_FILE: expected a trace file or a recording, but in - line 1: expected "dir" to be "c2a" or "a2c", but got "here"'],
    [['report', '-'], '', 'INVALID_REPORT_FILE: expected a trace file or a recording, but in - there is no message'],
  ])('%j with %j ends with 2 and says why', async (args, input, message) => {
    const { code, stdout, stderr } = await run(args, { input });
    expect(stderr).toContain(`afterturn: ${message}`);
    expect(stderr).not.toContain('secret":');
    expect([code, stdout.toString()]).toEqual([2, '']);
  });
});

test('a page can go to stdout, and one that cannot be written is told', async () => {
  const input = spanLine(turnSpan({ id: 'a', to: 5 }));
  const { stdout, code } = await run(['report', '--html', '-', '-'], { input });
  expect(stdout.toString()).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
  expect(code).toBe(0);
  const failed = await run(['report', '--html', join(folder, 'none', 'x.html'), '-'], { input });
  expect(failed.stderr).toContain('UNWRITABLE_REPORT: expected --html');
  expect([failed.code, failed.stdout.toString()]).toEqual([2, '']);
});
