/** The life of one item, as pure steps: what a start, a change and an end make of it. */
import { TURN_TASK, type Signal, type TaskFacts } from '../protocol/index.js';
import type { CallState, Item, ItemKind } from './ledger-types.js';

type Told<T extends Signal['type']> = Extract<Signal, { type: T }>;

/** One row a task type that is not a tool call. Types nobody knows are tool calls: the launching call. */
const kinds: ReadonlyMap<string | undefined, ItemKind> = new Map<string | undefined, ItemKind>([
  ['shell', 'terminal'],
  ['subagent', 'subagent'],
  [TURN_TASK, 'turn'],
]);

const kindOf = (taskType: string | undefined): ItemKind => kinds.get(taskType) ?? 'tool_call';

/** One row a tool whose task the raw feed calls a shell, and what it is in the extension's words. */
const shellTools: ReadonlyMap<string | undefined, string> = new Map<string | undefined, string>([['Monitor', 'monitor']]);

/** The item, with the type that the tool of its launching call gives it. */
export function withTool(item: Item, call: CallState | undefined): Item {
  const taskType = item.taskType === 'shell' && item.inRawFeed ? shellTools.get(call?.name) : undefined;
  return taskType === undefined ? item : { ...item, taskType, kind: kindOf(taskType) };
}

function unheardOf(task: string, at: number): Item {
  return {
    task, life: 1, kind: 'tool_call', taskType: undefined, phase: 'noted', started: false, title: undefined, description: undefined,
    canCancel: false, toolCallId: undefined, outputFile: undefined, summary: undefined, run: undefined, earlierRun: undefined, upcoming: undefined,
    inRawFeed: false, forgotten: false, ambient: false, background: false, paused: false, stopAsked: false, outcome: undefined, endedBy: undefined, exitCode: undefined,
    startedAt: at, endedAt: undefined,
  };
}

/** The next life of a task, with what was told of it before it started. */
function nextLife(before: Item, at: number): Item {
  const fresh: Item = { ...unheardOf(before.task, at), life: before.life + 1, earlierRun: before.run };
  return before.upcoming === undefined ? fresh : withFacts(fresh, before.upcoming, 'raw');
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
    background: facts.background ?? item.background,
  };
  return sameItem(next, item) ? item : next;
}

const itemKeys = Object.keys(unheardOf('', 0)) as readonly (keyof Item)[];

/** Whether nothing differs, or nothing else than `but`. */
export function sameItem(a: Item, b: Item, but?: keyof Item): boolean {
  for (const key of itemKeys) if (a[key] !== b[key] && key !== but) return false;
  return true;
}

export const isLive = (item: Item): boolean => item.phase === 'foreground' || item.phase === 'background';

/** It is about the life before this one. */
const isEarlier = (item: Item, facts: TaskFacts): boolean => facts.run !== undefined && facts.run === item.earlierRun && facts.run !== item.run;

/** It is about a life that this one is not. */
export const isOtherRun = (item: Item, facts: TaskFacts): boolean => isEarlier(item, facts) || (item.run !== undefined && facts.run !== undefined && item.run !== facts.run);

/** A start that belongs to a life that is over, told again. */
const isLate = (item: Item, facts: TaskFacts): boolean => item.phase === 'ended' && item.run !== undefined && item.run === facts.run;

export function started(before: Item | undefined, signal: Told<'taskStarted'>, at: number): Item {
  const { task, facts, source } = signal;
  const live = (item: Item): Item => ({ ...withFacts(item, facts, source), phase: 'foreground', started: true, startedAt: at });
  if (before === undefined) return live(unheardOf(task, at));
  if (isEarlier(before, facts)) return before;
  if (before.phase === 'noted') return live(before);
  if (isOtherRun(before, facts)) return live(nextLife(before, at));
  if (isLive(before)) return withFacts(before.forgotten && source === 'async' ? { ...before, forgotten: false } : before, facts, source);
  if (!before.started) return { ...withFacts(before, facts, source), started: true };
  return isLate(before, facts) ? before : live(nextLife(before, at));
}

/** Facts of another run are kept for the life that they announce, or are late. */
export function changed(before: Item | undefined, signal: Told<'taskChanged'>, at: number): Item {
  const { facts, source, paused } = signal;
  const item = before ?? unheardOf(signal.task, at);
  if (isOtherRun(item, facts)) return item.phase === 'ended' && source === 'raw' && !isEarlier(item, facts) ? { ...item, upcoming: { ...item.upcoming, ...facts } } : item;
  if (item.phase === 'ended' && isLate(item, facts)) return item;
  const next = withFacts(item, facts, source);
  return paused === undefined || paused === next.paused || item.phase === 'ended' ? next : { ...next, paused };
}

/** Only the raw feed's own word, or a stop that was asked for, makes a `stopped` certain. */
export const isTentative = (item: Item, signal: Told<'taskEnded'>): boolean => signal.outcome === 'stopped' && signal.source === 'async' && !item.stopAsked;

/** The extension forgets what runs in the background. */
export const forgotten = (item: Item): Item => (item.inRawFeed && item.kind !== 'turn' ? { ...item, forgotten: true, canCancel: false } : item);

/** A `stopped` that nobody asked for says nothing against an end that the raw feed told. */
const isOverruled = (item: Item, signal: Told<'taskEnded'>): boolean => item.phase === 'ended' && item.endedBy === 'raw' && isTentative(item, signal);

export function ended(before: Item | undefined, signal: Told<'taskEnded'>, at: number): Item {
  const item = before ?? unheardOf(signal.task, at);
  if (isOtherRun(item, signal.facts)) return item;
  if (item.forgotten && signal.source === 'async') return item;
  const told = withFacts(item, signal.facts, signal.source);
  if (isOverruled(item, signal)) return told;
  const exitCode = signal.exitCode ?? told.exitCode;
  const isSame = item.phase === 'ended' && item.outcome === signal.outcome;
  const endedBy = isSame && item.endedBy === 'raw' ? 'raw' : signal.source;
  const next: Item = { ...told, phase: 'ended', paused: false, outcome: signal.outcome, endedBy, exitCode, endedAt: item.endedAt ?? at };
  return sameItem(next, told) ? told : next;
}

/** Whether it may be listed without a launching call: a shell and a subagent always, other work when it is known not to be housekeeping. */
export const standsAlone = (item: Item): boolean => item.kind === 'terminal' || item.kind === 'subagent' || item.inRawFeed;
