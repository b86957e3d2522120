/**
 * The lists reducer: what a v2 client is told of one session's background work, and when. Announce,
 * list, settle, remove, in this order. Pure, with time in the event; it knows no timers and no files.
 *
 * Follows the v2 Background Work RFD ("The `background` list on state snapshots", "Cancellation,
 * close, and resume").
 */
import { stringOf, type JsonObject } from '../protocol/index.js';
import type { Fact } from './ledger-types.js';
import { callEnd, backgroundList, exitStatus, stateSnapshot } from './lists-entries.js';
import { announce, end, endingEntries, finish, follow, putEntry, send, settle, settleOrWait, tellAgain, type Draft } from './lists-draft.js';
import type { ListsEffect, ListsEvent, ListsOptions, SessionLists } from './lists-types.js';
import { releaseHeldIdle, releaseIfAnnounced, state, terminal, toolCall } from './lists-updates.js';
import { emptySession } from './ledger.js';
import { Table } from './table.js';

/** A session that was not heard of. `reported`: the agent has promised to report background work. */
export const emptyLists = (reported: boolean): SessionLists => ({
  reported, native: false, state: 'idle', entries: Table.empty(), held: undefined, used: Table.empty(), closing: false,
});

const REMEMBERED_ENTRIES = 256;

function onStarted(draft: Draft, fact: Fact): void {
  if (fact.item.kind === 'turn') return;
  draft.lists = { ...draft.lists, reported: true };
  const earlier = draft.lists.entries.get(fact.item.task);
  if (earlier !== undefined && earlier.life !== fact.item.life) {
    if (earlier.phase !== 'settled') settle(draft, earlier, 'unknown');
    draft.lists = { ...draft.lists, entries: draft.lists.entries.delete(fact.item.task) };
  }
}

function onChanged(draft: Draft, fact: Extract<Fact, { type: 'itemChanged' }>): void {
  const { item, before } = fact;
  const entry = draft.lists.entries.get(item.task);
  if (entry === undefined || entry.phase !== 'live') return;
  if (item.paused !== before.paused && entry.type === 'tool_call') send(draft, { sessionUpdate: 'tool_call_update', toolCallId: entry.id, status: item.paused ? 'paused' : 'in_progress' });
  if (item.outputFile !== before.outputFile) follow(draft, entry, item);
  if (item.canCancel !== before.canCancel) {
    putEntry(draft, { ...entry, canCancel: item.canCancel });
    const target = entry.type === 'terminal' ? { sessionUpdate: 'terminal_update', terminalId: entry.id } : { sessionUpdate: 'tool_call_update', toolCallId: entry.id };
    send(draft, { ...target, capabilities: item.canCancel ? { cancel: {} } : null });
  }
  if (item.toolCallId !== before.toolCallId && entry.own && entry.type === 'terminal') {
    const call = item.toolCallId === undefined ? undefined : draft.ledger.calls.get(item.toolCallId);
    if (call !== undefined) send(draft, { sessionUpdate: 'tool_call_update', toolCallId: call.id, content: [...call.terminals, entry.id].map((terminalId) => ({ type: 'terminal', terminalId })) });
  }
}

function onEnd(draft: Draft, fact: Extract<Fact, { type: 'itemEnded' | 'itemCorrected' | 'itemRefined' }>): void {
  const { item } = fact;
  const entry = draft.lists.entries.get(item.task);
  if (entry === undefined || entry.life !== item.life) return;
  const codeTold = item.exitCode !== undefined && entry.exit?.exitCode === undefined;
  const known = codeTold ? { ...entry, exit: { ...entry.exit, exitCode: item.exitCode } } : entry;
  if (entry.phase === 'live') end(draft, known, item, fact.type === 'itemEnded' && fact.tentative);
  else if (entry.phase === 'ending' && fact.type === 'itemCorrected') end(draft, { ...known, until: undefined }, item, false);
  else if (entry.phase === 'ending' && codeTold) settleOrWait(draft, known);
  else if (entry.phase === 'settled' && (codeTold || fact.type === 'itemCorrected')) {
    putEntry(draft, known);
    if (fact.type === 'itemCorrected' || entry.type === 'terminal') tellAgain(draft, known, item);
  }
}

function onFact(draft: Draft, fact: Fact, reopened: string | undefined): void {
  if (fact.type === 'itemStarted') onStarted(draft, fact);
  else if (fact.type === 'itemDetached') announce(draft, fact.item, reopened);
  else if (fact.type === 'itemChanged') onChanged(draft, fact);
  else onEnd(draft, fact);
}

const isExtension = (kind: string): boolean => kind.startsWith('_async_task_');

