/**
 * The prompts of a v1 client in a session whose agent speaks v2 (ACP v2 "Prompt Lifecycle"). v2 answers
 * a prompt when its message is inserted and tells the end of the work as a state; v1 answers it when
 * its work ends. So a prompt that was inserted is answered by the `idle` that ends the foreground work,
 * and each prompt once.
 *
 * Pure: what is to be answered comes back. Knows no wire.
 */
import type { PromptAnswer } from '../protocol/bridge-down/prompt.js';

export interface V1Prompt {
  readonly prompt: string;
  /** The agent has answered: its message is inserted. */
  readonly inserted: boolean;
  /** A `session/cancel` fell in it. */
  readonly cancelled: boolean;
}

export interface V1Prompts {
  readonly open: readonly V1Prompt[];
  /** Foreground work runs. */
  readonly runs: boolean;
  /** The messages that were inserted since the work began that runs, or ran last. */
  readonly messages: readonly string[];
  /** How the work ended that ran last. */
  readonly ended: PromptAnswer | undefined;
}

export type V1PromptEvent =
  | { readonly type: 'sent'; readonly prompt: string }
  /** The agent's answer to a prompt. */
  | { readonly type: 'inserted'; readonly prompt: string; readonly message: string | undefined }
  | { readonly type: 'refused'; readonly prompt: string; readonly answer: PromptAnswer }
  /** A `user_message` was told. */
  | { readonly type: 'message'; readonly message: string }
  | { readonly type: 'cancelled' }
  /** The session works. */
  | { readonly type: 'running' }
  /** The session works no more. `tells`: how its work ended; else the state may be told once more only. */
  | { readonly type: 'idle'; readonly answer: PromptAnswer; readonly tells: boolean }
  /** The session, or the agent, is gone. */
  | { readonly type: 'over'; readonly answer: PromptAnswer };

export interface Answered {
  readonly prompt: string;
  readonly answer: PromptAnswer;
}

type Step = readonly [V1Prompts, readonly Answered[]];
type Event<T extends V1PromptEvent['type']> = Extract<V1PromptEvent, { type: T }>;

/** Messages of one span of work that are remembered. */
const MAX_MESSAGES = 100;

export const noV1Prompts: V1Prompts = { open: [], runs: false, messages: [], ended: undefined };

const stay = (state: V1Prompts): Step => [state, []];

const cancelled: PromptAnswer = { result: { stopReason: 'cancelled' } };

/** What a `session/cancel` fell in ends cancelled, whatever else is told of its end. */
function answerFor(prompt: V1Prompt, answer: PromptAnswer): PromptAnswer {
  if (!prompt.cancelled) return answer;
  return 'result' in answer ? { result: { ...answer.result, stopReason: 'cancelled' } } : cancelled;
}

/** Answers the open prompts that `test` picks. */
function answered(state: V1Prompts, test: (prompt: V1Prompt) => boolean, answer: PromptAnswer): Step {
  const due = state.open.filter(test);
  return due.length === 0 ? stay(state) : [{ ...state, open: state.open.filter((prompt) => !test(prompt)) }, due.map((prompt) => ({ prompt: prompt.prompt, answer: answerFor(prompt, answer) }))];
}

/** An answer that comes behind the end of its work is that end's. */
function insert(state: V1Prompts, { prompt, message }: Event<'inserted'>): Step {
  const known = { ...state, open: state.open.map((one) => (one.prompt === prompt ? { ...one, inserted: true } : one)) };
  const isOver = !state.runs && message !== undefined && state.messages.includes(message) && state.ended !== undefined;
  return isOver ? answered(known, (one) => one.prompt === prompt, state.ended as PromptAnswer) : stay(known);
}

/** A state without a reason ends work that ran; else it only repeats what is. */
function idle(state: V1Prompts, { answer, tells }: Event<'idle'>): Step {
  if (!state.runs && !tells) return stay(state);
  return answered({ ...state, runs: false, ended: answer }, (prompt) => prompt.inserted, answer);
}

const handlers: { readonly [T in V1PromptEvent['type']]: (state: V1Prompts, event: Event<T>) => Step } = {
  sent: (state, { prompt }) => stay({ ...state, open: [...state.open, { prompt, inserted: false, cancelled: false }] }),
  inserted: insert,
  refused: (state, { prompt, answer }) => answered(state, (one) => one.prompt === prompt, answer),
  message: (state, { message }) => stay({ ...state, messages: [...(state.ended === undefined ? state.messages : []), message].slice(-MAX_MESSAGES), ended: undefined }),
  cancelled: (state) => stay({ ...state, open: state.open.map((prompt) => ({ ...prompt, cancelled: true })) }),
  running: (state) => (state.runs ? stay(state) : stay({ ...state, runs: true, ended: undefined })),
  idle,
  over: (state, { answer }) => answered(state, () => true, answer),
};

export function v1PromptsAfter(state: V1Prompts, event: V1PromptEvent): Step {
  const handle = handlers[event.type] as (state: V1Prompts, event: V1PromptEvent) => Step;
  return handle(state, event);
}

/** Whether a prompt waits for its message to be inserted. */
export const waitsForInsertion = (state: V1Prompts): boolean => state.open.some(({ inserted }) => !inserted);
