/**
 * The data of the watch over unfinished tool calls of one session: whose each is, and what keeps it
 * from being taken for abandoned.
 */
import type { Table } from './table.js';

/** How a turn ended. */
export type TurnEnding = 'ended' | 'cancelled' | 'failed';

/**
 * Whose a call is. `prompt`: the newest prompt that was open when the call was first seen, how that
 * ended, and which prompts its turn still `waits` for. `history`: it was first seen in a replay.
 * `nobody`: it was first seen while no prompt was open, as in a turn that the agent started itself.
 */
export type Owner =
  | { readonly of: 'prompt'; readonly prompt: string; readonly end: TurnEnding | undefined; readonly waits: readonly string[] }
  | { readonly of: 'history' }
  | { readonly of: 'nobody' };

/** A tool call without a final status. */
export interface WatchedCall {
  readonly id: string;
  readonly status: string;
  readonly owner: Owner;
  /** The call whose subagent made this one. */
  readonly parent: string | undefined;
  /** The terminals that its content references. */
  readonly terminals: readonly string[];
  /** It launched background work and is kept open until that ends. */
  readonly keptOpen: boolean;
  /** Its open permission requests. */
  readonly questions: readonly string[];
  /** The last answer to a permission request of it was no approval. */
  readonly refused: boolean;
  /** It can be cancelled by its id. */
  readonly canCancel: boolean;
}

/** What a call was when the proxy settled it. */
export type SettledCall = Pick<WatchedCall, 'status' | 'canCancel'>;

export interface OpenPrompt {
  /** ACP v2: it was answered, which says that its turn is at work. */
  readonly inserted: boolean;
  /** A `session/cancel` fell in its turn. */
  readonly cancelled: boolean;
}

/** The ids that a `background` list names. Items of unknown types name nothing that we know. */
export interface ListedWork {
  readonly calls: ReadonlySet<string>;
  readonly terminals: ReadonlySet<string>;
}

export interface LaunchedTask {
  /** The call that launched it. */
  readonly call: string | undefined;
  readonly state: 'live' | 'completed' | 'failed';
}

export interface WatchedSession {
  /** The unfinished calls. */
  readonly calls: Table<WatchedCall>;
  /** The calls that nothing speaks for, and since when or since which word about them, in milliseconds of the event clock. */
  readonly clocks: Table<number>;
  /** The last word about any call that was said while a clock ran: to what was replayed it is a sign of life. */
  readonly heard: number;
  /** Calls could be settled in this session when the clocks were set. */
  readonly applied: boolean;
  /** The calls that ended: by the agent's word, or what they were when the proxy settled them. Bounded by count. */
  readonly finished: Table<'agent' | SettledCall>;
  /** In the order in which they were sent. */
  readonly prompts: Table<OpenPrompt>;
  /** Tasks of the async task extension. Those that ended are bounded by count. */
  readonly tasks: Table<LaunchedTask>;
  /** ACP v1: terminals of the client's in which something runs. */
  readonly terminals: Table<true>;
  /** `lost`: it was reported once, and the last state left it out or broke it. */
  readonly list: ListedWork | 'unreported' | 'lost';
  /** ACP v2: the last state was not `idle`. */
  readonly running: boolean;
  /** Open requests that replay history. */
  readonly replays: number;
  /** What is new until then still belongs to a replay, unless a prompt is sent. Milliseconds of the event clock. */
  readonly historyUntil: number | undefined;
}

/** Why a session's calls end all at once. */
export type SessionEnd = 'closed' | 'deleted' | 'inputEnded' | 'agentExited';

/** `at` is in milliseconds of a clock that never goes back. */
export type StaleEvent = { readonly at: number } & (
  | { readonly type: 'promptSent'; readonly prompt: string }
  /** ACP v2: the prompt's message was inserted. */
  | { readonly type: 'promptInserted'; readonly prompt: string }
  /** ACP v1: the prompt's response; ACP v2: its error. */
  | { readonly type: 'promptEnded'; readonly prompt: string; readonly end: TurnEnding }
  /** The client sent `session/cancel`. */
  | { readonly type: 'cancelSent' }
  /** ACP v2: a state snapshot. `list`: its `background`, or why there is none. */
  | { readonly type: 'state'; readonly running: boolean; readonly end: TurnEnding; readonly list: ListedWork | 'unreported' }
  | CallSeen
  /** Something was added to the call's content. */
  | { readonly type: 'contentAdded'; readonly call: string; readonly terminal: string | undefined }
  /** The agent asks for permission. `creates`: the request carries the whole call, and may be the first word about it. */
  | { readonly type: 'asked'; readonly question: string; readonly call: string; readonly creates: boolean; readonly status: string | undefined }
  /** The request was answered or taken back. */
  | { readonly type: 'answered'; readonly question: string; readonly refused: boolean }
  | { readonly type: 'taskLive'; readonly task: string; readonly starts: boolean; readonly call: string | undefined }
  | { readonly type: 'taskEnded'; readonly task: string; readonly completed: boolean }
  | { readonly type: 'terminalLive'; readonly terminal: string }
  | { readonly type: 'terminalEnded'; readonly terminal: string }
  | { readonly type: 'replayStarted' }
  | { readonly type: 'replayEnded' }
  | { readonly type: 'tick' }
  | { readonly type: 'sessionEnded'; readonly why: SessionEnd }
);

/** A tool call update. Absent members say nothing. */
export interface CallSeen {
  readonly type: 'call';
  readonly call: string;
  /** It may be the first word about a call. */
  readonly creates: boolean;
  /** It announces a call (ACP v1 `tool_call`): a new life when the last one has ended. */
  readonly starts: boolean;
  readonly status?: string | undefined;
  readonly parent?: string | undefined;
  readonly terminals?: readonly string[] | undefined;
  readonly keptOpen?: boolean | undefined;
  readonly canCancel?: boolean | undefined;
}

/** A call is given its final status. */
export interface Settle {
  readonly call: string;
  readonly status: 'completed' | 'failed' | 'cancelled';
  /** A sentence for people. */
  readonly reason: string;
}

/** A call that was settled lives after all: a list is about to name it. */
export interface Revival extends SettledCall {
  readonly call: string;
  readonly reason?: undefined;
}

export interface StaleOptions {
  /** What the client speaks. */
  readonly version: 1 | 2;
  /** How long nothing may have spoken for a call before it is settled, in milliseconds. */
  readonly grace: number;
  /** Calls are settled also where no `background` list is reported. */
  readonly settles: boolean;
  /**
   * The agent holds a second prompt back, or takes it into the turn that runs: a call that is first
   * seen while several prompts are open may be any one's, and waits for all of them.
   */
  readonly queuesPrompts: boolean;
  /** The agent goes on with the history after the response to `session/load`. */
  readonly historyAfterLoad: boolean;
  /** How many ended calls are remembered per session. Default 256. */
  readonly remembered?: number;
}
