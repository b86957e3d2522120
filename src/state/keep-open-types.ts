/** The data of launching calls that are kept open: what is known of one session's calls and their tasks. */
import type { JsonObject, Outcome, Signal, TaskWords } from '../protocol/index.js';
import type { Ledger } from './ledger-types.js';
import type { Table } from './table.js';

/** How a task ended, as a client is told. */
export interface KeptEnd {
  readonly outcome: Outcome;
  /** The harness's own word; `unknown` when nobody reported an end. */
  readonly word: string;
  readonly summary: string | undefined;
  readonly exitCode: number | undefined;
  /** Why the end is unknown. */
  readonly reason: string | undefined;
}

/** A call of a covered tool. It is kept open from the acknowledgement of its launch until its task ends. */
export interface KeptCall {
  readonly id: string;
  readonly name: string | undefined;
  /** What the agent last gave as its content. */
  readonly content: readonly unknown[] | undefined;
  /** The task that its structured answer, or a spawn, names: the call is armed. */
  readonly task: string | undefined;
  /** The life and run of the task that the call stands for. */
  readonly life: number | undefined;
  readonly run: string | undefined;
  /** The agent gave it a final status: the launch is acknowledged. */
  readonly final: boolean;
  /** The terminal exit that came with the acknowledgement, whose place is the end of the task. */
  readonly owedExit: JsonObject | undefined;
  /** The end that the client was told. */
  readonly shown: KeptEnd | undefined;
}

/** What is known of a task beside its item in the ledger. */
export interface KeptTask {
  /** The harness's own words. */
  readonly taskType: string | undefined;
  readonly description: string | undefined;
  readonly status: string | undefined;
  /** It has left the live set since it was armed. */
  readonly left: boolean;
  /** A `stopped` that nobody asked for waits until then for its correction. Milliseconds of the event clock. */
  readonly heldUntil: number | undefined;
  /** Why its end is unknown. */
  readonly reason: string | undefined;
}

export interface KeepOpen {
  /** Tasks only; calls are below. */
  readonly ledger: Ledger;
  readonly tasks: Table<KeptTask>;
  readonly calls: Table<KeptCall>;
  /** Requests that load the session and are not answered yet: what comes meanwhile is history. */
  readonly replays: number;
}

export interface KeepOpenOptions {
  /** The async task extension reports tasks: a spawn that names a call arms it, and only what was spawned. */
  readonly asyncTasks: boolean;
  /** A spawn is the agent's own list, so a call of any tool that it names has launched work. Default: known tools only. */
  readonly anyTool?: boolean;
  /** A `stopped` that nobody asked for may be corrected at once. */
  readonly correctsStops: boolean;
  /** Milliseconds that it waits for that. */
  readonly window: number;
}

/** `at`: milliseconds of the event clock. */
export type KeepOpenEvent = { readonly at: number } & (
  /** A `tool_call` or `tool_call_update` of the agent. */
  | { readonly type: 'update'; readonly update: JsonObject }
  /** The tool call of a permission request. */
  | { readonly type: 'asked'; readonly toolCall: JsonObject }
  /** What the raw feed or the extension told. */
  | { readonly type: 'told'; readonly signals: readonly Signal[]; readonly words: readonly TaskWords[] }
  | { readonly type: 'replayStarted' }
  /** `rebuilt`: the session was built anew, which ends its background work without a word. */
  | { readonly type: 'replayEnded'; readonly rebuilt: boolean }
  | { readonly type: 'tick' }
  /** The session or the connection is over. */
  | { readonly type: 'ended'; readonly reason: string }
);

/** One rule a kind of change that a client of ACP v1 sees. */
export const keepOpenRules = {
  named: 'a frame about a call that stands for a background task says which',
  keptOpen: 'the acknowledgement of a launch does not settle its call',
  launchExit: 'the exit attached to the acknowledgement of a launch is not the exit of its process',
  merged: 'an end that comes before the acknowledgement is merged with it',
  straggler: 'a late status neither settles a live call nor re-opens an ended one',
  settled: 'the end of the task settles its call',
  refined: 'a later report of the same end refines the call',
  corrected: 'the last word on the end of a task wins',
  reopened: 'a task that runs again under its old id, or that is named late, re-opens its call',
  unknown: 'a call whose task was lost sight of is settled with the reason',
} as const;
export type KeepOpenRule = keyof typeof keepOpenRules;

export type KeepOpenEffect =
  /** The update at hand goes on as it came. */
  | { readonly do: 'pass' }
  /** The update at hand goes on like this. */
  | { readonly do: 'change'; readonly update: JsonObject; readonly rules: readonly KeepOpenRule[] }
  /** An update of our own. */
  | { readonly do: 'send'; readonly update: JsonObject; readonly rules: readonly KeepOpenRule[] };
