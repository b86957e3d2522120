/**
 * What messages of ACP v1 and v2 say about unfinished tool calls, as events. Pure; keeps nothing.
 */
import { arrayOf, at, idOf, isObject, listedWork, objectOf, readUpdate, stringOf, TURN_TASK, type JsonObject } from 'afterturn/protocol';
import { isFinalStatus, type CallSeen, type ListedWork, type StaleEvent, type TurnEnding } from 'afterturn/state';

export type Version = 1 | 2;
/** An event that gets its time where it happens. */
export type Happening = StaleEvent extends infer E ? (E extends StaleEvent ? Omit<E, 'at'> : never) : never;

const endOfReason = (stopReason: unknown): TurnEnding => (stopReason === 'cancelled' ? 'cancelled' : stopReason === 'error' ? 'failed' : 'ended');

/** How the answer to a `session/prompt` of ACP v1 ends its turn. */
export const endOfPrompt = (result: unknown): TurnEnding => endOfReason(at(result, 'stopReason'));

function terminalsOf(content: readonly unknown[]): readonly string[] {
  const terminals: string[] = [];
  for (const block of content) {
    const terminal = isObject(block) && block.type === 'terminal' ? idOf(block.terminalId) : undefined;
    if (terminal !== undefined) terminals.push(terminal);
  }
  return terminals;
}

/** ACP v1 `null` says nothing, ACP v2 `null` sets back to the default. */
function statusOf(update: JsonObject, version: Version): string | undefined {
  if (update.status === null && version === 2) return 'pending';
  return stringOf(update.status) ?? (update.sessionUpdate === 'tool_call' ? 'pending' : undefined);
}

function contentOf(update: JsonObject, version: Version): readonly unknown[] | undefined {
  return update.content === null && version === 2 ? [] : arrayOf(update.content);
}

/** `tool_call` and `tool_call_update`, seen now. */
export function callSeen(update: JsonObject, version: Version, now: number): (CallSeen & { readonly at: number }) | undefined {
  const call = idOf(update.toolCallId);
  if (call === undefined) return undefined;
  const status = statusOf(update, version);
  const content = contentOf(update, version);
  const claude = at(update, '_meta', 'claudeCode');
  // Set on each word about a launching call that is kept open; with its end comes a final status.
  const isKeptOpen = idOf(at(claude, 'backgroundTask', 'taskId')) !== undefined && !isFinalStatus(stringOf(update.status));
  return {
    type: 'call',
    at: now,
    call,
    creates: version === 2 || status !== undefined,
    starts: update.sessionUpdate === 'tool_call',
    status,
    parent: idOf(at(claude, 'parentToolUseId')),
    terminals: content === undefined ? undefined : terminalsOf(content),
    keptOpen: isKeptOpen ? true : undefined,
    canCancel: version === 1 || update.capabilities === undefined ? undefined : isObject(at(update.capabilities, 'cancel')),
  };
}

/** A final status that a plugin between us and the agent gave: no word of the agent's own. */
export const isSettledByProxy = (update: JsonObject): boolean => objectOf(at(update, '_meta', 'afterturn'))?.reason !== undefined && isFinalStatus(stringOf(update.status));

export function contentAdded(update: JsonObject): readonly Happening[] {
  const call = idOf(update.toolCallId);
  return call === undefined ? [] : [{ type: 'contentAdded', call, terminal: terminalsOf([update.content])[0] }];
}

/** A list with one broken item of a known type is no list. */
function listOf(state: JsonObject): ListedWork | 'unreported' {
  const works = listedWork(state);
  if (works === undefined) return 'unreported';
  const idsOf = (type: string): ReadonlySet<string> => new Set(works.flatMap((work) => (work.type === type ? [work.id] : [])));
  return { calls: idsOf('tool_call'), terminals: idsOf('terminal') };
}

/** ACP v2 `state_update`. */
export function stateSeen(update: JsonObject): readonly Happening[] {
  const state = stringOf(update.state);
  return state === undefined ? [] : [{ type: 'state', running: state !== 'idle', end: endOfReason(update.stopReason), list: listOf(update) }];
}

/** The updates of the async task extension. A turn that the agent started itself is no background work. */
export function taskSeen(update: JsonObject): readonly Happening[] {
  return readUpdate(update).signals.flatMap((signal): Happening[] => {
    if (signal.type === 'taskEnded') return [{ type: 'taskEnded', task: signal.task, completed: signal.outcome === 'completed' }];
    if ((signal.type !== 'taskStarted' && signal.type !== 'taskChanged') || signal.facts.taskType === TURN_TASK) return [];
    return [{ type: 'taskLive', task: signal.task, starts: signal.type === 'taskStarted', call: signal.facts.toolCallId }];
  });
}

/** The call that a permission request names; only a whole call can be its first word. */
export function askedAbout(params: unknown): { readonly call: string; readonly status: string | undefined; readonly whole: boolean } | undefined {
  const whole = objectOf(at(params, 'toolCall')) ?? objectOf(at(params, 'subject', 'toolCall'));
  const call = idOf(whole?.toolCallId) ?? idOf(at(params, 'subject', 'toolCallId'));
  return call === undefined ? undefined : { call, status: stringOf(whole?.status), whole: whole !== undefined };
}

/** The answers that refuse. */
export const refusalsOf = (params: unknown): readonly string[] =>
  (arrayOf(at(params, 'options')) ?? []).flatMap((option) => (stringOf(at(option, 'kind'))?.startsWith('reject') ? (idOf(at(option, 'optionId')) ?? []) : []));

/** Whether the answer is no approval. */
export function isRefusal(result: unknown, refusals: readonly string[]): boolean {
  const chosen = at(result, 'outcome', 'outcome') === 'selected' ? idOf(at(result, 'outcome', 'optionId')) : undefined;
  return chosen === undefined || refusals.includes(chosen);
}
