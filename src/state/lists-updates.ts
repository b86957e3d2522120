/** What becomes of each update of the agent on its way to a v2 client. One function a kind. */
import { arrayOf, objectOf, stringOf, type ExitFacts, type JsonObject } from '../protocol/index.js';
import { isFinalStatus } from './ledger.js';
import type { Fact, Item } from './ledger-types.js';
import { follow, newEntry, putEntry, send, settle, settleAllEnding, tellAgain, type Draft } from './lists-draft.js';
import { backgroundList, exitStatus, finalStatus } from './lists-entries.js';
import type { Entry } from './lists-types.js';

const keep = (draft: Draft): void => void draft.effects.push({ do: 'keep' });

/** Sends the changed update, unless nothing but its ids is left. */
function sendRest(draft: Draft, update: JsonObject, ...ids: readonly string[]): void {
  const rest = Object.keys(update).filter((key) => key !== 'sessionUpdate' && !ids.includes(key));
  if (rest.length > 0) send(draft, update);
}

function without(update: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = update;
  return rest;
}

/** The extension's own `_meta` was asked for in the client's name and ends here. */
export function withoutExtensionMeta(update: JsonObject): JsonObject {
  const meta = objectOf(update._meta);
  if (meta === undefined || !('jetbrains' in meta)) return update;
  const rest = without(meta, 'jetbrains');
  return Object.keys(rest).length === 0 ? without(update, '_meta') : { ...update, _meta: rest };
}

const itemOfCall = (draft: Draft, call: string): Item | undefined => [...draft.ledger.items.values()].filter((item) => item.toolCallId === call && item.started).at(-1);

const entryOfCall = (draft: Draft, call: string): Entry | undefined => [...draft.lists.entries.values()].find((entry) => entry.type === 'tool_call' && entry.id === call);

/** A work that ended before its launch was acknowledged is never listed: its end is merged with the acknowledgement. */
function endedBeforeAck(draft: Draft, update: JsonObject, item: Item): void {
  if (item.kind === 'tool_call') {
    send(draft, { ...update, status: finalStatus(item.outcome ?? 'unknown') });
    return;
  }
  send(draft, update);
  if (!draft.options.exitAtLaunch || draft.lists.entries.has(item.task)) return;
  const entry: Entry = { ...newEntry(draft, item, undefined), phase: 'ending', unlisted: true, until: draft.at + draft.options.window };
  if (entry.own) return;
  putEntry(draft, entry);
  follow(draft, entry, item);
  if (item.outputFile === undefined) settle(draft, entry);
  else draft.effects.push({ do: 'flush', task: entry.task });
}

/** Gives the call whose acknowledgement was rewritten to `in_progress`, if it was. */
export function toolCall(draft: Draft, original: JsonObject, facts: readonly Fact[]): string | undefined {
  const update = withoutExtensionMeta(original);
  const call = stringOf(update.toolCallId) ?? '';
  const final = isFinalStatus(stringOf(update.status));
  const entry = entryOfCall(draft, call);
  if (final && entry !== undefined && !entry.own) {
    sendRest(draft, without(update, 'status'), 'toolCallId');
    return undefined;
  }
  const acknowledged = facts.some((fact) => fact.type === 'itemDetached' && fact.item.toolCallId === call && fact.item.kind === 'tool_call');
  if (acknowledged && update.status === 'completed' && !draft.lists.used.has(call)) {
    send(draft, { ...update, status: 'in_progress' });
    return call;
  }
  const item = final ? itemOfCall(draft, call) : undefined;
  if (item !== undefined && item.phase === 'ended' && !draft.lists.entries.has(item.task) && update.status === 'completed') endedBeforeAck(draft, update, item);
  else if (update === original) keep(draft);
  else sendRest(draft, update, 'toolCallId');
  return undefined;
}

const itemOfTerminal = (draft: Draft, terminal: string): Item | undefined =>
  [...draft.ledger.items.values()]
    .filter((item) => item.kind === 'terminal' && item.started && item.toolCallId !== undefined)
    .filter((item) => item.toolCallId === terminal || draft.ledger.calls.get(item.toolCallId ?? '')?.terminals.includes(terminal))
    .at(-1);

/** The terminal's own exit, where it is to be believed: with the end of its work, never at its launch. */
export function terminal(draft: Draft, update: JsonObject): void {
  const id = stringOf(update.terminalId) ?? '';
  const exit = objectOf(update.exitStatus);
  const item = exit === undefined ? undefined : itemOfTerminal(draft, id);
  if (exit === undefined || item === undefined) return keep(draft);
  const entry = draft.lists.entries.get(item.task);
  const known: ExitFacts = { ...(typeof exit.exitCode === 'number' ? { exitCode: exit.exitCode } : {}), ...(typeof exit.signal === 'string' ? { signal: exit.signal } : {}) };
  if (!draft.options.exitAtLaunch && (entry === undefined || entry.id !== id)) return keep(draft);
  sendRest(draft, without(update, 'exitStatus'), 'terminalId');
  if (draft.options.exitAtLaunch || entry === undefined) return;
  const next: Entry = { ...entry, exit: known };
  putEntry(draft, next);
  if (entry.phase === 'ending') settle(draft, next);
  else if (entry.phase === 'settled' && entry.exit === undefined && Object.keys(exitStatus(item.outcome ?? 'unknown', known)).length > 0) tellAgain(draft, next, item);
}

/** Codex announces its tasks just after the turn: an open call whose terminal has no exit may be one of them. */
const mayBeAnnounced = (draft: Draft): boolean =>
  [...draft.ledger.calls.values()].some((call) => !call.final && call.terminals.some((id) => !draft.lists.used.has(id) && draft.ledger.terminals.has(id) && draft.ledger.terminals.get(id)?.exit === undefined));

/** Sends an `idle` that waited, with the list as it is now. */
export function releaseHeldIdle(draft: Draft): void {
  const update = draft.lists.held?.update;
  if (update === undefined) return;
  draft.lists = { ...draft.lists, held: undefined, state: 'idle' };
  draft.due = undefined;
  send(draft, { ...update, background: backgroundList(draft.lists) });
}

/** Every snapshot carries the list. It takes the place of one that was held, and ends every other wait. */
export function state(draft: Draft, update: JsonObject): void {
  const word = stringOf(update.state) ?? draft.lists.state;
  if (arrayOf(update.background) !== undefined) {
    draft.lists = { ...draft.lists, native: true, state: word };
    return keep(draft);
  }
  if (!draft.lists.reported) {
    draft.lists = { ...draft.lists, state: word };
    return keep(draft);
  }
  settleAllEnding(draft);
  releaseHeldIdle(draft);
  const waits = draft.lists.closing || (draft.options.window > 0 && draft.lists.state !== 'idle' && mayBeAnnounced(draft));
  if (word === 'idle' && waits) {
    draft.lists = { ...draft.lists, held: { until: draft.lists.closing ? Number.POSITIVE_INFINITY : draft.at + draft.options.window, update } };
    return;
  }
  draft.lists = { ...draft.lists, held: undefined, state: word };
  draft.due = undefined;
  send(draft, { ...update, background: backgroundList(draft.lists) });
}

/** Held `idle`s go out early once every open call with a live terminal is accounted for. */
export function releaseIfAnnounced(draft: Draft): void {
  if (draft.lists.held?.update !== undefined && !draft.lists.closing && !mayBeAnnounced(draft)) releaseHeldIdle(draft);
}
