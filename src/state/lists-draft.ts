/**
 * A draft: one run of the lists reducer at work. It is local to that run and gathers the next state
 * and the effects in their order. The steps below are the life of an entry: announced, ended, settled.
 */
import type { JsonObject, Outcome } from '../protocol/index.js';
import type { Item, SessionLedger } from './ledger-types.js';
import { callAnnouncement, callEnd, callReference, exitStatus, terminalAnnouncement, terminalEnd, stateSnapshot } from './lists-entries.js';
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
  draft.lists = { ...draft.lists, entries: draft.lists.entries.set(entry.task, entry) };
};

const markUsed = (draft: Draft, id: string): void => {
  draft.lists = { ...draft.lists, used: draft.lists.used.set(id, true) };
};

/** An id of our own that was never used in this session: `afterturn:<task>`, then `afterturn:<task>:2` and so on. */
function ownId(draft: Draft, task: string): string {
  const base = `afterturn:${task}`;
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}:${n}`;
    if (!draft.lists.used.has(id)) return id;
  }
}

/** The agent's terminal of the launching call that is still alive and was not used before. */
function agentTerminal(draft: Draft, item: Item): string | undefined {
  if (item.toolCallId === undefined) return undefined;
  const candidates = [...(draft.ledger.calls.get(item.toolCallId)?.terminals ?? []), item.toolCallId];
  return candidates.find((id) => {
    const terminal = draft.ledger.terminals.get(id);
    return terminal !== undefined && !draft.lists.used.has(id) && (terminal.exit === undefined || draft.options.exitAtLaunch);
  });
}

/** The launching call, if it can still be listed: known, open as far as the client knows, not used before. */
function launchingCall(draft: Draft, item: Item, reopened: string | undefined): string | undefined {
  const call = item.toolCallId === undefined ? undefined : draft.ledger.calls.get(item.toolCallId);
  if (call === undefined || draft.lists.used.has(call.id)) return undefined;
  return !call.final || call.id === reopened ? call.id : undefined;
}

export function newEntry(draft: Draft, item: Item, reopened: string | undefined): Entry {
  const type = item.kind === 'terminal' ? 'terminal' : 'tool_call';
  const theirs = type === 'terminal' ? agentTerminal(draft, item) : launchingCall(draft, item, reopened);
  const id = theirs ?? ownId(draft, item.task);
  markUsed(draft, id);
  return { task: item.task, life: item.life, type, id, own: theirs === undefined, canCancel: item.canCancel, phase: 'live', unlisted: false, until: undefined, exit: undefined };
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
  } else if (entry.own || entry.canCancel) send(draft, callAnnouncement(entry, item));
  putEntry(draft, entry);
  follow(draft, entry, item);
  draft.due = 'now';
}

const outcomeOf = (draft: Draft, entry: Entry): Outcome => {
  const item = draft.ledger.items.get(entry.task);
  return item?.life === entry.life ? (item.outcome ?? 'unknown') : 'unknown';
};

/** Sends the final state. The removal from the list is due after it. */
export function settle(draft: Draft, entry: Entry, outcome: Outcome = outcomeOf(draft, entry), reason?: string): void {
  if (entry.type === 'terminal') {
    draft.effects.push({ do: 'unfollow', task: entry.task });
    send(draft, terminalEnd(entry, outcome, reason));
  } else send(draft, callEnd(entry.id, outcome, reason));
  putEntry(draft, { ...entry, phase: 'settled', until: undefined });
  if (!entry.unlisted) draft.due ??= 'removal';
}

const needsCode = (entry: Entry, outcome: Outcome): boolean =>
  entry.type === 'terminal' && (outcome === 'completed' || outcome === 'failed') && exitStatus(outcome, entry.exit).exitCode === undefined;

/** Settles what has ended, or has it wait: for the correction of a `stopped`, for its output's end, for an exit code. */
export function end(draft: Draft, entry: Entry, item: Item, tentative: boolean): void {
  const ending: Entry = { ...entry, phase: 'ending', until: tentative ? draft.at + draft.options.window : undefined, exit: entry.exit ?? (item.exitCode === undefined ? undefined : { exitCode: item.exitCode }) };
  putEntry(draft, ending);
  if (tentative) return;
  if (entry.type === 'terminal' && item.outputFile !== undefined) draft.effects.push({ do: 'flush', task: entry.task });
  else settleOrWait(draft, ending);
}

/** Settles an ending entry when nothing is missing any more; else it waits for a code until the window ends. */
export function settleOrWait(draft: Draft, entry: Entry): void {
  if (!needsCode(entry, outcomeOf(draft, entry)) || draft.options.window === 0) settle(draft, entry);
  else putEntry(draft, { ...entry, until: entry.until ?? draft.at + draft.options.window });
}

/** What is known late of an entry that was settled: one more update, no second removal. */
export function tellAgain(draft: Draft, entry: Entry, item: Item): void {
  const outcome = item.outcome ?? 'unknown';
  if (entry.type === 'tool_call') send(draft, { sessionUpdate: 'tool_call_update', toolCallId: entry.id, status: callEnd(entry.id, outcome).status });
  else send(draft, { sessionUpdate: 'terminal_update', terminalId: entry.id, exitStatus: exitStatus(outcome, entry.exit) });
}

export const endingEntries = (lists: SessionLists): Entry[] => [...lists.entries.values()].filter((entry) => entry.phase === 'ending');

/** Any other state change does not wait for what is missing. */
export function settleAllEnding(draft: Draft): void {
  for (const entry of endingEntries(draft.lists)) settle(draft, entry);
}

/** Sends the snapshot that is due, or holds it while the session is idle and a turn of the agent's own may follow. */
export function finish(draft: Draft): void {
  const { lists, options, at, due } = draft;
  if (due === undefined || !lists.reported || lists.closing) return;
  const waits = due === 'removal' && lists.state === 'idle' && options.startsTurns && options.window > 0;
  if (waits || lists.held?.update !== undefined) {
    const until = lists.held?.update === undefined ? at + options.window : lists.held.until;
    draft.lists = { ...lists, held: { until, update: lists.held?.update } };
    return;
  }
  draft.lists = { ...lists, held: undefined };
  send(draft, stateSnapshot(draft.lists));
}
