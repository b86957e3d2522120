/** Which world a seed stands for: of every twenty seeds so many are of each kind. */
import { brokenIn, isPatient } from './run-world.js';
import { brokenTalk } from './run-talk.js';
import type { Run } from './runs.js';
import type { Stage } from './stage.js';
import { pairPlayers } from './pair-players.js';
import {
  downTalkOf, extensionTalkOf, nativeTalkOf, sweptDownTalkOf, sweptNativeTalkOf, sweptV1TalkOf, sweptV2TalkOf, v1TalkOf, v2TalkOf, type PairTalk, type V1Talk, type V2Talk,
} from './talk-world.js';
import type { Collectors } from './troubles.js';
import { v1Players } from './v1-players.js';
import { v2Players } from './v2-players.js';
import { worldOf } from './world.js';

type RunOf = (index: number, stage: Stage, collectors: Collectors) => Run;

const bytes: RunOf = (index, stage, collectors) => {
  const world = worldOf(index);
  return { manner: isPatient(world) ? 'patient' : 'busy', happens: () => brokenIn(world, stage, collectors) };
};
const v2 = (talkOf: (index: number) => V2Talk): RunOf => (index, stage, collectors) => {
  const talk = talkOf(index);
  const options = ['--agent-protocol', talk.agentProtocol, '--source', 'async-tasks', '--stale', talk.script.stale];
  return { manner: 'patient', happens: () => brokenTalk(talk, options, v2Players(talk.script), stage, collectors) };
};
const v1 = (talkOf: (index: number) => V1Talk): RunOf => (index, stage, collectors) => {
  const talk = talkOf(index);
  return { manner: 'patient', happens: () => brokenTalk(talk, [], v1Players(talk.script), stage, collectors) };
};
const pair = (talkOf: (index: number) => PairTalk): RunOf => (index, stage, collectors) => {
  const talk = talkOf(index);
  const options = ['--stale', talk.script.stale, ...('v2' in talk.script.agent ? ['--agent-protocol', 'v2'] : [])];
  return { manner: 'patient', happens: () => brokenTalk(talk, options, pairPlayers(talk.script), stage, collectors) };
};

export const kinds = {
  bytes: { of: bytes, share: 5 },
  v2: { of: v2(v2TalkOf), share: 3 },
  v2Swept: { of: v2(sweptV2TalkOf), share: 2 },
  v1: { of: v1(v1TalkOf), share: 2 },
  v1Swept: { of: v1(sweptV1TalkOf), share: 1 },
  /** A v1 client of a v2 agent. */
  down: { of: pair(downTalkOf), share: 2 },
  downSwept: { of: pair(sweptDownTalkOf), share: 1 },
  /** A v2 client of a v2 agent. */
  native: { of: pair(nativeTalkOf), share: 2 },
  nativeSwept: { of: pair(sweptNativeTalkOf), share: 1 },
  /** A v1 client and a v1 agent, both with the private extension. */
  extension: { of: pair(extensionTalkOf), share: 1 },
} as const;
const rows = Object.values(kinds);
const all = rows.reduce((sum, { share }) => sum + share, 0);

/** The run of a seed; the same one each time. */
export function runOf(seed: number, stage: Stage, collectors: Collectors): Run {
  let place = seed % all;
  for (const { of, share } of rows) {
    if (place < share) return of(Math.floor(seed / all) * share + place, stage, collectors);
    place -= share;
  }
  throw new Error('every place belongs to a kind');
}
