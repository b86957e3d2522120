import { expect, test } from 'vitest';
import { corpusPath } from '../tools/recording.js';
import { run } from './session.js';

test('a breach is shown with time, line, rule, section, what was expected and what came', async () => {
  const { code, stdout, stderr } = await run(['check', corpusPath('claude/a_foreground_bash.v2'), corpusPath('claude/b_background_exit0.v2')]);
  expect(stdout.toString().replaceAll(/^\S*\/claude\//gm, '')).toBe(`a_foreground_bash.v2.ndjson (ACP v2): no breaches in 31 messages
b_background_exit0.v2.ndjson (ACP v2): 1 breach in 49 messages
  6377 ms, line 42: 5.7 A removal is not followed within the window by a running that the agent started itself (no-removal-then-running)
      section:  The background list on state snapshots
      session:  b8138c15-abe1-461f-a886-20afe29c9841
      expected: one running that drops terminal:toolu_01BashBackground000001
      came:     idle without it, and running 137 ms later
`);
  expect([code, stderr]).toEqual([1, '']);
});

test('a sound recording ends with 0; --json is for programs; stdin is a file, too', async () => {
  const bare = '{"dir":"c2a","jsonrpc":"2.0","id":0,"method":"session/list","params":{}}\n{"dir":"a2c","jsonrpc":"2.0","id":0,"result":{"sessions":[]}}\n';
  const { code, stdout } = await run(['check', '--json', '--protocol=v2', '-'], { input: bare });
  expect(JSON.parse(stdout.toString())).toEqual({ checked: [{ file: '-', protocol: 'v2', messages: 2, breaches: [] }] });
  expect(code).toBe(0);
});

test('validity by schema can be left out', async () => {
  const invalid = '{"dir":"a2c","jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk"}}}\n';
  const found = await run(['check', '-'], { input: invalid });
  expect(found.stdout.toString()).toContain("came:     params/update: must have required property 'content'");
  expect(found.code).toBe(1);
  expect((await run(['check', '--no-schema', '-'], { input: invalid })).code).toBe(0);
});

test.each([
  [['check'], '', 'NO_RECORDING: expected at least one recording, or "--" and the command of an agent, but got none.'],
  [['check', '--jsn', '-'], '', 'UNKNOWN_OPTION: expected an option of afterturn check, but got --jsn.'],
  [['check', '--protocol', 'v3', '-'], '', 'BAD_VALUE: --protocol expects one of v1, v2, but got "v3"'],
  [['check', '/nonexistent/x'], '', 'UNREADABLE_RECORDING: expected a recording that can be read, but /nonexistent/x could not be'],
  [['check', '-'], '{"dir":"c2a","method":"x"}\nrubbish\n', 'INVALID_RECORDING: expected a recording, but in - line 2: expected one JSON object a line'],
  [['check', '-'], '\n', 'INVALID_RECORDING: expected a recording, but in - there is no message'],
])('%j with %j ends with 2 and says why', async (args, input, message) => {
  const { code, stdout, stderr } = await run(args, { input });
  expect(stderr).toContain(`afterturn: ${message}`);
  expect([code, stdout.toString()]).toEqual([2, '']);
});
