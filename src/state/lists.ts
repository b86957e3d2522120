/**
 * The lists reducer: what a v2 client is told of one session's background work, and when. Announce,
 * list, settle, remove, in this order. Pure, with time in the event; it knows no timers and no files.
 *
 * Follows the v2 Background Work RFD ("The `background` list on state snapshots", "Cancellation,
 * close, and resume").
 */
import { stringOf, type JsonObject } from '../protocol/index.js';
import { Reason } from '../protocol/reasons.js';
import type { Fact, SessionLedger } from './ledger-types.js';
import { backgroundList, callEnd, callReference, entityUpdate, entryPhase, exitStatus, liveStatus } from './lists-entries.js';
import { announce, awaitsTasks, end, endingEntries, finish, follow, putEntry, release, releaseHeldIdle, send, settle, settleOrWait, tellAgain, type Draft } from './lists-draft.js';
import { childFact, childState, endChildren, subagent } from './lists-children.js';
import { endAgain, releaseBefore, restoreAll, settleLost, whileResuming } from './lists-resume.js';
import type { Entry, ListsEffect, ListsEvent, ListsOptions, Resuming, SessionLists, UsedIds } from './lists-types.js';
import { acknowledgedWork, isOfNoWork, listsItself, releaseIfAnnounced, state, terminal, toolCall } from './lists-updates.js';
import { emptySession } from './ledger.js';
import { isUsed, noIds } from './lists-ids.js';
import { Table } from './table.js';

/** A session that was not heard of. `reported`: the agent has promised to report background work. `ids`: those that it had before it ended. */
export const emptyLists = (reported: boolean, ids: UsedIds = noIds): SessionLists => ({
  reported, native: false, state: 'idle', entries: Table.empty(), children: Table.empty(), held: undefined, used: ids.used, forgotten: ids.forgotten, closing: false, resuming: false, takenBack: Table.empty(),
});

const REMEMBERED_ENTRIES = 256;

/** The settled entry of a life that is over makes place for the next one. */
function putAside(draft: Draft, entry: Entry): void {
  const key = `${entry.task}\u0000${entry.life}`;
  draft.lists = { ...draft.lists, entries: draft.lists.entries.delete(entry.key).set(key, { ...entry, key }) };
}

function onStarted(draft: Draft, fact: Fact): void {
  if (fact.item.kind === 'turn') return;
  draft.lists = { ...draft.lists, reported: true };
  const earlier = draft.lists.entries.get(fact.item.task);
  if (earlier !== undefined && earlier.life !== fact.item.life) {
    if (earlier.phase !== 'settled') settle(draft, earlier, 'unknown');
    putAside(draft, draft.lists.entries.get(earlier.key) ?? earlier);
  }
}

function onChanged(draft: Draft, fact: Extract<Fact, { type: 'itemChanged' }>): void {
  const { item, before } = fact;
  const entry = draft.lists.entries.get(item.task);
  if (entry === undefined || entry.phase !== 'live') return;
  if (item.paused !== before.paused && entry.type === 'tool_call') send(draft, { ...entityUpdate(entry), status: liveStatus(item) });
  if (item.outputFile !== before.outputFile) follow(draft, entry, item);
  if (item.canCancel !== before.canCancel) {
    putEntry(draft, { ...entry, canCancel: item.canCancel });
    send(draft, { ...entityUpdate(entry), capabilities: item.canCancel ? { cancel: {} } : null });
  }
  if (item.toolCallId !== before.toolCallId) send(draft, callReference(entry, item, draft.ledger));
}

/** The end of a live item. Its output is followed from here if only the end tells where it is. */
function onFirstEnd(draft: Draft, entry: Entry, fact: Extract<Fact, { type: 'itemEnded' | 'itemCorrected' | 'itemRefined' }>): void {
  if (fact.item.outputFile !== fact.before.outputFile) follow(draft, entry, fact.item);
  end(draft, entry, fact.item, fact.type === 'itemEnded' && fact.tentative);
}

/** More about the end of an item that waits: a correction or a certain word ends the wait, an exit code may. */
function onMoreOfEnd(draft: Draft, entry: Entry, fact: Extract<Fact, { type: 'itemEnded' | 'itemCorrected' | 'itemRefined' }>): void {
  const isCertain = entry.tentative && fact.item.endedBy === 'raw';
  if (fact.item.outputFile !== fact.before.outputFile) follow(draft, entry, fact.item);
  if (fact.type === 'itemCorrected' || isCertain) end(draft, entry, fact.item, false);
  else if (!entry.tentative && entry.exit !== undefined) settleOrWait(draft, entry);
  else putEntry(draft, entry);
}