function onUpdate(draft: Draft, update: JsonObject, facts: readonly Fact[]): void {
  const kind = stringOf(update.sessionUpdate) ?? '';
  let reopened: string | undefined;
  if (kind === 'tool_call_update') reopened = toolCall(draft, update, facts);
  else if (kind === 'terminal_update') terminal(draft, update);
  else if (kind !== 'state_update' && !isExtension(kind)) draft.effects.push({ do: 'keep' });
  for (const fact of facts) onFact(draft, fact, reopened);
  if (kind === 'state_update') state(draft, update);
  else releaseIfAnnounced(draft);
}

/** The last line of the output file tells a code. It counts if it agrees with the end, and if nothing else told one. */
function onFlushed(draft: Draft, task: string, fileCode: number | undefined): void {
  const entry = draft.lists.entries.get(task);
  if (entry?.phase !== 'ending') return;
  const outcome = draft.ledger.items.get(task)?.outcome ?? 'unknown';
  const counts = fileCode !== undefined && entry.exit === undefined && exitStatus(outcome, { exitCode: fileCode }).exitCode !== undefined;
  settleOrWait(draft, counts ? { ...entry, exit: { exitCode: fileCode } } : entry);
}

/** The wait is over for everything whose time has come. */
function onTick(draft: Draft): void {
  for (const entry of endingEntries(draft.lists)) if (entry.until !== undefined && entry.until <= draft.at) {
    const item = draft.ledger.items.get(entry.task);
    if (item?.outputFile !== undefined && entry.type === 'terminal') draft.effects.push({ do: 'unfollow', task: entry.task });
    settle(draft, entry);
  }
  const held = draft.lists.held;
  if (held === undefined || held.until > draft.at) return;
  if (held.update !== undefined) return releaseHeldIdle(draft);
  draft.lists = { ...draft.lists, held: undefined };
  draft.due = 'now';
}

/** The session is over: everything of it gets its final state, then one `idle` with an empty list. */
function onSessionEnd(draft: Draft, reason: 'closed' | 'agentGone'): void {
  if (!draft.lists.reported || draft.lists.native) return;
  const why = reason === 'closed' ? 'the session was closed' : 'the agent exited';
  const ran = draft.lists.state !== 'idle' || draft.lists.held?.update !== undefined;
  const hadList = backgroundList(draft.lists).length > 0;
  const own = new Set<string>();
  for (const entry of draft.lists.entries.values()) {
    own.add(entry.id);
    if (entry.phase === 'live') settle(draft, entry, 'unknown', why);
    else if (entry.phase === 'ending') settle(draft, entry);
  }
  for (const open of draft.ledger.terminals.values()) if (open.exit === undefined && !own.has(open.id)) send(draft, { sessionUpdate: 'terminal_update', terminalId: open.id, exitStatus: {} });
  for (const open of draft.ledger.calls.values()) if (!open.final && !own.has(open.id)) send(draft, callEnd(open.id, 'unknown', why));
  const last = draft.lists.held?.update ?? { ...stateSnapshot(draft.lists), state: 'idle', ...(ran ? { stopReason: 'cancelled' } : {}) };
  if (ran || hadList || draft.lists.held !== undefined) send(draft, { ...last, background: [] });
}

/** One event of one session: its lists after it, and what is to be done, in order. */
export function reduceLists(lists: SessionLists, event: ListsEvent, options: ListsOptions): readonly [SessionLists, readonly ListsEffect[]] {
  const draft: Draft = { lists, ledger: 'ledger' in event ? event.ledger : emptySession, at: event.at, options, effects: [], due: undefined };
  if (event.type === 'update') onUpdate(draft, event.update, event.facts);
  else if (event.type === 'facts') {
    for (const fact of event.facts) onFact(draft, fact, undefined);
    releaseIfAnnounced(draft);
  } else if (event.type === 'flushed') {
    onFlushed(draft, event.task, event.fileCode);
  } else if (event.type === 'tick') onTick(draft);
  else if (event.type === 'closing') draft.lists = { ...draft.lists, closing: true };
  else if (event.type === 'closeFailed') {
    draft.lists = { ...draft.lists, closing: false };
    releaseHeldIdle(draft);
    draft.due ??= 'now';
  } else if (event.type === 'ended') {
    onSessionEnd(draft, event.reason);
    return [emptyLists(lists.reported), draft.effects];
  }
  finish(draft);
  const entries = draft.lists.entries.bounded(REMEMBERED_ENTRIES, (entry) => entry.phase === 'settled');
  return [entries === draft.lists.entries ? draft.lists : { ...draft.lists, entries }, draft.effects];
}

/** When the next `tick` is due, in milliseconds of the event clock. */
export function nextTick(lists: SessionLists): number | undefined {
  const times = endingEntries(lists).flatMap((entry) => entry.until ?? []);
  if (lists.held !== undefined && lists.held.until !== Number.POSITIVE_INFINITY) times.push(lists.held.until);
  return times.length === 0 ? undefined : Math.min(...times);
}
