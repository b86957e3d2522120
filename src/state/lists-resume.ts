/**
 * The lists between a `session/resume` and its response: replayed exits and final statuses of live
 * items are dropped, and before the state that lists them all items are told anew, for a client that
 * may have no history.
 *
 * Follows "`session/resume` restores the list" of the v2 Background Work RFD.
 */
import { arrayOf, isObject, objectOf, stringOf, type JsonObject } from '../protocol/index.js';
import { isFinalStatus, launchedBy } from './ledger.js';
import { childAnnouncements, endChildren } from './lists-children.js';
import { awaitsTasks, releaseHeldIdle, send, settle, settleAllEnding, type Draft } from './lists-draft.js';
import { backgroundList, entityUpdate, finalStatus, liveStatus, terminalAnnouncement } from './lists-entries.js';
import { markUsed } from './lists-ids.js';
import type { Entry } from './lists-types.js';
import { Table } from './table.js';
import { entryOf, isLaunching, sendRest, withholdsExit, without, withoutExtensionMark } from './lists-updates.js';

/** What the client is told of the end of an item that was settled: a replay says no more than that. */
const toldEnd = ({ told }: Entry): JsonObject => (told === undefined ? {} : (JSON.parse(told) as JsonObject));

/** The work that a call launched, if it ended before the client heard of it: its acknowledgement was merged with its end. */
function endedWork(draft: Draft, id: string): string | undefined {
  const item = launchedBy(draft.ledger, id);
  return item?.phase === 'ended' && item.kind === 'tool_call' && !draft.lists.entries.has(item.task) ? finalStatus(item.outcome ?? 'unknown') : undefined;
}

/** The final state of what has ended and lives in no list, as the client knows it. */
function knownEnd(draft: Draft, type: Entry['type'], id: string): JsonObject | undefined {
  const entry = entryOf(draft, type, id);
  if (entry !== undefined) return entry.phase === 'settled' && entry.told !== undefined ? toldEnd(entry) : undefined;
  const exit = type === 'terminal' && !withholdsExit(draft, id) ? draft.ledger.terminals.get(id)?.exit : undefined;
  const call = type === 'tool_call' ? draft.ledger.calls.get(id) : undefined;
  if (exit !== undefined) return { exitStatus: { ...exit } };
  return call?.final ? { status: endedWork(draft, id) ?? call.status } : undefined;
}

/** What a replay says of an end: `ends`, or that there is none, which takes back the one that is known. */
function noteEnd(draft: Draft, type: Entry['type'], id: string, ends: boolean): void {
  const key = `${type} ${id}`;
  const { takenBack } = draft.lists;
  const isTaken = !ends && (takenBack.has(key) || knownEnd(draft, type, id) !== undefined);
  draft.lists = { ...draft.lists, takenBack: isTaken ? takenBack.set(key, { type, id }) : takenBack.delete(key) };
}

/** The history is over: the ends that it did not tell are told again. */
export function endAgain(draft: Draft): void {
  const { takenBack } = draft.lists;
  if (takenBack.size === 0) return;
  draft.lists = { ...draft.lists, takenBack: Table.empty() };
  for (const entity of takenBack.values()) {
    const end = knownEnd(draft, entity.type, entity.id);
    if (end !== undefined) send(draft, { ...entityUpdate(entity), ...end });
  }
}

function replayedCall(draft: Draft, original: JsonObject): void {
  const update = withoutExtensionMark(original);
  const id = stringOf(update.toolCallId) ?? '';
  const entry = entryOf(draft, 'tool_call', id);
  const isFinal = isFinalStatus(stringOf(update.status));
  const end = !isFinal ? undefined : entry === undefined ? endedWork(draft, id) : toldEnd(entry).status;
  if ('status' in update) noteEnd(draft, 'tool_call', id, isFinal);
  if (entry !== undefined && entry.phase !== 'settled') sendRest(draft, without(without(update, 'status'), 'capabilities'), 'toolCallId');
  else if (end !== undefined && end !== update.status) send(draft, { ...update, status: end });
  else if (update === original) draft.effects.push({ do: 'keep' });
  else sendRest(draft, update, 'toolCallId');
}

function replayedTerminal(draft: Draft, update: JsonObject): void {
  const id = stringOf(update.terminalId) ?? '';
  const entry = entryOf(draft, 'terminal', id);
  const lives = entry === undefined ? isLaunching(draft, id) || withholdsExit(draft, id) : entry.phase !== 'settled';
  const exits = objectOf(update.exitStatus) !== undefined;
  if ('exitStatus' in update) noteEnd(draft, 'terminal', id, exits);
  if (lives && (exits || 'capabilities' in update)) sendRest(draft, without(exits ? without(update, 'exitStatus') : update, 'capabilities'), 'terminalId');
  else if (exits && entry !== undefined) send(draft, { ...update, ...toldEnd(entry) });
  else {
    if (exits) draft.lists = markUsed(draft.lists, 'terminal', id);
    draft.effects.push({ do: 'keep' });
  }
}

