/** Lets a conversation happen through the built command, and tells what of it broke a promise. */
import { check, type RecordedMessage } from '../../../src/check/index.js';
import { root, start, type End } from '../session.js';
import { brokenWords, over } from './run-world.js';
import type { Stage } from './stage.js';
import type { TalkWorld } from './talk-world.js';
import { Talk } from './talk.js';
import { settingOf, type Collectors } from './troubles.js';

/** What has to come behind a request is judged by the command's own order: what the client gets may have crossed with it. */
const crosses: readonly string[] = ['resume-announces-again'];

/** How the command has to end. */
function isDueEnd({ end: due }: TalkWorld, wasCut: boolean, end: End): boolean {
  if (due.kind !== 'rests' && (!wasCut || due.kind === 'endsInput')) return end.code === 0 && end.signal === null;
  // What the end of the input brings about may come before the signal.
  if (due.kind === 'vanishes' && end.code === 0) return true;
  const by = due.kind === 'rests' ? due.code : due.kind === 'agentDies' ? due.by : due.kind === 'vanishes' ? 'SIGTERM' : due.signal;
  return typeof by === 'number' ? end.code === by && end.signal === null : end.signal === by;
}

interface State {
  readonly sessionUpdate: string;
  readonly state?: unknown;
  readonly background?: readonly unknown[];
}

/** The sessions that the client was left with, by what it was told last: which work, and which list. */
function leftBy(recording: readonly RecordedMessage[]): string[] {
  const last = new Map<string, State>();
  for (const { dir, msg } of recording) {
    const { sessionId, update } = (msg.params ?? {}) as { sessionId: string; update?: State };
    if (dir === 'a2c' && update?.sessionUpdate === 'state_update') last.set(sessionId, update);
  }
  return [...last].filter(([, { state, background = [] }]) => state !== 'idle' || background.length > 0).map(([id, { state, background }]) => `${id} is left ${String(state)} with ${JSON.stringify(background)}`);
}

/** Promises that were broken, in words; none is well. */
function broken(world: TalkWorld, talk: Talk, end: End, recorded: readonly RecordedMessage[] | undefined): string[] {
  const found: string[] = [...talk.faults];
  const isHeardOut = world.end.kind !== 'signals' && world.end.kind !== 'vanishes';
  if (isHeardOut) found.push(...leftBy(talk.recording));
  if (!isDueEnd(world, talk.isCut, end)) found.push(`the end is the agent's, or by the signal (${JSON.stringify(world.end)}); it was ${end.signal ?? end.code}`);
  const findings = check(recorded ?? talk.recording, { window: 0 }).filter(({ by, name }) => by === 'agent' && (recorded !== undefined || !crosses.includes(name)));
  found.push(...findings.slice(0, 3).map(({ rule, title, line, session, expected, came }) => `rule ${rule} (${title}) in ${session}, message ${line}: expected ${expected}, came ${came}`));
  return [...found, ...brokenWords(end)];
}

/** Runs it; what was broken. */
export async function brokenTalk(world: TalkWorld, stage: Stage, collectors: Collectors): Promise<string[]> {
  const talk = new Talk(world);
  const cast = stage.cast(talk);
  const setting = settingOf(world.trouble, collectors);
  const plugin = world.plugin === undefined ? [] : ['--plugin', `${root}test/fixtures/plugins/faulty.mjs`];
  const timers = ['--follow-up-window', '20', '--stale', world.script.stale, '--stale-after', '60'];
  const options = ['--agent-protocol', world.agentProtocol, '--source', 'async-tasks', ...timers, ...plugin, ...setting.options];
  const session = start([...options, '--', ...cast.command], { env: { AFTERTURN_TEST_FAULT: world.plugin }, fileBlocks: setting.fileBlocks });
  let hasEnded = false;
  void session.ended.then(() => (hasEnded = true));
  try {
    await talk.plays(session, () => hasEnded);
    // Whatever it was that broke, the run has to end.
    if (talk.faults.length > 0) session.endInput();
    const came = await over(session, () => talk.lives);
    if ('broken' in came) return [...talk.faults, ...came.broken];
    return [...broken(world, talk, came.end, setting.recorded()?.map((each) => ({ ...each, t: 0 }))), ...setting.broken({ toClient: came.end.stdout, isWhole: world.end.kind !== 'signals' && world.end.kind !== 'vanishes' })];
  } finally {
    cast.leaves();
    setting.clear();
  }
}
