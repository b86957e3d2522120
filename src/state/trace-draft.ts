/** One step of the trace reducer at work: the session as it changes, and the operations so far. */
import { Attribute } from './trace-names.js';
import type { AgentFacts, SessionTrace, SpanOp, SpanParent, TraceAttributes, TracedCall, TracedItem, TraceOptions, Turn } from './trace-types.js';

export interface Draft {
  readonly session: string;
  readonly agent: AgentFacts;
  readonly at: number;
  readonly wall: number;
  readonly options: TraceOptions;
  readonly ops: SpanOp[];
  /** The span that a subagent's whole session belongs to. */
  readonly outer: string | undefined;
  /** History is being told, of this session or of the one that it belongs to. */
  readonly isReplay: boolean;
  /** The sessions of this session's subagents. */
  readonly children: () => readonly SessionTrace[];
  /** The subagents whose work ended in this step, with the time of their end. */
  readonly over: { readonly task: string; readonly time: number }[];
  trace: SessionTrace;
}

/** How many ended calls and items of a session are remembered. */
export const REMEMBERED = 256;

/** A key that no other span of this connection has. */
export function newKey(draft: Draft, kind: string): string {
  const spans = draft.trace.spans + 1;
  draft.trace = { ...draft.trace, spans };
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
  draft.trace.calls.get(id) ?? draft.children().find(({ calls }) => calls.has(id))?.calls.get(id);

/** The parent of work about a tool call: the call's span, else that of the work at hand. */
export function parentForCall(draft: Draft, toolCallId: string | undefined): SpanParent | undefined {
  const call = toolCallId === undefined ? undefined : draft.trace.calls.get(toolCallId);
  return parentOf(call?.key ?? spanAtHand(draft));
}

/** The parent of a call that a subagent makes in its parent's session: the subagent's work, else the call that launched it. */
export function parentForNested(draft: Draft, launch: string | undefined): SpanParent | undefined {
  const item = launch === undefined ? undefined : [...draft.trace.items.values()].findLast((traced) => traced.item.toolCallId === launch && traced.phase !== 'waiting');
  return item === undefined ? parentForCall(draft, launch) : { key: item.key };
}

export function putItem(draft: Draft, traced: TracedItem): void {
  const { trace } = draft;
  const over = traced.phase === 'done' && trace.items.get(traced.item.task)?.phase !== 'done';
  const items = over ? trace.items.renew(traced.item.task, traced).bounded(REMEMBERED, (other) => other.phase === 'done') : trace.items.set(traced.item.task, traced);
  if (items !== trace.items) draft.trace = { ...trace, items };
}
