/**
 * Background items as spans: from when the item is first known to the time of its end signal, under
 * the span of its launching call. The end is written a little later, when corrections and exit codes
 * have had their time. Follows the v2 Background Work RFD ("Background work is terminals, tool calls,
 * and subagents").
 */
import { type ExitFacts, type Outcome } from '../protocol/index.js';
import type { Fact, Item } from './ledger-types.js';
import { exitStatus } from './lists-entries.js';
import { itemContent } from './trace-content.js';
import { callOf, newKey, parentOf, putItem, spanAtHand, sessionAttributes, waitingItems, wallTimeOf, type Draft } from './trace-draft.js';
import { Attribute, BACKGROUND_STARTED, backgroundName, FAILED, Operation, SpanEvent, turnName, wordOf } from './trace-names.js';
import type { TraceAttributes, TracedItem } from './trace-types.js';

/** Progress is told at most this often. Milliseconds. */
const PROGRESS_INTERVAL = 10_000;

const outcomes: Readonly<Record<Outcome, string>> = { completed: 'completed', failed: 'failed', stopped: 'cancelled', unknown: 'unknown' };
const outcomeOf = (item: Item): string => outcomes[item.outcome ?? 'unknown'];

type Described = Pick<TracedItem, 'item' | 'detached'>;

/** A subagent that its parent waits for is no background work. */
const isBackground = ({ item, detached }: Described): boolean => item.kind !== 'subagent' || detached;

const nameOf = (traced: Described): string => (isBackground(traced) ? backgroundName(wordOf(traced.item.taskType)) : turnName(undefined));

function attributesOf(traced: Described): TraceAttributes {
  const { item } = traced;
  const attributes: Record<string, string | boolean> = {};
  if (isBackground(traced)) {
    const taskType = wordOf(item.taskType);
    attributes[Attribute.backgroundId] = item.task;
    attributes[Attribute.backgroundType] = item.kind;
    if (taskType !== undefined) attributes[Attribute.taskType] = taskType;
    attributes[Attribute.canStop] = item.canCancel;
  }
  if (item.kind === 'subagent') {
    attributes[Attribute.operation] = Operation.invokeAgent;
    attributes[Attribute.subagent] = item.task;
  }
  if (item.toolCallId !== undefined) attributes[Attribute.toolCallId] = item.toolCallId;
  return attributes;
}

const contentOf = (draft: Draft, item: Item): TraceAttributes => (draft.options.captureContent === true ? itemContent(item, draft.trace) : {});

/** The item with its span started, if it was not. */
export function openedItem(draft: Draft, traced: TracedItem): TracedItem {
  if (traced.phase !== 'waiting') return traced;
  const { item, key } = traced;
  const call = item.toolCallId === undefined ? undefined : callOf(draft, item.toolCallId);
  draft.ops.push({
    do: 'start',
    key,
    name: nameOf(traced),
    kind: 'internal',
    parent: parentOf(call?.key ?? traced.turn),
    time: traced.startTime,
    links: [],
    attributes: { ...attributesOf(traced), ...contentOf(draft, item), ...sessionAttributes(draft.session) },
  });
  if (isBackground(traced)) announce(draft, traced);
  return { ...traced, phase: 'open', until: undefined };
}

function announce(draft: Draft, traced: TracedItem): void {
  draft.ops.push({ do: 'announce', key: traced.key, name: BACKGROUND_STARTED, time: traced.startTime, attributes: { ...attributesOf(traced), ...sessionAttributes(draft.session) } });
}

const isLaunchKnown = (draft: Draft, { item }: TracedItem): boolean => item.toolCallId !== undefined && callOf(draft, item.toolCallId) !== undefined;

/** Its parent is its launching call, which may be told a little later than the item. */
const openedWhenLaunched = (draft: Draft, traced: TracedItem): TracedItem => (isLaunchKnown(draft, traced) ? openedItem(draft, traced) : traced);

