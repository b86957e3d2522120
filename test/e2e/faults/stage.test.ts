/** Both programs that a test can play an agent by do the same. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { agentProgram, openStage, type ToldAgent } from './stage.js';

/** What the program does that is told this, and given this input. */
async function played(program: typeof agentProgram, tells: (agent: ToldAgent) => unknown, input: Buffer) {
  const stage = await openStage(program);
  const heard: Buffer[] = [];
  let lives = 0;
  const { command: [file = '', ...args], leaves } = stage.cast({ begins: (agent) => ((lives += 1), void tells(agent)), hears: (bytes) => heard.push(bytes) });
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const said: Buffer[] = [];
  child.stdin.on('error', () => {}).end(input);
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  leaves();
  await stage.close();
  return { lives, code, signal, heard: Buffer.concat(heard), said: Buffer.concat(said) };
}

const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => (index * 7) % 256));

describe.each([...new Set([agentProgram, 'told.mjs' as const])])('%s', (program) => {
  it('says all that it is told before it exits, and hears all until its input ends', async () => {
    const tells = async (agent: ToldAgent): Promise<void> => {
      for (const length of [1, 70_000, 300_000, 5]) agent.says(bytes(length));
      await agent.inputOver;
      agent.exits(7);
    };
    const { said, heard, ...end } = await played(program, tells, bytes(200_000));
    expect(end).toEqual({ lives: 1, code: 7, signal: null });
    expect(said.equals(Buffer.concat([1, 70_000, 300_000, 5].map(bytes)))).toBe(true);
    expect(heard.equals(bytes(200_000))).toBe(true);
  });

  it('ends by a signal, behind what it says, also when it reads no more', async () => {
    const tells = (agent: ToldAgent): void => {
      agent.says(bytes(100_000));
      agent.deafens();
      agent.endsBy('SIGABRT');
    };
    const { said, ...end } = await played(program, tells, Buffer.alloc(0));
    expect(end).toMatchObject({ code: null, signal: 'SIGABRT' });
    expect(said.equals(bytes(100_000))).toBe(true);
  });
});
