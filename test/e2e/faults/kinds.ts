/** Which world a seed stands for: of every twenty seeds so many are of each kind. */
import { brokenIn, isPatient } from './run-world.js';
import { brokenTalk } from './run-talk.js';
import type { Run } from './runs.js';
import type { Stage } from './stage.js';
import { sweptTalkOf, talkOf } from './talk-world.js';
import type { Collectors } from './troubles.js';
import { worldOf } from './world.js';

type RunOf = (index: number, stage: Stage, collectors: Collectors) => Run;

const bytes: RunOf = (index, stage, collectors) => {
  const world = worldOf(index);
  return { manner: isPatient(world) ? 'patient' : 'busy', happens: () => brokenIn(world, stage, collectors) };
};
const talks: RunOf = (index, stage, collectors) => ({ manner: 'patient', happens: () => brokenTalk(talkOf(index), stage, collectors) });
const sweeps: RunOf = (index, stage, collectors) => ({ manner: 'patient', happens: () => brokenTalk(sweptTalkOf(index), stage, collectors) });

const kinds: readonly { readonly of: RunOf; readonly share: number }[] = [
  { of: bytes, share: 10 },
  { of: talks, share: 5 },
  { of: sweeps, share: 5 },
];
const all = kinds.reduce((sum, { share }) => sum + share, 0);

/** The run of a seed; the same one each time. */
export function runOf(seed: number, stage: Stage, collectors: Collectors): Run {
  let place = seed % all;
  for (const { of, share } of kinds) {
    if (place < share) return of(Math.floor(seed / all) * share + place, stage, collectors);
    place -= share;
  }
  throw new Error('every place belongs to a kind');
}
