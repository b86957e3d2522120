/**
 * The trace reducer: turns what the wire says of each session into spans to start, change and end.
 * Pure, with time in the event; it knows no SDK and no content: what leaves are ids, types, times and
 * outcomes. Names are in `trace-names`.
 */
import type { Fact } from './ledger-types.js';
import { Table } from './table.js';
import { callReplayed, callSeen, permissionAnswered, permissionAsked, runSeen } from './trace-calls.js';
import { childrenOf, Draft, putItem, withSession } from './trace-draft.js';
import { exitCodeRead, finishItem, itemCancelRequested, itemFact, itemsDue, openedItem, terminalExited } from './trace-items.js';
import { Attribute } from './trace-names.js';
import { feedStateChanged, promptAnswered, promptAsked, stateChanged, turnCancelRequested, turnTask } from './trace-turns.js';
import type { Home, SpanOp, TraceEvent, TraceOptions, TraceState, UnfinishedReason } from './trace-types.js';

type SessionEvent = Extract<TraceEvent, { session: string }>;
type Told<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;
type Handlers = { readonly [T in SessionEvent['type']]: (draft: Draft, event: Told<T>) => void };

export const emptyTrace = (): TraceState => ({ agent: { protocol: 1, name: undefined, version: undefined }, sessions: Table.empty(), homes: Table.empty(), due: undefined });

const taskFact = (draft: Draft, fact: Fact): void => (fact.item.kind === 'turn' ? turnTask(draft, fact) : itemFact(draft, fact));

function onSignal(draft: Draft, { signal, facts, end = {}, content }: Told<'signal'>): void {
  const replays = draft.isReplay;
  if (draft.options.captureContent === true) runSeen(draft, signal, content);
  if (signal.type === 'toolCall') (replays ? callReplayed : callSeen)(draft, signal, content?.attributes);
  else if (signal.type === 'terminal' && signal.facts.exit !== undefined && !replays) terminalExited(draft, signal.terminal, signal.facts.exit);
  for (const fact of facts) taskFact(draft, fact);
  if (signal.type === 'foreground' && !replays) stateChanged(draft, signal.state, end);
  else if (signal.type === 'sessionState') feedStateChanged(draft, signal.running);
}

/** Ends permission waits, calls but those that launched what lives, and turns. Nobody reported these ends. */
function endForeground(draft: Draft, reason: UnfinishedReason): void {
  const unfinished = { [Attribute.unfinished]: true, [Attribute.endReason]: reason };
  const end = (key: string): void => void draft.ops.push({ do: 'set', key, attributes: unfinished }, { do: 'end', key, time: draft.wall, failed: false });
  const launches = new Set([...draft.trace.items.values()].flatMap(({ phase, item }) => (phase === 'done' ? [] : (item.toolCallId ?? []))));
  const over = [...draft.trace.calls.entries()].filter(([id, { open }]) => open && !launches.has(id));
  for (const { key } of draft.trace.permissions) end(key);
  for (const [, { key }] of over) if (key !== undefined) end(key);
  for (const { key } of draft.trace.turns) end(key);
  const calls = over.reduce((table, [id, call]) => table.set(id, { ...call, open: false }), draft.trace.calls);
  draft.own.permissions = [];
  draft.own.calls = calls;
  draft.own.turns = [];
}

/** Ends what is open, children first. */
function endAll(draft: Draft, reason: UnfinishedReason): void {
  const why = { [Attribute.endReason]: reason };
  for (const traced of draft.trace.items.values()) {
    if (traced.phase === 'ending') finishItem(draft, traced);
    else if (traced.phase !== 'done') finishItem(draft, traced, { ...why, [Attribute.backgroundUnfinished]: true });
  }
  endForeground(draft, reason);
}

const setReplays = (draft: Draft, replays: number): void => void (draft.own.replays = Math.max(0, replays));

const handlers: Handlers = {
  ready: (draft) => void (draft.own.ready = true),
  prompt: promptAsked,
  promptAnswered,
  signal: onSignal,
  facts: (draft, { facts }) => facts.forEach((fact) => taskFact(draft, fact)),
  permission: permissionAsked,
  permissionAnswered,
  cancelRequested: (draft, { task }) => {
    if (!turnCancelRequested(draft, task) && task !== undefined) itemCancelRequested(draft, task);
  },
  exitCode: (draft, { task, code }) => exitCodeRead(draft, task, code),
  replay: (draft) => setReplays(draft, draft.trace.replays + 1),
  replayed: (draft) => setReplays(draft, draft.trace.replays - 1),
  closed: (draft) => endAll(draft, 'session_closed'),
};

function handled(draft: Draft, event: SessionEvent): void {
  // The table pairs each type with its handler; the compiler cannot follow the look-up.
  (handlers[event.type] as (draft: Draft, event: SessionEvent) => void)(draft, event);
}

