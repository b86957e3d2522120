/**
 * What a long life costs: items and sessions by the thousand, and what the command holds of them.
 * AFTERTURN_ITEMS=100000 and AFTERTURN_SESSIONS=10000 make a long run of it, in which resident memory counts, too.
 */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, endAll, start, type Session } from './session.js';

const items = Number(process.env.AFTERTURN_ITEMS ?? 5_000);
const sessions = Number(process.env.AFTERTURN_SESSIONS ?? 200);
/** By then what is remembered of the past has reached its bounds, and the heap its size. */
const early = Math.min(10_000, items * 0.4);
const kilobytes = 1024;
/** What is held of the past has to fit into this heap, in megabytes: with more the process would end. */
const heap = 48;
/** From so many items on the resident memory has settled, too. */
const settled = 50_000;

afterEach(endAll);

interface Client {
  readonly session: Session;
  /** Sends a request and resolves with its result. */
  ask(method: string, params: object): Promise<Record<string, unknown>>;
  /** Resolves when the session is idle after a prompt. */
  idle(sessionId: string): Promise<unknown>;
  readonly counts: { exits: number; listed: number };
}

/** A v2 client that keeps nothing of what it is told but counts. */
function client(): Client {
  const session = start(['--agent-protocol', 'v1', '--', ...agent('many')], { read: false, env: { NODE_OPTIONS: `--max-old-space-size=${heap}` } });
  const open = new Map<number, (result: Record<string, unknown>) => void>();
  const idles = new Map<string, (state: unknown) => void>();
  const counts = { exits: 0, listed: 0 };
  const takes = (line: string): void => {
    const { id, result, params } = JSON.parse(line) as { id?: number; result?: Record<string, unknown>; params?: { sessionId: string; update: Record<string, unknown> } };
    if (id !== undefined && result !== undefined) open.get(id)?.(result);
    const update = params?.update;
    if (update?.sessionUpdate === 'terminal_update' && update.exitStatus !== undefined && update.exitStatus !== null) counts.exits++;
    if (update?.sessionUpdate !== 'state_update') return;
    if (Array.isArray(update.background)) counts.listed += update.background.length;
    if (update.state === 'idle' && update.stopReason !== undefined) idles.get(params?.sessionId ?? '')?.(update);
  };
  let rest = '';
  session.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(takes);
  });
  let ids = 0;
  return {
    session,
    counts,
    ask: (method, params) =>
      new Promise((resolve) => {
        const id = ids++;
        open.set(id, resolve);
        session.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      }),
    idle: (sessionId) => new Promise((resolve) => idles.set(sessionId, resolve)),
  };
}

const residentMegabytes = (session: Session): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${session.process.pid}/status`, 'utf8'))?.[1]) / kilobytes;

async function opened(): Promise<Client> {
  const made = client();
  await made.ask('initialize', { protocolVersion: 2, capabilities: {}, info: { name: 'counts', version: '1' } });
  return made;
}

async function prompted(made: Client, sessionId: string, text: string): Promise<unknown> {
  const idle = made.idle(sessionId);
  await made.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  return idle;
}

const onLinux = process.platform === 'linux';

describe.runIf(onLinux)('a long life', () => {
  it(`holds no more after ${items} items than after ${early}, in a heap of ${heap} MB, and ends each`, async () => {
    const made = await opened();
    const { sessionId } = (await made.ask('session/new', { cwd: '/', mcpServers: [] })) as { sessionId: string };
    await prompted(made, sessionId, `items ${early}`);
    const before = residentMegabytes(made.session);
    expect(await prompted(made, sessionId, `items ${items - early}`)).toMatchObject({ state: 'idle', background: [] });
    const after = residentMegabytes(made.session);
    if (process.env.AFTERTURN_ITEMS !== undefined) console.log(`${early} items: ${before.toFixed(1)} MB; ${items} items: ${after.toFixed(1)} MB`);
    expect(made.counts.exits).toBe(items);
    expect(made.counts.listed).toBeGreaterThan(0);
    if (items >= settled) expect(after - before).toBeLessThan(20);
    made.session.endInput();
    expect(await made.session.ended).toMatchObject({ code: 0, stderr: '' });
  }, 60_000 + items * 10);

  it(`serves ${sessions} sessions in turn, each with its own list`, async () => {
    const made = await opened();
    for (let n = 0; n < sessions; n += 1) {
      const { sessionId } = (await made.ask('session/new', { cwd: '/', mcpServers: [] })) as { sessionId: string };
      expect(await prompted(made, sessionId, 'items 2')).toMatchObject({ state: 'idle' });
      if (n % 2 === 0) await made.ask('session/close', { sessionId });
    }
    expect(made.counts.exits).toBe(sessions * 2);
    made.session.endInput();
    expect(await made.session.ended).toMatchObject({ code: 0, stderr: '' });
  }, 60_000 + sessions * 500);
});
