/**
 * The agent as a child process: its pipes, its exit, and its process group. Its environment is
 * ours, unchanged; its stderr is our stderr. Knows how to tell it something, not when.
 */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { relayError } from '../errors.js';

/** How a process ended: one of the two is set. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Agent {
  readonly input: Writable;
  readonly output: Readable;
  readonly exited: Promise<ProcessEnd>;
  /** Sends a signal to the agent and its group. False: nobody is there any more. */
  signal(signal: NodeJS.Signals): boolean;
  /** After the exit: ends what is left of its group; resolves when nothing is. */
  sweep(): Promise<void>;
}

/** What the agent left behind has this long to end after SIGTERM. */
const sweepGraceMs = 1000;
const sweepPollMs = 20;

const onWindows = process.platform === 'win32';

/** Starts the agent. Rejects with a `RelayError` if the system cannot. */
export async function startAgent(command: readonly string[]): Promise<Agent> {
  const [file = '', ...args] = command;
  // A group of its own lets the whole group be told to end; it also takes the agent away from the
  // terminal's Ctrl-C, so signals are passed on. On Windows it would open a console window.
  const child = spawned(() => spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: !onWindows }), file);
  const exited = new Promise<ProcessEnd>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const { pid } = child;
  if (pid === undefined) throw startError(file, await new Promise<Error>((resolve) => child.once('error', resolve)));
  // Afterwards 'error' only says that a signal could not be sent.
  child.on('error', () => {});

  const signal = (name: NodeJS.Signals | 0): boolean => {
    if (onWindows) return name !== 0 && child.kill(name);
    try {
      return process.kill(-pid, name);
    } catch {
      return false;
    }
  };

  async function sweep(): Promise<void> {
    if (onWindows || !signal('SIGTERM')) return;
    for (let waited = 0; waited < sweepGraceMs; waited += sweepPollMs) {
      await new Promise((resolve) => setTimeout(resolve, sweepPollMs));
      if (!signal(0)) return;
    }
    signal('SIGKILL');
  }

  return { input: child.stdin, output: child.stdout, exited, signal, sweep };
}

/** Node refuses some commands (empty, with a NUL) before the system sees them. */
function spawned<C>(start: () => C, file: string): C {
  try {
    return start();
  } catch (error) {
    throw startError(file, error as Error);
  }
}

const startErrors: Readonly<Record<string, 'COMMAND_NOT_FOUND' | 'COMMAND_NOT_EXECUTABLE'>> = {
  ENOENT: 'COMMAND_NOT_FOUND',
  ENOTDIR: 'COMMAND_NOT_FOUND',
  EACCES: 'COMMAND_NOT_EXECUTABLE',
};

function startError(file: string, error: NodeJS.ErrnoException): Error {
  const code = file === '' ? 'COMMAND_NOT_FOUND' : startErrors[error.code ?? ''];
  const command = JSON.stringify(file);
  return code === undefined ? relayError('COMMAND_NOT_STARTED', { command, reason: error.message }) : relayError(code, { command });
}
