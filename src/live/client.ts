/**
 * The client of a live check: `(state, event) => [state, effects]`. It goes through the steps, answers
 * what the agent asks, and waits for what must come. What it heard is judged elsewhere.
 */
import type { RecordedJson } from '../check/record.js';
import { arrayOf, at, isObject, stringOf } from '../protocol/shape.js';
import { methodNotFound } from '../protocol/errors.js';
import { protocolVersionOf } from '../protocol/versions.js';
import { steps, type Step } from './steps.js';
import type { Answer, Facts, LiveEffect, LiveEvent, LiveSettings, Said, StepReport } from './types.js';

export interface Live {
  readonly settings: LiveSettings;
  /** The index of the step at hand. */
  readonly step: number;
  /** The number of the wait that counts. */
  readonly wait: number;
  readonly nextId: number;
  /** Requests of the client that wait for their answer: the step that each belongs to, by id. */
  readonly open: ReadonlyMap<number, string>;
  /** Whether terminals and calls can be cancelled, by `terminal:<id>` and `tool_call:<id>`. */
  readonly canCancel: ReadonlyMap<string, boolean>;
  readonly facts: Facts;
  readonly reports: readonly StepReport[];
  readonly isDone: boolean;
}

type Moved = readonly [Live, readonly LiveEffect[]];

/** After the last answer: what the agent still has to say of it. Milliseconds. */
const LAST_WORDS = 300;

export const newLive = (settings: LiveSettings): Live => ({
  settings,
  step: -1,
  wait: 0,
  nextId: 0,
  open: new Map(),
  canCancel: new Map(),
  facts: { answers: new Map(), session: undefined, hasEnded: false, hasSpoken: false, cancellable: [] },
  reports: [],
  isDone: false,
});

/** Nothing can come of the rest: no answer, or one in another version than was asked for. */
function isLost({ facts, settings }: Live): boolean {
  const answer = facts.answers.get('initialize');
  return answer === undefined || protocolVersionOf(answer.result) !== settings.version;
}

const outcomeIn = ({ versions = [1, 2], inSession, offered = () => true }: Step, { settings, facts }: Live): 'not offered' | 'not possible' | 'no step' | undefined => {
  if (!versions.includes(settings.version)) return 'no step';
  if (inSession && facts.session === undefined) return 'not possible';
  return offered(facts) ? undefined : 'not offered';
};

const waiting = (state: Live, ms: number): Moved => [{ ...state, wait: state.wait + 1 }, [{ do: 'wait', ms, of: state.wait + 1 }]];

function said(state: Live, { method, params, isNotification }: Said, step: string): Moved {
  if (isNotification) return [state, [{ do: 'say', msg: { jsonrpc: '2.0', method, params } }]];
  const id = state.nextId;
  return [{ ...state, nextId: id + 1, open: new Map(state.open).set(id, step) }, [{ do: 'say', msg: { jsonrpc: '2.0', id, method, params } }]];
}

/** One after the other. */
function all<T>(state: Live, items: readonly T[], run: (state: Live, item: T) => Moved): Moved {
  return items.reduce<Moved>(([now, effects], item) => {
    const [next, more] = run(now, item);
    return [next, [...effects, ...more]];
  }, [state, []]);
}

function begun(state: Live, step: Step): Moved {
  const facts: Facts = { ...state.facts, hasSpoken: false, hasEnded: step.prompts === true ? false : state.facts.hasEnded };
  const [next, effects] = all({ ...state, facts }, step.says(facts, state.settings), (now, one) => said(now, one, step.name));
  const [last, wait] = waiting(next, step.atMost ?? state.settings.patience);
  return [last, [...effects, ...wait]];
}

const atEnd = (state: Live): Moved => waiting({ ...state, step: steps.length }, LAST_WORDS);

/** On to the next step that this agent has, or to the end. */
function onward(state: Live): Moved {
  const index = state.step + 1;
  const step = steps[index];
  if (step === undefined || (index > 0 && isLost(state))) return atEnd(state);
  const outcome = outcomeIn(step, state);
  const next: Live = { ...state, step: index };
  if (outcome === 'no step') return onward(next);
  if (outcome !== undefined) return onward({ ...next, reports: [...state.reports, { name: step.name, outcome }] });
  return begun(next, step);
}

const reported = (state: Live, step: Step, outcome: 'unanswered' | undefined): Live => {
  const error = state.facts.answers.get(step.name)?.error;
  const report: StepReport = { name: step.name, outcome: outcome ?? (error === undefined ? 'answered' : 'refused'), ...(error === undefined ? {} : { code: error.code }) };
  return { ...state, reports: [...state.reports, report] };
};

const isAnswered = (state: Live, step: Step): boolean => step.leavesOpen === true || state.open.size === 0;

