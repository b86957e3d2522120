/** Plays events of one session's foreground work on a clock, and gives what is said, in short. */
import { noTurns, turnsAfter } from '../../src/state/turns.js';
import type { TurnEffect, TurnEvent, TurnsState } from '../../src/state/turns-types.js';

export type Happened = TurnEvent extends infer E ? (E extends TurnEvent ? Omit<E, 'at'> : never) : never;

/** `+p` taken in, `-p code` refused, a state, `?k` withdrawn. */
function short(effect: TurnEffect): string[] {
  switch (effect.type) {
    case 'insert': return [`+${effect.prompt}`];
    case 'refuse': return [`-${effect.prompt} ${effect.error.code}`];
    case 'state': return [effect.state === 'idle' ? `idle ${effect.ending.stopReason}` : effect.state];
    case 'withdraw': return effect.questions.map((key) => `?${key}`);
    case 'wake': return [];
  }
}

export interface PlayedTurns {
  /** What is said by these, each now; a number is milliseconds that pass first. */
  says(...events: readonly (Happened | number)[]): string[];
  state(): TurnsState;
  /** How often the state is to be looked at again. */
  wakes(): number;
}

export function playedTurns(): PlayedTurns {
  let state: TurnsState = noTurns;
  let now = 0;
  let wakes: number[] = [];
  let told: string[] = [];
  const happen = (event: Happened): void => {
    const [next, effects] = turnsAfter(state, { ...event, at: now });
    state = next;
    for (const effect of effects) if (effect.type === 'wake') wakes.push(effect.at);
    told.push(...effects.flatMap(short));
  };
  const wait = (ms: number): void => {
    const until = now + ms;
    for (;;) {
      const due = wakes.filter((at) => at <= until).sort((a, b) => a - b)[0];
      if (due === undefined) break;
      wakes = wakes.filter((at) => at > due);
      now = Math.max(now, due);
      happen({ type: 'woken' });
    }
    now = until;
  };
  return {
    says(...events) {
      told = [];
      for (const event of events) if (typeof event === 'number') wait(event);
      else happen(event);
      return told;
    },
    state: () => state,
    wakes: () => wakes.length,
  };
}
