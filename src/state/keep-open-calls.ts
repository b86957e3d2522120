/**
 * The agent's own updates of a call: what each tells of it, whether it arms the call, and what the
 * client gets in its place.
 */
import { arrayOf, at, idOf, isLaunchTool, launchedTask, toolNameOf, type JsonObject } from '../protocol/index.js';
import { boundTo, byRest, endOf, isLiveItem, isOpen, itemOf, sessionOf, type Step } from './keep-open-ends.js';
import { changedFrame, exitIn, statusOfEnd, taskMeta, withSummary, type FrameChange } from './keep-open-frames.js';
import type { KeepOpen, KeepOpenOptions, KeepOpenRule, KeptCall, KeptEnd } from './keep-open-types.js';
import { byCall, isFinalStatus } from './ledger.js';

const REMEMBERED = 256;

const pass = (state: KeepOpen): Step => [state, [{ do: 'pass' }]];

const newCall = (id: string, name: string | undefined): KeptCall => ({
  id, name, content: undefined, task: undefined, life: undefined, run: undefined, final: false, owedExit: undefined, shown: undefined,
});

/** A call that stands for a task that has not ended is never forgotten. */
function withCall(state: KeepOpen, call: KeptCall): KeepOpen {
  const calls = state.calls.set(call.id, call).boundedWhere(byRest, 'rests', REMEMBERED);
  return calls === state.calls ? state : { ...state, calls };
}

/** Whether a call of this tool can launch work that outlives it. */
export const mayLaunch = (name: string | undefined, { anyTool }: KeepOpenOptions): boolean => anyTool === true || isLaunchTool(name);

/** The call with what this message tells of it; `undefined` when its tool launches nothing. */
function callOf(before: KeptCall | undefined, id: string, message: JsonObject, options: KeepOpenOptions): KeptCall | undefined {
  const name = before?.name ?? toolNameOf(message);
  if (!mayLaunch(name, options)) return undefined;
  const content = arrayOf(message.content);
  return before !== undefined && content === undefined ? before : { ...(before ?? newCall(id, name)), content };
}

/** The task that names this call as its own: by its spawn, or as a member of the raw feed's set of background work. */
export const startedBy = (state: KeepOpen, id: string, { asyncTasks }: KeepOpenOptions): string | undefined =>
  sessionOf(state).items.where(byCall, id).findLast((item) => item.started && (asyncTasks || item.background))?.task;

/** An answer names a task that the session was never told of, and another names this call: the answer is another session's, to a call of the same id. */
const isMistaken = (state: KeepOpen, task: string, started: string | undefined): boolean => started !== undefined && started !== task && itemOf(state, task) === undefined;

/** The task that the update's structured answer names, if the session was never told of it. */
export function unheardTask(state: KeepOpen, update: JsonObject): string | undefined {
  const task = launchedTask(state.calls.get(idOf(update.toolCallId) ?? '')?.name, update);
  return task === undefined || itemOf(state, task) !== undefined ? undefined : task;
}

/** Whether the answer to a call of another session, of the same id, is to this one's: the task names a call here that has no answer. */
export function isAnswered(state: KeepOpen, toolCallId: unknown, task: string): boolean {
  const call = state.calls.get(idOf(toolCallId) ?? '');
  return call !== undefined && call.task === undefined && itemOf(state, task)?.toolCallId === call.id;
}

/** The call with the task that names it in place of one that a mistaken answer named. */
export function corrected(state: KeepOpen, call: KeptCall, options: KeepOpenOptions): KeptCall {
  const task = options.asyncTasks || call.task === undefined ? undefined : startedBy(state, call.id, options);
  const item = task === undefined ? undefined : itemOf(state, task);
  return task === undefined || item === undefined || call.task === undefined || !isMistaken(state, call.task, task) ? call : { ...call, task, life: item.life, run: item.run };
}

/**
 * The call, armed when its structured answer names a task or a spawn names it. What is replayed arms
 * for a live task only, and where the extension reports tasks nothing arms that it has not reported.
 */
export function armed(state: KeepOpen, call: KeptCall, update: JsonObject, options: KeepOpenOptions): KeptCall {
  if (call.task !== undefined) return corrected(state, call, options);
  const { asyncTasks } = options;
  const [answered, started] = [launchedTask(call.name, update), startedBy(state, call.id, options)];
  const isOthers = !asyncTasks && answered !== undefined && isMistaken(state, answered, started);
  const task = isOthers || (asyncTasks && answered === undefined) ? started : answered;
  const item = task === undefined ? undefined : itemOf(state, task);
  if (task === undefined || item?.ambient || (state.replays > 0 && !isLiveItem(item)) || (asyncTasks && !item?.started)) return call;
  return item === undefined ? { ...call, task } : { ...boundTo({ ...call, task }, item, false).call, task };
}

