/**
 * How a piece of listed work ended, in the words of the private extension, which has none for an end
 * that nobody told: that is `stopped`, the word that claims neither success nor failure, with the reason.
 */
import { exitCodeOfTail, type JsonObject, type Outcome } from '../protocol/index.js';
import { Reason } from '../protocol/reasons.js';
import { isFinalStatus } from './ledger.js';
import { saidOf } from './listed-tasks-feed.js';
import type { KnownTerminal, ListedTask, ListedTasks, TaskEnd } from './listed-tasks-types.js';

export interface KnownEnd {
  readonly end: TaskEnd;
  /** Why the end is not known. */
  readonly reason?: string;
}

/** Signals with which work is ended from outside. Others are the work's own failure. */
const STOPPING: ReadonlySet<string> = new Set(['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGKILL']);

const ofCode = (code: number): KnownEnd => ({ end: code === 0 ? 'completed' : 'failed' });

const ofOutcome = (outcome: Outcome | undefined): KnownEnd => (outcome === undefined || outcome === 'unknown' ? { end: 'stopped', reason: Reason.endNotTold } : { end: outcome });

function ofTerminal(state: ListedTasks, task: ListedTask, { exit, tail }: KnownTerminal): KnownEnd {
  if (exit?.signal !== undefined) return { end: STOPPING.has(exit.signal) ? 'stopped' : 'failed' };
  const said = saidOf(state, task.toolCallId);
  const code = exit?.exitCode ?? said?.exitCode ?? exitCodeOfTail(tail);
  if (said !== undefined && exit?.exitCode === undefined) return ofOutcome(said.outcome);
  return code === undefined ? ofOutcome(undefined) : ofCode(code);
}

const ofStatus: ReadonlyMap<string | undefined, TaskEnd> = new Map<string | undefined, TaskEnd>([['completed', 'completed'], ['failed', 'failed'], ['cancelled', 'stopped']]);

/** What its terminal, its tool call or its session says of the end, if it says that there is one. */
export function ownEnd(state: ListedTasks, task: ListedTask): KnownEnd | undefined {
  if (task.type === 'terminal') {
    const terminal = state.terminals.get(task.id);
    return terminal?.exit === undefined ? undefined : ofTerminal(state, task, terminal);
  }
  if (task.type !== 'tool_call') return undefined;
  const status = state.calls.get(task.id)?.status;
  return isFinalStatus(status) ? { end: ofStatus.get(status) ?? 'stopped' } : undefined;
}

/** How work ended that its list no longer names. */
export function endOfRemoved(state: ListedTasks, task: ListedTask): KnownEnd {
  return task.type === 'subagent' ? ofOutcome(state.children.get(task.id)?.outcome) : (ownEnd(state, task) ?? { end: 'stopped', reason: Reason.endNotTold });
}

const turnEnds: ReadonlyMap<unknown, TaskEnd> = new Map<unknown, TaskEnd>([['cancelled', 'stopped'], ['error', 'failed'], ['refusal', 'failed']]);

/** How a turn of the agent's own ended, by the `idle` that ends it. */
export const endOfTurn = (update: JsonObject): KnownEnd => ({ end: turnEnds.get(update.stopReason) ?? 'completed' });
