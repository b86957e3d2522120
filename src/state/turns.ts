/**
 * Foreground work of one session (ACP v2 "Prompt lifecycle"): the client's prompts and the turns that
 * the agent starts on its own are a set. While it is not empty the session is `running`; when it
 * empties there is one `idle`, with how the last of it ended.
 *
 * Pure: time is in the events, and what has to be said or done comes back as effects. Knows no wire.
 */
import type { Ending } from '../protocol/bridge/prompt.js';
import { AcpErrorCode, requestCancelled } from '../protocol/errors.js';
import type { RpcError } from '../wire/jsonrpc.js';
import { addOwn, afterWork, and, CLOSING_MS, close, closeAll, hasWork, INSERT_AFTER_MS, insertNext, isWaiting, removeOwn, stay } from './turns-steps.js';
import { abandonBefore, cancel, closeFailed, overtake, takenIn } from './turns-queue.js';
import type { OpenPrompt, Step, TurnEffect, TurnEvent, TurnsState } from './turns-types.js';
import { takeIn, tended, touched, unmarkedTurn, worked } from './turns-unmarked.js';

export const noTurns: TurnsState = { prompts: [], own: [], closing: undefined, questions: [], shown: 'idle', cancelled: false, ending: false, names: false };

type Event<T extends TurnEvent['type']> = Extract<TurnEvent, { type: T }>;
type Handlers = { readonly [T in TurnEvent['type']]: (state: TurnsState, event: Event<T>) => Step };

const turnEnded = { stopReason: 'end_turn' } as const;

/** Turns that are known by their content only end with whatever else ends. */
const withoutContentTurns = (state: TurnsState): TurnsState =>
  state.own.some(({ from }) => from === 'content') ? { ...state, own: state.own.filter(({ from }) => from !== 'content') } : state;

/** A prompt takes such a turn over. */
const withoutUnmarked = (state: TurnsState): TurnsState => ({ ...state, own: state.own.filter(({ from }) => from !== 'unmarked') });

const withoutPrompt = (state: TurnsState, prompt: string): TurnsState => ({ ...state, prompts: state.prompts.filter((open) => open.prompt !== prompt) });

function sendPrompt(state: TurnsState, { prompt, overlaps, at }: Event<'promptSent'>): Step {
  const open: OpenPrompt = { prompt, inserted: false, due: at + INSERT_AFTER_MS, ...(overlaps ? { overlaps } : {}) };
  return and(close(state, at), (settled) => {
    // A cancel fell in what was open before.
    const cancelled = settled.cancelled && (settled.shown !== 'idle' || isWaiting(settled));
    return [{ ...settled, cancelled, prompts: [...settled.prompts, open] }, [{ type: 'wake', at: open.due }]];
  });
}

/** How a prompt ended. Its own word does not count where it only says that it was stopped for a later one. */
const endingOf = (state: TurnsState, { newest }: OpenPrompt, ending: Ending): Ending => (newest !== undefined && !state.cancelled && ending.stopReason === 'cancelled' ? newest : ending);

/** The prompts before it that still run know how it ended. */
function withNewest(state: TurnsState, open: OpenPrompt, newest: Ending): TurnsState {
  const place = state.prompts.indexOf(open);
  return place <= 0 ? state : { ...state, prompts: state.prompts.map((other, index) => (index < place && other.inserted ? { ...other, newest } : other)) };
}

/** A prompt that ends before it was taken in was never worked on, if it was cancelled. */
function endOpenPrompt(before: TurnsState, { prompt, ending: own, at }: Event<'promptEnded'>): Step {
  const open = before.prompts.find((one) => one.prompt === prompt);
  if (open === undefined) return stay(before);
  const ending = endingOf(before, open, own);
  const state = withoutContentTurns(before);
  if (open.inserted) return afterWork(withoutPrompt(withNewest(state, open, ending), prompt), ending, at);
  if (ending.stopReason === 'cancelled') return refusePrompt(state, prompt, requestCancelled(), at);
  const known = withoutUnmarked(withNewest(state, open, ending));
  const reordered = { ...known, prompts: [open, ...known.prompts.filter((one) => one.prompt !== prompt)] };
  return and(insertNext(reordered), (inserted) => afterWork(withoutPrompt(inserted, prompt), ending, at));
}

const endPrompt = (state: TurnsState, event: Event<'promptEnded'>): Step =>
  and(abandonBefore(state, event.prompt, event.at), (left) => endOpenPrompt(left, event));

/** The client took it back after it was taken in: its work was cancelled. */
const endingOfError = (error: RpcError): Ending => (error.code === AcpErrorCode.requestCancelled ? { stopReason: 'cancelled' } : { stopReason: 'error', error });

function failPrompt(before: TurnsState, { prompt, error, at }: Event<'promptFailed'>): Step {
  const open = before.prompts.find((one) => one.prompt === prompt);
  if (open === undefined) return stay(before);
  const state = withoutContentTurns(before);
  return open.inserted ? afterWork(withoutPrompt(state, prompt), endingOfError(error), at) : refusePrompt(state, prompt, error, at);
}