/** The rules by which a frame is changed, as far as they show. */
function rulesOf(update: JsonObject, before: KeptCall, change: FrameChange, end: KeptEnd | undefined): readonly KeepOpenRule[] {
  const rules: KeepOpenRule[] = ['named'];
  if (change.status !== undefined && change.status !== update.status) {
    if (update.status === undefined) rules.push('reopened');
    else if (before.final) rules.push('straggler');
    else if (end === undefined) rules.push('keptOpen');
  }
  if (end !== undefined && before.shown === undefined && change.status !== undefined) rules.push('merged');
  if (change.exit !== 'stays' && exitIn(update) !== undefined) rules.push('launchExit');
  return rules;
}

/** An update of a call that stands for a task. `before`: the call before this update. */
function seeArmed(state: KeepOpen, before: KeptCall, call: KeptCall, task: string, update: JsonObject): Step {
  const settles = isFinalStatus(typeof update.status === 'string' ? update.status : undefined);
  const item = itemOf(state, task);
  const end = state.replays > 0 ? call.shown : endOf(state, call);
  if (update.status === 'failed' && !before.final && end === undefined && !isLiveItem(item)) {
    return pass(withCall(state, { ...call, task: undefined, final: true }));
  }
  const final = before.final || settles;
  const carries = final && (typeof update.status === 'string' || before.task === undefined);
  const gives = arrayOf(update.content) !== undefined || (carries && call.shown === undefined);
  const change: FrameChange = {
    meta: taskMeta(task, state.tasks.get(task), item, end !== undefined && final ? end : undefined),
    status: carries ? (end === undefined ? 'in_progress' : statusOfEnd(end)) : undefined,
    content: end?.summary !== undefined && final && gives ? withSummary(call.content, end) : undefined,
    exit: settles ? (end ?? 'goes') : 'stays',
  };
  const exit = exitIn(update);
  const next: KeptCall = {
    ...call,
    final,
    shown: carries ? end : call.shown,
    owedExit: exit === undefined ? call.owedExit : settles ? exit : undefined,
  };
  return [withCall(state, next), [{ do: 'change', update: changedFrame(update, change), rules: rulesOf(update, before, change, end) }]];
}

/** Whether an update of a call, or its outline, says anything here: its tool launches, or the call is known. */
export const concernsLaunch = (state: KeepOpen, outline: JsonObject, options: KeepOpenOptions): boolean =>
  mayLaunch(toolNameOf(outline), options) || state.calls.has(idOf(outline.toolCallId) ?? '');

/**
 * Whether more of an update than its outline is needed: it goes on changed, may arm its call, or gives
 * what is kept of it. Else the outline tells all that there is.
 */
export const needsContents = (state: KeepOpen, outline: JsonObject, { asyncTasks }: KeepOpenOptions): boolean =>
  asyncTasks || state.calls.get(idOf(outline.toolCallId) ?? '')?.task !== undefined || Array.isArray(outline.content) || at(outline, '_meta', 'claudeCode', 'toolResponse') !== undefined;

/** A `tool_call` or `tool_call_update` of the agent. A `tool_call` under a used id is a new life, but for a replay. */
export function seeUpdate(state: KeepOpen, update: JsonObject, options: KeepOpenOptions): Step {
  const id = idOf(update.toolCallId);
  if (id === undefined) return pass(state);
  const known = state.calls.get(id);
  const isNewLife = known !== undefined && update.sessionUpdate === 'tool_call' && state.replays === 0 && (known.final || known.task !== undefined);
  const clear = isNewLife ? { ...state, calls: state.calls.delete(id) } : state;
  const before = isNewLife ? undefined : known;
  const seen = callOf(before, id, update, options);
  if (seen === undefined) return pass(clear);
  const call = armed(clear, seen, update, options);
  if (call.task !== undefined) return seeArmed(clear, before ?? newCall(id, call.name), call, call.task, update);
  const final = call.final || isFinalStatus(typeof update.status === 'string' ? update.status : undefined);
  return pass(withCall(clear, final === call.final ? call : { ...call, final }));
}

/**
 * The tool call of a permission request makes the client's card of it, with or without a `tool_call`
 * before. Under the id of a call that is over it is a new life.
 */
export function seeAsked(state: KeepOpen, toolCall: JsonObject, options: KeepOpenOptions): Step {
  const id = idOf(toolCall.toolCallId);
  if (id === undefined) return [state, []];
  const known = state.calls.get(id);
  const call = callOf(known !== undefined && known.final && !isOpen(known) ? undefined : known, id, toolCall, options);
  return [call === undefined ? state : withCall(state, call), []];
}
