/**
 * The data of the reducer that tells listed background work as tasks of the private extension: what a
 * client of the extension was told of one session, and what is known of the work.
 */
import type { BackgroundType, ExitFacts, JsonObject, Outcome, Signal } from '../protocol/index.js';
import type { Table } from './table.js';

/** A piece of work as the client knows it. */
export interface ListedTask {
  /** Where it stands in the table: the key of its entry in the list. */
  readonly key: string;
  /** `asyncTaskId`. */
  readonly task: string;
  /** `turn`: foreground work that the agent started itself. */
  readonly type: BackgroundType | 'turn';
  /** The id of the terminal, the tool call, the child session, or the turn. */
  readonly id: string;
  /** Its end was told. It may still be on the list. */
  readonly ended: boolean;
  /** The client asked to stop it. */
  readonly stopAsked: boolean;
  readonly paused: boolean;
  /** What the client was told last. */
  readonly description: string;
  readonly canStop: boolean;
  readonly toolCallId: string | undefined;
}

export interface KnownCall {
  readonly name: string | undefined;
  readonly title: string | undefined;
  /** What its input calls the work. */
  readonly description: string | undefined;
  readonly status: string | undefined;
  readonly terminals: readonly string[];
  readonly canCancel: boolean;
}

export interface KnownTerminal {
  readonly command: string | undefined;
  readonly exit: ExitFacts | undefined;
  readonly canCancel: boolean;
  /** The end of its output, where the agent's habit is to tell the exit code there. */
  readonly tail: string;
}

export interface KnownChild {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly toolCallId: string | undefined;
  readonly canCancel: boolean;
  /** How it ended last. `undefined`: it works, or nothing is known. */
  readonly outcome: Outcome | undefined;
}

/** What the raw feed says of one of its own tasks. */
export interface SaidTask {
  readonly call: string | undefined;
  readonly outcome: Outcome | undefined;
  readonly exitCode: number | undefined;
}

export interface ListedTasks {
  readonly tasks: Table<ListedTask>;
  readonly calls: Table<KnownCall>;
  readonly terminals: Table<KnownTerminal>;
  readonly children: Table<KnownChild>;
  /** By the ids that the raw feed gives them. */
  readonly said: Table<SaidTask>;
  /** The harness's sentence on the last end, which can be the cause of the next turn. */
  readonly cause: string | undefined;
  /** Foreground work runs, also while it waits for the user. */
  readonly running: boolean;
  /** Prompts that have no answer yet. */
  readonly prompts: number;
  /** A prompt was taken in, and its work has not ended. */
  readonly prompted: boolean;
  /** Turns of the agent's own so far. */
  readonly turns: number;
  /** Requests that may replay history and have no answer yet. */
  readonly resuming: number;
}

/** What the reducer depends on. */
export interface ListedTasksOptions {
  /** The last line of an output tells the exit code of a command that ended by itself, see `exitCodeOfTail`. */
  readonly exitLineInOutput: boolean;
  /** The client knows the extension's mark on the call of a command that goes on in the background. */
  readonly marks: boolean;
  /** Subagents are tasks, too. */
  readonly subagents: boolean;
  /** What a turn of the agent's own is called. */
  readonly turnName: string;
}

export type ListedTasksEvent =
  /** An update of the agent. `isChild`: the session is a subagent's, whose foreground work is its parent's business. */
  | { readonly type: 'update'; readonly update: JsonObject; readonly isChild: boolean }
  /** The raw feed's words. It adds to what is listed, and starts and ends nothing. */
  | { readonly type: 'fed'; readonly signals: readonly Signal[] }
  | { readonly type: 'promptSent' }
  | { readonly type: 'promptAnswered'; readonly accepted: boolean }
  | { readonly type: 'stopAsked' | 'stopRefused'; readonly task: string }
  | { readonly type: 'resumes' | 'resumed' }
  /** Nothing more is heard of the session. */
  | { readonly type: 'ended'; readonly reason: string };

/** An update of the private extension for the client, and whether it comes before the update at hand or after it. */
export interface TaskTold {
  readonly place: 'before' | 'after';
  readonly update: JsonObject & { readonly sessionUpdate: string };
}

/** The words that the extension has for an end. */
export type TaskEnd = 'completed' | 'failed' | 'stopped';
