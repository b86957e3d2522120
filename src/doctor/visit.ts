/** What one initialisation of an agent showed: data of the doctor. */
import { at, extensionCapabilities, type Choice, type ProtocolVersion } from '../protocol/index.js';

/** What happened between afterturn and the agent, in order. */
export type VisitEvent =
  | { readonly type: 'choice'; readonly choice: Choice }
  | { readonly type: 'asked'; readonly params: unknown }
  | { readonly type: 'answered'; readonly result?: unknown; readonly error?: unknown };

/** Why a visit came to nothing. */
export type Trouble =
  /** The system could not start it; the text says why. */
  | { readonly kind: 'notStarted'; readonly text: string }
  | { readonly kind: 'silent'; readonly ms: number }
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'refused'; readonly code: unknown; readonly message: unknown }
  /** The answer is none. `came`: what it was in its place. */
  | { readonly kind: 'malformed'; readonly came: string };

/** An agent, initialised as a client of one version would have it. */
export interface Visit {
  readonly client: ProtocolVersion;
  readonly events: readonly VisitEvent[];
  /** Lines on its stdout that are no JSON-RPC message, and the first of them. */
  readonly strays: number;
  readonly firstStray: string | undefined;
  readonly trouble: Trouble | undefined;
  /** To a client of v1: what keeps its launching calls open. */
  readonly keptOpenBy: 'asyncTasks' | 'rawFeed' | undefined;
  /** Sessions ask for the raw feed, and this agent has one. */
  readonly rawFeed: boolean;
}

type Asked = Extract<VisitEvent, { type: 'asked' }>;
type Answered = Extract<VisitEvent, { type: 'answered' }>;

/** The result that the agent is spoken to by: the last one that is no error. */
export const settledResult = ({ events }: Visit): unknown =>
  events.findLast((event): event is Answered => event.type === 'answered' && event.error === undefined)?.result;

/** The capabilities of the private extension that were declared to the agent and acknowledged by it. */
export function negotiated(visit: Visit): readonly string[] {
  const params = visit.events.findLast((event): event is Asked => event.type === 'asked')?.params;
  const declared = [...extensionCapabilities(at(params, 'clientCapabilities')), ...extensionCapabilities(at(params, 'capabilities'))];
  return extensionCapabilities(settledResult(visit)).filter((capability) => declared.includes(capability));
}
