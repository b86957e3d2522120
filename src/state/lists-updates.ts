/** What becomes of each update of the agent on its way to a v2 client. One function a kind. */
import { arrayOf, at, defined, integerOf, objectOf, stringOf, type ExitFacts, type JsonObject } from '../protocol/index.js';
import { isLive } from './ledger-items.js';
import { byCall, callPhase, callsShowing, isFinalStatus, itemsShownBy, launchedBy } from './ledger.js';
import type { Fact, Item, SessionLedger } from './ledger-types.js';
import { awaitsOnlyTasks, awaitsTasks, follow, newEntry, putEntry, releaseHeldIdle, send, settle, settleAllEnding, tellAgain, type Draft } from './lists-draft.js';
import { callReference, entriesOf, finalStatus, liveStatus, withList } from './lists-entries.js';
import { isUsed, markUsed } from './lists-ids.js';
import type { Entry, SessionLists } from './lists-types.js';

const keep = (draft: Draft): void => void draft.effects.push({ do: 'keep' });

/** Sends the changed update, unless nothing but its ids is left. */
export function sendRest(draft: Draft, update: JsonObject, ...ids: readonly string[]): void {
  const rest = Object.keys(update).filter((key) => key !== 'sessionUpdate' && !ids.includes(key));
  if (rest.length > 0) send(draft, update);
}

export function without(update: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = update;
  return rest;
}

/** `value` with another `member`, or without it when nothing is left of that. */
const withMember = (value: JsonObject, key: string, member: JsonObject): JsonObject => (Object.keys(member).length === 0 ? without(value, key) : { ...value, [key]: member });

/** The extension's mark was asked for in the client's name and ends here. */
export function withoutExtensionMark(update: JsonObject): JsonObject {
  const meta = objectOf(update._meta) ?? {};
  const jetbrains = objectOf(meta.jetbrains) ?? {};
  const air = objectOf(jetbrains.air);
  if (air === undefined || !('asyncTasks' in air)) return update;
  const rest = without(air, 'asyncTasks');
  const told = Object.keys(rest).every((key) => key === 'version') ? {} : rest;
  return withMember(update, '_meta', withMember(meta, 'jetbrains', withMember(jetbrains, 'air', told)));
}

export const entryOf = (draft: Draft, type: Entry['type'], id: string): Entry | undefined => entriesOf(draft.lists, type, id)[0];

/** The item that this call launched, if it ended before the client heard of it. */
function endedUnseen(draft: Draft, id: string): Item | undefined {
  const item = launchedBy(draft.ledger, id);
  return item?.phase === 'ended' && item.kind !== 'subagent' && !item.ambient && !draft.lists.entries.has(item.task) ? item : undefined;
}

/** A work that ended before its launch was acknowledged is never listed: its end is merged with the acknowledgement. */
function endedBeforeAck(draft: Draft, update: JsonObject, item: Item): void {
  const merges = item.kind !== 'terminal' && update.status === 'completed';
  send(draft, merges ? { ...update, status: finalStatus(item.outcome ?? 'unknown') } : update);
  if (item.kind !== 'terminal' || !draft.options.exitAtLaunch) return;
  const entry: Entry = { ...newEntry(draft, item, undefined), phase: 'ending', unlisted: true, until: draft.at + draft.options.window, exit: item.exitCode === undefined ? undefined : { exitCode: item.exitCode } };
  if (entry.own) return;
  putEntry(draft, entry);
  follow(draft, entry, item);
  if (item.outputFile === undefined) settle(draft, entry);
  else draft.effects.push({ do: 'flush', task: entry.task });
}

/** Its id has a new life that is no item's. */
const forget = (draft: Draft, { key }: Entry): void => {
  draft.lists = { ...draft.lists, entries: draft.lists.entries.delete(key) };
};

/** A call whose id the agent uses again has nothing to do with the item that it was. */
function forgetReused(draft: Draft, call: string, status: string | undefined): void {
  const entry = status === undefined || isFinalStatus(status) ? undefined : entryOf(draft, 'tool_call', call);
  if (entry?.phase === 'settled') forget(draft, entry);
}

/** New content replaces the old, and with it the references to terminals of our own. */
function referAgain(draft: Draft, update: JsonObject, call: string): void {
  if (update.content === undefined) return;
  for (const item of draft.ledger.items.where(byCall, call)) {
    const entry = draft.lists.entries.get(item.task);
    if (entry?.own && entry.phase !== 'settled' && item.life === entry.life) send(draft, callReference(entry, item, draft.ledger));
  }
}

