/**
 * What a live check keeps: what it was told, what it knows of the agent, and the words of its
 * conversation. Data only.
 */
import type { RecordedJson } from '../check/record.js';
import type { ProtocolVersion } from '../protocol/versions.js';

export interface LiveSettings {
  /** The version that the client offers. */
  readonly version: ProtocolVersion;
  /** Where its sessions begin: an absolute path. */
  readonly cwd: string;
  /** How long an answer may take, in milliseconds. */
  readonly patience: number;
  readonly client: { readonly name: string; readonly version: string };
}

export type LiveEvent =
  | { readonly type: 'begun' }
  | { readonly type: 'heard'; readonly msg: RecordedJson }
  /** The wait of this number is over. */
  | { readonly type: 'timeUp'; readonly of: number };

export type LiveEffect =
  | { readonly do: 'say'; readonly msg: RecordedJson }
  /** In place of the wait before. */
  | { readonly do: 'wait'; readonly ms: number; readonly of: number }
  /** All is said. */
  | { readonly do: 'done' };

/** A message that a step says: a request, unless it is a notification. */
export interface Said {
  readonly method: string;
  readonly params: unknown;
  readonly isNotification?: true;
}

export type Answer = Pick<RecordedJson, 'result' | 'error'>;

/** What the client knows by now. */
export interface Facts {
  /** What each step was answered, by its name. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** The session, once there is one. */
  readonly session: string | undefined;
  /** v2: foreground work of the session has ended since the last prompt was sent. */
  readonly hasEnded: boolean;
  /** Something was said for the session since the step began. */
  readonly hasSpoken: boolean;
  /** v2: what can be cancelled by its id now, among the listed: the requests that do it. */
  readonly cancellable: readonly Said[];
}

/** What came of a step. */
export type StepOutcome = 'answered' | 'refused' | 'unanswered' | 'not offered' | 'not possible';

export interface StepReport {
  readonly name: string;
  readonly outcome: StepOutcome;
  /** The code of the error that it was refused with. */
  readonly code?: number;
}
