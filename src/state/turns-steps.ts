/**
 * The moves that foreground work is made of. Each gives the next state and what has to be said.
 */
import type { Ending } from '../protocol/bridge/prompt.js';
import { requestCancelled } from '../protocol/errors.js';
import type { OwnTurn, Step, TurnEffect, TurnsState } from './turns-types.js';

/** A prompt counts as taken in after this long without an error, when nothing is ahead of it. */
export const INSERT_AFTER_MS = 250;
/** What an own turn's last update may come after its end, and how long its end waits for it at most. */
export const CLOSING_MS = 250;

export const stay = (state: TurnsState): Step => [state, []];

/** Runs `next` on the state of a step, and adds its effects. */
export function and([state, effects]: Step, next: (state: TurnsState) => Step): Step {
  const [after, more] = next(state);
  return [after, more.length === 0 ? effects : [...effects, ...more]];
}

export const isWaiting = (state: TurnsState): boolean => state.prompts.some(({ inserted }) => !inserted);
export const hasWork = (state: TurnsState): boolean => state.own.length > 0 || state.prompts.some(({ inserted }) => inserted);

function running(state: TurnsState): Step {
  return state.shown === 'idle' ? [{ ...state, shown: 'running' }, [{ type: 'state', state: 'running' }]] : stay(state);
}

/** One `idle` for all the work that ended, `cancelled` if a `session/cancel` fell in it. */
function idle(state: TurnsState, ending: Ending): Step {
  const { error: _, ...facts } = ending;
  const told: Ending = state.cancelled ? { ...facts, stopReason: 'cancelled' } : ending;
  const withdrawn: TurnEffect[] = state.questions.length > 0 ? [{ type: 'withdraw', questions: state.questions }] : [];
  return [{ ...state, shown: 'idle', cancelled: false, closing: undefined, questions: [] }, [...withdrawn, { type: 'state', state: 'idle', ending: told }]];
}

/** Takes in the prompt that waits longest. */
export function insertNext(state: TurnsState): Step {
  const next = state.prompts.find(({ inserted }) => !inserted);
  if (next === undefined) return stay(state);
  const prompts = state.prompts.map((open) => (open === next ? { ...open, inserted: true } : open));
  return and([{ ...state, prompts }, [{ type: 'insert', prompt: next.prompt }]], running);
}

/** Has what waits taken in after a while, unless the agent names it before. */
function waitOn(state: TurnsState, at: number): Step {
  const due = at + INSERT_AFTER_MS;
  return [{ ...state, closing: undefined, prompts: state.prompts.map((open) => (open.inserted ? open : { ...open, due })) }, [{ type: 'wake', at: due }]];
}

/**
 * Something ended. While other work goes on, nothing is said. Else the work is over, and a prompt that
 * waited for it is taken in: at once, or when an agent that names what it takes in has done so, or a
 * while after a `session/cancel`, which may reach it too. `folds`: a turn of the agent's own ended, and
 * goes on as the turn of the prompt that waits.
 */
export function afterWork(state: TurnsState, ending: Ending, at: number, folds = false): Step {
  if (hasWork(state) || state.shown === 'idle') return stay(state);
  if (!isWaiting(state) || state.ending) return idle(state, ending);
  const next = (left: TurnsState): Step => (state.names || state.cancelled ? waitOn(left, at) : insertNext({ ...left, closing: undefined }));
  return folds && !state.cancelled ? next(state) : and(idle(state, ending), next);
}

/** The update that closes the last own turn came, or is not waited for any longer. */
export const close = (state: TurnsState, at: number): Step =>
  state.closing === undefined ? stay(state) : afterWork({ ...state, closing: undefined }, state.closing.ending, at);

export function addOwn(state: TurnsState, turn: OwnTurn): Step {
  if (state.own.some(({ id, from }) => id === turn.id && from === turn.from)) return stay(state);
  return running({ ...state, own: [...state.own.filter(({ from }) => from === 'task'), turn] });
}

/** Ends the own turns that `ends` names. */
export function removeOwn(state: TurnsState, ends: (turn: OwnTurn) => boolean, ending: Ending, at: number): Step {
  const own = state.own.filter((turn) => !ends(turn));
  return own.length === state.own.length ? stay(state) : afterWork({ ...state, own }, ending, at, true);
}

/** Nothing is said of the session after this. */
export function closeAll(state: TurnsState): Step {
  const refused = state.prompts.filter(({ inserted }) => !inserted).map(({ prompt }): TurnEffect => ({ type: 'refuse', prompt, error: requestCancelled() }));
  const gone: TurnsState = { ...state, prompts: [], own: [], closing: undefined, ending: false };
  return state.shown === 'idle' ? [gone, refused] : and([gone, refused], (left) => idle(left, { stopReason: 'cancelled' }));
}
