/**
 * `afterturn demo`: starts this same command as a proxy around a scripted legacy agent (this same
 * command again, with `--agent`), plays an ACP v2 client, and prints what that client sees.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { relayError, shown } from '../errors.js';
import { argumentsOf } from './arguments.js';
import { createDemoAgent, demoLine, spanLines } from '../demo/index.js';
import { at, type JsonObject } from '../protocol/index.js';

const PATIENCE_MS = 30_000;

/** Plays the agent on stdin and stdout; its commands write their output into `folder`. */
function playAgent(folder: string): Promise<number> {
  const agent = createDemoAgent({
    send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
    after: (ms, run) => void setTimeout(run, ms),
    append: (name, text) => {
      const path = join(folder, `${name}.output`);
      appendFileSync(path, text);
      return path;
    },
  });
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => agent.receive(JSON.parse(line) as JsonObject));
  return new Promise((resolve) => lines.on('close', () => resolve(0)));
}

/** A v2 client on the stdio of a child process. */
class DemoClient {
  readonly #seen: JsonObject[] = [];
  readonly #waiting = new Set<() => void>();
  #nextId = 0;

  constructor(
    private readonly write: (line: string) => void,
    private readonly print: (line: string) => void,
  ) {}

  receive(line: string): void {
    const message = JSON.parse(line) as JsonObject;
    this.#seen.push(message);
    const shown = demoLine(message);
    if (shown !== undefined) this.print(shown);
    for (const check of this.#waiting) check();
  }

  async request(method: string, params: object): Promise<JsonObject> {
    const id = this.#nextId++;
    this.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return this.until((message) => message.id === id && message.method === undefined, method);
  }

  /** The first message, from the first one on, that `matches`. */
  until(matches: (message: JsonObject) => boolean, what: string): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const found = this.#seen.find(matches);
        if (found === undefined) return;
        clearTimeout(patience);
        this.#waiting.delete(check);
        resolve(found);
      };
      const patience = setTimeout(() => reject(new Error(`the demo waited ${PATIENCE_MS / 1000} s for ${what}`)), PATIENCE_MS);
      this.#waiting.add(check);
      check();
    });
  }
}

const update = (message: JsonObject): unknown => at(message, 'params', 'update');

async function converse(client: DemoClient, print: (line: string) => void, cwd: string): Promise<void> {
  await client.request('initialize', { protocolVersion: 2, info: { name: 'demo-client', version: '1.0.0' }, capabilities: {} });
  const session = await client.request('session/new', { cwd, mcpServers: [] });
  const sessionId = at(session, 'result', 'sessionId');
  print('client    prompt: start the dev server, run the tests, survey the project');
  await client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Start everything in the background' }] });
  await client.until((message) => at(update(message), 'toolCallId') === 'call-survey' && at(update(message), 'status') === 'completed', 'the end of the survey');
  print('client    terminal/cancel: stop the dev server');
  await client.request('terminal/cancel', { sessionId, terminalId: 'call-server' });
  await client.until((message) => at(update(message), 'sessionUpdate') === 'state_update' && at(update(message), 'state') === 'idle' && (at(update(message), 'background') as unknown[] | undefined)?.length === 0 && at(update(message), 'stopReason') === undefined, 'an empty list');
  await client.request('session/close', { sessionId });
}

async function showClient(): Promise<number> {
  const command = process.argv[1] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'afterturn-demo-'));
  const traces = join(folder, 'traces.jsonl');
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    print('A v2 client, afterturn, and an agent that only knows ACP v1 and the private extension.\n');
    const proxy = spawn(process.execPath, [command, '--agent-protocol', 'v1', '--trace-file', traces, '--', process.execPath, command, 'demo', '--agent', folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = new Promise<number>((resolve) => proxy.on('close', (code) => resolve(code ?? 1)));
    const client = new DemoClient((line) => void proxy.stdin.write(line), print);
    createInterface({ input: proxy.stdout }).on('line', (line) => client.receive(line));
    await Promise.race([converse(client, print, folder), ended.then(() => Promise.reject(new Error('the proxy ended early')))]);
    proxy.stdin.end();
    const code = await ended;
    if (existsSync(traces)) {
      print('\nThe spans of this session:');
      for (const line of spanLines(readFileSync(traces, 'utf8'))) print(`  ${line}`);
    }
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Resolves with the exit code. Rejects on arguments that it does not know, and when the conversation does not go as scripted. */
export async function runDemo(args: readonly string[]): Promise<number> {
  const { given, files } = argumentsOf('demo', args, { agent: { expected: 'the folder of its output files', value: 'DIR' } });
  if (files[0] !== undefined) throw relayError('UNKNOWN_OPTION', { command: 'afterturn demo', option: shown(files[0]) });
  const folder = given.get('agent');
  return folder === undefined ? showClient() : playAgent(folder);
}