/** How many ended subagents' sessions are told from others. */
const HOMES = 1024;

/** The sessions of subagents, with those that an event tells of. Where it is history, they have no task. */
function homesAfter(homes: Table<Home>, event: SessionEvent, isReplay: boolean): Table<Home> {
  if (event.type !== 'signal') return homes;
  const { session, signal, facts } = event;
  if (isReplay && signal.type === 'taskStarted' && signal.facts.taskType === 'subagent' && signal.task !== session && !homes.has(signal.task)) {
    return homes.renew(signal.task, { session, task: signal.task }).bounded(HOMES, () => true);
  }
  if (facts.length === 0) return homes;
  const started = facts.filter(({ type, item }) => type === 'itemStarted' && item.kind === 'subagent' && item.task !== session);
  return started.reduce((table, { item: { task } }) => table.renew(task, { session, task }).bounded(HOMES, () => true), homes);
}

/** The state in which the span of a subagent is open when its session speaks. */
function withOpenHome(state: TraceState, event: SessionEvent, options: TraceOptions, ops: SpanOp[]): TraceState {
  if (state.homes.size === 0) return state;
  const home = state.homes.get(event.session);
  const trace = home && state.sessions.get(home.session);
  const traced = home && trace?.items.get(home.task);
  if (home === undefined || trace === undefined || traced?.phase !== 'waiting') return state;
  const draft = new Draft(state, home.session, event, options, ops);
  putItem(draft, openedItem(draft, traced));
  return withSession(state, draft);
}

/** The sessions, those of subagents before the ones that they belong to. */
const childrenFirst = ({ sessions, homes }: TraceState): string[] => [...sessions.keys()].sort((a, b) => Number(homes.has(b)) - Number(homes.has(a)));

function sessionStep(state: TraceState, event: SessionEvent, options: TraceOptions, ops: SpanOp[]): TraceState {
  const ready = withOpenHome(state, event, options, ops);
  const draft = new Draft(ready, event.session, event, options, ops);
  handled(draft, event);
  const next = withSession(ready, draft, event.type === 'closed');
  const homes = homesAfter(ready.homes, event, draft.isReplay);
  return withChildrenOver(withCause(homes === ready.homes ? next : { ...next, homes }, draft), draft);
}

/** An item starts one turn. */
function withCause(state: TraceState, { cause, at, wall, options, ops }: Draft): TraceState {
  if (cause === undefined) return state;
  const draft = new Draft(state, cause.session, { at, wall }, options, ops);
  putItem(draft, { ...cause.item, causedTurn: true });
  return withSession(state, draft);
}

/** What a subagent left open is over with its work. */
function withChildrenOver(state: TraceState, { session, over, at, options, ops }: Draft): TraceState {
  if (over.length === 0) return state;
  return over.reduce((next, { task, time }) => {
    const home = next.homes.get(task);
    if (home?.session !== session || !next.sessions.has(task)) return next;
    const draft = new Draft(next, task, { at, wall: time }, options, ops);
    endForeground(draft, 'subagent_ended');
    return withSession(next, draft);
  }, state);
}

function closedStep(state: TraceState, event: Told<'closed'>, options: TraceOptions, ops: SpanOp[]): TraceState {
  // A session that closes takes those of its subagents along.
  const all = [...childrenOf(event.session, state), event.session];
  return all.reduce((next, session) => sessionStep(next, { ...event, session }, options, ops), state);
}

function tickStep(state: TraceState, event: TraceEvent, options: TraceOptions, ops: SpanOp[]): TraceState {
  const due = state.sessions.entries().filter(([, trace]) => trace.due !== undefined && trace.due <= event.at);
  return due.reduce((next, [session]) => {
    const draft = new Draft(next, session, event, options, ops);
    itemsDue(draft);
    return withChildrenOver(withSession(next, draft), draft);
  }, state);
}

/** One event: the state after it, and what is to be done with spans, in order. */
export function reduceTrace(state: TraceState, event: TraceEvent, options: TraceOptions): readonly [TraceState, readonly SpanOp[]] {
  if (event.type === 'agent') return [{ ...state, agent: { protocol: event.protocol, name: event.name, version: event.version } }, []];
  const ops: SpanOp[] = [];
  if (event.type === 'over') {
    for (const session of childrenFirst(state)) endAll(new Draft(state, session, event, options, ops), event.reason);
    return [{ ...emptyTrace(), agent: state.agent }, ops];
  }
  if (event.type === 'tick') return [tickStep(state, event, options, ops), ops];
  return [event.type === 'closed' ? closedStep(state, event, options, ops) : sessionStep(state, event, options, ops), ops];
}

/** When the next `tick` is due, in milliseconds of the event clock. */
export const nextTraceTick = ({ due }: TraceState): number | undefined => due;
