/** What is spoken to an agent, and the agent that is started again because of it, through the built command. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, endAll, gone, start, type Session } from './session.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'afterturn-'))));
afterEach(() => {
  endAll();
  rmSync(folder, { recursive: true, force: true });
});

const CODEX = '@agentclientprotocol/codex-acp';
const INITIALIZE = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: {} } };
const NEW = { jsonrpc: '2.0', id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [] } };
const log = (): string => join(folder, 'log');

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
}

const negotiates = (name: string, version: string, ...manners: readonly string[]): string[] => agent('negotiates', name.replaceAll('-', '~'), version, 'both', log(), ...manners);
const says = (session: Session, ...messages: readonly object[]): void => session.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
const told = (stdout: Buffer): Message[] => stdout.toString().split('\n').filter(Boolean).map((line) => JSON.parse(line) as Message);
/** What each process was told, in the order of their start. */
function processes(): { readonly pid: number; readonly told: string[] }[] {
  const byPid = new Map<number, string[]>();
  for (const line of readFileSync(log(), 'utf8').split('\n').filter(Boolean)) {
    const [pid = '', ...words] = line.split(' ');
    byPid.set(Number(pid), [...(byPid.get(Number(pid)) ?? []), words.join(' ')]);
  }
  return [...byPid].map(([pid, lines]) => ({ pid, told: lines }));
}
const conversations = (): string[][] => processes().map((each) => each.told);

const SPOKEN_IN_BOTH = ['started', 'initialize 2 v1 v2', 'input ended'];

describe('an agent that answers v2 and loses background work there', () => {
  it('is started again in v1, before the client gets its answer; the client\'s next message waits for that', async () => {
    const session = start(['--', ...negotiates(CODEX, '2.6.0', 'talks', 'exits')]);
    says(session, INITIALIZE, NEW);
    await session.said('of ');
    session.endInput();
    const { code, stdout, stderr } = await session.ended;
    const [first, second] = processes();
    expect(conversations()).toEqual([SPOKEN_IN_BOTH, ['started', 'initialize 1 v1', 'session/new', 'input ended']]);
    const messages = told(stdout);
    // What the first one said with its answer goes on; its unfinished line and what is behind do not.
    expect(messages.filter(({ params }) => params?.of === first?.pid).map(({ params }) => params)).toEqual([{ of: first?.pid, before: 'initialize' }]);
    expect(messages.filter(({ id }) => id !== undefined)).toMatchObject([{ id: 0, result: { protocolVersion: 2, info: { name: CODEX } } }, { id: 1, result: { sessionId: `of ${second?.pid}` } }]);
    expect({ code, stderr }).toEqual({ code: 4, stderr: '' });
  });

  it('also where the client\'s input has ended already', async () => {
    const session = start(['--', ...negotiates(CODEX, '2.6.0', 'exits')]);
    says(session, INITIALIZE, NEW);
    session.endInput();
    const { code, stdout } = await session.ended;
    expect(conversations()).toEqual([SPOKEN_IN_BOTH, ['started', 'initialize 1 v1', 'session/new', 'input ended']]);
    expect(told(stdout).map(({ id }) => id)).toEqual([0, 1]);
    expect(code).toBe(4);
  });

  it('an old process that does not want to go is killed', async () => {
    const session = start(['--', ...negotiates(CODEX, '2.6.0', 'lingers')]);
    says(session, INITIALIZE);
    await session.said('"result"');
    const [first, second] = processes();
    expect(first?.told).toEqual([...SPOKEN_IN_BOTH, 'SIGTERM']);
    await gone(first?.pid ?? 0);
    session.process.kill('SIGTERM');
    expect(await session.ended).toMatchObject({ signal: 'SIGTERM' });
    await gone(second?.pid ?? 0);
  });

  it('an old process that ends by itself does not end the session', async () => {
    const session = start(['--', ...negotiates(CODEX, '2.6.0', 'dies', 'exits')]);
    says(session, INITIALIZE, NEW);
    await session.said('sessionId');
    session.endInput();
    expect(await session.ended).toMatchObject({ code: 4 });
    expect(conversations()[0]?.slice(0, 2)).toEqual(SPOKEN_IN_BOTH.slice(0, 2));
    expect(conversations()[1]).toEqual(['started', 'initialize 1 v1', 'session/new', 'input ended']);
  });

  it('a signal that comes while the old process goes ends the session', async () => {
    const session = start(['--log-level', 'debug', '--', ...negotiates(CODEX, '2.6.0', 'lingers')]);
    says(session, INITIALIZE);
    while (!session.stderr().includes('starting the agent again')) await new Promise((resolve) => setTimeout(resolve, 10));
    session.process.kill('SIGTERM');
    expect(await session.ended).toMatchObject({ signal: 'SIGTERM' });
    expect(processes()).toHaveLength(1);
    await gone(processes()[0]?.pid ?? 0);
  });
});

describe('what is spoken', () => {
  it.each<[string, string[], string, string, string[][]]>([
    ['claude-agent-acp from 0.101 on', [], '@agentclientprotocol/claude-agent-acp', '0.101.0', [['started', 'initialize 2 v1 v2', 'input ended']]],
    ['claude-agent-acp before', [], '@agentclientprotocol/claude-agent-acp', '0.95.0', [SPOKEN_IN_BOTH, ['started', 'initialize 1 v1', 'input ended']]],
    ['an agent that is not known', [], 'x', '1.0.0', [['started', 'initialize 2 v1 v2', 'input ended']]],
    ['what the user says: v2', ['--agent-protocol', 'v2'], CODEX, '2.6.0', [['started', 'initialize 2 v2', 'input ended']]],
    ['what the user says: v1', ['--agent-protocol', 'v1'], '@agentclientprotocol/claude-agent-acp', '0.101.0', [['started', 'initialize 1 v1', 'input ended']]],
  ])('to %s', async (_, options, name, version, expected) => {
    const session = start([...options, '--', ...negotiates(name, version, 'exits')]);
    says(session, INITIALIZE);
    await session.said('"result"');
    session.endInput();
    expect((await session.ended).code).toBe(4);
    expect(conversations()).toEqual(expected);
  });

  it('an agent that the command line names is not started twice', async () => {
    const session = start(['--', ...negotiates(CODEX, '2.6.0', 'exits'), '--name', 'codex-acp']);
    says(session, INITIALIZE);
    await session.said('"result"');
    session.endInput();
    await session.ended;
    expect(conversations()).toEqual([['started', 'initialize 1 v1', 'input ended']]);
  });
});