const capabilities = (entry: Entry): JsonObject | null => (entry.canCancel && entry.phase === 'live' ? { cancel: {} } : null);

/** Tells a listed item anew: its launching call and the terminal, or the whole call. */
function restore(draft: Draft, entry: Entry): void {
  const item = draft.ledger.items.get(entry.task);
  if (item === undefined || item.life !== entry.life) return;
  if (entry.type === 'tool_call') {
    draft.effects.push({ do: 'sendCall', update: { sessionUpdate: 'tool_call_update', toolCallId: entry.id, status: liveStatus(item), capabilities: capabilities(entry) }, terminal: undefined });
    return;
  }
  if (item.toolCallId !== undefined) {
    draft.effects.push({ do: 'sendCall', update: { sessionUpdate: 'tool_call_update', toolCallId: item.toolCallId }, terminal: entry.own ? entry.id : undefined });
  }
  draft.effects.push({ do: 'sendTerminal', update: { ...terminalAnnouncement(entry, item, draft.ledger), capabilities: capabilities(entry) } });
}

/** Tells everything that is listed anew. From now on a list may be told. */
export function restoreAll(draft: Draft): void {
  draft.lists = { ...draft.lists, resuming: false };
  for (const entry of draft.lists.entries.values()) if (entry.phase !== 'settled' && !entry.unlisted) restore(draft, entry);
  for (const update of childAnnouncements(draft.lists)) restoreChild(draft, update);
}

/** The `idle` that waits for tasks goes out before what is next, with the list: what that names is told anew first, if a resume still has to. */
export function releaseBefore(draft: Draft): void {
  if (!awaitsTasks(draft.lists)) return;
  if (draft.lists.resuming) restoreAll(draft);
  releaseHeldIdle(draft);
}

/** Tells a listed child anew: its association, what it lists itself, then its state, here and in its own session. */
function restoreChild(draft: Draft, { state, ...association }: JsonObject): void {
  const child = stringOf(association.sessionId) ?? '';
  if (!isObject(state)) return send(draft, association);
  const { stopReason: _, usage: __, ...snapshot } = state;
  const lists = (arrayOf(state.background)?.length ?? 0) > 0;
  if (lists) {
    send(draft, association);
    draft.effects.push({ do: 'restoreChild', child });
  }
  send(draft, { ...(lists ? { sessionUpdate: association.sessionUpdate, sessionId: child } : association), state: snapshot });
  draft.effects.push({ do: 'sendFor', child, update: { sessionUpdate: 'state_update', ...snapshot } });
}

/** The state that a resume restores: it waits for nothing. */
function resumedState(draft: Draft, update: JsonObject): void {
  const word = stringOf(update.state) ?? draft.lists.state;
  if (word !== 'idle') settleAllEnding(draft);
  restoreAll(draft);
  if (awaitsTasks(draft.lists)) releaseHeldIdle(draft);
  draft.lists = { ...draft.lists, held: undefined, state: word };
  draft.due = undefined;
  send(draft, { ...update, background: backgroundList(draft.lists) });
}

const pastKinds: ReadonlyMap<string, (draft: Draft, update: JsonObject) => void> = new Map([
  ['tool_call_update', replayedCall],
  ['terminal_update', replayedTerminal],
]);

/** An update that comes while a session is resumed. False: it is as any other. `replays`: it may be history. `before`: what has to be known first. */
export function whileResuming(draft: Draft, update: JsonObject, replays: boolean, before: () => void): boolean {
  const kind = stringOf(update.sessionUpdate) ?? '';
  const past = replays ? pastKinds.get(kind) : undefined;
  const isState = kind === 'state_update' && draft.lists.reported;
  if (kind === 'state_update') endAgain(draft);
  if (past === undefined && !isState) return false;
  before();
  if (past !== undefined) past(draft, update);
  else resumedState(draft, update);
  return true;
}

/** The agent built the session anew: what lived in it is gone, and nobody told how it ended. */
export function settleLost(draft: Draft, reason: string): void {
  for (const entry of draft.lists.entries.values()) if (entry.phase === 'live') settle(draft, entry, 'unknown', reason);
  endChildren(draft, reason);
  draft.due = undefined;
}
