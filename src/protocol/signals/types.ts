/**
 * Signals: the one small set of events that the traffic of every dialect is read into, so that each
 * rule about background work is written once. Data only; what they mean for a session is
 * `state/ledger`'s business.
 */

/** How a piece of work ended, in the harness's own words. `unknown`: nobody reported it. */
export type Outcome = 'completed' | 'failed' | 'stopped' | 'unknown';

/** Who said it. Raw membership and `task_started` only add facts where the extension reports tasks. */
export type SignalSource = 'async' | 'raw' | 'native';

/** What a message may tell about a task. Absent: not told. */
export interface TaskFacts {
  readonly title?: string;
  readonly description?: string;
  readonly taskType?: string;
  readonly canCancel?: boolean;
  readonly toolCallId?: string;
  readonly outputFile?: string;
  readonly summary?: string;
  /** Set apart a task that was resumed under its old id from its earlier life. */
  readonly run?: string;
  /** Housekeeping that the agent started on its own: recorded, never listed. */
  readonly ambient?: boolean;
  /** It is in the raw feed's set of work that runs in the background. */
  readonly background?: boolean;
  /** The task that started it, where that is a subagent's. */
  readonly parentTask?: string;
}

export type Signal =
  | { readonly type: 'taskStarted'; readonly source: SignalSource; readonly task: string; readonly facts: TaskFacts }
  | { readonly type: 'taskChanged'; readonly source: SignalSource; readonly task: string; readonly facts: TaskFacts; readonly paused?: boolean }
  | {
      readonly type: 'taskEnded';
      readonly source: SignalSource;
      readonly task: string;
      readonly outcome: Outcome;
      readonly facts: TaskFacts;
      readonly exitCode?: number;
    }
  /** The whole live set of the raw feed. It ends nothing. */
  | { readonly type: 'liveSet'; readonly tasks: readonly string[] }
  | { readonly type: 'toolCall'; readonly call: string; readonly facts: CallFacts }
  | { readonly type: 'terminal'; readonly terminal: string; readonly facts: TerminalFacts }
  | { readonly type: 'foreground'; readonly state: string; readonly stopReason?: string }
  /** The raw feed's word on whether the session runs, prompt or not. */
  | { readonly type: 'sessionState'; readonly running: boolean }
  /** The conversation begins anew in the same session (`/clear`): what runs in the background goes on, and the extension has forgotten it. */
  | { readonly type: 'conversationReset' };

export interface CallFacts {
  /** The update starts the call (v1 `tool_call`). */
  readonly start?: boolean;
  readonly status?: string;
  readonly title?: string;
  readonly kind?: string;
  readonly name?: string;
  /** The terminals that its content references, when content was sent. */
  readonly terminals?: readonly string[];
  /** The extension's mark on a call whose command goes on in the background. */
  readonly backgrounded?: boolean;
  /** The call that launched the subagent whose call this is, where both are shown in one session. */
  readonly parentCall?: string;
  /** The exit code of the command that the call ran, as its output tells it. */
  readonly exitCode?: number;
}

export interface TerminalFacts {
  readonly command?: string;
  readonly cwd?: string;
  readonly exit?: ExitFacts;
  /** The exit that was told is taken back: the id has a new life. */
  readonly reopened?: boolean;
  /** Output was sent: the agent streams this terminal. */
  readonly output?: boolean;
}

export interface ExitFacts {
  readonly exitCode?: number;
  readonly signal?: string;
}

/** What one message tells. `problem` names a malformed part, by type and key names only. */
export interface Reading {
  readonly signals: readonly Signal[];
  readonly problem?: string;
}

export const nothing: Reading = { signals: [] };
export const told = (...signals: Signal[]): Reading => ({ signals });
export const malformed = (problem: string): Reading => ({ signals: [], problem });
/** What can be told although a part is malformed; that part is left out. */
export const toldInPart = (problem: string | undefined, ...signals: Signal[]): Reading => (problem === undefined ? { signals } : { signals, problem });
