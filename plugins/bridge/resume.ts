/**
 * `session/resume` (ACP v2 "Session Setup"): v1 has a resume, which never replays, and a load, which
 * always does. The history comes first, then the session's state, then the response. A replay that the
 * client did not ask for is swallowed.
 */
import { refuse, take, type Call, type Outcome, type Reply, type RequestId } from 'afterturn/plugin';
import { habitsOfAgent, idOf, objectOf, stringOf, toV1Resume, type JsonObject } from 'afterturn/protocol';
import type { Bridge } from './bridge.js';
import type { Foreground } from './foreground.js';
import { Replay } from './replay.js';
import type { Requests } from './requests.js';
import type { BridgeSession } from './session.js';
import type { Revival } from '../revivals.js';

/** Some agents answer a load before they have told the history; it is over after the commands, or after this silence. */
export const HISTORY_SILENCE_MS = 250;
const LAST_OF_HISTORY = 'available_commands_update';

/** What was known of a session before a resume, which may fail. */
interface Before {
  readonly known: boolean;
  readonly revival: Revival;
  readonly cwd: string | undefined;
}

export class Resumes {
  readonly #bridge: Bridge;
  readonly #requests: Requests;
  readonly #foreground: Foreground;
  readonly #resultOf: (session: BridgeSession, reply: Reply) => JsonObject;

  /** `resultOf`: the v2 answer to a set-up reply. */
  constructor(bridge: Bridge, requests: Requests, foreground: Foreground, resultOf: (session: BridgeSession, reply: Reply) => JsonObject) {
    this.#bridge = bridge;
    this.#requests = requests;
    this.#foreground = foreground;
    this.#resultOf = resultOf;
  }

  serve(call: Call): Outcome {
    const { id } = call;
    const params = objectOf(call.params) ?? {};
    const request = toV1Resume(params, this.#bridge.agent);
    if (id === undefined || request.error) return request.error && refuse(request.error);
    const sessionId = idOf(params.sessionId) ?? '';
    const known = this.#bridge.sessions.has(sessionId);
    this.#bridge.sessions.opened(sessionId);
    const session = this.#bridge.session(sessionId);
    const before: Before = { known, revival: session.revivals.sent(session.closed), cwd: session.cwd };
    session.closed = false;
    session.cwd = stringOf(params.cwd) ?? session.cwd;
    const replay = request.value.method === 'session/load' ? new Replay(session.calls) : undefined;
    if (replay !== undefined) session.beginReplay(replay, request.value.replays);
    this.#requests.send(id, request.value, (reply) => this.#onReply(session, replay, before, id, reply));
    return take();
  }

  #onReply(session: BridgeSession, replay: Replay | undefined, before: Before, id: RequestId, reply: Reply): void {
    session.revivals.answered(before.revival);
    if (reply.error) {
      this.#endReplay(session, replay);
      Object.assign(session, { closed: before.revival.closed, cwd: before.cwd });
      if (!before.known) this.#bridge.sessions.delete(session.id);
      this.#bridge.host.respond('toAgent', id, { error: reply.error });
    } else if (replay === undefined || !habitsOfAgent(this.#bridge.agent.name).historyAfterLoad) this.#finish(session, replay, id, reply);
    else this.#awaitHistory(replay, () => this.#finish(session, replay, id, reply));
  }

  /** The rest of the history comes after the answer. */
  #awaitHistory(replay: Replay, done: () => void): void {
    let cancel = (): void => {};
    const isOver = (): void => {
      cancel();
      replay.onUpdate = () => {};
      done();
    };
    const wait = (): void => {
      cancel();
      cancel = this.#bridge.host.after(HISTORY_SILENCE_MS, isOver);
    };
    replay.onUpdate = (kind) => (kind === LAST_OF_HISTORY ? isOver() : wait());
    wait();
  }

  #finish(session: BridgeSession, replay: Replay | undefined, id: RequestId, reply: Reply): void {
    this.#endReplay(session, replay);
    const result = this.#resultOf(session, reply);
    if (!session.closed) this.#bridge.tell(session, { state: session.turns.shown });
    this.#bridge.host.respond('toAgent', id, { result });
  }

  /** A turn that the agent ended during the replay, or began and did not end, is told now. */
  #endReplay(session: BridgeSession, replay: Replay | undefined): void {
    if (replay === undefined || !session.endReplay(replay)) return;
    for (const end of replay.ends.values()) this.#foreground.happened(session, end);
    for (const turn of replay.turns) this.#foreground.happened(session, { type: 'ownStarted', id: turn });
  }
}
