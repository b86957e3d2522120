/** Real programs, one after the other, that look like one agent. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startAgent } from '../../src/edge/agent.js';
import { Agents } from '../../src/edge/agents.js';
import { agent, gone } from '../e2e/session.js';

const open: Agents[] = [];
afterEach(() => open.splice(0).forEach((agents) => agents.signal('SIGKILL')));

/** The agents of a command, and what they said. */
async function started(command: readonly string[]) {
  const log: string[] = [];
  const said: string[] = [];
  let arrived = (): void => {};
  const logged = (level: string) => (text: string): void => void log.push(`${level}: ${text}`);
  const events = { output: (chunk: Buffer): boolean => (said.push(chunk.toString()), arrived(), true), drained: () => undefined, broken: () => undefined };
  const agents = new Agents(await startAgent(command), command, events, { error: logged('error'), warn: logged('warn'), info: logged('info'), debug: logged('debug') });
  open.push(agents);
  const until = async (text: string): Promise<void> => {
    while (!said.join('').includes(text)) await new Promise<void>((resolve) => (arrived = resolve));
  };
  return { agents, log, said, until };
}

describe('an agent that is started again', () => {
  test('gets what is written meanwhile, in order, and its end is the end', async () => {
    const { agents, said, until } = await started(agent('echo'));
    agents.write(Buffer.from('one\n'));
    await until('one');
    expect(agents.restart()).toBe(true);
    agents.write(Buffer.from('two\n'));
    agents.write(Buffer.from('three\n'));
    await until('three');
    agents.write(Buffer.from('four\n'));
    agents.endInput();
    expect(await agents.exited).toEqual({ code: 0, signal: null });
    await agents.over;
    expect(said.join('')).toBe('one\ntwo\nthree\nfour\n');
  });

  test('gets the end of the input that came meanwhile', async () => {
    const { agents, said } = await started(agent('echo'));
    agents.restart();
    agents.write(Buffer.from('last\n'));
    agents.endInput();
    expect(await agents.exited).toEqual({ code: 0, signal: null });
    await agents.over;
    expect(said.join('')).toBe('last\n');
  });

  test('takes the place of one that does not want to go', async () => {
    const { agents, said, until } = await started(agent('ignores-term'));
    await until('ready');
    const pid = Number((JSON.parse(said.splice(0).join('')) as { params: { text: string } }).params.text);
    agents.restart();
    await until('ready');
    expect(said.join('')).not.toContain('SIGTERM');
    await gone(pid);
  });

  test('only once at a time, and not when it has ended', async () => {
    const { agents } = await started(agent('echo'));
    expect([agents.restart(), agents.restart()]).toEqual([true, false]);
    agents.endInput();
    await agents.exited;
    expect(agents.restart()).toBe(false);
  });
});

test('a signal that comes while the old one goes is the end', async () => {
  const { agents, until } = await started(agent('answers-term'));
  await until('ready');
  agents.restart();
  agents.signal('SIGINT');
  expect(await agents.exited).toEqual({ code: 7, signal: null });
  await agents.over;
});

test('a command that cannot be started again ends it all with a message', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'afterturn-'));
  try {
    const file = `${folder}/agent`;
    await writeFile(file, '#!/bin/sh\ncat\n', { mode: 0o755 });
    const { agents, log } = await started([file]);
    await rm(file);
    agents.restart();
    expect(await agents.exited).toEqual({ code: 1, signal: null });
    expect(log).toEqual([expect.stringMatching(/^error: the agent could not be started again: expected the command of an agent, but .* was not found/)]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