/** Whether the step at hand is over, and what follows. */
function looked(state: Live): Moved {
  const step = steps[state.step];
  if (step === undefined || state.isDone) return [state, []];
  const { until = () => true } = step;
  if (!isAnswered(state, step)) return [state, []];
  // An error ends what the step waits for.
  const isRefused = state.facts.answers.get(step.name)?.error !== undefined;
  return isRefused || until(state.facts, state.settings.version) ? onward(reported(state, step, undefined)) : [state, []];
}

function timeUp(state: Live, of: number): Moved {
  if (of !== state.wait || state.isDone) return [state, []];
  const step = steps[state.step];
  if (step === undefined) return [{ ...state, isDone: true }, [{ do: 'done' }]];
  if (step.atMost !== undefined && isAnswered(state, step)) return onward(reported(state, step, undefined));
  // What does not come is not waited for again.
  const next: Live = { ...reported(state, step, 'unanswered'), open: new Map() };
  return step.isEssential ? atEnd(next) : onward(next);
}

function answered(state: Live, id: unknown, answer: Answer): Live {
  const step = typeof id === 'number' ? state.open.get(id) : undefined;
  if (step === undefined) return state;
  const open = new Map(state.open);
  open.delete(id as number);
  const session = step === 'session/new' ? stringOf(at(answer.result, 'sessionId')) : state.facts.session;
  // A prompt that is refused has no work that could end.
  const hasEnded = state.facts.hasEnded || (answer.error !== undefined && steps.some(({ name, prompts }) => prompts === true && name === step));
  return { ...state, open, facts: { ...state.facts, session, hasEnded, answers: new Map(state.facts.answers).set(step, answer) } };
}

/** What the client says to a request of the agent: it allows nothing. */
function answerTo({ id = null, method = '', params }: RecordedJson): RecordedJson {
  if (method !== 'session/request_permission') return { jsonrpc: '2.0', id, error: methodNotFound(method, 'This client has no such capability.') };
  const optionId = arrayOf(at(params, 'options'))?.find((option) => stringOf(at(option, 'kind'))?.startsWith('reject') === true);
  const outcome = optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: at(optionId, 'optionId') };
  return { jsonrpc: '2.0', id, result: { outcome } };
}

const CANCEL: Readonly<Record<string, readonly [method: string, member: string]>> = { terminal: ['terminal/cancel', 'terminalId'], tool_call: ['tool_call/cancel', 'toolCallId'] };

function cancellableIn(background: unknown, state: Live): readonly Said[] {
  return (arrayOf(background) ?? []).flatMap((item): Said[] => {
    const [method, member] = CANCEL[stringOf(at(item, 'type')) ?? ''] ?? [];
    if (method === undefined || member === undefined) return [];
    const id = stringOf(at(item, member));
    return state.canCancel.get(`${method} ${id ?? ''}`) === true ? [{ method, params: { sessionId: state.facts.session, [member]: id } }] : [];
  });
}

const CAN_CANCEL: Readonly<Record<string, readonly [method: string, member: string]>> = { terminal_update: ['terminal/cancel', 'terminalId'], tool_call_update: ['tool_call/cancel', 'toolCallId'] };

function updated(state: Live, update: unknown): Live {
  const facts: Facts = { ...state.facts, hasSpoken: true };
  const kind = stringOf(at(update, 'sessionUpdate')) ?? '';
  const [method, member] = CAN_CANCEL[kind] ?? [];
  if (method !== undefined && member !== undefined && at(update, 'capabilities') !== undefined)
    return { ...state, facts, canCancel: new Map(state.canCancel).set(`${method} ${stringOf(at(update, member)) ?? ''}`, isObject(at(update, 'capabilities', 'cancel'))) };
  if (kind !== 'state_update') return { ...state, facts };
  const hasEnded = facts.hasEnded || (at(update, 'state') === 'idle' && at(update, 'stopReason') !== undefined);
  return { ...state, facts: { ...facts, hasEnded, cancellable: cancellableIn(at(update, 'background'), state) } };
}

function heard(state: Live, msg: RecordedJson): Moved {
  if (msg.method === undefined) return looked(answered(state, msg.id, msg));
  const next = msg.method === 'session/update' && state.facts.session !== undefined && at(msg.params, 'sessionId') === state.facts.session ? updated(state, at(msg.params, 'update')) : state;
  if (msg.id === undefined) return looked(next);
  const [last, effects] = looked(next);
  return [last, [{ do: 'say', msg: answerTo(msg) }, ...effects]];
}

/** The state after an event, and what is to be done. */
export function lived(state: Live, event: LiveEvent): Moved {
  if (event.type === 'begun') return onward(state);
  return event.type === 'heard' ? heard(state, event.msg) : timeUp(state, event.of);
}