/** A call that stayed open while its command ran in the background ends as that did: what was stopped did not fail. */
function endedAsItsWork(draft: Draft, update: JsonObject): JsonObject {
  const item = update.status === 'failed' ? launchedBy(draft.ledger, stringOf(update.toolCallId) ?? '') : undefined;
  const isCertain = item?.outcome === 'stopped' && draft.lists.entries.get(item.task)?.tentative === false;
  return isCertain ? { ...update, status: finalStatus('stopped') } : update;
}

/**
 * Some agents lose a terminal that runs on at the next prompt, and put the whole output into its call at
 * the end: the terminal shows it, and the call the terminal. The exit code that comes with it is the ledger's.
 */
function foundOutput(draft: Draft, update: JsonObject, call: string): JsonObject {
  if (integerOf(at(update, 'rawOutput', 'exit_code')) === undefined) return update;
  const content = arrayOf(update.content) ?? [];
  const text = content.length === 1 && at(content[0], 'type') === 'content' && at(content[0], 'content', 'type') === 'text' ? stringOf(at(content[0], 'content', 'text')) : undefined;
  if (text === undefined) return update;
  const launched = draft.ledger.items.where(byCall, call).flatMap(({ task }) => draft.lists.entries.get(task) ?? []);
  const entry = launched.find(({ type, own, phase }) => type === 'terminal' && !own && phase !== 'settled');
  if (entry === undefined) return update;
  send(draft, { sessionUpdate: 'terminal_update', terminalId: entry.id, output: { data: Buffer.from(text, 'utf8').toString('base64') } });
  return without(without(update, 'content'), 'rawOutput');
}

/** The work whose launch this update acknowledges, if its call can be listed for it and stays open. */
export function acknowledgedWork(draft: Draft, { toolCallId, status }: JsonObject, facts: readonly Fact[]): Item | undefined {
  const call = stringOf(toolCallId) ?? '';
  if (status !== 'completed' || isUsed(draft.lists, 'tool_call', call)) return undefined;
  return facts.find(({ type, item }) => type === 'itemDetached' && item.toolCallId === call && item.kind === 'tool_call')?.item;
}

/** Gives the call whose acknowledgement was rewritten to the status of its work, if it was. */
function rewrittenCall(draft: Draft, atHand: JsonObject, original: JsonObject, call: string, facts: readonly Fact[]): string | undefined {
  const update = withoutExtensionMark(endedAsItsWork(draft, original));
  const status = stringOf(update.status);
  const final = isFinalStatus(status);
  if (final && entryOf(draft, 'tool_call', call) !== undefined) {
    sendRest(draft, without(update, 'status'), 'toolCallId');
    return undefined;
  }
  const launched = acknowledgedWork(draft, update, facts);
  if (launched !== undefined) {
    send(draft, { ...update, status: liveStatus(launched) });
    return call;
  }
  const unseen = final ? endedUnseen(draft, call) : undefined;
  if (unseen !== undefined) endedBeforeAck(draft, update, unseen);
  else if (update === atHand) keep(draft);
  else sendRest(draft, update, 'toolCallId');
  return undefined;
}

/** As `rewrittenCall`, for every tool call update. */
export function toolCall(draft: Draft, update: JsonObject, facts: readonly Fact[]): string | undefined {
  const call = stringOf(update.toolCallId) ?? '';
  forgetReused(draft, call, stringOf(update.status));
  const reopened = rewrittenCall(draft, update, foundOutput(draft, update, call), call, facts);
  referAgain(draft, update, call);
  return reopened;
}

/** Whether an update is of a call that launched nothing and is not listed, and has no mark to take away: `toolCall` keeps it then, where it brings no facts. */
export function isOfNoWork(lists: SessionLists, ledger: SessionLedger, update: JsonObject): boolean {
  const call = stringOf(update.toolCallId) ?? '';
  const isMarked = update._meta !== undefined && at(update._meta, 'jetbrains') !== undefined;
  return !isMarked && ledger.items.where(byCall, call).length === 0 && entriesOf(lists, 'tool_call', call).length === 0;
}

/** The background commands that wait for their launching call's acknowledgement, or ended before it. */
const launching = (draft: Draft, terminal: string): readonly Item[] =>
  itemsShownBy(draft.ledger, terminal).filter((item) => item.kind === 'terminal' && item.started && !item.ambient && !draft.lists.entries.has(item.task));

/** The exit that comes with the acknowledgement of a launch is the tool's: it is kept from the client. */
export const withholdsExit = (draft: Draft, terminal: string): boolean =>
  draft.options.exitAtLaunch && !isUsed(draft.lists, 'terminal', terminal) && launching(draft, terminal).length > 0;

