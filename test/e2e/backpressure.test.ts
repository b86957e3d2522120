import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, bin, endAll, start, type Session } from './session.js';

afterEach(endAll);

/** The most memory that the command ever had, in megabytes. */
async function peakMemory(session: Session): Promise<number> {
  const status = await readFile(`/proc/${session.process.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.runIf(process.platform === 'linux')('memory', () => {
  it('stays bounded while the client does not read, and nothing is lost', async () => {
    const megabytes = 200;
    const session = start(['--', ...agent('floods', String(megabytes))], { read: false });
    await pause(2000);
    expect(await peakMemory(session)).toBeLessThan(150);
    let received = 0;
    session.process.stdout?.on('data', (chunk: Buffer) => (received += chunk.length));
    const { code } = await session.ended;
    expect(received).toBeGreaterThanOrEqual(megabytes * 1024 * 1024);
    expect(code).toBe(4);
  });

  it('stays bounded while the agent does not read', async () => {
    const session = start(['--', ...agent('never-reads')]);
    await session.said('ready');
    const line = Buffer.from(`{"jsonrpc":"2.0","method":"x","params":{"pad":"${'x'.repeat(64 * 1024)}"}}\n`);
    let waiting = false;
    for (let sent = 0; sent < 200 * 1024 * 1024 && !waiting; sent += line.length) {
      waiting = session.process.stdin?.write(line) === false && !(await Promise.race([drained(session), pause(1000)]));
    }
    expect(waiting).toBe(true);
    expect(await peakMemory(session)).toBeLessThan(150);
    session.process.kill('SIGTERM');
    await session.ended;
  });
});

const drained = (session: Session): Promise<true> => new Promise((resolve) => session.process.stdin?.once('drain', () => resolve(true)));

it('what waits for a word of the agent does not go out because the client did not read', async () => {
  const session = start(['--', ...agent('removes-then-runs')], { read: false });
  const ask = (id: number, method: string, params: object): void => session.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  ask(0, 'initialize', { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: {} });
  ask(1, 'session/new', { cwd: '/', mcpServers: [] });
  ask(2, 'session/prompt', { sessionId: 's', prompt: [] });
  await pause(1500);
  const output = text(session.process.stdout as Readable);
  await pause(500);
  session.endInput();
  const updates = (await output).trim().split('\n').map((line) => (JSON.parse(line) as { params?: { update?: { sessionUpdate?: string; state?: string; background?: unknown[] } } }).params?.update);
  const states = updates.filter((update) => update?.sessionUpdate === 'state_update').map((update) => `${update?.state} ${update?.background?.length}`);
  expect(states).toEqual(['running 1', 'idle 1', 'running 0', 'idle 0']);
});

describe.runIf(process.platform === 'linux')('a pipe on stderr', () => {
  it('that nobody reads does not stop the session', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'afterturn-'));
    const pipe = join(folder, 'stderr');
    execFileSync('mkfifo', [pipe]);
    const unread = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      const child = spawn(process.execPath, [bin, '--', ...agent('babbles')], { stdio: ['ignore', 'pipe', unread] });
      expect(await text(child.stdout as Readable)).toBe('{"jsonrpc":"2.0","method":"done"}\n');
    } finally {
      closeSync(unread);
      rmSync(folder, { recursive: true });
    }
  });
});