function onEnd(draft: Draft, fact: Extract<Fact, { type: 'itemEnded' | 'itemCorrected' | 'itemRefined' }>): void {
  const { item } = fact;
  const entry = draft.lists.entries.get(item.task);
  if (entry === undefined || entry.life !== item.life) return;
  const codeTold = item.exitCode !== undefined && entry.exit?.exitCode === undefined;
  const known = codeTold ? { ...entry, exit: { ...entry.exit, exitCode: item.exitCode } } : entry;
  if (entry.phase === 'live') onFirstEnd(draft, known, fact);
  else if (entry.phase === 'ending') onMoreOfEnd(draft, known, fact);
  else tellAgain(draft, known, item);
}

function onFact(draft: Draft, fact: Fact, reopened: string | undefined): void {
  if (fact.item.kind === 'subagent') childFact(draft, fact);
  else if (fact.type === 'itemStarted') onStarted(draft, fact);
  else if (fact.type === 'itemDetached') announce(draft, fact.item, reopened);
  else if (fact.type === 'itemChanged') onChanged(draft, fact);
  else onEnd(draft, fact);
}

const isExtension = (kind: string): boolean => kind.startsWith('_async_task_');

/** The next prompt's work: what waits to be told of the last one goes first. A removal comes with the state that follows, and not before it. */
function workBegins(draft: Draft): void {
  releaseBefore(draft);
  const { held } = draft.lists;
  if (held !== undefined) draft.lists = { ...draft.lists, held: { ...held, until: Math.max(held.until, draft.at + draft.options.window) } };
}

function onUpdate(draft: Draft, update: JsonObject, facts: readonly Fact[], resuming: Resuming | undefined): void {
  const kind = stringOf(update.sessionUpdate) ?? '';
  if (listsItself(update)) draft.lists = { ...draft.lists, native: true };
  if (draft.lists.native) {
    draft.effects.push({ do: 'keep' });
    return;
  }
  /** What has to be known before it. */
  const takeFacts = (): void => {
    const launched = acknowledgedWork(draft, update, facts)?.toolCallId;
    for (const fact of facts) onFact(draft, fact, launched);
  };
  if (resuming !== undefined && whileResuming(draft, update, resuming === 'history', takeFacts)) return;
  let reopened: string | undefined;
  if (kind === 'tool_call_update') reopened = toolCall(draft, update, facts);
  else if (kind === 'terminal_update') terminal(draft, update);
  else if (kind === 'subagent_update') subagent(draft, update);
  else if (kind !== 'state_update' && !isExtension(kind)) {
    if (kind === 'user_message' && resuming !== 'history') workBegins(draft);
    draft.effects.push({ do: 'keep' });
  }
  for (const fact of facts) onFact(draft, fact, reopened);
  if (kind === 'state_update') state(draft, update);
  else releaseIfAnnounced(draft);
}

/** The last line of the output file tells a code. It counts if it agrees with the end, and if nothing else told one. */
function onFlushed(draft: Draft, task: string, fileCode: number | undefined, complete: boolean): void {
  const entry = draft.lists.entries.get(task);
  if (entry?.phase !== 'ending' || entry.tentative) return;
  const outcome = draft.ledger.items.get(task)?.outcome ?? 'unknown';
  const counts = fileCode !== undefined && entry.exit === undefined && exitStatus(outcome, { exitCode: fileCode }).exitCode !== undefined;
  const read = complete ? { ...entry, complete } : entry;
  settleOrWait(draft, counts ? { ...read, exit: { exitCode: fileCode } } : read);
}

/** The wait is over for everything whose time has come. A missing exit code is looked for once more. */
function onTick(draft: Draft): void {
  for (const entry of endingEntries(draft.lists)) if (entry.until !== undefined && entry.until <= draft.at) {
    const item = draft.ledger.items.get(entry.task);
    if (item?.outputFile !== undefined && entry.type === 'terminal' && !entry.tentative) draft.effects.push({ do: 'flush', task: entry.task });
    else settle(draft, entry);
  }
  const { held } = draft.lists;
  if (held !== undefined && held.until <= draft.at && !draft.lists.resuming) release(draft);
}

/** Terminals and calls that are no items of their own: those that foreground work, or an item, left open. */
function settleOpen(draft: Draft, why: string): void {
  const entries = [...draft.lists.entries.values()];
  const isEntry = (type: Entry['type'], id: string): boolean => entries.some((entry) => entry.type === type && entry.id === id);
  for (const { id, exit } of draft.ledger.terminals.values()) {
    const isOpen = exit === undefined || (draft.options.exitAtLaunch && !isUsed(draft.lists, 'terminal', id));
    if (isOpen && !isEntry('terminal', id)) send(draft, { sessionUpdate: 'terminal_update', terminalId: id, exitStatus: {} });
  }
  for (const { id, final } of draft.ledger.calls.values()) if (!final && !isEntry('tool_call', id)) send(draft, callEnd(id, why));
}

