/**
 * What a rule is: a number, what it demands, the section of the specification that it follows, and a
 * function that finds what breaks it. No rule is here.
 */
import type { CheckEvent } from './events.js';
import type { ProtocolVersion } from '../protocol/versions.js';
import type { SessionView } from './view.js';

export interface CheckOptions {
  /** The follow-up window, in milliseconds. Default 250. */
  readonly window?: number;
  /** How long after an item's end its removal from the list may take, in milliseconds. Default 2000. */
  readonly resendWithin?: number;
  /** The version that was spoken. Default: what the recording shows (see `versionOf`). */
  readonly version?: ProtocolVersion;
  /** How long after a `session/cancel` its prompt may take to be answered, in milliseconds. Default 5000. */
  readonly answerWithin?: number;
  /** Messages that cross on the wire: what comes within this many milliseconds may not have known yet. Default 50. */
  readonly crossing?: number;
}

/** The options with their defaults, and what the recording says of the connection. */
export interface Settings extends Required<CheckOptions> {
  /** The update kinds of private extensions that the client asked for. */
  readonly extensionKinds: ReadonlySet<string>;
  /** What the client offers a v1 agent: `terminal`, `fs.readTextFile`, `fs.writeTextFile`. `undefined`: nobody knows. */
  readonly offered: ReadonlySet<string> | undefined;
  /** It begins with `initialize`: nothing came before. */
  readonly isWhole: boolean;
}

/** One event, with what the client knew of its session before and after. */
export interface Moment {
  readonly event: CheckEvent;
  readonly before: SessionView;
  readonly after: SessionView;
  readonly options: Settings;
}

/** What a rule demanded, and what came in its place. Ids and states only, never contents. */
export interface Fault {
  readonly expected: string;
  readonly came: string;
}

export interface Rule {
  /** `5.x`: the order of background work, `A.x`: ACP of both versions, `J.x`: JSON-RPC, `V1.x`: ACP v1, `S.x`: validity. */
  readonly number: string;
  readonly name: string;
  readonly title: string;
  /** Whose rule it is. Default: the agent's. */
  readonly of?: 'client';
  /** The versions that it holds in. */
  readonly versions: readonly ProtocolVersion[];
  /** The section of the v2 background work RFD, or the page of the ACP specification. */
  readonly section: string;
  readonly find: (moment: Moment) => readonly Fault[];
}

type EventOf<T extends CheckEvent['type']> = Extract<CheckEvent, { readonly type: T }>;

/** A rule that looks at one type of event only. */
export const on =
  <T extends CheckEvent['type']>(type: T, find: (event: EventOf<T>, moment: Moment) => readonly Fault[]): Rule['find'] =>
  (moment) => (moment.event.type === type ? find(moment.event as EventOf<T>, moment) : []);

/** One fault if `broken`. */
export const faultIf = (broken: boolean, expected: string, came: string): readonly Fault[] => (broken ? [{ expected, came }] : []);
