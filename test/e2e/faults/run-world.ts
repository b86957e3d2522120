/** Lets a world happen to the built command, and tells what of it broke a promise. */
import { gone, root, start, type End, type Session } from '../session.js';
import type { Part, Stage, ToldAgent } from './stage.js';
import { settingOf, type Collectors } from './troubles.js';
import type { Piece, World } from './world.js';

/** The run as a whole. It bounds liveness only: the longest is a hook that hangs, with its limits for last words. */
const longest = 60_000;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const whole = (parts: readonly Piece[]): Buffer => Buffer.concat(parts.map(({ bytes }) => bytes));

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

/** A run that waits more than it works. */
export const isPatient = (world: World): boolean => hangs(world) || world.trouble === 'collectorHangs';

async function signalled(session: Session): Promise<void> {
  await pause(2000);
  session.process.kill('SIGTERM');
}

async function speak(session: Session, world: World): Promise<void> {
  const { fromClient, clientEnd } = world;
  for (const { wait, bytes } of fromClient) {
    if (wait > 0) await pause(wait);
    session.write(bytes);
  }
  if (clientEnd.kind === 'endsInput') {
    session.endInput();
    // An agent that nobody reads any more does not come to its end by itself.
    if (hangs(world)) await signalled(session);
    return;
  }
  await pause(clientEnd.after);
  if (clientEnd.kind === 'signals') return void session.process.kill(clientEnd.signal);
  for (const stream of [session.process.stdout, session.process.stdin]) stream?.destroy();
  // That nobody reads any more shows only where something is written, and a hook that hangs lets nothing through.
  if (hangs(world)) await signalled(session);
}

function stalled(session: Session, ms: number): void {
  const { stdout } = session.process;
  if (ms > 0) stdout?.once('data', () => {
    stdout.pause();
    setTimeout(() => stdout.resume(), ms);
  });
}

/** Says its pieces, each after its wait, keeps what it reads, and ends as it is told. */
class PlannedAgent implements Part {
  readonly #world: World;
  readonly #kept: Buffer[] = [];
  agent: ToldAgent | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  get kept(): Buffer {
    return Buffer.concat(this.#kept);
  }

  begins(agent: ToldAgent): void {
    this.agent = agent;
    void this.#plays(agent);
  }

  hears(bytes: Buffer): void {
    this.#kept.push(bytes);
  }

  async #plays(agent: ToldAgent): Promise<void> {
    const { fromAgent, agentEnd } = this.#world;
    for (const { wait, bytes } of fromAgent) {
      if (wait > 0) await pause(wait);
      agent.says(bytes);
    }
    if (agentEnd.kind === 'inputEnd') await agent.inputOver;
    if (agentEnd.kind === 'deaf') agent.deafens();
    if (agentEnd.kind === 'kill') agent.endsBy(agentEnd.signal);
    else agent.exits(agentEnd.code);
  }
}

/** Promises that were broken, in words; none is well. */
function broken(world: World, end: End, kept: Buffer): string[] {
  const found: string[] = [];
  const expect = (holds: boolean, promise: string): void => void (holds || found.push(promise));
  const isQuiet = world.clientEnd.kind === 'endsInput' && !hangs(world);
  const { lines, rest } = passedOn(whole(world.fromAgent), world.stray);
  const most = Buffer.concat([lines, rest]);

  expect(startsWith(most, end.stdout), `what the client gets is what the agent said, in order; ${parting(most, end.stdout)}`);
  // An agent says all that it has to say before it ends by itself.
  if (isQuiet) expect(startsWith(end.stdout, lines), `every line that the agent said reaches the client; ${parting(lines, end.stdout)}`);
  const input = whole(world.fromClient);
  expect(startsWith(input, kept), 'what the agent reads is what the client said, in order');
  if (isQuiet && world.agentEnd.kind === 'inputEnd') expect(kept.equals(input), 'an agent that waits for the end of its input gets all of it');
  const { agentEnd, clientEnd } = world;
  const agents = agentEnd.kind === 'kill' ? end.signal === agentEnd.signal : end.code === agentEnd.code && end.signal === null;
  const ours = (clientEnd.kind === 'signals' && end.signal === clientEnd.signal) || (hangs(world) && end.signal === 'SIGTERM');
  const vanished = clientEnd.kind === 'vanishes' && end.signal === 'SIGTERM';
  expect(agents || ours || vanished, `the end is the agent's (${JSON.stringify(agentEnd)}), or by the signal; it was ${end.signal ?? end.code}`);
  return [...found, ...brokenWords(end)];
}

/** The stack of a plugin's own error helps its author; any other is a fault of ours. */
export function brokenWords({ stderr }: End): string[] {
  const words = stderr.replace(/: error: plugin "faulty" failed .*(?:\n\s+at .*)*/g, '');
  return /unexpected:|\n\s+at /.test(words) ? [`stderr names faults in words of ours: ${stderr.slice(0, 2000)}`] : [];
}

/** Waits for the end of a run and of its agents; what was broken if one of them does not come. */
export async function over(session: Session, agents: () => readonly ToldAgent[]): Promise<{ end: End } | { broken: string[] }> {
  const end = await Promise.race([session.ended, pause(longest).then(() => undefined)]);
  if (end === undefined) {
    session.process.kill('SIGKILL');
    return { broken: [`it ends within ${longest / 1000} s; stderr: ${session.stderr().slice(0, 2000)}`] };
  }
  for (const agent of agents()) {
    try {
      await gone(agent.pid, 10_000);
    } catch {
      return { broken: [`the agent (${agent.pid}) is gone with it`] };
    }
    await agent.gone;
  }
  return { end };
}

/** Runs it; what was broken. */
export async function brokenIn(world: World, stage: Stage, collectors: Collectors): Promise<string[]> {
  const agent = new PlannedAgent(world);
  const cast = stage.cast(agent);
  const setting = settingOf(world.trouble, collectors);
  const plugin = world.plugin === undefined ? [] : ['--plugin', `${root}test/fixtures/plugins/faulty.mjs`];
  const session = start(['--stray-output', world.stray, ...plugin, ...setting.options, '--', ...cast.command], { env: { AFTERTURN_TEST_FAULT: world.plugin }, fileBlocks: setting.fileBlocks });
  stalled(session, world.stall);
  void speak(session, world);
  try {
    const came = await over(session, () => (agent.agent === undefined ? [] : [agent.agent]));
    if ('broken' in came) return came.broken;
    const isWhole = world.clientEnd.kind === 'endsInput' && !hangs(world);
    return [...broken(world, came.end, agent.kept), ...setting.broken({ toClient: came.end.stdout, isWhole })];
  } finally {
    cast.leaves();
    setting.clear();
  }
}