/** The session is over: everything of it gets its final state, then one `idle` with an empty list. */
function onSessionEnd(draft: Draft, reason: 'closed' | 'agentGone'): void {
  const { reported, native, held, state: word } = draft.lists;
  if (native) return;
  const why = reason === 'closed' ? Reason.sessionClosed : Reason.agentExited;
  if (!reported) {
    if (draft.options.announcesTasks) settleOpen(draft, why);
    return releaseHeldIdle(draft);
  }
  const ran = word !== 'idle';
  const hadList = backgroundList(draft.lists).length > 0;
  draft.lists = { ...draft.lists, held: undefined };
  for (const entry of draft.lists.entries.values()) {
    if (entry.phase === 'live') settle(draft, entry, 'unknown', why);
    else if (entry.phase === 'ending') settle(draft, entry);
  }
  endChildren(draft, why);
  settleOpen(draft, why);
  const last = held?.update ?? { sessionUpdate: 'state_update', state: 'idle', ...(ran ? { stopReason: 'cancelled' } : {}) };
  if (ran || hadList || held !== undefined) send(draft, { ...last, background: [] });
}

/** The close was refused: what waited for its answer goes out. */
function onCloseFailed(draft: Draft): void {
  draft.lists = { ...draft.lists, closing: false };
  release(draft);
}

type Handler<T extends ListsEvent['type']> = (draft: Draft, event: Extract<ListsEvent, { type: T }>) => void;

const handlers: { readonly [T in ListsEvent['type']]: Handler<T> } = {
  update: (draft, event) => onUpdate(draft, event.update, event.facts, event.resuming),
  restore: (draft, event) => {
    if (!draft.lists.reported) return;
    restoreAll(draft);
    if (event.state) draft.due = 'now';
  },
  lost: (draft, event) => settleLost(draft, event.reason),
  facts: (draft, event) => {
    for (const fact of event.facts) onFact(draft, fact, undefined);
    releaseIfAnnounced(draft);
  },
  flushed: (draft, event) => onFlushed(draft, event.task, event.fileCode, event.complete === true),
  tick: onTick,
  childState: (draft, event) => childState(draft, event.child, event.update),
  reported: (draft) => {
    if (draft.lists.reported) return;
    draft.lists = { ...draft.lists, reported: true };
    draft.due = 'now';
  },
  asked: (draft) => {
    releaseBefore(draft);
  },
  cancelAsked: (draft) => {
    const { held } = draft.lists;
    // To the client the work still ran: that it had ended already is told with what it asked for.
    if (awaitsTasks(draft.lists) && held?.update?.stopReason !== undefined && held.update.stopReason !== 'error') {
      draft.lists = { ...draft.lists, held: { ...held, update: { ...held.update, stopReason: 'cancelled' } } };
    }
  },
  closing: (draft) => {
    draft.lists = { ...draft.lists, closing: true };
  },
  closeFailed: onCloseFailed,
  resuming: (draft) => {
    draft.lists = { ...draft.lists, resuming: true };
  },
  resumed: (draft) => {
    endAgain(draft);
    if (!draft.lists.resuming) return;
    draft.lists = { ...draft.lists, resuming: false };
    if (draft.lists.held !== undefined && draft.lists.held.until <= draft.at) release(draft);
  },
  ended: (draft, event) => onSessionEnd(draft, event.reason),
};

/** Kinds of update that say nothing of work, and nothing that waits goes before. */
const plainKinds: ReadonlySet<unknown> = new Set(['agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk', 'plan_update', 'usage_update', 'terminal_output_chunk']);

/** Whether this update, without facts and while nothing is resumed, goes on as it is and changes nothing: no `idle` waits. */
export const leavesAsItIs = (lists: SessionLists, ledger: SessionLedger, update: JsonObject): boolean =>
  !awaitsTasks(lists) && (plainKinds.has(update.sessionUpdate) || (update.sessionUpdate === 'tool_call_update' && isOfNoWork(lists, ledger, update)));

/** One event of one session: its lists after it, and what is to be done, in order. */
export function reduceLists(lists: SessionLists, event: ListsEvent, options: ListsOptions): readonly [SessionLists, readonly ListsEffect[]] {
  if (lists.native && event.type !== 'update') return [lists, []];
  const draft: Draft = { lists, ledger: 'ledger' in event ? event.ledger : emptySession, at: event.at, options, effects: [], due: undefined };
  (handlers[event.type] as Handler<ListsEvent['type']>)(draft, event);
  if (event.type === 'ended') return [emptyLists(lists.reported, draft.lists), draft.effects];
  finish(draft);
  const entries = draft.lists.entries.boundedWhere(entryPhase, 'settled', REMEMBERED_ENTRIES);
  return [entries === draft.lists.entries ? draft.lists : { ...draft.lists, entries }, draft.effects];
}

/** When the next `tick` is due, in milliseconds of the event clock. */
export function nextTick(lists: SessionLists): number | undefined {
  const times = endingEntries(lists).flatMap((entry) => entry.until ?? []);
  if (lists.held !== undefined && !lists.resuming) times.push(lists.held.until);
  return times.length === 0 ? undefined : Math.min(...times);
}
