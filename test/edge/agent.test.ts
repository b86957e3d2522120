import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { startAgent } from '../../src/edge/agent.js';
import { gone } from '../e2e/session.js';

const folder = mkdtempSync(join(tmpdir(), 'afterturn-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fixture = (name: string): string[] => [process.execPath, new URL(`../fixtures/agents/${name}.mjs`, import.meta.url).pathname];

describe('an agent', () => {
  it('reads, writes and ends', async () => {
    const agent = await startAgent(fixture('echo'));
    agent.input.end('hello');
    expect(await text(agent.output)).toBe('hello');
    expect(await agent.exited).toEqual({ code: 0, signal: null });
    expect(agent.signal('SIGTERM')).toBe(false);
    await agent.sweep();
  });

  it('is told with its whole group', async () => {
    const agent = await startAgent(['sh', '-c', 'sleep 60 & echo $!; wait']);
    const said = text(agent.output);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(agent.signal('SIGTERM')).toBe(true);
    expect((await agent.exited).signal).toBe('SIGTERM');
    await agent.sweep();
    await gone(Number(await said));
  });

  it('that is not there, not executable, or a folder is a clear error', async () => {
    const plain = join(folder, 'plain');
    writeFileSync(plain, '#!/bin/sh\n', { mode: 0o644 });
    await expect(startAgent(['no-such-command-anywhere'])).rejects.toMatchObject({ code: 'COMMAND_NOT_FOUND' });
    await expect(startAgent([''])).rejects.toMatchObject({ code: 'COMMAND_NOT_FOUND' });
    await expect(startAgent([join(plain, 'x')])).rejects.toMatchObject({ code: 'COMMAND_NOT_FOUND' });
    await expect(startAgent([plain])).rejects.toMatchObject({ code: 'COMMAND_NOT_EXECUTABLE' });
    await expect(startAgent([folder])).rejects.toMatchObject({ code: 'COMMAND_NOT_EXECUTABLE' });
    await expect(startAgent(['x\0y'])).rejects.toMatchObject({ code: 'COMMAND_NOT_STARTED' });
  });
});