/** A background command lives in it that was not listed yet. */
export const isLaunching = (draft: Draft, terminal: string): boolean => launching(draft, terminal).some(isLive);

/** The terminal of our own that shows the work of this one: the client knew it as exited when its work was announced. */
function standIn(draft: Draft, terminal: string): Entry | undefined {
  const items = callsShowing(draft.ledger, terminal).flatMap(({ id }) => draft.ledger.items.where(byCall, id));
  return items.map(({ task, life }) => draft.lists.entries.get(task)?.life === life ? draft.lists.entries.get(task) : undefined).findLast((entry) => entry?.own && entry.type === 'terminal');
}

/** What the agent says of the exit of a terminal that is one of our own to the client, or of its own. */
function exited(draft: Draft, entry: Entry, exit: JsonObject): void {
  if (draft.options.exitAtLaunch) return;
  const said: ExitFacts = defined({ exitCode: integerOf(exit.exitCode), signal: stringOf(exit.signal) });
  const next: Entry = { ...entry, exit: { ...entry.exit, ...said } };
  putEntry(draft, next);
  const item = draft.ledger.items.get(entry.task);
  if (entry.phase === 'ending' && !entry.tentative) settle(draft, next);
  else if (entry.phase === 'settled' && item?.life === entry.life) tellAgain(draft, next, item);
}

/** The terminal's own exit, where it is to be believed: with the end of its work, never at its launch. */
export function terminal(draft: Draft, update: JsonObject): void {
  const id = stringOf(update.terminalId) ?? '';
  const exit = objectOf(update.exitStatus);
  const entry = entryOf(draft, 'terminal', id);
  if (update.exitStatus === null && entry?.phase === 'settled') forget(draft, entry);
  if (exit === undefined) return keep(draft);
  if (entry === undefined && !withholdsExit(draft, id)) {
    draft.lists = markUsed(draft.lists, 'terminal', id);
    keep(draft);
    const shown = standIn(draft, id);
    return shown === undefined ? undefined : exited(draft, shown, exit);
  }
  sendRest(draft, without(update, 'exitStatus'), 'terminalId');
  if (entry !== undefined) exited(draft, entry, exit);
}

/** Codex announces its tasks just after the turn: an open call whose terminal has no exit may be one of them. */
const mayBeAnnounced = (draft: Draft): boolean =>
  draft.ledger.calls.where(callPhase, 'open').some((call) => call.terminals.some((id) => !isUsed(draft.lists, 'terminal', id) && draft.ledger.terminals.has(id) && draft.ledger.terminals.get(id)?.exit === undefined));

/** Until when this `idle` waits, if it does: for the close, for a removal's turn, or for late announcements. */
function idleWaitsUntil(draft: Draft): number | undefined {
  const { lists, options, at } = draft;
  if (lists.closing && lists.reported) return lists.held?.until ?? at + options.window;
  if (lists.state === 'idle') return draft.due === 'now' ? undefined : lists.held?.until;
  return options.window > 0 && mayBeAnnounced(draft) ? at + options.window : undefined;
}

/** Every snapshot carries the list. It takes the place of one that was held, and of an `idle` that was told again meanwhile. */
export function state(draft: Draft, update: JsonObject): void {
  const word = stringOf(update.state) ?? draft.lists.state;
  if (!draft.lists.reported && !draft.options.announcesTasks) {
    draft.lists = { ...draft.lists, state: word };
    return keep(draft);
  }
  if (awaitsTasks(draft.lists) && !(draft.lists.closing && word === 'idle')) releaseHeldIdle(draft);
  const until = word === 'idle' ? idleWaitsUntil(draft) : undefined;
  if (until !== undefined) {
    draft.lists = { ...draft.lists, held: { until, update: { ...draft.lists.held?.update, ...update } } };
    draft.due = undefined;
    return;
  }
  if (word !== 'idle') settleAllEnding(draft);
  draft.lists = { ...draft.lists, held: undefined, state: word };
  draft.due = undefined;
  if (draft.lists.reported) send(draft, withList(draft.lists, update));
  else keep(draft);
}

/** An `idle` that waits goes out early once every open call with a live terminal is accounted for. */
export function releaseIfAnnounced(draft: Draft): void {
  if (awaitsOnlyTasks(draft.lists) && !mayBeAnnounced(draft)) releaseHeldIdle(draft);
}

/** Whether the agent lists background work itself in this update. */
export const listsItself = (update: JsonObject): boolean => update.sessionUpdate === 'state_update' && arrayOf(update.background) !== undefined;
