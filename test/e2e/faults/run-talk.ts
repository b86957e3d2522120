/** Lets a conversation happen through the built command, and tells what of it broke a promise. */
import type { RecordedMessage } from '../../../src/check/index.js';
import { root, start, type End } from '../session.js';
import { breachesIn } from './judged.js';
import { brokenWords, over } from './run-world.js';
import type { Stage } from './stage.js';
import type { TalkWorld } from './talk-world.js';
import { Talk, type Casting } from './talk.js';
import { settingOf, type Collectors } from './troubles.js';

/** How the command has to end. */
function isDueEnd({ end: due }: TalkWorld, wasCut: boolean, end: End): boolean {
  if (due.kind !== 'rests' && (!wasCut || due.kind === 'endsInput')) return end.code === 0 && end.signal === null;
  // What the end of the input brings about may come before the signal.
  if (due.kind === 'vanishes' && end.code === 0) return true;
  const by = due.kind === 'rests' ? due.code : due.kind === 'agentDies' ? due.by : due.kind === 'vanishes' ? 'SIGTERM' : due.signal;
  return typeof by === 'number' ? end.code === by && end.signal === null : end.signal === by;
}

/** The client heard all that there was. */
const isHeardOut = ({ end }: TalkWorld): boolean => end.kind !== 'signals' && end.kind !== 'vanishes';

/** The client's input ends, and the agent may go on. */
const endsInput: ReadonlySet<string> = new Set(['endsInput', 'vanishes']);

/** Promises that were broken, in words; none is well. */
function broken(world: TalkWorld, talk: Talk, end: End, recorded: readonly RecordedMessage[] | undefined): string[] {
  const found: string[] = [...talk.faults];
  if (isHeardOut(world)) found.push(...talk.left());
  if (!isDueEnd(world, talk.isCut, end)) found.push(`the end is the agent's, or by the signal (${JSON.stringify(world.end)}); it was ${end.signal ?? end.code}`);
  found.push(...breachesIn(recorded ?? talk.recording, { isRecorded: recorded !== undefined, isHeldUp: world.plugin?.startsWith('late') === true, inputEndsFirst: endsInput.has(world.end.kind), agentDies: world.end.kind === 'agentDies', leavesWorkBehind: talk.leavesWorkBehind }).slice(0, 3));
  return [...found, ...brokenWords(end)];
}

/** The timers that conversations go by, made short. */
const timers = ['--follow-up-window', '20', '--stale-after', '60'];

/** Runs it with these options and players; what was broken. */
export async function brokenTalk(world: TalkWorld, options: readonly string[], casting: Casting, stage: Stage, collectors: Collectors): Promise<string[]> {
  const talk = new Talk(world, casting);
  const cast = stage.cast(talk);
  const setting = settingOf(world.trouble, collectors);
  const plugin = world.plugin === undefined ? [] : ['--plugin', `${root}test/fixtures/plugins/faulty.mjs`];
  const session = start([...options, ...timers, ...plugin, ...setting.options, '--', ...cast.command], { env: { AFTERTURN_TEST_FAULT: world.plugin }, fileBlocks: setting.fileBlocks });
  let hasEnded = false;
  void session.ended.then(() => (hasEnded = true));
  try {
    await talk.plays(session, () => hasEnded);
    const came = await over(session, () => talk.lives);
    if ('broken' in came) return [...talk.faults, ...came.broken];
    return [...broken(world, talk, came.end, setting.recorded()), ...setting.broken({ toClient: came.end.stdout, isWhole: isHeardOut(world) })];
  } finally {
    cast.leaves();
    setting.clear();
  }
}
