/**
 * A turn of the agent's own that nothing marks: no task, no feed, no closing update tells of it, only
 * its content does. It starts with the first content while the session is idle. Nothing tells its end
 * either, so the rule is what a client can see: it ends when nothing shows any more. That is after a
 * silence, and never while one of its tool calls is open or one of its questions waits for an answer.
 * After a `session/cancel` a short silence will do, and an open call holds it no longer than a long one.
 *
 * A prompt does not wait for such an end: it takes the turn over, as the agents do that have such turns.
 * Where the session is being closed no prompt is taken in any more, and the turn goes on until it is.
 */
import { overtake } from './turns-queue.js';
import { addOwn, and, hasWork, insertNext, isWaiting, removeOwn, stay } from './turns-steps.js';
import type { OwnTurn, Step, TurnsState } from './turns-types.js';

/** A model can be silent for some seconds between a tool's end and its next word. */
export const SILENCE_MS = 10_000;
export const CANCELLED_SILENCE_MS = 1000;

const turnEnded = { stopReason: 'end_turn' } as const;

const isUnmarked = ({ from }: OwnTurn): boolean => from === 'unmarked';
export const unmarkedTurn = (state: TurnsState): OwnTurn | undefined => state.own.find(isUnmarked);
const onlyUnmarked = (state: TurnsState): boolean => state.own.length > 0 && state.own.every(isUnmarked) && !state.prompts.some(({ inserted }) => inserted);

const withTurn = (state: TurnsState, turn: OwnTurn): TurnsState => ({ ...state, own: state.own.map((one) => (isUnmarked(one) ? turn : one)) });

/** When the turn ends if nothing more comes. `undefined`: not by silence. */
function endsAt({ cancelled, questions }: TurnsState, { last = 0, calls = [] }: OwnTurn): number | undefined {
  if (cancelled) return last + (calls.length > 0 ? SILENCE_MS : CANCELLED_SILENCE_MS);
  return calls.length > 0 || questions.length > 0 ? undefined : last + SILENCE_MS;
}

/** What a piece of content says of a tool call: that it is open, or has ended. */
export interface SeenCall {
  readonly id: string;
  readonly open: boolean;
}

/** Content that no mark belongs to. `starts`: a turn can begin with it. */
export function worked(state: TurnsState, call: SeenCall | undefined, starts: boolean, at: number): Step {
  const turn = unmarkedTurn(state);
  if (turn === undefined) {
    if (state.shown !== 'idle' || !starts) return stay(state);
    return addOwn(state, { id: '', from: 'unmarked', last: at, calls: call?.open ? [call.id] : [] });
  }
  const isOfTurn = call !== undefined && turn.calls?.includes(call.id) === true;
  if (isWaiting(state) && !state.ending && !isOfTurn && onlyUnmarked(state)) return takenOver(state, at);
  const others = (turn.calls ?? []).filter((id) => id !== call?.id);
  return stay(withTurn(state, { ...turn, last: at, calls: call?.open ? [...others, call.id] : others }));
}

/** The waiting prompt goes on with what the turn began, unless the client cancelled that: then it is told so first. */
const takenOver = (state: TurnsState, at: number): Step => removeOwn(state, isUnmarked, turnEnded, at);

/** Takes in the first waiting prompt, if no work is ahead of it that it has to wait for. */
export function takeIn(state: TurnsState, at: number): Step {
  const waiting = state.prompts.find(({ inserted }) => !inserted);
  if (waiting === undefined) return stay(state);
  if (!hasWork(state)) return insertNext(state);
  if (waiting.overlaps) return overtake(state, at);
  return onlyUnmarked(state) ? takenOver(state, at) : stay(state);
}

/** After each event: ends the turn if nothing shows any more, or has the state looked at again when that can be. */
export function tended(state: TurnsState, at: number): Step {
  const turn = unmarkedTurn(state);
  if (turn === undefined) return stay(state);
  const end = endsAt(state, turn);
  if (end !== undefined && end <= at) return removeOwn(state, isUnmarked, turnEnded, at);
  const isArmed = turn.armed !== undefined && turn.armed > at && (end === undefined || turn.armed <= end);
  if (end === undefined || isArmed) return stay(state);
  return and(stay(withTurn(state, { ...turn, armed: end })), (next) => [next, [{ type: 'wake', at: end }]]);
}

/** What is said or asked of the turn's work counts as a sign of life. */
export const touched = (state: TurnsState, at: number): TurnsState => {
  const turn = unmarkedTurn(state);
  return turn === undefined ? state : withTurn(state, { ...turn, last: at });
};
