/**
 * Runs the scripted client against a command, over stdio.
 */
import { spawn } from 'node:child_process';
import { createClient, type ClientOptions, type ClientResult } from './client.js';
import { readLines } from '../../src/edge/json-lines.js';
import type { RecordedMessage } from './recording.js';

export interface ClientRun extends ClientResult {
  /** How the command ended after its input was closed. `killed`: it had to be stopped. */
  readonly exit: { readonly code: number | null; readonly signal: string | null; readonly killed: boolean };
  readonly stderr: string;
  /** Lines on stdout that are not JSON. */
  readonly noise: readonly string[];
}

export interface RunOptions extends ClientOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** How long the command may take to end after its input was closed, in milliseconds. Default 10,000. */
  readonly exitWithin?: number;
}

/** Plays the client's side of `recording` against `command`, then closes its input and waits for its end. */
export function runClient(command: readonly string[], recording: readonly RecordedMessage[], options: RunOptions = {}): Promise<ClientRun> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: 'pipe', env: { ...process.env, ...options.env } });
  const noise: string[] = [];
  let stderr = '';
  let killed = false;
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on('error', () => {});
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    let result: ClientResult | undefined;
    const client = createClient(
      recording,
      options,
      {
        now: () => performance.now(),
        after: (ms, run) => {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
        send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
      },
      (over) => {
        result = over;
        child.stdin.end();
        setTimeout(() => (killed = child.kill('SIGKILL')), options.exitWithin ?? 10_000).unref();
      },
    );
    readLines(child.stdout, (line) => {
      try {
        client.receive(JSON.parse(line) as RecordedMessage['msg']);
      } catch {
        noise.push(line);
      }
    });
    child.on('close', (code, signal) =>
      result
        ? resolve({ ...result, exit: { code, signal, killed }, stderr, noise })
        : reject(new Error(`the command ended (${String(code ?? signal)}) before the conversation was over: ${stderr}`)));
  });
}
