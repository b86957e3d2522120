/** One step of the trace reducer at work: the session as it changes, and the operations so far. */
import { Attribute } from './trace-names.js';
import type { AgentFacts, SessionTrace, SpanOp, SpanParent, TraceAttributes, TracedItem, TraceOptions, Turn } from './trace-types.js';

export interface Draft {
  readonly session: string;
  readonly agent: AgentFacts;
  readonly at: number;
  readonly wall: number;
  readonly options: TraceOptions;
  readonly ops: SpanOp[];
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

/** The parent of work about a tool call: the call's span, else the open turn's. */
export function parentForCall(draft: Draft, toolCallId: string | undefined): SpanParent | undefined {
  const call = toolCallId === undefined ? undefined : draft.trace.calls.get(toolCallId);
  return parentOf(call?.key ?? openTurn(draft.trace)?.key);
}

export function putItem(draft: Draft, traced: TracedItem): void {
  const { trace } = draft;
  const over = traced.phase === 'done' && trace.items.get(traced.item.task)?.phase !== 'done';
  const items = over ? trace.items.renew(traced.item.task, traced).bounded(REMEMBERED, (other) => other.phase === 'done') : trace.items.set(traced.item.task, traced);
  if (items !== trace.items) draft.trace = { ...trace, items };
}
