/**
 * The foreground work of one session as data: what is open, what happens to it, and what has to be
 * said about it. Times are milliseconds of any clock that does not go back.
 */
import type { Ending } from '../protocol/bridge/prompt.js';
import type { RpcError } from '../wire/jsonrpc.js';

/**
 * A client's prompt that the agent has not answered. `due`: when it counts as taken in without a sign.
 * `overlaps`: it does not wait for the prompts before it, which the agent stops for it. `newest`: how a
 * prompt that was taken in later ended meanwhile.
 */
export interface OpenPrompt {
  readonly prompt: string;
  readonly inserted: boolean;
  readonly due: number;
  readonly overlaps?: boolean;
  readonly newest?: Ending;
  /** A `session/cancel` came while it was open. */
  readonly cancelled?: true;
}

/**
 * A turn that the agent started on its own, and what told it: a task of type `turn`, the raw feed's
 * session state, or, where an agent has neither, its content, with or without an update that closes it.
 * `due`: when it ends without its own word. `marked`: the update that closes it came already. Of a turn
 * that nothing marks: when its content came `last`, its open `calls`, and the next look at it (`armed`).
 */
export interface OwnTurn {
  readonly id: string;
  readonly from: 'task' | 'feed' | 'content' | 'unmarked';
  readonly due?: number;
  readonly marked?: true;
  readonly last?: number;
  readonly calls?: readonly string[];
  readonly armed?: number;
}

export interface TurnsState {
  readonly prompts: readonly OpenPrompt[];
  readonly own: readonly OwnTurn[];
  /** The last of the work ended, and the update that closes an own turn is still to come. */
  readonly closing: { readonly ending: Ending; readonly due: number } | undefined;
  /** Open permission requests and questions of the foreground. */
  readonly questions: readonly string[];
  /** The state that the client was told last. */
  readonly shown: 'idle' | 'running' | 'requires_action';
  /** A `session/cancel` fell in this work. */
  readonly cancelled: boolean;
  /** The session is being closed: nothing that waits is taken in any more. */
  readonly ending: boolean;
  /** The agent tells when it takes a user message in. */
  readonly names: boolean;
}

/** `at` is the event's time. */
export type TurnEvent = { readonly at: number } & (
  /** `overlaps`: the agent stops what it does for it, and does not make it wait. */
  | { readonly type: 'promptSent'; readonly prompt: string; readonly overlaps?: boolean }
  /** The agent answered the prompt. */
  | { readonly type: 'promptEnded'; readonly prompt: string; readonly ending: Ending }
  | { readonly type: 'promptFailed'; readonly prompt: string; readonly error: RpcError }
  /** The agent told that it has taken in the user message that waits longest. */
  | { readonly type: 'takenIn' }
  /** The agent said something that belongs to a turn; `starts`: and it can start one of its own. */
  | { readonly type: 'said'; readonly starts: boolean }
  /** Content of an agent that marks its own turns in no way. `starts`: a turn can begin with it. `call`: what it says of one. */
  | { readonly type: 'worked'; readonly starts: boolean; readonly call?: { readonly id: string; readonly open: boolean } }
  /** The update with which the agent closes each of its turns went out. */
  | { readonly type: 'marked' }
  | { readonly type: 'ownStarted'; readonly id: string }
  /** `marks`: the agent closes its turns with an update of their own, which may come after this. */
  | { readonly type: 'ownEnded'; readonly id: string; readonly ending: Ending; readonly marks: boolean }
  /** The raw feed's word on whether the session runs. */
  | { readonly type: 'feed'; readonly running: boolean }
  | { readonly type: 'asked'; readonly question: string }
  | { readonly type: 'answered'; readonly question: string }
  /** The client sent `session/cancel`. */
  | { readonly type: 'cancelled' }
  /** The client asked to close the session; that was refused. */
  | { readonly type: 'closing' | 'closeFailed' }
  /** The session was closed: nothing more is said of it. */
  | { readonly type: 'closed' }
  | { readonly type: 'woken' }
);

export type TurnEffect =
  /** Tell the client that its prompt was taken in: `user_message`, then the response. */
  | { readonly type: 'insert'; readonly prompt: string }
  /** Answer the prompt with an error. */
  | { readonly type: 'refuse'; readonly prompt: string; readonly error: RpcError }
  /** Send a `state_update`. */
  | { readonly type: 'state'; readonly state: 'running' | 'requires_action' }
  | { readonly type: 'state'; readonly state: 'idle'; readonly ending: Ending }
  /** The work ended with these questions open: nobody waits for their answers any more. */
  | { readonly type: 'withdraw'; readonly questions: readonly string[] }
  /** Feed `woken` at this time. */
  | { readonly type: 'wake'; readonly at: number };

export type Step = readonly [TurnsState, readonly TurnEffect[]];
