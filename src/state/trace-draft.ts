/** One step of the trace reducer at work: the session as it changes, and the operations so far. */
import { Table, type Index } from './table.js';
import { Attribute } from './trace-names.js';
import type { AgentFacts, SessionTrace, SpanOp, SpanParent, TraceAttributes, TracedCall, TracedItem, TraceEvent, TraceOptions, TraceState, Turn } from './trace-types.js';

type Moment = Pick<TraceEvent, 'at' | 'wall'>;

type Own = { -readonly [K in keyof SessionTrace]: SessionTrace[K] };

/** Member by member, so that all have one form. */
function copyOf({ spans, ready, running, replays, turns, calls, items, runs, permissions, due }: SessionTrace): Own {
  return { spans, ready, running, replays, turns, calls, items, runs, permissions, due };
}

export class Draft {
  readonly session: string;
  readonly at: number;
  readonly wall: number;
  readonly options: TraceOptions;
  readonly ops: SpanOp[];
  /** The subagents whose work ended in this step, with the time of their end. */
  readonly over: { readonly task: string; readonly time: number }[] = [];
  /** An item of another session whose end started a turn of this one. */
  cause: { readonly session: string; readonly item: TracedItem } | undefined;
  #trace: SessionTrace;
  #own: Own | undefined;
  /** As it was before this step; absent: it is new. */
  readonly before: SessionTrace | undefined;
  readonly #state: TraceState;

  constructor(state: TraceState, session: string, { at, wall }: Moment, options: TraceOptions, ops: SpanOp[]) {
    this.session = session;
    this.at = at;
    this.wall = wall;
    this.options = options;
    this.ops = ops;
    this.before = state.sessions.get(session);
    this.#trace = this.before ?? emptySessionTrace;
    this.#state = state;
  }

  /** The session by now. */
  get trace(): SessionTrace {
    return this.#trace;
  }

