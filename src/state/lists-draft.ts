/**
 * A draft: one run of the lists reducer at work. It is local to that run and gathers the next state
 * and the effects in their order. The steps below are the life of an entry: announced, ended, settled.
 */
import type { JsonObject, Outcome } from '../protocol/index.js';
import type { Item, SessionLedger } from './ledger-types.js';
import { callAnnouncement, callReference, endOf, endUpdate, entityUpdate, entryPhase, liveStatus, stateSnapshot, terminalAnnouncement, withList } from './lists-entries.js';
import { isUsed, markUsed, ownId } from './lists-ids.js';
import type { Entry, ListsEffect, ListsOptions, SessionLists } from './lists-types.js';

export interface Draft {
  lists: SessionLists;
  readonly ledger: SessionLedger;
  readonly at: number;
  readonly options: ListsOptions;
  readonly effects: ListsEffect[];
  /** A snapshot is due: `now`, or after the window if the session is idle (`removal`). */
  due: 'now' | 'removal' | undefined;
}

export const send = (draft: Draft, update: JsonObject | undefined): void => {
  if (update !== undefined) draft.effects.push({ do: 'send', update });
};

export const putEntry = (draft: Draft, entry: Entry): void => {
  draft.lists = { ...draft.lists, entries: draft.lists.entries.set(entry.key, entry) };
};

/** The agent's terminal of the launching call, if no other item had it and the client was not told that it has exited. */
function agentTerminal(draft: Draft, item: Item): string | undefined {
  if (item.toolCallId === undefined) return undefined;
  const candidates = [...(draft.ledger.calls.get(item.toolCallId)?.terminals ?? []), item.toolCallId];
  return candidates.find((id) => {
    const terminal = draft.ledger.terminals.get(id);
    return terminal !== undefined && !isUsed(draft.lists, 'terminal', id) && (terminal.exit === undefined || draft.options.exitAtLaunch);
  });
}

/** The launching call, if it can still be listed: known, open as far as the client knows, not used before. */
function launchingCall(draft: Draft, item: Item, reopened: string | undefined): string | undefined {
  const call = item.toolCallId === undefined ? undefined : draft.ledger.calls.get(item.toolCallId);
  if (call === undefined || isUsed(draft.lists, 'tool_call', call.id)) return undefined;
  return !call.final || call.id === reopened ? call.id : undefined;
}

export function newEntry(draft: Draft, item: Item, reopened: string | undefined): Entry {
  const type = item.kind === 'terminal' ? 'terminal' : 'tool_call';
  const theirs = type === 'terminal' ? agentTerminal(draft, item) : launchingCall(draft, item, reopened);
  const own = theirs === undefined ? ownId(draft.lists, item.task) : undefined;
  const id = theirs ?? own?.id ?? '';
  draft.lists = markUsed(draft.lists, type, id, own?.number);
  return {
    key: item.task, task: item.task, life: item.life, type, id, own: own !== undefined, canCancel: item.canCancel, phase: 'live', tentative: false,
    unlisted: false, until: undefined, exit: undefined, told: undefined,
  };
}

export function follow(draft: Draft, entry: Entry, item: Item): void {
  if (entry.type === 'terminal' && item.outputFile !== undefined) draft.effects.push({ do: 'follow', task: entry.task, path: item.outputFile, terminalId: entry.id });
}

/** Announces a detached item and has it listed. `reopened` is the launching call whose acknowledgement was rewritten. */
export function announce(draft: Draft, item: Item, reopened: string | undefined): void {
  const entry = newEntry(draft, item, reopened);
  if (entry.type === 'terminal') {
    send(draft, terminalAnnouncement(entry, item, draft.ledger));
    send(draft, callReference(entry, item, draft.ledger));
  } else {
    const shown = entry.id === reopened ? liveStatus(item) : draft.ledger.calls.get(entry.id)?.status;
    send(draft, callAnnouncement(entry, item, shown));
  }
  putEntry(draft, entry);
  follow(draft, entry, item);
  draft.due = 'now';
}

const outcomeOf = (draft: Draft, entry: Entry): Outcome => {
  const item = draft.ledger.items.get(entry.task);
  return item?.life === entry.life ? (item.outcome ?? 'unknown') : 'unknown';
};

/** Sends an `idle` that waited, with the list as it is now. */
export function releaseHeldIdle(draft: Draft): void {
  const update = draft.lists.held?.update;
  if (update === undefined) return;
  draft.lists = { ...draft.lists, held: undefined, state: 'idle' };
  draft.due = undefined;
  send(draft, withList(draft.lists, update));
}

/** Sends the current state with the list as it is now. */
function sendSnapshot(draft: Draft): void {
  draft.lists = { ...draft.lists, held: undefined };
  draft.due = undefined;
  send(draft, stateSnapshot(draft.lists));
}

/** Sends what was held, whatever it waited for. */
export function release(draft: Draft): void {
  if (draft.lists.held?.update !== undefined) releaseHeldIdle(draft);
  else if (draft.lists.held !== undefined) sendSnapshot(draft);
}

/** An `idle` waits for tasks that are announced late: the client still sees the state before it. */
export const awaitsTasks = ({ held, state }: SessionLists): boolean => held?.update !== undefined && state !== 'idle';

