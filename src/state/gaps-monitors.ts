/**
 * Monitors of an agent that reports its background work itself, and lists none of them: the call stays
 * open until the raw feed tells the end of its watch. Which task a call launched is said by its
 * structured answer, or by the feed; what the feed does not tell is left as it came.
 *
 * Follows "Cancellable tool calls" of the v2 Background Work RFD: a call that is listed has not ended.
 */
import { launchedTask, stringOf, toolNameOf, type JsonObject, type Outcome, type Signal } from '../protocol/index.js';
import { isFinalStatus } from './ledger.js';
import { finalStatus } from './lists-entries.js';
import { keep, put, send, tellList, tellRemoval, type Draft } from './gaps-draft.js';
import type { FedTask, MonitorCall } from './gaps-types.js';

const MONITOR = 'Monitor';
const REMEMBERED = 256;

const putMonitor = (draft: Draft, monitor: MonitorCall): void => {
  const monitors = draft.session.monitors.set(monitor.call, monitor).bounded(REMEMBERED, ({ phase }) => phase === 'ended');
  put(draft, { monitors });
};

export const isMonitorLive = ({ session }: Draft): boolean => [...session.monitors.values()].some(({ phase }) => phase === 'live');

const liveStatus = (task: FedTask | undefined): string => (task?.paused === true ? 'paused' : 'in_progress');

/** The task that a call launched, as the feed tells it. */
const launchedBy = ({ session }: Draft, call: string): string | undefined => [...session.tasks.entries()].findLast(([, task]) => task.call === call)?.[0];

/** The call is acknowledged with `completed`, and names its task. */
function acknowledged(draft: Draft, update: JsonObject, monitor: MonitorCall, task: string): void {
  const { list, resuming, tasks } = draft.session;
  const known = tasks.get(task);
  if (known === undefined || known.ambient || list === undefined || resuming?.replays === true) {
    putMonitor(draft, { ...monitor, task, phase: 'ended' });
    return keep(draft);
  }
  const status = known.outcome === undefined ? liveStatus(known) : finalStatus(known.outcome);
  putMonitor(draft, { ...monitor, task, phase: known.outcome === undefined ? 'live' : 'ended', status });
  if (status === update.status) return keep(draft);
  send(draft, 'monitors', { ...update, status });
  if (known.outcome === undefined) tellList(draft);
}

/** The agent's update of a tool call. */
export function toolCall(draft: Draft, update: JsonObject): void {
  const call = stringOf(update.toolCallId) ?? '';
  const before = draft.session.monitors.get(call);
  if (!draft.options.fills.has('monitors') || (before === undefined && toolNameOf(update) !== MONITOR)) return keep(draft);
  const replays = draft.session.resuming?.replays === true;
  const status = stringOf(update.status);
  const isFinal = isFinalStatus(status);
  const begins = before === undefined || (before.phase === 'ended' && status !== undefined && !isFinal && !replays);
  const monitor: MonitorCall = begins ? { call, task: undefined, phase: 'open', status: undefined } : before;
  if (begins) putMonitor(draft, monitor);
  if (!isFinal) return keep(draft);
  // What the client was told of it holds, also against a replay.
  if (monitor.status !== undefined) return monitor.status === status ? keep(draft) : send(draft, 'monitors', { ...update, status: monitor.status });
  const task = status === 'completed' ? (launchedTask(MONITOR, update) ?? launchedBy(draft, call)) : undefined;
  if (task !== undefined) return acknowledged(draft, update, monitor, task);
  putMonitor(draft, { ...monitor, phase: 'ended' });
  keep(draft);
}

/** Gives the call the end of its watch. */
function settle(draft: Draft, monitor: MonitorCall, outcome: Outcome, reason?: string): void {
  const status = finalStatus(outcome);
  const meta = reason === undefined ? {} : { _meta: { afterturn: { reason } } };
  if (status !== monitor.status) send(draft, 'monitors', { sessionUpdate: 'tool_call_update', toolCallId: monitor.call, status, ...meta });
  putMonitor(draft, { ...monitor, phase: 'ended', status });
}

/** Live Monitors whose end nobody told. */
export function settleMonitors(draft: Draft, reason: string): void {
  for (const monitor of draft.session.monitors.values()) if (monitor.phase === 'live') settle(draft, monitor, 'unknown', reason);
}

/** The whole call of each live Monitor, for a client without history. */
export function restoreMonitors(draft: Draft): void {
  for (const { call, phase, status } of draft.session.monitors.values()) {
    if (phase === 'live') draft.effects.push({ do: 'sendCall', gap: 'monitors', update: { sessionUpdate: 'tool_call_update', toolCallId: call, status } });
  }
}

const fresh: FedTask = { call: undefined, run: undefined, ambient: false, paused: false, outcome: undefined };

type TaskSignal = Extract<Signal, { readonly task: string }>;

/** The task after a word about it; `undefined`: the word is about an earlier run. */
function taskAfter(before: FedTask | undefined, signal: TaskSignal): FedTask | undefined {
  const { run, ambient, toolCallId } = signal.facts;
  const isOther = before?.run !== undefined && run !== undefined && run !== before.run;
  if (isOther && signal.type === 'taskEnded') return undefined;
  const known = before === undefined || isOther ? fresh : before;
  return {
    call: toolCallId ?? known.call,
    run: run ?? known.run,
    ambient: ambient ?? known.ambient,
    paused: signal.type === 'taskChanged' ? (signal.paused ?? known.paused) : known.paused,
    outcome: signal.type === 'taskEnded' ? signal.outcome : known.outcome,
  };
}

/** One word of the raw feed. */
export function fed(draft: Draft, signal: Signal): void {
  if (!('task' in signal) || !draft.options.fills.has('monitors')) return;
  const task = taskAfter(draft.session.tasks.get(signal.task), signal);
  if (task === undefined) return;
  put(draft, { tasks: draft.session.tasks.set(signal.task, task).bounded(REMEMBERED, ({ outcome }) => outcome !== undefined) });
  const monitor = [...draft.session.monitors.values()].find((other) => other.task === signal.task && other.status !== undefined);
  if (monitor === undefined) return;
  if (signal.type === 'taskEnded') {
    settle(draft, monitor, signal.outcome);
    if (monitor.phase === 'live') tellRemoval(draft);
  } else if (monitor.phase === 'live' && monitor.status !== liveStatus(task)) {
    putMonitor(draft, { ...monitor, status: liveStatus(task) });
    send(draft, 'monitors', { sessionUpdate: 'tool_call_update', toolCallId: monitor.call, status: liveStatus(task) });
  }
}
