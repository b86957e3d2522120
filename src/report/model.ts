/**
 * What a report shows: sessions with their turns, tool calls, permission waits and background items on
 * one clock. Data only. Texts are as they came: whoever shows them escapes them.
 */

export type Kind = 'turn' | 'call' | 'background' | 'permission' | 'other';

/** `running`: nobody reported its end. `unknown`: it has ended, and nobody said how. */
export type State = 'completed' | 'failed' | 'cancelled' | 'running' | 'unknown';

/** Something that happened on the way. */
export interface Moment {
  /** Milliseconds of the timeline. */
  readonly at: number;
  readonly name: string;
  readonly text: string;
}

/** A label and a value, both for a person. */
export type Fact = readonly [label: string, value: string];

/** A turn, a tool call, a wait or a background item. */
export interface Entry {
  /** Unique in the timeline. */
  readonly key: string;
  /** The entry that it happened in; always before it in the session. */
  readonly parent: string | undefined;
  /** How many entries it is nested in. */
  readonly depth: number;
  readonly kind: Kind;
  /** A word: the tool, the type of a task. */
  readonly name: string;
  /** In the agent's words. Only where the file holds it. */
  readonly title: string | undefined;
  readonly state: State;
  /** What else is known of its end. Empty: nothing. */
  readonly outcome: string;
  /** Milliseconds of the timeline. `end` of what has none: when that was last known. */
  readonly start: number;
  readonly end: number;
  readonly moments: readonly Moment[];
  /** Keys of the entries whose end caused it. */
  readonly causes: readonly string[];
  readonly facts: readonly Fact[];
}

export interface Session {
  readonly id: string;
  readonly title: string | undefined;
  /** Where it was read: a place in `Timeline.sources`. */
  readonly source: number;
  /** The agent's name and version, as far as they are known. */
  readonly agent: string | undefined;
  /** The key of the background item whose work this is: the session is a subagent's. */
  readonly workOf: string | undefined;
  readonly start: number;
  readonly end: number;
  /** In order, each behind the one that it happened in. */
  readonly entries: readonly Entry[];
}

/** `absolute`: times of day. `relative`: from the start of the file. `none`: it has no times, only an order. */
export type Clock = 'absolute' | 'relative' | 'none';

export interface Source {
  readonly file: string;
  readonly form: 'trace' | 'recording';
  readonly clock: Clock;
  /** What a reader must know of it. */
  readonly remarks: readonly string[];
}

export interface Timeline {
  readonly sources: readonly Source[];
  /** The zero of the timeline in milliseconds since the epoch. `undefined`: no file tells times of day. */
  readonly zero: number | undefined;
  /** Milliseconds from the first start to the last end. */
  readonly length: number;
  readonly sessions: readonly Session[];
}