  /** The session, to be changed: a copy that belongs to this step. */
  get own(): Own {
    return (this.#own ??= this.#trace = copyOf(this.#trace));
  }

  get agent(): AgentFacts {
    return this.#state.agent;
  }

  /** The span that a subagent's whole session belongs to. */
  get outer(): string | undefined {
    const home = this.#state.homes.get(this.session);
    return home && this.#state.sessions.get(home.session)?.items.get(home.task)?.key;
  }

  /** History is being told, of this session or of the one that it belongs to. */
  get isReplay(): boolean {
    return this.trace.replays > 0 || (this.#state.homes.size > 0 && isReplaying(this.#state, this.session));
  }

  /** The sessions of its subagents, and of theirs, by their ids. */
  descendants(): readonly (readonly [session: string, trace: SessionTrace])[] {
    const { homes, sessions } = this.#state;
    const all: [string, SessionTrace][] = [];
    if (homes.size === 0) return all;
    const children = new Map<string, string[]>();
    for (const [child, { session }] of homes.entries()) {
      const known = children.get(session);
      if (known === undefined) children.set(session, [child]);
      else known.push(child);
    }
    const known = new Set([this.session]);
    for (const session of known) {
      for (const child of children.get(session) ?? []) {
        const trace = sessions.get(child);
        if (trace !== undefined && !known.has(child)) all.push([child, trace]);
        known.add(child);
      }
    }
    return all;
  }
}

const emptySessionTrace: SessionTrace = {
  spans: 0, ready: false, running: false, replays: 0, turns: [], calls: Table.empty(), items: Table.empty(), runs: Table.empty(), permissions: [], due: undefined,
};

/** The sessions of a session's subagents. */
export function childrenOf(session: string, { homes, sessions }: TraceState): readonly string[] {
  if (homes.size === 0) return [];
  return homes.entries().filter(([child, home]) => home.session === session && sessions.has(child)).map(([child]) => child);
}

/** Whether history is being told, of this session or of the one that it belongs to. */
export function isReplaying({ sessions, homes }: TraceState, session: string): boolean {
  const isReplayed = (id: string): boolean => (sessions.get(id)?.replays ?? 0) > 0;
  const home = homes.size === 0 ? undefined : homes.get(session);
  return isReplayed(session) || (home !== undefined && isReplayed(home.session));
}

const dueItems: Index<TracedItem> = ({ until }) => (until === undefined ? undefined : 'due');

/** The items that wait for a time. */
export const waitingItems = ({ items }: SessionTrace): readonly TracedItem[] => items.where(dueItems, 'due');

const earlier = (one: number | undefined, other: number | undefined): number | undefined => (one === undefined || (other !== undefined && other < one) ? other : one);

function firstDue(items: readonly TracedItem[]): number | undefined {
  let first: number | undefined;
  for (const { until } of items) first = earlier(first, until);
  return first;
}

/** The state, with what became of the session of a draft that was made from it. The same state when nothing changed. */
export function withSession(state: TraceState, draft: Draft, isGone = false): TraceState {
  const { session, before } = draft;
  if (isGone) return before === undefined ? state : withSessions(state, state.sessions.delete(session), before.due, undefined);
  if (draft.trace === before) return state;
  if (draft.trace.items !== before?.items) draft.own.due = firstDue(waitingItems(draft.trace));
  return withSessions(state, state.sessions.set(session, draft.trace), before?.due, draft.trace.due);
}

/** `before`, `after`: when the session that has changed was due, and is. */
function withSessions({ agent, homes, due }: TraceState, sessions: Table<SessionTrace>, before: number | undefined, after: number | undefined): TraceState {
  return { agent, sessions, homes, due: dueAfter(due, sessions, before, after) };
}

/** The first due time of all sessions, of which one has changed its own. */
function dueAfter(due: number | undefined, sessions: Table<SessionTrace>, before: number | undefined, after: number | undefined): number | undefined {
  if (before === after) return due;
  if (after !== undefined && (due === undefined || after <= due)) return after;
  return before === due ? sessions.values().reduce<number | undefined>((first, trace) => earlier(first, trace.due), undefined) : due;
}

/** How many ended calls and items of a session are remembered. */
export const REMEMBERED = 256;

/** A key that no other span of this connection has. */
export function newKey(draft: Draft, kind: string): string {
  const spans = (draft.own.spans += 1);
  return JSON.stringify([draft.session, kind, spans]);
}

/** What every span of a session says. */
export const sessionAttributes = (session: string): TraceAttributes => ({ [Attribute.conversation]: session, [Attribute.session]: session });

/** Milliseconds of the event clock as milliseconds since the epoch. */
export const wallTimeOf = (draft: Draft, at: number): number => Math.round(draft.wall - (draft.at - at));

/** The turn that foreground work belongs to: the newest that runs, else the newest. */
export const openTurn = ({ turns }: SessionTrace): Turn | undefined => turns.findLast((turn) => turn.running) ?? turns.at(-1);

export const parentOf = (key: string | undefined): SpanParent | undefined => (key === undefined ? undefined : { key });

/** The span of the work at hand: the open turn's, in a subagent's session the subagent's. */
export const spanAtHand = (draft: Draft): string | undefined => openTurn(draft.trace)?.key ?? draft.outer;

/** A call of this session, or of a subagent's: some sources tell all tasks on the main session. */
export const callOf = (draft: Draft, id: string): TracedCall | undefined =>
  draft.trace.calls.get(id) ?? draft.descendants().find(([, { calls }]) => calls.has(id))?.[1].calls.get(id);

/** The parent of work about a tool call: the call's span, else that of the work at hand. */
export function parentForCall(draft: Draft, toolCallId: string | undefined): SpanParent | undefined {
  const call = toolCallId === undefined ? undefined : draft.trace.calls.get(toolCallId);
  return parentOf(call?.key ?? spanAtHand(draft));
}

const byLaunch: Index<TracedItem> = ({ item }) => item.toolCallId;

/** The parent of a call that a subagent makes in its parent's session: the subagent's work, else the call that launched it. */
export function parentForNested(draft: Draft, launch: string | undefined): SpanParent | undefined {
  const item = launch === undefined ? undefined : draft.trace.items.where(byLaunch, launch).findLast(({ phase }) => phase !== 'waiting');
  return item === undefined ? parentForCall(draft, launch) : { key: item.key };
}

export function putItem(draft: Draft, traced: TracedItem): void {
  const { trace } = draft;
  const over = traced.phase === 'done' && trace.items.get(traced.item.task)?.phase !== 'done';
  const items = over ? trace.items.renew(traced.item.task, traced).bounded(REMEMBERED, (other) => other.phase === 'done') : trace.items.set(traced.item.task, traced);
  if (items !== trace.items) draft.own.items = items;
}
