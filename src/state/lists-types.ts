/** The data of the lists reducer: what a v2 client was told of one session, and what still waits. */
import type { ExitFacts, JsonObject } from '../protocol/index.js';
import type { Fact, SessionLedger } from './ledger-types.js';
import type { Table } from './table.js';

/** An item as the client knows it: by the id of its terminal or tool call. */
export interface Entry {
  /** Where it stands in the table: its task, or something else once that has another life. */
  readonly key: string;
  readonly task: string;
  readonly life: number;
  readonly type: 'terminal' | 'tool_call';
  /** `terminalId` or `toolCallId`. */
  readonly id: string;
  /** We made the entity ourselves: nobody else updates it. */
  readonly own: boolean;
  readonly canCancel: boolean;
  /** `ending`: its end is known and what it waits for is not; `settled`: its final state was sent. */
  readonly phase: 'live' | 'ending' | 'settled';
  /** It waits for the correction of a `stopped` that nobody asked for. */
  readonly tentative: boolean;
  /** It ended before it detached: its terminal is settled, and no list ever names it. */
  readonly unlisted: boolean;
  /** When waiting ends at the latest, in milliseconds of the event clock. */
  readonly until: number | undefined;
  /** Its output file has been read to the harness's own last line, or cannot be read. */
  readonly complete?: boolean;
  /** What the terminal's own exit said, before or after the end. */
  readonly exit: ExitFacts | undefined;
  /** The final state as it was sent, as JSON text. */
  readonly told: string | undefined;
}

/** A child session of this one, as far as the list depends on it. */
export interface ChildEntry {
  readonly id: string;
  /** The client was told of it. */
  readonly announced: boolean;
  /** It runs beside foreground work, not as a part of it. */
  readonly detached: boolean;
  readonly state: string | undefined;
  /** It has background work of its own, or tells nothing of that. */
  readonly busy: boolean;
  /** The state that its parent told last, as JSON text. */
  readonly mirrored: string | undefined;
  /** What the client knows of the association. */
  readonly fields: JsonObject;
}

/** A snapshot that waits: the removal of an ended item, or an `idle` for tasks that are announced late. */
export interface Held {
  readonly until: number;
  /** The `idle` update that waits. Absent: the current state is sent again. */
  readonly update: JsonObject | undefined;
}

/** The ids that a session's items have had. */
export interface UsedIds {
  /** Ids that no further item may have, by type and id, and the number in each of our own. Bounded. */
  readonly used: Table<number>;
  /** The highest number of an id of our own that is no longer in `used`. */
  readonly forgotten: number;
}

export interface SessionLists extends UsedIds {
  readonly reported: boolean;
  /** The agent lists background work itself: nothing is added. */
  readonly native: boolean;
  readonly state: string;
  /** By `Entry.key`. */
  readonly entries: Table<Entry>;
  /** By the ids of their sessions. */
  readonly children: Table<ChildEntry>;
  readonly held: Held | undefined;
  /** `session/close` or `session/delete` was sent and not answered yet. */
  readonly closing: boolean;
  /** A `session/resume` was sent, and what is listed was not told anew yet. */
  readonly resuming: boolean;
  /** Ends that the client knew and a replay took back: it began the entity anew, and has not ended it again yet. */
  readonly takenBack: Table<Pick<Entry, 'type' | 'id'>>;
}

/** What the agent's habits are, as far as lists depend on them. One row a profile, see `protocol/profiles`. */
export interface ListsOptions {
  /** Milliseconds that a removal waits for a turn of the agent's own, and an exit code for the end. */
  readonly window: number;
  /** The exit that the agent attaches to a launch acknowledgement is the tool's, not the process's. */
  readonly exitAtLaunch: boolean;
  /** The harness itself writes the last line of a command's output file, after the end: until it is there, output is missing. */
  readonly exitLineInOutput?: boolean;
  /** The end of an item can start a turn of the agent's own. */
  readonly startsTurns: boolean;
  /** A `stopped` that nobody asked for may be corrected at once. */
  readonly correctsStops: boolean;
  /** The agent announces its tasks, so that they may still come where not all of its work is reported. Default false. */
  readonly announcesTasks?: boolean;
}

/** The update comes between a `session/resume` and its response. `history`: it may be replayed. */
export type Resuming = 'history' | 'live';

export type ListsEvent = { readonly at: number; readonly session: string } & (
  /** An update of the agent, with what the ledger made of it. */
  | { readonly type: 'update'; readonly update: JsonObject; readonly facts: readonly Fact[]; readonly ledger: SessionLedger; readonly resuming?: Resuming }
  /** All that is listed is told anew, with the state or without. */
  | { readonly type: 'restore'; readonly state: boolean; readonly ledger: SessionLedger }
  /** What lived in the session is gone without a word, for this reason. */
  | { readonly type: 'lost'; readonly reason: string; readonly ledger: SessionLedger }
  /** Facts without an update that could pass. */
  | { readonly type: 'facts'; readonly facts: readonly Fact[]; readonly ledger: SessionLedger }
  /** The output file was read to its end; the code is its last line's. */
  | { readonly type: 'flushed'; readonly task: string; readonly fileCode: number | undefined; readonly complete?: boolean; readonly ledger: SessionLedger }
  | { readonly type: 'tick'; readonly ledger: SessionLedger }
  /** A child is about to tell this `state_update`. */
  | { readonly type: 'childState'; readonly child: string; readonly update: JsonObject; readonly ledger: SessionLedger }
  /** Background work is reported from now on, as in the session's parent. */
  | { readonly type: 'reported'; readonly ledger: SessionLedger }
  /** A question about listed work is about to go to the client. */
  | { readonly type: 'asked'; readonly ledger: SessionLedger }
  /** The client cancels the foreground work of the session. */
  | { readonly type: 'cancelAsked' }
  | { readonly type: 'closing' }
  | { readonly type: 'closeFailed'; readonly ledger: SessionLedger }
  /** A `session/resume` goes to the agent; its response has passed. */
  | { readonly type: 'resuming' }
  | { readonly type: 'resumed'; readonly ledger: SessionLedger }
  | { readonly type: 'ended'; readonly reason: 'closed' | 'agentGone'; readonly ledger: SessionLedger }
);

export type ListsEffect =
  /** A `session/update` to the client. */
  | { readonly do: 'send'; readonly update: JsonObject }
  /** A `session/update` of a child to the client. */
  | { readonly do: 'sendFor'; readonly child: string; readonly update: JsonObject }
  /** A tool call as it was told so far, changed by `update`. `terminal`: its content shows this one, too. Nothing, if nothing is known of it. */
  | { readonly do: 'sendCall'; readonly update: JsonObject; readonly terminal: string | undefined }
  /** What a child lists is told anew, without its state. */
  | { readonly do: 'restoreChild'; readonly child: string }
  /** A `terminal_update` with the kept tail of its output. */
  | { readonly do: 'sendTerminal'; readonly update: JsonObject }
  /** The update at hand goes on untouched, at this place. */
  | { readonly do: 'keep' }
  /** Starts to follow the item's output file into its terminal. */
  | { readonly do: 'follow'; readonly task: string; readonly path: string; readonly terminalId: string }
  /** Reads the output file to its end now, then reports `flushed`. */
  | { readonly do: 'flush'; readonly task: string }
  /** Reads it to its end and stops. */
  | { readonly do: 'unfollow'; readonly task: string };
