/**
 * What a call has to tell of its task: whether the task has ended, whether that may be told yet, and
 * the update of our own that tells it.
 */
import { withSummary, ownFrame, statusOfEnd, taskMeta } from './keep-open-frames.js';
import type { KeepOpen, KeepOpenEffect, KeepOpenRule, KeptCall, KeptEnd } from './keep-open-types.js';
import type { Item, SessionLedger } from './ledger-types.js';
import { emptySession } from './ledger.js';
import type { Index } from './table.js';

/** The ledger here is that of one session. */
export const LEDGER_KEY = '';

export type Step = readonly [KeepOpen, readonly KeepOpenEffect[]];

export const sessionOf = (state: KeepOpen): SessionLedger => state.ledger.get(LEDGER_KEY) ?? emptySession;

export const itemOf = (state: KeepOpen, task: string): Item | undefined => sessionOf(state).items.get(task);

export const isLiveItem = (item: Item | undefined): boolean => item?.phase === 'foreground' || item?.phase === 'background';

export const isOpen = (call: KeptCall): boolean => call.task !== undefined && call.shown === undefined;

/** How calls are found: by their task, and those that may be forgotten. */
export const byTask: Index<KeptCall> = ({ task }) => task;
export const byRest: Index<KeptCall> = (call) => (isOpen(call) ? undefined : 'rests');

/** The end of the life that the call stands for, once it may be told. */
export function endOf(state: KeepOpen, call: KeptCall): KeptEnd | undefined {
  if (call.task === undefined) return undefined;
  const item = itemOf(state, call.task);
  const task = state.tasks.get(call.task);
  if (item?.outcome === undefined || item.phase !== 'ended' || item.life !== call.life || task?.heldUntil !== undefined) return call.shown;
  const { outcome, summary, exitCode } = item;
  return { outcome, word: outcome === 'unknown' ? outcome : (task?.status ?? outcome), summary, exitCode, reason: outcome === 'unknown' ? task?.reason : undefined };
}

/** Whether the client was told all of it. An exit code shows only where a terminal's exit is ours to tell. */
const isShown = ({ shown, owedExit }: KeptCall, end: KeptEnd): boolean =>
  shown !== undefined && (Object.keys(end) as (keyof KeptEnd)[]).every((key) => shown[key] === end[key] || (key === 'exitCode' && owedExit === undefined));

/** `runsAgain`: the call was settled, and its task has a new life for certain. */
type Bound = { readonly call: KeptCall; readonly runsAgain: boolean };

/**
 * The call with the life of the task that it stands for. An open call goes on with a new life; a
 * settled one only when another run id, or an absence from the live set, proves that the task started anew.
 */
export function boundTo(call: KeptCall, item: Item, hasLeft: boolean): Bound {
  const bound: KeptCall = { ...call, life: item.life, run: item.run };
  if (call.life === item.life) return { call: call.run === undefined && item.run !== undefined ? bound : call, runsAgain: false };
  if (isOpen(call)) return { call: bound, runsAgain: false };
  const proven = hasLeft || (item.run !== undefined && item.run !== call.run);
  return proven && isLiveItem(item) ? { call: bound, runsAgain: true } : { call, runsAgain: false };
}

const put = (state: KeepOpen, call: KeptCall): KeepOpen => ({ ...state, calls: state.calls.set(call.id, call) });

function withoutLeaving(state: KeepOpen, id: string): KeepOpen {
  const task = state.tasks.get(id);
  return task?.left ? { ...state, tasks: state.tasks.set(id, { ...task, left: false }) } : state;
}

function reopened(state: KeepOpen, call: KeptCall, task: string): Step {
  const content = withSummary(call.content, call.shown);
  const open: KeptCall = { ...call, content, shown: undefined };
  const update = ownFrame(open, 'in_progress', undefined, taskMeta(task, state.tasks.get(task), itemOf(state, task), undefined), undefined);
  return [withoutLeaving(put(state, open), task), [{ do: 'send', update, rules: ['reopened'] }]];
}

function ruleOf(shown: KeptEnd | undefined, end: KeptEnd): KeepOpenRule {
  if (end.outcome === 'unknown') return 'unknown';
  if (shown === undefined) return 'settled';
  return shown.outcome === end.outcome ? 'refined' : 'corrected';
}

/**
 * Tells what the call has not told yet. An end waits for the acknowledgement, which it is merged with,
 * and while the session is being loaded; `last`: nothing will come for it to wait for.
 */
export function caughtUp(state: KeepOpen, id: string, last = false): Step {
  const before = state.calls.get(id);
  const item = before?.task === undefined ? undefined : itemOf(state, before.task);
  if (before?.task === undefined || item === undefined) return [state, []];
  const task = state.tasks.get(before.task);
  const { call, runsAgain } = boundTo(before, item, task?.left === true);
  if (runsAgain) return reopened(state, call, before.task);
  const bound = call === before ? state : put(state, call);
  const end = endOf(bound, call);
  const waits = !last && (!call.final || bound.replays > 0);
  if (end === undefined || waits || isShown(call, end)) return [bound, []];
  const content = end.summary === undefined || end.summary === call.shown?.summary ? undefined : withSummary(call.content, end);
  const exitIsDue = call.shown === undefined || call.shown.exitCode !== end.exitCode;
  const update = ownFrame(call, statusOfEnd(end), content, taskMeta(before.task, task, item, end), exitIsDue ? end : undefined);
  return [put(bound, { ...call, final: true, shown: end }), [{ do: 'send', update, rules: [ruleOf(call.shown, end)] }]];
}

export function andThen([state, effects]: Step, step: (state: KeepOpen) => Step): Step {
  const [next, more] = step(state);
  return [next, more.length === 0 ? effects : [...effects, ...more]];
}
