/**
 * The data of the gaps reducer: what a client was told of one session by an agent that reports its
 * background work itself, as far as the gaps in that depend on it.
 */
import type { JsonObject, Outcome, Signal } from '../protocol/index.js';
import type { Table } from './table.js';

/** What can be filled, each for itself. */
export const GAPS = ['removals', 'monitors', 'replays', 'ends'] as const;

/**
 * `removals`: a removal is followed at once by a turn of the agent's own. `monitors`: a Monitor is not
 * listed, and its call ends at its launch. `replays`: a replay calls listed terminals exited. `ends`: the
 * agent is gone, and told no end of what it listed and of its work.
 */
export type Gap = (typeof GAPS)[number];

export interface GapsOptions {
  readonly fills: ReadonlySet<Gap>;
  /** Milliseconds that a removal waits for a turn of the agent's own. */
  readonly window: number;
}

/** The tool call of a Monitor. */
export interface MonitorCall {
  readonly call: string;
  /** Known from its acknowledgement on. */
  readonly task: string | undefined;
  /** `open`: it is not acknowledged yet. `live`: its watch goes on, and it is listed. */
  readonly phase: 'open' | 'live' | 'ended';
  /** What the client was told instead of the agent's own word. */
  readonly status: string | undefined;
}

/** A task of the raw feed. */
export interface FedTask {
  /** The call that launched it. */
  readonly call: string | undefined;
  readonly run: string | undefined;
  readonly ambient: boolean;
  readonly paused: boolean;
  readonly outcome: Outcome | undefined;
}

export interface NativeSession {
  /** The state that the client was told last. */
  readonly state: string;
  /** The agent's own last list, as it came. `undefined`: background work is not reported. */
  readonly list: readonly unknown[] | undefined;
  /** Those of its items that ended since. */
  readonly gone: ReadonlySet<string>;
  /** The subagents that work. */
  readonly working: ReadonlySet<string>;
  /** The items of the list that the client was told last. */
  readonly told: ReadonlySet<string>;
  /** By id. Those that ended are bounded by count. */
  readonly tasks: Table<FedTask>;
  /** By the call's id. Those that ended are bounded by count. */
  readonly monitors: Table<MonitorCall>;
  /** What was said of each terminal that has not exited, but for its output. Bounded by count. */
  readonly terminals: Table<JsonObject>;
  /** Listed terminals that the agent called exited in a replay, and that were told as live again: it tells their exits no more. */
  readonly revived: ReadonlySet<string>;
  /** A state that waits, without our items: a removal for a turn of the agent's own, or any for the answer to a close. */
  readonly held: { readonly until: number; readonly update: JsonObject; readonly gap: Gap } | undefined;
  /** `session/close` or `session/delete` was sent and not answered yet. */
  readonly closing: boolean;
  readonly resuming: Resumed | undefined;
}

/** Requests that resume the session, and are not answered. */
export interface Resumed {
  readonly open: number;
  /** History may come. */
  readonly replays: boolean;
  /** The agent is asked for another session under the same id, and builds it anew. */
  readonly rebuilt: boolean;
  /** Terminals that the history calls exited. */
  readonly exited: ReadonlySet<string>;
}

export type GapsEvent = { readonly at: number } & (
  | { readonly type: 'update'; readonly update: JsonObject }
  /** What the raw feed says. */
  | { readonly type: 'fed'; readonly signals: readonly Signal[] }
  | { readonly type: 'tick' }
  | { readonly type: 'resumes'; readonly replays: boolean; readonly rebuilt: boolean }
  /** The response to it is about to pass. */
  | { readonly type: 'resumed' }
  | { readonly type: 'closing' }
  | { readonly type: 'closeFailed' }
  | { readonly type: 'ended'; readonly reason: 'closed' | 'agentGone' }
);

/** Why something goes out in another way than it came: the gap that is filled. */
interface Filling {
  readonly gap: Gap;
}

export type GapsEffect =
  /** The update at hand goes on untouched, at this place. */
  | { readonly do: 'keep' }
  /** The update at hand waits. */
  | (Filling & { readonly do: 'hold' })
  | (Filling & { readonly do: 'send'; readonly update: JsonObject })
  /** All that is known of the call, changed by `update`. */
  | (Filling & { readonly do: 'sendCall'; readonly update: JsonObject })
  /** With the kept tail of its output. */
  | (Filling & { readonly do: 'sendTerminal'; readonly update: JsonObject });
