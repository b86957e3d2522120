/**
 * The updates that announce, settle and list background items, as pure data.
 *
 * Follows the v2 Background Work RFD ("The `background` list on state snapshots", "Cancellable tool
 * calls", "Cancellable terminals") and the table of end states of this project's design.
 */
import { defined, type ExitFacts, type JsonObject, type Outcome } from '../protocol/index.js';
import type { Item, SessionLedger } from './ledger-types.js';
import type { Entry, SessionLists } from './lists-types.js';

const toolStatus: Readonly<Record<Outcome, string>> = { completed: 'completed', failed: 'failed', stopped: 'cancelled', unknown: 'cancelled' };

/** The v2 status of a tool call whose work ended this way. */
export const finalStatus = (outcome: Outcome): string => toolStatus[outcome];

const cancelCapability = (entry: Entry): JsonObject => (entry.canCancel ? { capabilities: { cancel: {} } } : {});
const why = (reason: string | undefined): JsonObject => (reason === undefined ? {} : { _meta: { afterturn: { reason } } });

/** The current `terminal_update` of a live terminal. */
export function terminalAnnouncement(entry: Entry, item: Item, ledger: SessionLedger): JsonObject {
  const known = ledger.terminals.get(entry.id);
  const command = known?.command ?? (entry.own ? (item.title ?? item.description) : undefined);
  return { sessionUpdate: 'terminal_update', terminalId: entry.id, ...defined({ command, cwd: known?.cwd }), ...cancelCapability(entry) };
}

/** The current `tool_call_update` of a live tool call; a whole call when it is our own. */
export function callAnnouncement(entry: Entry, item: Item): JsonObject {
  const whole = entry.own ? { title: item.description ?? item.title ?? item.taskType ?? item.task, kind: 'other', status: item.paused ? 'paused' : 'in_progress' } : {};
  return { sessionUpdate: 'tool_call_update', toolCallId: entry.id, ...whole, ...cancelCapability(entry) };
}

/** The reference of an own terminal in its launching call's content: what it had, and the terminal. */
export function callReference(entry: Entry, item: Item, ledger: SessionLedger): JsonObject | undefined {
  const call = item.toolCallId === undefined ? undefined : ledger.calls.get(item.toolCallId);
  if (!entry.own || entry.type !== 'terminal' || call === undefined) return undefined;
  const terminals = [...call.terminals, entry.id].map((terminalId) => ({ type: 'terminal', terminalId }));
  return { sessionUpdate: 'tool_call_update', toolCallId: call.id, content: terminals };
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

export const terminalEnd = (entry: Entry, outcome: Outcome, reason?: string): JsonObject => ({
  sessionUpdate: 'terminal_update',
  terminalId: entry.id,
  exitStatus: exitStatus(outcome, entry.exit),
  capabilities: null,
  ...why(reason),
});

export const callEnd = (toolCallId: string, outcome: Outcome, reason?: string): JsonObject => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  status: finalStatus(outcome),
  capabilities: null,
  ...why(reason),
});

const reference = (entry: Entry): JsonObject => (entry.type === 'terminal' ? { type: 'terminal', terminalId: entry.id } : { type: 'tool_call', toolCallId: entry.id });

/** The list as it is now: everything that has detached and was not settled. */
export const backgroundList = (lists: SessionLists): readonly JsonObject[] => [...lists.entries.values()].filter((entry) => entry.phase !== 'settled' && !entry.unlisted).map(reference);

/** The current state again, with the list and without a stop reason. */
export const stateSnapshot = (lists: SessionLists): JsonObject => ({ sessionUpdate: 'state_update', state: lists.state, background: backgroundList(lists) });
