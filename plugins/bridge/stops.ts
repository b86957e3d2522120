/**
 * Knows while the agent is stopping a task on request: what it then says without a message id is a
 * notice. The requests themselves pass as they are.
 */
import type { Call, Outcome, Reply } from 'afterturn/plugin';
import { at, idOf } from 'afterturn/protocol';
import type { Bridge } from './bridge.js';
import type { BridgeSession } from './session.js';

export class Stops {
  readonly #bridge: Bridge;
  readonly #open = new Map<string, BridgeSession>();

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  onCall(call: Call): Outcome {
    const sessionId = idOf(at(call.params, 'sessionId'));
    if (call.id === undefined || sessionId === undefined) return undefined;
    const session = this.#bridge.session(sessionId);
    session.openStops++;
    this.#open.set(JSON.stringify(call.id), session);
    return undefined;
  }

  onReply(reply: Reply): Outcome {
    const key = JSON.stringify(reply.to.id);
    const session = this.#open.get(key);
    this.#open.delete(key);
    if (session) session.openStops--;
    return undefined;
  }
}