const refusePrompt = (state: TurnsState, prompt: string, error: Extract<TurnEffect, { type: 'refuse' }>['error'], at: number): Step =>
  and([withoutPrompt(state, prompt), [{ type: 'refuse', prompt, error }]], (left) => (left.closing === undefined ? afterWork(left, turnEnded, at) : stay(left)));

/** A prompt that waits for this turn is taken in at once; else the turn's closing update may still come. */
function endOwn(state: TurnsState, { id, ending, marks, at }: Event<'ownEnded'>): Step {
  const ended = state.own.find((turn) => turn.id === id && turn.from === 'task');
  if (ended === undefined) return stay(state);
  const left = { ...state, own: state.own.filter((turn) => turn !== ended) };
  const isLast = left.own.length === 0 && left.prompts.length === 0;
  if (!isLast || !marks || ended.marked) return afterWork(left, ending, at, true);
  const due = at + CLOSING_MS;
  return [{ ...left, closing: { ending, due } }, [{ type: 'wake', at: due }]];
}

/** The feed frames every turn, also a prompt's. Its `idle` is the last word on turns that told their end nowhere. */
function feed(state: TurnsState, { running, at }: Event<'feed'>): Step {
  if (running) return and(close(state, at), (settled) => (settled.prompts.length > 0 || settled.own.length > 0 ? stay(settled) : addOwn(settled, { id: '', from: 'feed' })));
  const due = at + CLOSING_MS;
  return and(and(close(state, at), (settled) => removeOwn(settled, ({ from }) => from !== 'task', turnEnded, at)), (left) =>
    left.own.length === 0 ? stay(left) : [{ ...left, own: left.own.map((turn) => ({ ...turn, due: turn.due ?? due })) }, [{ type: 'wake', at: due }]]);
}

function wake(state: TurnsState, { at }: Event<'woken'>): Step {
  const isDue = (due: number | undefined): boolean => due !== undefined && due <= at;
  const closed = isDue(state.closing?.due) ? close(state, at) : stay(state);
  const ended = and(closed, (left) => removeOwn(left, (turn) => isDue(turn.due), turnEnded, at));
  return and(ended, (left) => (!left.ending && isDue(left.prompts.find(({ inserted }) => !inserted)?.due) ? takeIn(left, at) : stay(left)));
}

/** Only foreground work can wait for the user. */
const ask = (state: TurnsState, question: string): Step => {
  if (state.shown === 'idle') return stay(state);
  const asked: TurnsState = { ...state, questions: [...state.questions, question], shown: 'requires_action' };
  return [asked, state.shown === 'running' ? [{ type: 'state', state: 'requires_action' }] : []];
};

const answer = (state: TurnsState, question: string): Step => {
  const questions = state.questions.filter((one) => one !== question);
  if (questions.length === state.questions.length) return stay(state);
  if (questions.length > 0) return stay({ ...state, questions });
  return [{ ...state, questions, shown: 'running' }, [{ type: 'state', state: 'running' }]];
};

/** The update that closes a turn came: before or after the turn's own end, or as the only sign of it. */
const mark = (state: TurnsState, { at }: Event<'marked'>): Step =>
  and(and(close(state, at), (left) => removeOwn(left, ({ from }) => from === 'content', turnEnded, at)), (left) =>
    stay(left.own.length === 0 ? left : { ...left, own: left.own.map((turn) => ({ ...turn, marked: true })) }));

const handlers: Handlers = {
  promptSent: sendPrompt,
  promptEnded: endPrompt,
  promptFailed: failPrompt,
  said: (state, { starts, at }) => {
    if (hasWork(state)) return state.prompts.find(({ inserted }) => !inserted)?.overlaps ? overtake(state, at) : stay(state);
    if (isWaiting(state)) return state.ending ? stay(state) : insertNext(state);
    return starts && state.shown === 'idle' ? addOwn(state, { id: '', from: 'content' }) : stay(state);
  },
  takenIn,
  worked: (state, { call, starts, at }) => worked(state, call, starts, at),
  marked: mark,
  ownStarted: (state, { id, at }) => and(close(state, at), (left) => addOwn(left, { id, from: 'task' })),
  ownEnded: endOwn,
  feed,
  asked: (state, { question }) => ask(state, question),
  answered: (state, { question, at }) => answer(touched(state, at), question),
  cancelled: (state, { at }) => stay(cancel(state.cancelled ? state : touched(state, at))),
  closing: (state) => stay({ ...state, ending: true }),
  closeFailed,
  closed: closeAll,
  woken: wake,
};

/** Whether more of what the agent says changes nothing: work is known to go on, no prompt takes over, and no turn is known by its signs only. */
export const isUnmovedByWords = (state: TurnsState): boolean => hasWork(state) && !state.prompts.some(({ inserted }) => !inserted) && unmarkedTurn(state) === undefined;

/** The next state, and what has to be said or done, in this order. */
export function turnsAfter(state: TurnsState, event: TurnEvent): Step {
  const handle = handlers[event.type] as (state: TurnsState, event: TurnEvent) => Step;
  return and(handle(state, event), (next) => tended(next, event.at));
}
