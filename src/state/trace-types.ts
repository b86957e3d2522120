/** The data of the trace reducer: what it is told, what it remembers, and what is to be done with spans. */
import type { Signal } from '../protocol/index.js';
import type { Fact, Item } from './ledger-types.js';
import type { Table } from './table.js';

export type TraceAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** A span context that came with a message (W3C Trace Context); opaque here. */
export interface RemoteContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** Spans are named by keys. A parent may have ended. */
export type SpanParent = { readonly key: string } | { readonly remote: RemoteContext };

/** What is to be done, in order. All times in milliseconds since the epoch. */
export type SpanOp =
  | {
      readonly do: 'start';
      readonly key: string;
      readonly name: string;
      readonly kind: 'client' | 'internal';
      /** Absent: the span starts a trace. */
      readonly parent: SpanParent | undefined;
      readonly attributes: TraceAttributes;
      readonly time: number;
      readonly links: readonly SpanParent[];
    }
  /** Background work has started, and its span will be long in coming. */
  | { readonly do: 'announce'; readonly key: string; readonly name: string; readonly time: number; readonly attributes: TraceAttributes }
  | { readonly do: 'set'; readonly key: string; readonly attributes: TraceAttributes; readonly name?: string }
  | { readonly do: 'event'; readonly key: string; readonly name: string; readonly time: number; readonly attributes?: TraceAttributes }
  | { readonly do: 'end'; readonly key: string; readonly time: number; readonly failed: boolean }
  /** The span is not wanted after all. */
  | { readonly do: 'drop'; readonly key: string };

/** How a turn ended, as far as the agent said. */
export interface TurnEnd {
  readonly stopReason?: string;
  /** The code of a JSON-RPC error, or of the `error` of a state snapshot. */
  readonly errorCode?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
}

export interface PermissionEnd {
  readonly outcome?: string;
  readonly optionKind?: string;
  readonly errorCode?: number;
}

/** Why spans end that nobody reported the end of. */
export type UnfinishedReason = 'subagent_ended' | 'session_closed' | 'agent_exited' | 'proxy_ended';

type JsonRpcId = string | number | null;

type SessionEvent = { readonly session: string } & (
  /** The client has set the session up; one that it did not is a subagent's. */
  | { readonly type: 'ready' }
  | { readonly type: 'prompt'; readonly id: JsonRpcId; readonly client?: RemoteContext; readonly content?: TraceAttributes }
  | { readonly type: 'promptAnswered'; readonly id: JsonRpcId; readonly end: TurnEnd }
  /** `end`: what a state snapshot says of the turn that it ends. */
  | { readonly type: 'signal'; readonly signal: Signal; readonly facts: readonly Fact[]; readonly end?: TurnEnd | undefined; readonly content?: CallContent | undefined }
  /** What follows for tasks from what is known already. */
  | { readonly type: 'facts'; readonly facts: readonly Fact[] }
  | { readonly type: 'permission'; readonly id: JsonRpcId; readonly toolCallId: string | undefined }
  | { readonly type: 'permissionAnswered'; readonly id: JsonRpcId; readonly end: PermissionEnd }
  /** Somebody asked for the end: of one task, or (`task` absent) of the open turns. */
  | { readonly type: 'cancelRequested'; readonly task?: string }
  /** The last line of the item's output file names a code. */
  | { readonly type: 'exitCode'; readonly task: string; readonly code: number }
  /** History is being replayed, until the matching `replayed`. */
  | { readonly type: 'replay' }
  | { readonly type: 'replayed' }
  | { readonly type: 'closed' }
);

/** `at`: milliseconds of a clock that never goes back, for windows. `wall`: milliseconds since the epoch, for spans. */
export type TraceEvent = { readonly at: number; readonly wall: number } & (
  | SessionEvent
  | { readonly type: 'agent'; readonly protocol: 1 | 2; readonly name: string | undefined; readonly version: string | undefined }
  | { readonly type: 'tick' }
  | { readonly type: 'over'; readonly reason: UnfinishedReason }
);

export interface TraceOptions {
  /** Milliseconds that an ended item waits for corrections and its exit code, and a started one for its launching call. */
  readonly window: number;
  /** The client's span is linked to, and is not the parent. Default false. */
  readonly linkClient?: boolean;
  /** Contents become attributes. Default false. */
  readonly captureContent?: boolean;
}

/** What a message about a tool call or a terminal holds, where contents are asked for. */
export interface CallContent {
  /** Of the call's span. */
  readonly attributes: TraceAttributes;
  /** The command line that the call runs. */
  readonly command?: string;
}

/** An open turn: a prompt, or work that the agent started itself. */
export interface Turn {
  readonly key: string;
  /**
   * `prompt`: ends with its response (v1) or with the state that follows it (v2). `task`: the agent's own, told as
   * a task. `state`: the agent's own, known only from the session's state.
   */
  readonly cause: 'prompt' | 'task' | 'state';
  /** The request's id as JSON text, or the task's id. */
  readonly id: string;
  /** False while a v2 prompt waits to be taken in. */
  readonly running: boolean;
  /** Its end was asked for. */
  readonly cancelRequested: boolean;
  readonly startedAt: number;
}

export interface TracedCall {
  /** Absent: history, which has no span. */
  readonly key: string | undefined;
  readonly life: number;
  readonly open: boolean;
  readonly tool: string;
  readonly terminals: readonly string[];
  /** A subagent made it in its parent's session. */
  readonly nested: boolean;
}

export interface TracedItem {
  readonly key: string;
  readonly item: Item;
  /** The span of the work that was at hand when it was first known. */
  readonly turn: string | undefined;
  /** It was foreground work until it detached; a subagent can stay that. */
  readonly detached: boolean;
  readonly startTime: number;
  /** `waiting`: for its launching call. `ending`: its end is known, for what may follow it. */
  readonly phase: 'waiting' | 'open' | 'ending' | 'done';
  /** When waiting or ending is over, in milliseconds of the event clock. */
  readonly until: number | undefined;
  /** First end signal: milliseconds since the epoch, and of the event clock. */
  readonly endTime: number | undefined;
  readonly endedAt: number | undefined;
  readonly progressAt: number | undefined;
  /** Codes that did not come with the task itself. */
  readonly terminalCode: number | undefined;
  readonly fileCode: number | undefined;
  /** A turn of the agent's own was linked to it. */
  readonly causedTurn: boolean;
}

export interface SessionTrace {
  /** Counts spans, so that no key is used twice. */
  readonly spans: number;
  readonly ready: boolean;
  readonly running: boolean;
  readonly replays: number;
  readonly turns: readonly Turn[];
  readonly calls: Table<TracedCall>;
  readonly items: Table<TracedItem>;
  /** What runs, by terminal or call; only where contents are asked for. */
  readonly runs: Table<{ readonly command?: string; readonly cwd?: string }>;
  readonly permissions: readonly { readonly key: string; readonly id: string }[];
  /** When the first of its items is due. */
  readonly due: number | undefined;
}

export interface AgentFacts {
  readonly protocol: 1 | 2;
  readonly name: string | undefined;
  readonly version: string | undefined;
}

/** The task of another session that a subagent's session is the work of. */
export interface Home {
  readonly session: string;
  readonly task: string;
}

export interface TraceState {
  readonly agent: AgentFacts;
  readonly sessions: Table<SessionTrace>;
  /** By the id of the subagent's session. */
  readonly homes: Table<Home>;
  /** When the next tick is due, in milliseconds of the event clock. */
  readonly due: number | undefined;
}