function onStarted(draft: Draft, fact: Fact): void {
  const { item } = fact;
  const earlier = draft.trace.items.get(item.task);
  if (earlier !== undefined && earlier.phase !== 'done') finishItem(draft, earlier);
  if (item.ambient) return;
  putItem(draft, openedWhenLaunched(draft, {
    key: newKey(draft, 'background'),
    item,
    // A subagent that works on is what it was before.
    turn: spanAtHand(draft) ?? earlier?.turn,
    detached: false,
    startTime: wallTimeOf(draft, item.startedAt),
    phase: 'waiting',
    until: draft.at + draft.options.window,
    endTime: undefined, endedAt: undefined, progressAt: undefined, terminalCode: undefined, fileCode: undefined, causedTurn: false,
  }));
}

/** A tool call was first seen: the items that wait for it are launched by it. */
export function callsSeen(draft: Draft, toolCallId: string): void {
  for (const traced of waitingItems(draft.trace)) {
    if (traced.phase === 'waiting' && traced.item.toolCallId === toolCallId) putItem(draft, openedItem(draft, traced));
  }
}

const progressed = (item: Item, before: Item): boolean =>
  item.summary !== before.summary || (item.description !== before.description && before.description !== undefined);

function addEvent(draft: Draft, traced: TracedItem, name: string, attributes?: TraceAttributes): TracedItem {
  const opened = openedItem(draft, traced);
  draft.ops.push({ do: 'event', key: opened.key, name, time: draft.wall, ...(attributes === undefined ? {} : { attributes }) });
  return opened;
}

/** Whether all that attributes are made of is the same. */
function isDescribedAlike(a: Described, b: Described): boolean {
  const { task, kind, taskType, canCancel, toolCallId } = a.item;
  return a.detached === b.detached && b.item.task === task && b.item.kind === kind && b.item.taskType === taskType && b.item.canCancel === canCancel && b.item.toolCallId === toolCallId;
}

/** Tells what is known of an open span by now. */
function retold(draft: Draft, before: TracedItem, traced: TracedItem): void {
  if (isDescribedAlike(before, traced)) return;
  const attributes = attributesOf(traced);
  if (JSON.stringify(attributes) !== JSON.stringify(attributesOf(before))) draft.ops.push({ do: 'set', key: traced.key, name: nameOf(traced), attributes });
}

function onDetached(draft: Draft, traced: TracedItem, item: Item): void {
  const next = { ...traced, item, detached: true };
  if (traced.phase === 'open') retold(draft, traced, next);
  if (traced.phase === 'open' && !isBackground(traced)) announce(draft, next);
  putItem(draft, next);
}

function onChanged(draft: Draft, traced: TracedItem, { item, before }: Extract<Fact, { type: 'itemChanged' }>): void {
  if (item.ambient) return dropItem(draft, traced);
  let next = openedWhenLaunched(draft, { ...traced, item });
  if (traced.phase === 'open') retold(draft, traced, next);
  if (item.paused !== before.paused) next = addEvent(draft, next, item.paused ? SpanEvent.paused : SpanEvent.resumed);
  const quiet = next.progressAt !== undefined && draft.at - next.progressAt < PROGRESS_INTERVAL;
  if (progressed(item, before) && !quiet) next = { ...addEvent(draft, next, SpanEvent.progress), progressAt: draft.at };
  putItem(draft, next);
}

/** Housekeeping of the agent is not traced, also when that is told late. */
function dropItem(draft: Draft, traced: TracedItem): void {
  if (traced.phase === 'open') draft.ops.push({ do: 'drop', key: traced.key });
  putItem(draft, { ...traced, phase: 'done', until: undefined });
}

function onEnded(draft: Draft, traced: TracedItem, item: Item): void {
  if (item.ambient) return dropItem(draft, traced);
  const endedAt = Math.max(item.endedAt ?? draft.at, item.startedAt);
  const next: TracedItem = {
    ...openedItem(draft, { ...traced, item }),
    phase: 'ending',
    until: draft.at + draft.options.window,
    endedAt,
    endTime: wallTimeOf(draft, endedAt),
  };
  putItem(draft, next);
}

