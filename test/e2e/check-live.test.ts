/** `afterturn check -- AGENT_COMMAND`, through the built command, with a small agent. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { agent, bin, endAll, run, start } from './session.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'afterturn-'))));
afterEach(() => {
  endAll();
  rmSync(folder, { recursive: true, force: true });
});

interface Checked {
  readonly protocol: string;
  readonly breaches: readonly { readonly rule: string; readonly expected: string; readonly came: string }[];
  readonly steps: readonly { readonly name: string; readonly outcome: string }[];
  readonly obstacle?: string;
}

async function checkedWith(options: readonly string[], command: readonly string[]) {
  const { code, stdout, stderr } = await run(['check', '--json', ...options, '--', ...command]);
  const { checked } = JSON.parse(stdout.toString()) as { checked: readonly Checked[] };
  return { code, stderr, checked, found: checked.flatMap(({ protocol, breaches }) => breaches.map(({ rule, came }) => `${protocol} ${rule} ${came}`)) };
}
const namesOf = (checked: Checked | undefined, outcome: string): string[] => (checked?.steps ?? []).filter((step) => step.outcome === outcome).map(({ name }) => name);

describe('a sound agent', () => {
  test('of v1 goes through the session, and is left alone where it does not speak v2', async () => {
    const { code, stderr, checked, found } = await checkedWith([], agent('visited', 'v1'));
    expect([code, stderr, found]).toEqual([0, '', []]);
    expect(checked.map(({ protocol, obstacle }) => [protocol, obstacle])).toEqual([['v1', undefined], ['v2', 'it does not speak ACP v2, but v1']]);
    expect(namesOf(checked[0], 'answered')).toEqual([
      'initialize', 'session/new', 'session/set_mode', 'session/prompt', 'session/cancel while idle', 'a prompt that is cancelled', 'session/cancel', 'session/list', 'session/load', 'session/close', 'session/delete',
    ]);
    expect(namesOf(checked[0], 'refused')).toEqual(['a method that nobody has', 'a prompt for a session that nobody has']);
  });

  test('of v2 goes through the session, and is allowed nothing', async () => {
    const record = join(folder, 'visit.ndjson');
    const { code, checked, found } = await checkedWith(['--protocol', 'v2', '--record', record], agent('visited', 'v2', 'asks'));
    expect([code, found, checked.length]).toEqual([0, [], 1]);
    expect(namesOf(checked[0], 'answered')).toContain('session/resume with its history');
    const text = readFileSync(record, 'utf8');
    expect(text).toContain('You said no');
    expect(text).not.toContain('You said yes');
    // The transcript is a recording like any other.
    const again = await run(['check', '--no-schema', record]);
    expect([again.code, again.stdout.toString()]).toEqual([0, `${record} (client side, ACP v2): no breaches in ${text.split('\n').length - 2} messages\n`]);
  });

  test('behind afterturn speaks v2', async () => {
    const { code, checked, found } = await checkedWith(['--protocol', 'v2'], [process.execPath, bin, '--', ...agent('visited', 'v1')]);
    expect([code, found]).toEqual([0, []]);
    expect(namesOf(checked[0], 'answered')).toContain('session/close');
  });
});

test('an agent that asks for authentication is checked as far as it goes', async () => {
  const { code, stdout } = await run(['check', '--no-schema', '--protocol', 'v1', '--', ...agent('visited', 'v1', 'auth')]);
  expect(code).toBe(0);
  expect(stdout.toString()).toContain('it asks for authentication (login), so its sessions are not checked.');
  expect(stdout.toString()).toContain('refused:     session/new (-32000), ');
  expect(stdout.toString()).toContain('answered:    initialize, session/list\n');
});

describe('an agent that breaks a rule', () => {
  test.each([
    ['lenient', 'v1', ['v1 A.2 a result for session/prompt', 'v1 L.4 a result']],
    ['rubbish', 'v1', ['v1 L.2 2 lines that are none, the first of them here']],
    ['mute', 'v1', ['v1 L.1 none']],
    ['mute', 'v2', ['v2 L.1 none']],
    ['dies', 'v1', ['v1 L.3 it ended with exit code 7 in the middle of the conversation']],
    ['silent', 'v1', ['v1 L.1 none']],
  ])('%s, %s', async (manner, version, expected) => {
    const { code, found } = await checkedWith(['--protocol', version, '--timeout', '700', '--no-schema'], agent('visited', version, manner));
    expect({ code, found }).toEqual({ code: 1, found: expected });
  });

  test('what it says is shown with what was expected', async () => {
    const { code, stdout } = await run(['check', '--no-schema', '--timeout', '500', '--', ...agent('visited', 'v1', 'silent')]);
    expect(code).toBe(1);
    expect(stdout.toString()).toMatch(/L\.1 Each request is answered, and foreground work ends \(answered\)\n {6}section: {2}JSON-RPC 2\.0: Response object\n {6}expected: an answer to "initialize" within 500 ms\n {6}came: {5}none\n {2}nothing more could be checked: it did not answer `initialize` within 500 ms\. Does this command start an ACP agent on stdio\?/);
    // The other version is not waited for again.
    expect(stdout.toString().match(/ACP v\d\)/g)).toEqual(['ACP v1)']);
  });
});

test('an agent that stays is ended and named', async () => {
  const { code, stdout } = await run(['check', '--no-schema', '--protocol', 'v1', '--', ...agent('visited', 'v1', 'stays')]);
  expect(code).toBe(0);
  expect(stdout.toString()).toContain('It went on after the end of its input, and was ended by a signal.');
});

test('a signal ends the check and the agent', async () => {
  const session = start(['check', '--', ...agent('visited', 'v1', 'silent', 'stays')]);
  await new Promise((resolve) => setTimeout(resolve, 700));
  session.process.kill('SIGTERM');
  expect((await session.ended).signal).toBe('SIGTERM');
});

describe('a call that is wrong is told how', () => {
  test.each([
    [['check', '--'], 'NO_COMMAND: expected the command of an agent after "--"'],
    [['check', 'x.ndjson', '--', 'agent'], 'NO_RECORDING: expected a recording, or the command of an agent, but got both'],
    [['check', '--timeout', '5', 'x.ndjson'], 'NO_RECORDING: expected the command of an agent after "--" with --timeout, but got a recording'],
    [['check', '--timeout', 'x', '--', 'agent'], 'BAD_VALUE: --timeout expects a number of milliseconds above 0, but got "x"'],
    [['check', '--', '/no/such/agent'], 'COMMAND_NOT_FOUND: expected the command of an agent, but "/no/such/agent" was not found'],
  ])('%j', async (args, text) => {
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout.toString()]).toEqual([2, '']);
    expect(stderr).toContain(text);
  });
});
