/**
 * Agents that are real processes, and played by the test: each is a small program (`told.pl`, or
 * `told.mjs` where there is no Perl) that connects here, passes on what it reads and does what it is
 * told. Knows no ACP.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { agent, root } from '../session.js';

/** One life of an agent. What it is told it does one after the other. */
export interface ToldAgent {
  readonly pid: number;
  says(bytes: Uint8Array): void;
  exits(code: number): void;
  endsBy(signal: NodeJS.Signals): void;
  /** Reads no more. */
  deafens(): void;
  /** Resolves when its input has ended, or its process. */
  readonly inputOver: Promise<void>;
  /** Resolves when its process ends. */
  readonly gone: Promise<void>;
}

/** Who plays an agent: hears what it reads. */
export interface Part {
  begins(agent: ToldAgent): void;
  hears(bytes: Buffer, agent: ToldAgent): void;
}

export interface Stage {
  /** The command line of an agent that is played by this part, each time it is started; and how to forget it. */
  cast(part: Part): { readonly command: readonly string[]; leaves(): void };
  /** The command lines of agents that are still there (on Linux). */
  left(): readonly string[];
  close(): Promise<void>;
}

const hasPerl = process.platform === 'linux' && spawnSync('perl', ['-e', '1']).status === 0;
/** Which program the agents are. */
export const agentProgram: 'told.pl' | 'told.mjs' = hasPerl ? 'told.pl' : 'told.mjs';
export const programOf = (name: typeof agentProgram): readonly string[] => (name === 'told.pl' ? ['perl', `${root}test/fixtures/agents/told.pl`] : agent('told'));

function order(what: string, number: number, bytes: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5);
  head.write(what, 0, 'latin1');
  head.writeUInt32BE(number, 1);
  return Buffer.concat([head, bytes]);
}

/** Joins chunks to the parts that an agent tells. */
function partsInto(takes: (part: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4) {
      const end = 4 + rest.readUInt32BE(0);
      if (rest.length < end) return;
      takes(rest.subarray(4, end));
      rest = rest.subarray(end);
    }
  };
}

/** The first part tells who it is; what follows is what the agent reads. */
function introduced(socket: Socket, partOf: (token: string) => Part | undefined): void {
  const tells = (bytes: Buffer): void => void (socket.writable && socket.write(bytes));
  let inputEnds = (): void => {};
  const gone = new Promise<void>((resolve) => void socket.once('close', () => (inputEnds(), resolve())));
  const inputOver = new Promise<void>((resolve) => (inputEnds = resolve));
  let told: ToldAgent | undefined;
  let part: Part | undefined;
  socket.on('error', () => {});
  socket.on('data', partsInto((bytes) => {
    if (told !== undefined) return bytes.length === 0 ? inputEnds() : part?.hears(bytes, told);
    const [token = '', pid] = bytes.toString().split(' ');
    part = partOf(token);
    told = {
      pid: Number(pid),
      says: (words) => void (words.length > 0 && tells(order('s', words.length, words))),
      exits: (code) => tells(order('x', code)),
      endsBy: (signal) => tells(order('k', constants.signals[signal])),
      deafens: () => tells(order('d', 0)),
      inputOver,
      gone,
    };
    if (part === undefined) socket.destroy();
    else part.begins(told);
  }));
}

function commandLines(): string[] {
  if (process.platform !== 'linux') return [];
  const read = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
    } catch {
      return '';
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(read);
}

export async function openStage(program: typeof agentProgram = agentProgram): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'afterturn-stage-'));
  const path = join(folder, 'stage');
  const parts = new Map<string, Part>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    introduced(socket, (token) => parts.get(token));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  let tokens = 0;
  return {
    cast(part) {
      const token = `a${(tokens += 1)}`;
      parts.set(token, part);
      return { command: [...programOf(program), path, token], leaves: () => void parts.delete(token) };
    },
    left: () => commandLines().filter((line) => line.includes(path)),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