/** The code that the end told, in the order of trust: the terminal's, the task's own, the output file's. */
function exitCodeOf({ item, terminalCode, fileCode }: TracedItem): number | undefined {
  const codes = [terminalCode, item.exitCode, fileCode].map((exitCode) => exitStatus(item.outcome ?? 'unknown', { exitCode }).exitCode);
  return codes.find((code) => typeof code === 'number');
}

/** Ends the span with what is known. */
export function finishItem(draft: Draft, traced: TracedItem, more: TraceAttributes = {}): void {
  const { key, item, endTime } = openedItem(draft, traced);
  const failed = item.outcome === 'failed';
  const code = exitCodeOf(traced);
  draft.ops.push({
    do: 'set',
    key,
    name: nameOf(traced),
    attributes: {
      ...attributesOf(traced),
      ...contentOf(draft, item),
      ...(isBackground(traced) ? { [Attribute.outcome]: outcomeOf(item) } : {}),
      ...(code === undefined ? {} : { [Attribute.exitCode]: code }),
      ...(failed ? { [Attribute.errorType]: FAILED } : {}),
      ...more,
    },
  });
  const time = endTime ?? draft.wall;
  draft.ops.push({ do: 'end', key, time, failed });
  if (item.kind === 'subagent') draft.over.push({ task: item.task, time });
  putItem(draft, { ...traced, phase: 'done', until: undefined });
}

/** What the ledger says of a task that is no turn. */
export function itemFact(draft: Draft, fact: Fact): void {
  if (fact.type === 'itemStarted') return onStarted(draft, fact);
  const traced = draft.trace.items.get(fact.item.task);
  if (traced === undefined || traced.phase === 'done') return;
  if (fact.type === 'itemChanged') return onChanged(draft, traced, fact);
  if (fact.type === 'itemEnded') return onEnded(draft, traced, fact.item);
  if (fact.type === 'itemDetached') return onDetached(draft, traced, fact.item);
  const known = { ...traced, item: fact.item };
  // That it is over was known, and how is known now.
  const isCorrection = fact.type === 'itemCorrected' && fact.before.outcome !== 'unknown';
  putItem(draft, isCorrection ? addEvent(draft, known, SpanEvent.corrected, { [Attribute.outcome]: outcomeOf(fact.item) }) : known);
}

/** A terminal's exit counts from the end of its work on: some agents attach the launch's own to it before. */
export function terminalExited(draft: Draft, terminal: string, exit: ExitFacts): void {
  for (const traced of waitingItems(draft.trace)) {
    const { toolCallId } = traced.item;
    const itsOwn = toolCallId === terminal || (toolCallId !== undefined && draft.trace.calls.get(toolCallId)?.terminals.includes(terminal) === true);
    if (traced.phase === 'ending' && traced.item.kind === 'terminal' && itsOwn) putItem(draft, { ...traced, terminalCode: exit.exitCode });
  }
}

/** The code can be read before the end is told by the word that counts here. */
export function exitCodeRead(draft: Draft, task: string, code: number): void {
  const traced = draft.trace.items.get(task);
  if (traced !== undefined && traced.phase !== 'done') putItem(draft, { ...traced, fileCode: code });
}

export function itemCancelRequested(draft: Draft, task: string): void {
  const traced = draft.trace.items.get(task);
  if (traced !== undefined && (traced.phase === 'open' || traced.phase === 'waiting')) putItem(draft, addEvent(draft, traced, SpanEvent.cancelRequested));
}

/** Everything whose time has come. */
export function itemsDue(draft: Draft): void {
  for (const traced of waitingItems(draft.trace)) {
    if (traced.until === undefined || traced.until > draft.at) continue;
    if (traced.phase === 'waiting') putItem(draft, openedItem(draft, traced));
    else finishItem(draft, traced);
  }
}
