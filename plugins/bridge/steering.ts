/**
 * `_session/steering`, by which a client adds a message to the turn that runs. The request and its
 * answer pass as they are. ACP v2 has each message of the user told when the agent takes it in ("Prompt
 * Lifecycle"), which a v1 agent does not: its answer says so.
 */
import type { Call, Outcome, Reply } from 'afterturn/plugin';
import { arrayOf, at, idOf, stringOf } from 'afterturn/protocol';
import type { Bridge } from './bridge.js';
import type { Foreground, Happened } from './foreground.js';
import type { BridgeSession } from './session.js';
import { BoundedMap } from '../bounded.js';

export const STEERING = '_session/steering';

/** The turn that a message began because none ran. */
const TURN = 'steering';

interface Open {
  readonly session: BridgeSession;
  readonly content: readonly unknown[];
}

export class Steering {
  readonly #bridge: Bridge;
  readonly #foreground: Foreground;
  readonly #open = new BoundedMap<string, Open>();

  constructor(bridge: Bridge, foreground: Foreground) {
    this.#bridge = bridge;
    this.#foreground = foreground;
  }

  onCall(call: Call): Outcome {
    const sessionId = idOf(at(call.params, 'sessionId'));
    const content = arrayOf(at(call.params, 'prompt'));
    if (call.id !== undefined && sessionId !== undefined && content !== undefined) this.#open.set(JSON.stringify(call.id), { session: this.#bridge.session(sessionId), content });
    return undefined;
  }

  onReply(reply: Reply): Outcome {
    const key = JSON.stringify(reply.to.id);
    const steered = this.#open.get(key);
    this.#open.delete(key);
    const outcome = stringOf(at(reply.result, 'outcome'));
    if (steered === undefined || steered.session.closed || (outcome !== 'injected' && outcome !== 'startedNewTurn')) return undefined;
    const { session, content } = steered;
    // A turn that it was added to runs: the prompt that waited has become it.
    if (outcome === 'injected') this.#foreground.happened(session, { type: 'said', starts: false });
    this.#foreground.steered(session, content);
    if (outcome === 'startedNewTurn') this.#begins(session);
    return undefined;
  }

  /** Its end is told by the raw feed or by Codex's word on its thread; else it shows what it does, and no more. */
  #begins(session: BridgeSession): void {
    const isEndTold = session.feedRuns !== undefined || session.tellsThread;
    session.showsTurn = !isEndTold;
    this.#foreground.happened(session, isEndTold ? { type: 'ownStarted', id: TURN } : { type: 'worked', starts: true });
  }
}

/** What Codex says of its thread: while no prompt runs, only a turn that a message began can end with it. */
export function threadIn(session: BridgeSession, update: unknown): Happened[] {
  const status = stringOf(at(update, '_meta', 'codex', 'threadStatus', 'type'));
  if (status === undefined) return [];
  session.tellsThread = true;
  return status === 'idle' ? [{ type: 'ownEnded', id: TURN, ending: { stopReason: 'end_turn' }, marks: false }] : [];
}