/** It does, and nothing else is said of the list for now: not while a close, or a resume, will say it. */
export const awaitsOnlyTasks = (lists: SessionLists): boolean => awaitsTasks(lists) && !lists.closing && !lists.resuming;

/**
 * Sends the final state. The removal from the list is due after it. An `idle` that waits goes out
 * before: it must not be the removal, which has a wait of its own.
 */
export function settle(draft: Draft, entry: Entry, outcome: Outcome = outcomeOf(draft, entry), reason?: string): void {
  if (!entry.unlisted && draft.options.startsTurns && awaitsOnlyTasks(draft.lists)) releaseHeldIdle(draft);
  if (entry.type === 'terminal') draft.effects.push({ do: 'unfollow', task: entry.task });
  send(draft, endUpdate(entry, outcome, reason));
  putEntry(draft, { ...entry, phase: 'settled', tentative: false, until: undefined, told: JSON.stringify(endOf(entry, outcome)) });
  if (!entry.unlisted) draft.due ??= 'removal';
}

/** A command that ended by itself has an exit code, and no source has spoken yet. */
const needsCode = (entry: Entry, outcome: Outcome): boolean => entry.type === 'terminal' && (outcome === 'completed' || outcome === 'failed') && entry.exit === undefined;

/** Settles what has ended, or has it wait: for the correction of a `stopped`, for its output's end, for an exit code. */
export function end(draft: Draft, entry: Entry, item: Item, tentative: boolean): void {
  const waits = tentative && draft.options.correctsStops;
  const ending: Entry = { ...entry, phase: 'ending', tentative: waits, until: waits ? draft.at + draft.options.window : undefined };
  putEntry(draft, ending);
  if (waits && draft.options.window > 0) return;
  if (entry.type === 'terminal' && item.outputFile !== undefined) draft.effects.push({ do: 'flush', task: entry.task });
  else settleOrWait(draft, ending);
}

/** Milliseconds after the end in which the harness has written its last line, if it does. */
const LAST_LINE_MS = 40;

/** Until when the last of a followed output is due, which is written after the end: an exit before it would cut it off. */
function outputDueUntil(draft: Draft, entry: Entry): number | undefined {
  const item = draft.ledger.items.get(entry.task);
  const endedItself = item?.outcome === 'completed' || item?.outcome === 'failed';
  if (draft.options.exitLineInOutput !== true || !endedItself || entry.type !== 'terminal' || entry.complete === true || item.outputFile === undefined) return undefined;
  const until = (item.endedAt ?? draft.at) + Math.min(LAST_LINE_MS, draft.options.window);
  return until > draft.at ? until : undefined;
}

/** Settles an ending entry when nothing is missing any more; else it waits for its code or output until the window ends. */
export function settleOrWait(draft: Draft, entry: Entry): void {
  const isOver = entry.until !== undefined && entry.until <= draft.at;
  const outputDue = outputDueUntil(draft, entry);
  if (draft.options.window === 0 || isOver) settle(draft, entry);
  else if (needsCode(entry, outcomeOf(draft, entry))) putEntry(draft, { ...entry, until: entry.until ?? draft.at + draft.options.window });
  else if (outputDue !== undefined) putEntry(draft, { ...entry, until: outputDue });
  else settle(draft, entry);
}

/** What is known late of an entry that was settled: one more update, if it says anything new. No second removal. */
export function tellAgain(draft: Draft, entry: Entry, item: Item): void {
  const update = endOf(entry, item.outcome ?? 'unknown');
  const told = JSON.stringify(update);
  putEntry(draft, { ...entry, told });
  if (told !== entry.told) send(draft, { ...entityUpdate(entry), ...update });
}

export const endingEntries = (lists: SessionLists): readonly Entry[] => lists.entries.where(entryPhase, 'ending');

/** A state other than `idle` does not wait for an exit code: it comes with the item gone. Output that is due is waited for, listed. */
export function settleAllEnding(draft: Draft): void {
  for (const entry of endingEntries(draft.lists)) {
    if (entry.tentative) continue;
    const outputDue = outputDueUntil(draft, entry);
    if (outputDue === undefined) settle(draft, entry);
    else putEntry(draft, { ...entry, until: outputDue });
  }
}

/**
 * Sends the snapshot that is due, or holds it: while the session is idle and a turn of the agent's own
 * may follow, while a close may say all of it at once, and until a resume has told anew what is listed.
 */
export function finish(draft: Draft): void {
  const { lists, options, at, due } = draft;
  if (due === undefined || !lists.reported) return;
  const mayFollow = due === 'removal' && lists.state === 'idle' && options.startsTurns && options.window > 0;
  if (lists.closing) {
    draft.lists = { ...lists, held: { until: lists.held?.until ?? at + options.window, update: lists.held?.update } };
  } else if (mayFollow) {
    draft.lists = { ...lists, held: { until: at + options.window, update: lists.held?.update } };
  } else if (lists.resuming) {
    draft.lists = { ...lists, held: { until: lists.held?.until ?? at, update: lists.held?.update } };
  } else if (lists.held?.update === undefined) {
    sendSnapshot(draft);
  } else if (!awaitsTasks(lists)) {
    releaseHeldIdle(draft);
  }
}
