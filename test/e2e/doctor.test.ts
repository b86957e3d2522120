/** `afterturn doctor`, through the built command, with small agents. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, endAll, gone, run, start } from './session.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'afterturn-'))));
afterEach(() => {
  endAll();
  rmSync(folder, { recursive: true, force: true });
});

const log = (): string => join(folder, 'log');
const negotiates = (name: string, version: string, knows: string, ...manners: readonly string[]): string[] => agent('negotiates', name.replaceAll('-', '~'), version, knows, log(), ...manners);
const doctor = async (command: readonly string[], ...options: readonly string[]) => {
  const { code, stdout, stderr } = await run(['doctor', ...options, '--', ...command]);
  return { code, out: stdout.toString(), stderr };
};
/** The ids of all processes that were started. */
const pids = (): number[] => (existsSync(log()) ? [...new Set(readFileSync(log(), 'utf8').split('\n').filter(Boolean).map((line) => Number(line.split(' ')[0])))] : []);

describe('an agent that answers', () => {
  it('is shown as each client would have it, and ended', async () => {
    const { code, out, stderr } = await doctor(negotiates('@agentclientprotocol/codex-acp', '2.6.0', 'both', 'exits', 'air'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [, v1, v2] = out.split(/^A client of ACP /m);
    expect(v1).toMatch(/^v1\n {2}offered {7}ACP v1: a v1 client gets a v1 agent side\n {2}answered {6}ACP v1, @agentclientprotocol\/codex-acp 2\.6\.0\n {2}spoken {8}ACP v1\n/);
    expect(v1).toContain('  background    no: ');
    expect(v2).toContain('  offered       ACP v1 and v2 in one request: nothing is known of it from its command line\n  answered      ACP v2, ');
    expect(v2).toContain('  started again offered ACP v1: the profile of codex-acp, which it says it is\n  answered      ACP v1, ');
    expect(v2).toContain('  extension     asyncTasks, nativeSubagentSessions\n');
    expect(v2).toContain('  background    yes, from the start, by the async task extension');
    expect(pids()).toHaveLength(3);
    for (const pid of pids()) await gone(pid);
  });

  it('is ended also where it does not want to go', async () => {
    const { code } = await doctor(negotiates('x', '1', 'v1', 'lingers'));
    expect(code).toBe(0);
    expect(pids()).toHaveLength(2);
    for (const pid of pids()) await gone(pid);
  });

  it('is spoken to as the options say', async () => {
    const { code, out } = await doctor(negotiates('@agentclientprotocol/codex-acp', '2.6.0', 'both', 'exits'), '--agent-protocol', 'v2', '--source', 'none');
    expect(code).toBe(0);
    expect(out).toContain('  offered       ACP v2: --agent-protocol says so\n  answered      ACP v2, ');
    expect(pids()).toHaveLength(2);
  });
});

describe('an agent that does not', () => {
  it.each<[string, string[], string[], RegExp]>([
    ['says nothing', agent('never-reads'), ['--timeout', '600'], /trouble {7}The agent did not answer `initialize` within 0\.6 s\./],
    ['says back what it is told', agent('echo'), ['--timeout=600'], /trouble {7}The agent did not answer `initialize` within 0\.6 s\./],
    ['ends', agent('exits', '3'), [], /trouble {7}The agent ended with exit code 3 before it answered/],
    ['ends by a signal', agent('exits', 'SIGKILL'), [], /trouble {7}The agent ended by SIGKILL before it answered/],
    ['prints something else', agent('noise'), ['--timeout', '600'], /stray output {2}\d+ lines on stdout that are no JSON-RPC message; the first: .*\n {2}trouble/],
    ['answers something else', [process.execPath, '-e', 'process.stdin.once("data", () => console.log(\'{"jsonrpc":"2.0","id":"doctor","result":[]}\'))'], [], /trouble {7}.*expected an object with a protocolVersion, got an array\./],
    ['is not there', ['no-such-agent'], [], /trouble {7}expected the command of an agent, but "no-such-agent" was not found/],
  ])('%s: a clear message and exit code 1', async (_, command, options, message) => {
    const { code, out } = await doctor(command, ...options);
    expect(out).toMatch(message);
    expect(code).toBe(1);
  });

  it('refuses one version only: the other is shown', async () => {
    const refuses = 'require("readline").createInterface({ input: process.stdin }).on("line", (line) => { const { id, params } = JSON.parse(line); const reply = params.protocolVersion === 2 ? { result: { protocolVersion: 2, info: { name: "x", version: "1" } } } : { error: { code: -32602, message: "v2 only" } }; console.log(JSON.stringify({ jsonrpc: "2.0", id, ...reply })); })';
    const { code, out } = await doctor([process.execPath, '-e', refuses]);
    expect(code).toBe(1);
    expect(out).toContain('trouble       The agent refused `initialize`: v2 only (-32602).');
    expect(out).toContain('spoken        ACP v2');
  });
});

describe('a call that is wrong', () => {
  it.each<[string, string[], string]>([
    ['no command', [], 'NO_COMMAND: expected the command of an agent after "--", but none came. Run: afterturn doctor [options] --'],
    ['an unknown option', ['--bogus', '--', 'cat'], 'UNKNOWN_OPTION'],
    ['a bad timeout', ['--timeout', 'soon', '--', 'cat'], 'BAD_VALUE: --timeout expects'],
    ['no timeout', ['--timeout'], 'MISSING_VALUE'],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await run(['doctor', ...args]);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`afterturn: ${message}`);
  });
});

it('help is ours before `--` only', async () => {
  expect((await run(['doctor', '--help'])).stdout.toString()).toMatch(/^afterturn doctor \[options\]/);
  expect((await run(['doctor', '--timeout', '600', '--', ...agent('exits', '0'), '--help'])).stdout.toString()).toMatch(/^Agent: /);
});

it('a signal ends the agent too', async () => {
  const session = start(['doctor', '--', ...agent('negotiates', 'x', '1', 'v1', log(), 'lingers')]);
  while (pids().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  session.process.kill('SIGTERM');
  expect(await session.ended).toMatchObject({ signal: 'SIGTERM' });
  for (const pid of pids()) await gone(pid);
});
