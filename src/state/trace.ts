/**
 * The trace reducer: turns what the wire says of each session into spans to start, change and end.
 * Pure, with time in the event; it knows no SDK and no content: what leaves are ids, types, times and
 * outcomes. Names are in `trace-names`.
 */
import type { Fact } from './ledger-types.js';
import { Table } from './table.js';
import { callReplayed, callSeen, permissionAnswered, permissionAsked } from './trace-calls.js';
import type { Draft } from './trace-draft.js';
import { exitCodeRead, finishItem, itemCancelRequested, itemFact, itemsDue, terminalExited } from './trace-items.js';
import { Attribute } from './trace-names.js';
import { feedStateChanged, promptAnswered, promptAsked, stateChanged, turnCancelRequested, turnTask } from './trace-turns.js';
import type { SessionTrace, SpanOp, TraceAttributes, TraceEvent, TraceOptions, TraceState, UnfinishedReason } from './trace-types.js';

type SessionEvent = Extract<TraceEvent, { session: string }>;
type Told<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;
type Handlers = { readonly [T in SessionEvent['type']]: (draft: Draft, event: Told<T>) => void };

export const emptyTrace = (): TraceState => ({ agent: { protocol: 1, name: undefined, version: undefined }, sessions: Table.empty() });

const emptySessionTrace: SessionTrace = {
  spans: 0, ready: false, running: false, replays: 0, turns: [], calls: Table.empty(), items: Table.empty(), permissions: [],
};

const taskFact = (draft: Draft, fact: Fact): void => (fact.item.kind === 'turn' ? turnTask(draft, fact) : itemFact(draft, fact));

function onSignal(draft: Draft, { signal, facts, end = {} }: Told<'signal'>): void {
  const replays = draft.trace.replays > 0;
  if (signal.type === 'toolCall') (replays ? callReplayed : callSeen)(draft, signal);
  else if (signal.type === 'terminal' && signal.facts.exit !== undefined && !replays) terminalExited(draft, signal.terminal, signal.facts.exit);
  for (const fact of facts) taskFact(draft, fact);
  if (signal.type === 'foreground' && !replays) stateChanged(draft, signal.state, end);
  else if (signal.type === 'sessionState') feedStateChanged(draft, signal.running);
}

/** Ends what is open, children first. Nobody reported these ends. */
function endAll(draft: Draft, reason: UnfinishedReason): void {
  const why = { [Attribute.endReason]: reason };
  const end = (key: string, attributes: TraceAttributes): void => {
    draft.ops.push({ do: 'set', key, attributes }, { do: 'end', key, time: draft.wall, failed: false });
  };
  for (const traced of draft.trace.items.values()) {
    if (traced.phase === 'ending') finishItem(draft, traced);
    else if (traced.phase !== 'done') finishItem(draft, traced, { ...why, [Attribute.backgroundUnfinished]: true });
  }
  const unfinished = { ...why, [Attribute.unfinished]: true };
  for (const { key } of draft.trace.permissions) end(key, unfinished);
  for (const { key, open } of draft.trace.calls.values()) if (open && key !== undefined) end(key, unfinished);
  for (const { key } of draft.trace.turns) end(key, unfinished);
}

const setReplays = (draft: Draft, replays: number): void => void (draft.trace = { ...draft.trace, replays: Math.max(0, replays) });

const handlers: Handlers = {
  ready: (draft) => void (draft.trace = { ...draft.trace, ready: true }),
  prompt: promptAsked,
  promptAnswered,
  signal: onSignal,
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

/** One event: the state after it, and what is to be done with spans, in order. */
export function reduceTrace(state: TraceState, event: TraceEvent, options: TraceOptions): readonly [TraceState, readonly SpanOp[]] {
  if (event.type === 'agent') return [{ ...state, agent: { protocol: event.protocol, name: event.name, version: event.version } }, []];
  const ops: SpanOp[] = [];
  const draftOf = (session: string, trace: SessionTrace): Draft => ({ session, trace, agent: state.agent, at: event.at, wall: event.wall, options, ops });
  if (event.type === 'over') {
    for (const [session, trace] of state.sessions.entries()) endAll(draftOf(session, trace), event.reason);
    return [{ ...state, sessions: Table.empty() }, ops];
  }
  if (event.type === 'tick') {
    let { sessions } = state;
    for (const [session, trace] of state.sessions.entries()) {
      const draft = draftOf(session, trace);
      itemsDue(draft);
      sessions = sessions.set(session, draft.trace);
    }
    return [sessions === state.sessions ? state : { ...state, sessions }, ops];
  }
  const draft = draftOf(event.session, state.sessions.get(event.session) ?? emptySessionTrace);
  handled(draft, event);
  const sessions = event.type === 'closed' ? state.sessions.delete(event.session) : state.sessions.set(event.session, draft.trace);
  return [sessions === state.sessions ? state : { ...state, sessions }, ops];
}

/** When the next `tick` is due, in milliseconds of the event clock. */
export function nextTraceTick(state: TraceState): number | undefined {
  let due: number | undefined;
  for (const { items } of state.sessions.values()) {
    for (const { until } of items.values()) if (until !== undefined && (due === undefined || until < due)) due = until;
  }
  return due;
}
