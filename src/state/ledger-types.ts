/** The data of the ledger: what is known of one session's tasks, tool calls and terminals. */
import type { ExitFacts, Outcome, Signal, SignalSource, TaskFacts } from '../protocol/index.js';
import type { Table } from './table.js';

/** What a background item is in ACP's terms. A `turn` is foreground work that the agent started itself. */
export type ItemKind = 'terminal' | 'tool_call' | 'subagent' | 'turn';

/**
 * `noted`: something is known of it, but not that it started. `foreground`: it runs, and foreground
 * work waits for it. `background`: it has detached. `ended`: it has its final state.
 */
export type ItemPhase = 'noted' | 'foreground' | 'background' | 'ended';

export interface Item {
  readonly task: string;
  /** 1 for the first life of this task id, and one more for each new start after an end. */
  readonly life: number;
  readonly kind: ItemKind;
  /** The agent's own word, such as `shell`, `monitor` or `workflow`. */
  readonly taskType: string | undefined;
  readonly phase: ItemPhase;
  /** A start was reported. False while only its end is known. */
  readonly started: boolean;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly canCancel: boolean;
  readonly toolCallId: string | undefined;
  readonly outputFile: string | undefined;
  readonly summary: string | undefined;
  readonly run: string | undefined;
  /** The run of the life before this one: what names it is late. */
  readonly earlierRun: string | undefined;
  /** What was told of the next run after this one ended, and before the next one started. */
  readonly upcoming: TaskFacts | undefined;
  /** The raw feed told of it, so that a missing `ambient` means that it is none. */
  readonly inRawFeed: boolean;
  readonly ambient: boolean;
  /** The extension has forgotten it while it runs: what it said of its end then is none, and it can stop it no more. */
  readonly forgotten: boolean;
  /** The raw feed says that it runs in the background. */
  readonly background: boolean;
  readonly paused: boolean;
  readonly stopAsked: boolean;
  readonly outcome: Outcome | undefined;
  /** Who told the outcome. */
  readonly endedBy: SignalSource | undefined;
  readonly exitCode: number | undefined;
  /** Milliseconds of the event clock. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
}

export interface CallState {
  readonly id: string;
  readonly status: string | undefined;
  readonly final: boolean;
  readonly title: string | undefined;
  readonly kind: string | undefined;
  readonly name: string | undefined;
  readonly terminals: readonly string[];
  readonly backgrounded: boolean;
  readonly seenAt: number;
  /** The id was used before, for a call that ended: `seenAt` is the start of this one. */
  readonly reused: boolean;
}

export interface TerminalState {
  readonly id: string;
  readonly command: string | undefined;
  readonly cwd: string | undefined;
  readonly exit: ExitFacts | undefined;
  readonly output: boolean;
}

export interface SessionLedger {
  readonly items: Table<Item>;
  readonly calls: Table<CallState>;
  readonly terminals: Table<TerminalState>;
  /** Foreground work runs, also while it waits for the user. */
  readonly running: boolean;
}

export type Ledger = Table<SessionLedger>;

export interface LedgerEvent {
  readonly session: string;
  /** Milliseconds of the event clock. */
  readonly at: number;
  readonly signal:
    | Signal
    /** A client's request to stop it goes to the agent, or was refused there. */
    | { readonly type: 'stopAsked' | 'stopRefused'; readonly task: string }
    | { readonly type: 'sessionGone' };
}

/** What a client or a trace can be told. `item` is the state after the event. */
export type Fact = { readonly session: string; readonly at: number; readonly item: Item } & (
  | { readonly type: 'itemStarted' }
  /** `ack`: its launching call was acknowledged, `mark`: the extension's mark came before it, `idle`: foreground work ended. */
  | { readonly type: 'itemDetached'; readonly by: 'ack' | 'mark' | 'idle' }
  | { readonly type: 'itemChanged'; readonly before: Item }
  /** `tentative`: a `stopped` that nobody asked for, which some agents correct at once. */
  | { readonly type: 'itemEnded'; readonly before: Item; readonly tentative: boolean }
  /** Another final state than the one told before. */
  | { readonly type: 'itemCorrected'; readonly before: Item }
  /** The same final state, told again with more. */
  | { readonly type: 'itemRefined'; readonly before: Item }
);

export interface LedgerOptions {
  /** The async task extension reports tasks, so that the raw feed only adds facts. Default true. */
  readonly asyncTasks?: boolean;
  /** How many ended items, settled calls and exited terminals are remembered per session. Default 256. */
  readonly remembered?: number;
}
