import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, bin, endAll, gone, isAlive, run, saidBy, start } from './session.js';

afterEach(endAll);

describe('the end of the agent', () => {
  it.each([0, 1, 3, 42, 255])('with exit code %i is ours', async (code) => {
    expect(await run(['--', ...agent('exits', String(code))])).toMatchObject({ code, signal: null, stderr: '' });
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL', 'SIGABRT', 'SIGPIPE', 'SIGUSR2'])('by %s is ours', async (signal) => {
    expect(await run(['--', 'sh', '-c', `kill -${signal.slice(3)} $$`])).toMatchObject({ code: null, signal });
  });

  it('comes although its input is still open', async () => {
    const session = start(['--', ...agent('exits', '9')]);
    expect(await session.ended).toMatchObject({ code: 9 });
  });

  it('takes along what it left in its process group', async () => {
    const started = Date.now();
    const { code, stdout } = await run(['--', ...agent('leaves-grandchild', 'attached')]);
    expect(code).toBe(5);
    await gone(Number(saidBy(stdout, 'ready')[0]));
    expect(Date.now() - started).toBeLessThan(8000);
  });

  it('takes along what ignores SIGTERM', async () => {
    const { code, stdout } = await run(['--', ...agent('leaves-grandchild', 'attached', 'stubborn')]);
    expect(code).toBe(5);
    await gone(Number(saidBy(stdout, 'ready')[0]));
  });

  it('leaves alone what it put into a session of its own, and does not wait for it', async () => {
    const session = start(['--', ...agent('leaves-grandchild', 'detached')]);
    session.endInput();
    await session.said('ready');
    const pid = Number(saidBy(session.stdout(), 'ready')[0]);
    try {
      const [code] = await new Promise<[number | null]>((resolve) => session.process.once('exit', (end) => resolve([end])));
      expect(code).toBe(5);
      expect(await isAlive(pid)).toBe(true);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });
});

describe('the end of the input', () => {
  it('is passed on behind the last byte', async () => {
    const input = '{"jsonrpc":"2.0","method":"last"}';
    expect((await run(['--', ...agent('echo')], { input })).stdout.toString()).toBe(input);
  });

  it('does not end an agent that goes on: its output still passes', async () => {
    const { code, stdout } = await run(['--', ...agent('ignores-end')]);
    expect(saidBy(stdout, 'said')).toEqual(['input ended', 'still here']);
    expect(code).toBe(6);
  });
});

describe('signals to us', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const)('%s is passed on, and the end is the agent\'s', async (signal) => {
    const session = start(['--', ...agent('answers-term')]);
    await session.said('ready');
    session.process.kill(signal);
    const { code, stdout } = await session.ended;
    expect(saidBy(stdout, 'signal')).toEqual([signal]);
    expect(code).toBe(7);
  });

  it('end us by the same signal where the agent has no handler', async () => {
    const session = start(['--', ...agent('never-reads')]);
    await session.said('ready');
    session.process.kill('SIGTERM');
    expect(await session.ended).toMatchObject({ code: null, signal: 'SIGTERM' });
    await gone(Number(saidBy(session.stdout(), 'ready')[0]));
  });

  it('kill an agent that ignores them, after a while', async () => {
    const session = start(['--', ...agent('ignores-term')]);
    await session.said('ready');
    session.process.kill('SIGTERM');
    const { signal, stdout } = await session.ended;
    expect(saidBy(stdout, 'signal')).toEqual(['SIGTERM']);
    expect(signal).toBe('SIGTERM');
    await gone(Number(saidBy(stdout, 'ready')[0]));
  });

  it('kill it at once when they come again', async () => {
    const session = start(['--', ...agent('ignores-term')]);
    await session.said('ready');
    session.process.kill('SIGINT');
    await session.said('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 700));
    const again = Date.now();
    session.process.kill('SIGINT');
    expect(await session.ended).toMatchObject({ signal: 'SIGINT' });
    expect(Date.now() - again).toBeLessThan(3000);
  });

  it('SIGKILL leaves the agent with the end of its input', async () => {
    const session = start(['--', ...agent('echo')]);
    session.write('{"jsonrpc":"2.0","method":"x"}\n');
    await session.said('"x"');
    session.process.kill('SIGKILL');
    expect(await session.ended).toMatchObject({ signal: 'SIGKILL' });
  });
});

describe('a peer that is gone', () => {
  it('a client that dies takes along an agent that does not end with its input, and us', async () => {
    // The client starts us with pipes, names us, and passes on what the agent says.
    const code = "const us = require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] }); us.stdout.on('data', (said) => process.stdout.write(us.pid + ' ' + said))";
    const client = spawn(process.execPath, ['-e', code, bin, '--', ...agent('answers-term')], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(client.stdout, 'data')) as [Buffer];
    const [us = '', ready = ''] = said.toString().split(/ (.*)/s);
    const agentPid = Number(saidBy(Buffer.from(ready), 'ready')[0]);
    try {
      expect(await isAlive(agentPid)).toBe(true);
      client.kill('SIGKILL');
      await gone(agentPid, 10_000);
      await gone(Number(us));
    } finally {
      for (const pid of [Number(us), agentPid]) if (await isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
  });

  it('a client that closes our stdout ends the agent, without a stack trace', async () => {
    const session = start(['--', ...agent('floods', '64')], { read: false });
    session.process.stdout?.destroy();
    const { stderr } = await session.ended;
    expect(stderr).toMatch(/^afterturn: warn: the client reads no more \(EPIPE\); ending the agent\n/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('an agent that closes its input can still speak', async () => {
    const session = start(['--', ...agent('closes-input')]);
    await session.said('closed');
    for (let n = 0; n < 50; n += 1) {
      session.write(`{"jsonrpc":"2.0","method":"x","params":{"n":${n}}}\n`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const { code, stdout, stderr } = await session.ended;
    expect(saidBy(stdout, 'said')).toEqual(['closed', 'still here']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
