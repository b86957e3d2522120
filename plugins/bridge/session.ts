/**
 * What the bridge remembers of one session: the foreground, and the entities as the client knows
 * them. Bounded: calls that have ended are forgotten, oldest first.
 */
import { isFinal, kept, type CallContext, type ConfigView, type Failure, type KnownCall, type JsonObject, type KnownTerminal, type MessageRun, type MetaRules } from 'afterturn/protocol';
import { noTurns, type TurnsState } from 'afterturn/state';
import { MessageIds } from './message-ids.js';
import type { Replay } from './replay.js';
import { BoundedMap, BoundedSet } from '../bounded.js';
import { Revivals } from '../revivals.js';

const MAX_CALLS = 1000;
const MAX_TERMINALS = 1000;

export class BridgeSession {
  readonly id: string;
  /** The client has the answer to the request that set it up. */
  isSetUp = false;
  cwd: string | undefined;
  turns: TurnsState = noTurns;
  /** The message that a chunk without an id belongs to. */
  run: MessageRun | undefined;
  config: ConfigView | undefined;
  /** A replay is running: `hidden` when the client did not ask for it. */
  replay: 'none' | 'shown' | 'hidden' = 'none';
  #history: Replay | undefined;
  readonly ids = new MessageIds();
  #callLimit = MAX_CALLS;
  /** Stops of a task that the agent has not answered. */
  openStops = 0;
  closed = false;
  readonly revivals = new Revivals();
  /** The agent said that its turn failed, beside the turn's end. */
  failure: Failure | undefined;
  /** The session whose subagent this one is. */
  parent: BridgeSession | undefined;
  /** What the parent's client is still to be told of this child, with its next state. */
  announcement: JsonObject | undefined;
  /** The client may cancel this child: `session/cancel` on it stops it. */
  cancellable = false;
  /** What the raw feed said last; `undefined` without one. */
  feedRuns: boolean | undefined;
  /** The agent tells whether its thread is at work. */
  tellsThread = false;
  /** A turn that nothing marks was begun by a message of the client. */
  showsTurn = false;
  readonly calls = new BoundedMap<string, KnownCall>();
  readonly terminals = new Map<string, KnownTerminal>();
  /** The ids that the agent itself gave to user messages. */
  readonly userMessages = new BoundedSet<string>();
  /** Messages that were added to the turn that runs, and that the agent has not named yet. */
  steered = 0;
  nextUserMessage: string | undefined;

  constructor(id: string) {
    this.id = id;
  }

  /** For a report of this call. What fails in a replay failed then, unless the client knows better. */
  callContext(meta: MetaRules, call?: string): CallContext {
    const { cancelled, ending, closing } = this.turns;
    const cancelling = this.history === undefined ? cancelled || ending || closing?.ending.stopReason === 'cancelled' : call !== undefined && this.history.wasCancelled(call);
    return { cwd: this.cwd, meta, cancelling };
  }

  /** The history that is being replayed, a subagent's with its parent's. */
  get history(): Replay | undefined {
    return this.parent === undefined ? this.#history : this.root.history;
  }

  beginReplay(history: Replay, isShown: boolean): void {
    if (this.#history !== undefined) history.takesOver(this.#history);
    this.#history = history;
    this.replay = isShown ? 'shown' : 'hidden';
    this.run = undefined;
  }

  /** Whether it was the one that ran: a newer one goes on. */
  endReplay(history: Replay): boolean {
    if (this.#history !== history) return false;
    this.#history = undefined;
    this.replay = 'none';
    this.run = undefined;
    return true;
  }

  rememberCall(id: string, call: KnownCall): void {
    kept(call.fields.content);
    kept(call.fields.rawOutput);
    this.calls.set(id, call);
    if (this.calls.size <= this.#callLimit) return;
    for (const [oldest, known] of this.calls) {
      if (!isFinal(known)) continue;
      this.calls.delete(oldest);
      return;
    }
    // Where that many are open, they are not looked through at each update.
    this.#callLimit = Math.floor(this.calls.size * 1.125);
  }

  rememberTerminals(terminals: ReadonlyMap<string, KnownTerminal>): void {
    for (const [id, terminal] of terminals) this.terminals.set(id, terminal);
    for (const oldest of this.terminals.keys()) {
      if (this.terminals.size <= MAX_TERMINALS) return;
      this.terminals.delete(oldest);
    }
  }

  /** The session itself, or the one that its outermost parent is. */
  get root(): BridgeSession {
    let top: BridgeSession = this;
    while (top.parent !== undefined) top = top.parent;
    return top;
  }

  takeAnnouncement(): JsonObject {
    const announcement = this.announcement ?? {};
    this.announcement = undefined;
    return announcement;
  }

  /** The id that the agent gives the next user message that it takes in, if it has told one. */
  takeUserMessageId(): string | undefined {
    const id = this.nextUserMessage;
    this.nextUserMessage = undefined;
    return id;
  }
}
