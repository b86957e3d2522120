/**
 * The `background` lists of an agent that reports its work itself, as signals of the ledger (v2
 * Background Work RFD, "The background list on state snapshots"). Work starts with its first listing
 * and ends with its own last word, or unknown with its removal. A child session's work is known before it is listed, as foreground work. Work that is known under the task id of
 * another source keeps that id.
 */
import { defined, endOfWork, listedWork, offersCancel, readSubagentUpdate, workOfUpdate, type BackgroundType, type JsonObject, type Outcome, type Signal, type WorkEnd, type WorkRef } from '../protocol/index.js';
import { isLive } from './ledger-items.js';
import type { SessionLedger } from './ledger-types.js';
import { Table } from './table.js';

export interface NativeWork {
  /** The task ids of what is listed, by type and id. */
  readonly listed: Table<string>;
  /** What said that it can be cancelled, by type and id. */
  readonly cancellable: Table<true>;
}

export const noNativeWork: NativeWork = { listed: Table.empty(), cancellable: Table.empty() };

const REMEMBERED = 256;

type Step = readonly [NativeWork, readonly Signal[]];
const noSignals: readonly never[] = [];

const keyOf = ({ type, id }: WorkRef): string => `${type}:${id}`;

const taskTypes: Readonly<Record<BackgroundType, string | undefined>> = { terminal: 'shell', tool_call: undefined, subagent: 'subagent' };

/** The call that shows a terminal, or that is the work. */
function launchOf({ type, id }: WorkRef, { calls }: SessionLedger): string | undefined {
  if (type === 'subagent') return undefined;
  if (type === 'tool_call' || calls.has(id)) return id;
  return [...calls.values()].findLast(({ terminals }) => terminals.includes(id))?.id;
}

/** A work item that lives, or that has just ended, under another source's id. */
function taskOf(work: WorkRef, session: SessionLedger): string {
  const launch = launchOf(work, session);
  const same = [...session.items.values()].filter((item) => item.started && item.task !== work.id && launch !== undefined && item.toolCallId === launch);
  return (same.findLast(isLive) ?? same.at(-1))?.task ?? work.id;
}

/** A tool that is listed as its call names the kind of work in the harness's own words: `Workflow` is a `workflow`. */
function taskTypeOf(work: WorkRef, { calls }: SessionLedger): string | undefined {
  return taskTypes[work.type] ?? (work.type === 'tool_call' ? calls.get(work.id)?.name?.toLowerCase() : undefined);
}

function started(work: WorkRef, task: string, canCancel: boolean, session: SessionLedger): Signal[] {
  const before = session.items.get(task);
  // Told by another source, which has told its end already.
  if (before !== undefined && before.task !== work.id && !isLive(before)) return [];
  const facts = defined({ taskType: before?.taskType ?? taskTypeOf(work, session), toolCallId: launchOf(work, session), canCancel: canCancel || undefined, background: true });
  return [{ type: 'taskStarted', source: 'native', task, facts }];
}

/** Who asked for the end of work that says no more than that it is over has got it. */
function outcomeOf({ outcome }: WorkEnd, stopAsked: boolean): Outcome {
  return outcome === 'unknown' && stopAsked ? 'stopped' : outcome;
}

function ended(task: string, end: WorkEnd, session: SessionLedger): Signal[] {
  const item = session.items.get(task);
  if (item === undefined || !isLive(item)) return [];
  return [{ type: 'taskEnded', source: 'native', task, outcome: outcomeOf(end, item.stopAsked), facts: {}, ...defined({ exitCode: end.exitCode }) }];
}

function onList(native: NativeWork, session: SessionLedger, named: readonly WorkRef[]): Step {
  const keys = new Set(named.map(keyOf));
  const gone = [...native.listed.entries()].filter(([key]) => !keys.has(key));
  const signals = gone.flatMap(([, task]) => ended(task, { outcome: 'unknown' }, session));
  let listed = gone.reduce((table, [key]) => table.delete(key), native.listed);
  for (const work of named) {
    const key = keyOf(work);
    if (listed.has(key)) continue;
    const task = taskOf(work, session);
    listed = listed.set(key, task);
    signals.push(...started(work, task, native.cancellable.has(key), session));
  }
  return [listed === native.listed ? native : { ...native, listed }, signals];
}

function onEntity(native: NativeWork, session: SessionLedger, update: JsonObject): Step {
  const work = workOfUpdate(update);
  if (work === undefined) return [native, noSignals];
  // Nothing of it is listed, and nothing is to be remembered.
  if (native.listed.size === 0 && work.type !== 'subagent' && !offersCancel(update)) return [native, noSignals];
  const key = keyOf(work);
  const task = native.listed.get(key) ?? (work.type === 'subagent' ? work.id : undefined);
  const next = offersCancel(update) && !native.cancellable.has(key) ? { ...native, cancellable: native.cancellable.set(key, true).bounded(REMEMBERED, () => true) } : native;
  if (task === undefined) return [next, []];
  const end = endOfWork(update);
  if (end !== undefined) return [next, ended(task, end, session)];
  return [next, work.type === 'subagent' ? readSubagentUpdate(update).signals.filter(({ type }) => type !== 'taskEnded') : []];
}

/**
 * What an update of such an agent tells of background work, and what is known after it. In a replay
 * only the lists count: what its entities say is history.
 */
export function nativeSignals(native: NativeWork, session: SessionLedger, update: JsonObject, isReplay: boolean): Step {
  if (update.sessionUpdate !== 'state_update') return isReplay ? [native, []] : onEntity(native, session, update);
  const named = listedWork(update);
  return named === undefined ? [native, []] : onList(native, session, named);
}

/** The task behind an entity that is listed. */
export const listedTask = (native: NativeWork, work: WorkRef): string | undefined => native.listed.get(keyOf(work));
