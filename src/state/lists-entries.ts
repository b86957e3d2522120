/**
 * The updates that announce, settle and list background items, as pure data.
 *
 * Follows the v2 Background Work RFD ("The `background` list on state snapshots", "Cancellable tool
 * calls", "Cancellable terminals") and the table of end states of this project's design.
 */
import { defined, type ExitFacts, type JsonObject, type Outcome } from '../protocol/index.js';
import type { CallState, Item, SessionLedger } from './ledger-types.js';
import type { ChildEntry, Entry, SessionLists } from './lists-types.js';
import type { Index } from './table.js';

export const entryPhase: Index<Entry> = ({ phase }) => phase;
const byEntity: Index<Entry> = ({ type, id }) => `${type} ${id}`;

/** The entries that are this terminal or call, in all the lives that are remembered. */
export const entriesOf = ({ entries }: SessionLists, type: Entry['type'], id: string): readonly Entry[] => entries.where(byEntity, `${type} ${id}`);

const toolStatus: Readonly<Record<Outcome, string>> = { completed: 'completed', failed: 'failed', stopped: 'cancelled', unknown: 'cancelled' };

/** The v2 status of a tool call whose work ended this way. */
export const finalStatus = (outcome: Outcome): string => toolStatus[outcome];

/** The v2 status of a tool call whose work goes on. */
export const liveStatus = (item: Item): string => (item.paused ? 'paused' : 'in_progress');

const cancelCapability = (entry: Entry): JsonObject => (entry.canCancel ? { capabilities: { cancel: {} } } : {});
const why = (reason: string | undefined): JsonObject => (reason === undefined ? {} : { _meta: { afterturn: { reason } } });

/** The update that names an entity and nothing else of it. */
export const entityUpdate = (entry: Pick<Entry, 'type' | 'id'>): JsonObject =>
  entry.type === 'terminal' ? { sessionUpdate: 'terminal_update', terminalId: entry.id } : { sessionUpdate: 'tool_call_update', toolCallId: entry.id };

const launchOf = (item: Item, ledger: SessionLedger): CallState | undefined => (item.toolCallId === undefined ? undefined : ledger.calls.get(item.toolCallId));

/** The current `terminal_update` of a live terminal. One of our own shows the command of the call that launched it. */
export function terminalAnnouncement(entry: Entry, item: Item, ledger: SessionLedger): JsonObject {
  const theirs = launchOf(item, ledger)?.terminals.map((id) => ledger.terminals.get(id)).find((terminal) => terminal?.command !== undefined);
  const known = ledger.terminals.get(entry.id) ?? (entry.own ? theirs : undefined);
  const command = known?.command ?? (entry.own ? (item.title ?? item.description) : undefined);
  return { ...entityUpdate(entry), ...defined({ command, cwd: known?.cwd }), ...cancelCapability(entry) };
}

/** The current `tool_call_update` of a live tool call; a whole call when it is our own. Absent: nothing is new. */
export function callAnnouncement(entry: Entry, item: Item, status: string | undefined): JsonObject | undefined {
  const whole = entry.own ? { title: item.description ?? item.title ?? item.taskType ?? item.task, kind: 'other' } : {};
  const news = { ...whole, ...(status === liveStatus(item) ? {} : { status: liveStatus(item) }), ...cancelCapability(entry) };
  return Object.keys(news).length === 0 ? undefined : { ...entityUpdate(entry), ...news };
}

/** Adds an own terminal to the content of the call that launched it. */
export function callReference(entry: Entry, item: Item, ledger: SessionLedger): JsonObject | undefined {
  const call = launchOf(item, ledger);
  if (!entry.own || entry.type !== 'terminal' || call === undefined) return undefined;
  return { sessionUpdate: 'tool_call_content_chunk', toolCallId: call.id, content: { type: 'terminal', terminalId: entry.id } };
}

/**
 * What an exit says that agrees with the end: a code only with `completed` (0) or `failed` (not 0),
 * never after a stop; a signal always.
 */
export function exitStatus(outcome: Outcome, exit: ExitFacts | undefined): JsonObject {
  const code = exit?.exitCode;
  const agrees = code !== undefined && ((outcome === 'completed' && code === 0) || (outcome === 'failed' && code !== 0));
  return { ...(agrees ? { exitCode: code } : {}), ...(exit?.signal === undefined ? {} : { signal: exit.signal }) };
}

/** The final state itself: an exit, or a final status. */
export const endOf = (entry: Entry, outcome: Outcome): JsonObject => (entry.type === 'terminal' ? { exitStatus: exitStatus(outcome, entry.exit) } : { status: finalStatus(outcome) });

/** The update that settles it. */
export const endUpdate = (entry: Entry, outcome: Outcome, reason?: string): JsonObject => ({ ...entityUpdate(entry), ...endOf(entry, outcome), capabilities: null, ...why(reason) });

/** Settles a call that is no item of its own. */
export const callEnd = (toolCallId: string, reason: string): JsonObject => ({ sessionUpdate: 'tool_call_update', toolCallId, status: finalStatus('unknown'), capabilities: null, ...why(reason) });

const reference = (entry: Entry): JsonObject => (entry.type === 'terminal' ? { type: 'terminal', terminalId: entry.id } : { type: 'tool_call', toolCallId: entry.id });

/** A child is listed while it works beside foreground work, and, when nobody waits for it any more, while its own background work runs. */
export const isListed = ({ announced, detached, state, busy }: ChildEntry): boolean => announced && state !== undefined && (state === 'idle' ? busy : detached);

/** The list as it is now: everything that has detached and was not settled. */
export const backgroundList = (lists: SessionLists): readonly JsonObject[] => [
  ...[...lists.entries.values()].filter((entry) => entry.phase !== 'settled' && !entry.unlisted).map(reference),
  ...[...lists.children.values()].filter(isListed).map(({ id }) => ({ type: 'subagent', sessionId: id })),
];

/** A state with the list. Nothing is said of background work where it is not reported. */
export const withList = (lists: SessionLists, update: JsonObject): JsonObject => (lists.reported ? { ...update, background: backgroundList(lists) } : update);

/** The current state again, with the list and without a stop reason. */
export const stateSnapshot = (lists: SessionLists): JsonObject => ({ sessionUpdate: 'state_update', state: lists.state, background: backgroundList(lists) });
