/** Which world a seed stands for: of every twenty seeds so many are of each kind. */
import { brokenIn, isPatient } from './run-world.js';
import { brokenTalk } from './run-talk.js';
import type { Run } from './runs.js';
import type { Stage } from './stage.js';
import { sweptV1TalkOf, sweptV2TalkOf, v1TalkOf, v2TalkOf, type V1Talk, type V2Talk } from './talk-world.js';
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

export const kinds = {
  bytes: { of: bytes, share: 8 },
  v2: { of: v2(v2TalkOf), share: 4 },
  v2Swept: { of: v2(sweptV2TalkOf), share: 3 },
  v1: { of: v1(v1TalkOf), share: 3 },
  v1Swept: { of: v1(sweptV1TalkOf), share: 2 },
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
