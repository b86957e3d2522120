/** The life of one item, as pure steps: what a start, a change and an end make of it. */
import { TURN_TASK, type Signal, type TaskFacts } from '../protocol/index.js';
import type { Item, ItemKind } from './ledger-types.js';

type Told<T extends Signal['type']> = Extract<Signal, { type: T }>;

/** One row a task type that is not a tool call. Types nobody knows are tool calls: the launching call. */
const kinds: ReadonlyMap<string | undefined, ItemKind> = new Map<string | undefined, ItemKind>([
  ['shell', 'terminal'],
  ['subagent', 'subagent'],
  [TURN_TASK, 'turn'],
]);

const kindOf = (taskType: string | undefined): ItemKind => kinds.get(taskType) ?? 'tool_call';

function unheardOf(task: string, at: number, life: number): Item {
  return {
    task, life, kind: 'tool_call', taskType: undefined, phase: 'noted', started: false, title: undefined, description: undefined,
    canCancel: false, toolCallId: undefined, outputFile: undefined, summary: undefined, run: undefined, inRawFeed: false,
    ambient: false, paused: false, stopAsked: false, outcome: undefined, exitCode: undefined, startedAt: at, endedAt: undefined,
  };
}

/** The extension's word on what a task is wins over the raw feed's, which calls a Monitor a shell. */
function withFacts(item: Item, facts: TaskFacts, source: string): Item {
  const typeKnown = source === 'raw' && item.taskType !== undefined;
  const taskType = typeKnown ? item.taskType : (facts.taskType ?? item.taskType);
  const next: Item = {
    ...item,
    taskType,
    kind: kindOf(taskType),
    title: facts.title ?? item.title,
    description: facts.description ?? item.description,
    canCancel: facts.canCancel ?? item.canCancel,
    toolCallId: facts.toolCallId ?? item.toolCallId,
    outputFile: facts.outputFile ?? item.outputFile,
    summary: facts.summary ?? item.summary,
    run: facts.run ?? item.run,
    inRawFeed: item.inRawFeed || source === 'raw',
    ambient: facts.ambient ?? item.ambient,
  };
  return sameItem(next, item) ? item : next;
}

const sameItem = (a: Item, b: Item): boolean => (Object.keys(a) as (keyof Item)[]).every((key) => a[key] === b[key]);

const otherRun = (item: Item, facts: TaskFacts): boolean => item.run !== undefined && facts.run !== undefined && item.run !== facts.run;

/** A start that belongs to a life that is over, told again. */
const isLate = (item: Item, facts: TaskFacts): boolean => item.phase === 'ended' && item.run !== undefined && item.run === facts.run;

export function started(before: Item | undefined, signal: Told<'taskStarted'>, at: number): Item {
  const { task, facts, source } = signal;
  const live = (item: Item): Item => ({ ...withFacts(item, facts, source), phase: 'foreground', started: true, startedAt: at });
  if (before === undefined) return live(unheardOf(task, at, 1));
  if (before.phase === 'noted') return live(before);
  if (before.phase === 'ended' && !before.started) return { ...withFacts(before, facts, source), started: true };
  if (before.phase === 'ended') return isLate(before, facts) ? before : live(unheardOf(task, at, before.life + 1));
  return otherRun(before, facts) ? live(unheardOf(task, at, before.life + 1)) : withFacts(before, facts, source);
}

export function changed(before: Item | undefined, signal: Told<'taskChanged'>, at: number): Item {
  const item = before ?? unheardOf(signal.task, at, 1);
  if (item.phase === 'ended') return isLate(item, signal.facts) || otherRun(item, signal.facts) ? item : withFacts(item, signal.facts, signal.source);
  const next = withFacts(item, signal.facts, signal.source);
  return signal.paused === undefined || signal.paused === next.paused ? next : { ...next, paused: signal.paused };
}

export function ended(before: Item | undefined, signal: Told<'taskEnded'>, at: number): Item {
  const item = before ?? unheardOf(signal.task, at, 1);
  if (otherRun(item, signal.facts)) return item;
  const told = withFacts(item, signal.facts, signal.source);
  const exitCode = signal.exitCode ?? told.exitCode;
  if (item.phase === 'ended' && item.outcome === signal.outcome && exitCode === told.exitCode) return told;
  return { ...told, phase: 'ended', paused: false, outcome: signal.outcome, exitCode, endedAt: item.endedAt ?? at };
}

/** Only the raw feed's own word, or a stop that was asked for, makes a `stopped` certain. */
export const isTentative = (item: Item, signal: Told<'taskEnded'>): boolean => signal.outcome === 'stopped' && signal.source === 'async' && !item.stopAsked;

/** Whether it may be listed without a launching call: a shell always, other work when it is known not to be housekeeping. */
export const standsAlone = (item: Item): boolean => item.kind === 'terminal' || item.inRawFeed;
