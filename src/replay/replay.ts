/**
 * The agent's side of a recording, played against a live client: `(state, event) => [state, effects]`.
 *
 * Steps are taken strictly in the recorded order; each message that is waited for sets the clock
 * anew. Lenient towards a client that is not the recorded one:
 * - A message is matched by its method with the next recorded one that is still open. A load is a
 *   resume, and `session/cancel` is the stop of a turn that the agent started itself.
 * - A message that comes early waits for its place. A notification, a stop, or an extension request
 *   that does not come in time is passed over, and with it the answer to it and the remark on it.
 * - A second `initialize` gets the recorded answer again. A request that the recording does not
 *   have (any more) is answered `-32601`. Other surplus is ignored.
 * - Answers to the agent's own requests are matched by id; what they say is not looked at.
 */
import type { RecordedJson, RecordedMessage } from '../check/record.js';
import { ErrorCode, idKey, rpcError, type RequestId } from '../wire/jsonrpc.js';
import { stepsOf, type Expected, type Sent, type Step, type StepOptions } from './steps.js';

export interface ReplayOptions extends StepOptions {
  /** How long an optional message may be late, in milliseconds. Default 2000. */
  readonly patience?: number;
}

export type ReplayEvent =
  | { readonly kind: 'received'; readonly at: number; readonly message: RecordedJson }
  | { readonly kind: 'woken'; readonly at: number };

export type ReplayEffect =
  | { readonly kind: 'send'; readonly message: RecordedJson }
  | { readonly kind: 'write'; readonly path: string; readonly data: string }
  /** Ask for a `woken` event at this time. A later `wake` takes the place of an earlier one. */
  | { readonly kind: 'wake'; readonly at: number };

export interface ReplayState {
  readonly steps: readonly Step[];
  readonly patience: number;
  readonly position: number;
  /** When the step of replay time `t` was taken. */
  readonly anchor: { readonly t: number; readonly at: number } | undefined;
  /** The id of the message that arrived for a step; `undefined` for a notification. */
  readonly claims: ReadonlyMap<number, RequestId | undefined>;
  /** The live id of each recorded request that arrived, by the recorded id. */
  readonly ids: ReadonlyMap<string, RequestId>;
}

const SAME_METHOD: Readonly<Record<string, string>> = { 'session/load': 'session/resume' };
const methodOf = (method: string): string => SAME_METHOD[method] ?? method;
const isRequest = (message: RecordedJson): boolean => message.method !== undefined && message.id !== undefined;

export const startReplay = (records: readonly RecordedMessage[], options: ReplayOptions = {}): ReplayState => ({
  steps: stepsOf(records, options),
  patience: options.patience ?? 2000,
  position: 0,
  anchor: undefined,
  claims: new Map(),
  ids: new Map(),
});

/** Whether every step was taken. */
export const isFinished = (state: ReplayState): boolean => state.position === state.steps.length;

function answers(step: Expected, message: RecordedJson): boolean {
  const recorded = step.message;
  if (recorded.method === undefined || message.method === undefined)
    return recorded.method === message.method && idKey(recorded.id ?? null) === idKey(message.id ?? null);
  if (step.stopsTurn && message.method === 'session/cancel') return true;
  return methodOf(recorded.method) === methodOf(message.method) && isRequest(recorded) === isRequest(message);
}

/** The recorded answer to the first request of this method. */
function recordedAnswer(steps: readonly Step[], method: string): RecordedJson | undefined {
  const messages = (kind: Step['kind']): RecordedJson[] => steps.flatMap((step) => (step.kind === kind && step.kind !== 'write' ? [step.message] : []));
  const asked = messages('await').find((message) => message.method === method);
  return messages('send').find((message) => message.method === undefined && asked !== undefined && message.id === asked.id);
}

function surplus(state: ReplayState, message: RecordedJson): readonly ReplayEffect[] {
  if (message.method === undefined || message.id === undefined) return [];
  const again = message.method === 'initialize' ? recordedAnswer(state.steps, message.method) : undefined;
  const answer: RecordedJson = again
    ? { ...again, id: message.id }
    : { jsonrpc: '2.0', id: message.id, error: rpcError(ErrorCode.methodNotFound, `the recording has no further ${message.method}`) };
  return [{ kind: 'send', message: answer }];
}

function received(state: ReplayState, message: RecordedJson): [ReplayState, readonly ReplayEffect[]] {
  const place = state.steps.findIndex((step, index) =>
    index >= state.position && step.kind === 'await' && !state.claims.has(index) && answers(step, message));
  if (place < 0) return [state, surplus(state, message)];
  const id = message.method === undefined ? undefined : message.id;
  return [{ ...state, claims: new Map(state.claims).set(place, id) }, []];
}

/** What a recorded message is now: a response goes to the live request, or to nobody. */
function outgoing(state: ReplayState, { message, tells }: Sent): RecordedJson | undefined {
  if (tells !== undefined && !state.ids.has(idKey(tells))) return undefined;
  if (message.method !== undefined || message.id === undefined) return message;
  const id = state.ids.get(idKey(message.id));
  return id === undefined ? undefined : { ...message, id };
}

/** Takes the step at hand, if it is its time. */
function taken(state: ReplayState, step: Step, at: number, due: number): [ReplayState, readonly ReplayEffect[]] | undefined {
  const next = { ...state, position: state.position + 1 };
  if (step.kind !== 'await') {
    if (at < due) return undefined;
    if (step.kind === 'write') return [next, [{ kind: 'write', path: step.path, data: step.data }]];
    const message = outgoing(state, step);
    return [next, message ? [{ kind: 'send', message }] : []];
  }
  const arrived = state.claims.has(state.position);
  if (!arrived && !(step.optional && at >= due + state.patience)) return undefined;
  const id = state.claims.get(state.position);
  const recordedId = step.message.method === undefined ? undefined : step.message.id;
  const ids = recordedId !== undefined && id !== undefined ? new Map(state.ids).set(idKey(recordedId), id) : state.ids;
  return [{ ...next, ids, anchor: { t: step.t, at } }, []];
}

const wakeAt = (state: ReplayState, step: Step, due: number): number | undefined =>
  step.kind !== 'await' ? due : step.optional ? due + state.patience : undefined;

/** What follows from an event: the next state, and what to do, in order. */
export function replayed(state: ReplayState, event: ReplayEvent): [ReplayState, readonly ReplayEffect[]] {
  const begun = state.anchor ? state : { ...state, anchor: { t: 0, at: event.at } };
  const [claimed, first] = event.kind === 'received' ? received(begun, event.message) : [begun, []];
  const effects = [...first];
  let current = claimed;
  for (;;) {
    const step = current.steps[current.position];
    if (!step || !current.anchor) return [current, effects];
    const due = current.anchor.at + step.t - current.anchor.t;
    const result = taken(current, step, event.at, due);
    if (!result) {
      const at = wakeAt(current, step, due);
      return [current, at === undefined ? effects : [...effects, { kind: 'wake', at }]];
    }
    current = result[0];
    effects.push(...result[1]);
  }
}
