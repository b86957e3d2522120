/** Lets a world happen to the built command, and tells what of it broke a promise. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agent, gone, root, start, type End, type Session } from '../session.js';
import type { Piece, World } from './world.js';

/** The run as a whole. It bounds liveness only: the longest is a hook that hangs, with its limits for last words. */
const longest = 60_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const whole = (parts: readonly Piece[]): Buffer => Buffer.concat(parts.map(({ bytes }) => bytes));

export interface Collectors {
  readonly hanging: string;
  readonly refusing: string;
}

const troubles: Readonly<Record<World['trouble'], (collectors: Collectors) => readonly string[]>> = {
  none: () => [],
  off: () => ['--stale', 'off', '--source', 'none'],
  recordFull: () => ['--record', '/dev/full'],
  traceFull: () => ['--no-propagate', '--trace-file', '/dev/full'],
  collectorHangs: ({ hanging }) => ['--no-propagate', '--otlp', hanging],
  collectorRefuses: ({ refusing }) => ['--no-propagate', '--otlp', refusing],
};

function isMessage(line: string): boolean {
  if (line.trim() === '') return true;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && ('jsonrpc' in value || 'method' in value || 'id' in value);
  } catch {
    return false;
  }
}

/** What has to come out of these bytes of the agent: whole lines, and what may follow of one that has no end. */
function passedOn(bytes: Buffer, stray: World['stray']): { lines: Buffer; rest: Buffer } {
  const end = bytes.lastIndexOf(10) + 1;
  const rest = bytes.subarray(end);
  if (stray === 'forward') return { lines: bytes.subarray(0, end), rest };
  const lines = bytes.subarray(0, end).toString().split('\n').slice(0, -1).filter(isMessage);
  return { lines: Buffer.from(lines.map((line) => `${line}\n`).join('')), rest };
}

/** Where two texts part, for the message of a failure. */
function parting(expected: Buffer, got: Buffer): string {
  const at = expected.findIndex((byte, index) => byte !== got[index]);
  const near = (bytes: Buffer): string => JSON.stringify(bytes.subarray(Math.max(0, at - 60), at + 120).toString());
  return at === -1 ? `${got.length} bytes came in place of ${expected.length}` : `from byte ${at} of ${expected.length} on: expected ${near(expected)}, came ${near(got)}`;
}

const startsWith = (bytes: Buffer, head: Buffer): boolean => bytes.subarray(0, head.length).equals(head);

const hangs = ({ plugin }: World): boolean => plugin?.startsWith('hangs') ?? false;

async function speak(session: Session, world: World): Promise<void> {
  const { fromClient, clientEnd } = world;
  for (const { wait, bytes } of fromClient) {
    if (wait > 0) await pause(wait);
    session.write(bytes);
  }
  if (clientEnd.kind === 'endsInput') {
    session.endInput();
    if (!hangs(world)) return;
    // An agent that nobody reads any more does not come to its end by itself.
    await pause(2000);
    session.process.kill('SIGTERM');
    return;
  }
  await pause(clientEnd.after);
  if (clientEnd.kind === 'signals') session.process.kill(clientEnd.signal);
  else for (const stream of [session.process.stdout, session.process.stdin]) stream?.destroy();
}

function stalled(session: Session, ms: number): void {
  const { stdout } = session.process;
  if (ms > 0) stdout?.once('data', () => {
    stdout.pause();
    setTimeout(() => stdout.resume(), ms);
  });
}

const readOr = (path: string, otherwise: string): Promise<Buffer> => readFile(path).catch(() => Buffer.from(otherwise));

interface Traces {
  readonly kept: Buffer;
  readonly said: number;
  readonly pid: number;
}

/** Promises that were broken, in words; none is well. */
function broken(world: World, end: End, { kept, said }: Traces): string[] {
  const found: string[] = [];
  const expect = (holds: boolean, promise: string): void => void (holds || found.push(promise));
  const isQuiet = world.clientEnd.kind === 'endsInput' && !hangs(world);
  const all = whole(world.fromAgent);
  const most = passedOn(all, world.stray);
  const surely = passedOn(all.subarray(0, said), world.stray).lines;

  expect(startsWith(Buffer.concat([most.lines, most.rest]), end.stdout), `what the client gets is what the agent said, in order; ${parting(Buffer.concat([most.lines, most.rest]), end.stdout)}`);
  if (isQuiet) expect(startsWith(end.stdout, surely), `every line that the agent said reaches the client; ${parting(surely, end.stdout)}`);
  const input = whole(world.fromClient);
  expect(startsWith(input, kept), 'what the agent reads is what the client said, in order');
  if (isQuiet && world.agentEnd.kind === 'inputEnd') expect(kept.equals(input), 'an agent that waits for the end of its input gets all of it');
  const { agentEnd, clientEnd } = world;
  const agents = agentEnd.kind === 'kill' ? end.signal === agentEnd.signal : end.code === agentEnd.code && end.signal === null;
  const ours = (clientEnd.kind === 'signals' && end.signal === clientEnd.signal) || (hangs(world) && end.signal === 'SIGTERM');
  const vanished = clientEnd.kind === 'vanishes' && end.signal === 'SIGTERM';
  expect(agents || ours || vanished, `the end is the agent's (${JSON.stringify(agentEnd)}), or by the signal; it was ${end.signal ?? end.code}`);
  // The stack of a plugin's own error helps its author; any other is a fault of ours.
  const words = end.stderr.replace(/: error: plugin "faulty" failed .*(?:\n\s+at .*)*/g, '');
  expect(!/unexpected:|\n\s+at /.test(words), `stderr names faults in words of ours: ${end.stderr.slice(0, 2000)}`);
  return found;
}

/** Runs it; what was broken. */
export async function brokenIn(world: World, collectors: Collectors): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'afterturn-faults-'));
  const at = (name: string): string => join(folder, name);
  const plan = { chunks: world.fromAgent.map(({ wait, bytes }) => ({ wait, bytes: bytes.toString('base64') })), end: world.agentEnd, kept: at('kept'), said: at('said'), pid: at('pid') };
  await writeFile(at('plan'), JSON.stringify(plan));
  const plugin = world.plugin === undefined ? [] : ['--plugin', `${root}test/fixtures/plugins/faulty.mjs`];
  const session = start(['--stray-output', world.stray, ...plugin, ...troubles[world.trouble](collectors), '--', ...agent('plan', at('plan'))], { env: { AFTERTURN_TEST_FAULT: world.plugin } });
  stalled(session, world.stall);
  void speak(session, world);
  const end = await Promise.race([session.ended, pause(longest).then(() => undefined)]);
  const pid = Number(await readOr(at('pid'), '0'));
  try {
    if (end === undefined) {
      session.process.kill('SIGKILL');
      return [`it ends within ${longest / 1000} s; stderr: ${session.stderr().slice(0, 2000)}`];
    }
    const left = pid === 0 ? [] : await gone(pid, 10_000).then(() => [], () => [`the agent (${pid}) is gone with it`]);
    return [...left, ...broken(world, end, { kept: await readOr(at('kept'), ''), said: Number(await readOr(at('said'), '0')), pid })];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
