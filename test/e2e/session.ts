/** Runs the built command against a small agent, as a client would. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const bin = `${root}bin/afterturn.js`;

/** The command line of one of the agents in test/fixtures/agents. */
export const agent = (name: string, ...args: string[]): string[] => [process.execPath, `${root}test/fixtures/agents/${name}.mjs`, ...args];

export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Session {
  readonly process: ChildProcess;
  /** Writes to the command's stdin. */
  write(text: string | Uint8Array): void;
  endInput(): void;
  /** What came on stdout so far. */
  stdout(): Buffer;
  stderr(): string;
  /** Resolves when stdout has this text. */
  said(text: string): Promise<void>;
  readonly ended: Promise<End>;
}

const running = new Set<ChildProcess>();

/** Ends what a failed test left running. */
export function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

interface Starting {
  readonly env?: NodeJS.ProcessEnv;
  /** False leaves its stdout unread. */
  readonly read?: boolean;
  readonly cwd?: string;
  /** No file may grow beyond so many blocks of 512 bytes (POSIX `ulimit -f`). */
  readonly fileBlocks?: number | undefined;
}

/** Certificates that Node would read at every start, the dearest part of it where there are some. */
export const lean = { NODE_EXTRA_CA_CERTS: undefined };

/** Starts the command with these arguments. */
export function start(args: readonly string[], { env = {}, read = true, cwd = root, fileBlocks }: Starting = {}): Session {
  const command = [process.execPath, bin, ...args];
  const [file = '', ...rest] = fileBlocks === undefined ? command : ['sh', '-c', `ulimit -f ${fileBlocks}; exec "$@"`, 'sh', ...command];
  const child = spawn(file, rest, { stdio: 'pipe', env: { ...process.env, ...lean, ...env }, cwd });
  running.add(child);
  const parts: Buffer[] = [];
  let errors = '';
  let arrived = (): void => {};
  if (read) child.stdout.on('data', (chunk: Buffer) => (parts.push(chunk), arrived()));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.stdin.on('error', () => {});
  const stdout = (): Buffer => Buffer.concat(parts);
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout: stdout(), stderr: errors };
  });
  return {
    process: child,
    write: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    stdout,
    stderr: () => errors,
    async said(text) {
      while (!stdout().includes(text)) {
        const more = new Promise<true>((resolve) => (arrived = () => resolve(true)));
        const over = ended.then(() => false as const);
        if (!(await Promise.race([more, over])) && !stdout().includes(text)) throw new Error(`ended without saying ${text}; stderr: ${errors}`);
      }
    },
    ended,
  };
}

/** Runs the command with this whole input and returns how it ended. */
export async function run(args: readonly string[], { input = '', ...options }: { input?: string | Uint8Array; env?: NodeJS.ProcessEnv; cwd?: string } = {}): Promise<End> {
  const session = start(args, options);
  if (input.length > 0) session.write(input);
  session.endInput();
  return session.ended;
}

/** Whether a process is there (a zombie that its parent has not read yet is not). */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const { readFile } = await import('node:fs/promises');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/^\d+ \(.*\) Z/.test(stat);
}

/** Resolves when a process is gone; rejects when it is still there after `ms`. */
export async function gone(pid: number, ms = 5000): Promise<void> {
  for (const until = Date.now() + ms; Date.now() < until; ) {
    if (!(await isAlive(pid))) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`process ${pid} is still there after ${ms} ms`);
}

/** The text that a fixture said with this method. */
export function saidBy(stdout: Buffer, method: string): string[] {
  const messages = stdout.toString().split('\n').filter(Boolean).map((line) => JSON.parse(line) as { method: string; params: { text: string } });
  return messages.filter((message) => message.method === method).map((message) => message.params.text);
}
