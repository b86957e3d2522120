/**
 * What a client of ACP v1 is sent about a call that stands for a background task: the agent's own
 * updates with what is added to them, and updates of our own. Pure, and without memory: what is due
 * is decided by the reducer.
 */
import { at, objectOf, type JsonObject } from '../protocol/index.js';
import type { Item } from './ledger-types.js';
import type { KeptCall, KeptEnd, KeptTask } from './keep-open-types.js';

const told = <T>(key: string, value: T | undefined): JsonObject => (value === undefined ? {} : { [key]: value });

/** v1 has no neutral end: what did not complete has failed. */
export const statusOfEnd = ({ outcome }: KeptEnd): 'completed' | 'failed' => (outcome === 'completed' ? 'completed' : 'failed');

/** The `_meta` that names the task, and its end once that may be told. */
export function taskMeta(task: string, known: KeptTask | undefined, item: Item | undefined, end: KeptEnd | undefined): JsonObject {
  const backgroundTask = {
    taskId: task,
    ...told('taskType', known?.taskType ?? item?.taskType),
    ...told('description', known?.description ?? item?.description),
    ...told('status', end?.word),
    ...told('summary', end?.summary),
  };
  return { claudeCode: { backgroundTask, ...told('taskStatus', end?.word) }, ...(end?.reason === undefined ? {} : { afterturn: { reason: end.reason } }) };
}

/** Both `_meta`, one level into the objects that both have. */
function mergedMeta(meta: unknown, added: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...objectOf(meta) };
  for (const [key, value] of Object.entries(added)) merged[key] = { ...objectOf(merged[key]), ...objectOf(value) };
  return merged;
}

const sentence = (text: string): JsonObject => ({ type: 'content', content: { type: 'text', text } });

/** v1 replaces content, so the harness's sentence comes with all that was there. */
export const withSummary = (content: readonly unknown[] | undefined, end: KeptEnd | undefined): readonly unknown[] | undefined =>
  end?.summary === undefined ? content : [...(content ?? []), sentence(end.summary)];

/** The exit of a process as far as its end tells it. */
const exitOf = (exit: JsonObject, { exitCode }: KeptEnd): JsonObject => ({ ...exit, exit_code: exitCode ?? null, signal: null });

export const exitIn = (update: JsonObject): JsonObject | undefined => objectOf(at(update, '_meta', 'terminal_exit'));

export interface FrameChange {
  readonly meta: JsonObject;
  /** The status that the frame has to carry. Absent: what it says. */
  readonly status: string | undefined;
  /** The content that the frame has to carry. Absent: what it says. */
  readonly content: readonly unknown[] | undefined;
  /** What becomes of its `_meta.terminal_exit`. */
  readonly exit: 'stays' | 'goes' | KeptEnd;
}

/** The agent's update with what is changed in it. Everything else stays as it came. */
export function changedFrame(update: JsonObject, { meta, status, content, exit }: FrameChange): JsonObject {
  const merged: Record<string, unknown> = { ...mergedMeta(update._meta, meta) };
  const came = exitIn(update);
  if (came !== undefined && exit !== 'stays') {
    if (exit === 'goes') delete merged.terminal_exit;
    else merged.terminal_exit = exitOf(came, exit);
  }
  return { ...update, ...told('status', status), ...told('content', content), _meta: merged };
}

/** An update of our own. `owedExit`: the terminal's exit that was held back, when the end is told. */
export function ownFrame(call: KeptCall, status: string, content: readonly unknown[] | undefined, meta: JsonObject, end: KeptEnd | undefined): JsonObject {
  const exit = call.owedExit === undefined || end === undefined ? {} : { terminal_exit: exitOf(call.owedExit, end) };
  return { sessionUpdate: 'tool_call_update', toolCallId: call.id, status, ...told('content', content), _meta: { ...meta, ...exit } };
}
