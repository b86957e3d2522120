/**
 * Prompts that wait, and prompts that the agent never answers. What waits is taken in when the agent
 * says so, not while the session is being closed. A prompt that was cancelled and gets no answer is
 * over when a later one is worked on.
 */
import { afterWork, and, hasWork, insertNext, isWaiting, stay } from './turns-steps.js';
import type { Step, TurnsState } from './turns-types.js';

const cancelledWork = { stopReason: 'cancelled' } as const;

/** The agent told that it has taken a user message in, whatever else it does. */
export function takenIn(state: TurnsState): Step {
  const named = state.names ? state : { ...state, names: true };
  return isWaiting(named) && !named.ending ? insertNext(named) : stay(named);
}

/** Cancelled prompts that were taken in and got no answer are over before the later `prompt` is worked on, or has ended. */
export function abandonBefore(state: TurnsState, prompt: string, at: number): Step {
  const isLater = state.prompts.some((open) => open.prompt === prompt && !open.cancelled);
  const prompts = state.prompts.filter(({ cancelled, inserted }) => !cancelled || !inserted);
  return isLater && prompts.length < state.prompts.length ? afterWork({ ...state, prompts }, cancelledWork, at) : stay(state);
}

/** Takes in the prompt that waits longest although others run: the agent stops these for it. */
export function overtake(state: TurnsState, at: number): Step {
  const next = state.prompts.find(({ inserted }) => !inserted);
  return next === undefined ? stay(state) : and(abandonBefore(state, next.prompt, at), insertNext);
}

/** A `session/cancel` for what runs, or for a prompt that is about to. */
export function cancel(state: TurnsState): TurnsState {
  if (state.shown === 'idle' && !isWaiting(state)) return state;
  if (state.cancelled && state.prompts.every(({ cancelled }) => cancelled)) return state;
  return { ...state, cancelled: true, prompts: state.prompts.map((open) => ({ ...open, cancelled: true })) };
}

/** The session goes on: what waits may be taken in. */
export function closeFailed(state: TurnsState): Step {
  if (!state.ending) return stay(state);
  const open = { ...state, ending: false };
  return hasWork(open) ? stay(open) : insertNext(open);
}
