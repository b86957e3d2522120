/**
 * `session/close` and `session/delete` on their way: what a session's end tells the client comes
 * before their response. Where cancel requests can be open, the request is sent on with an id of our
 * own, because their answers have to come before the response too.
 *
 * Follows "Cancellation, close, and resume" of the v2 Background Work RFD.
 */
import { instead, keep, replace, ruled, take, type Call, type Host, type Outcome, type Outgoing, type Reply, type RequestId } from 'afterturn/plugin';
import { at, idOf, isObject } from 'afterturn/protocol';
import { BoundedMap } from '../bounded.js';

const RESOURCE_NOT_FOUND = -32002;

export interface ClosePorts {
  /** The close is on its way to the agent. True: its response has to be ours. */
  closing(session: string): boolean;
  /** It was refused, and the session goes on. */
  failed(session: string): void;
  /** The session is over. What the client is told first. */
  ended(session: string): readonly Outgoing[];
  /** Open requests of the session are answered now. */
  answerOpen(session: string): void;
}

const keyOf = (id: unknown): string => JSON.stringify(id) ?? '';

/** "Not found" means that the session is gone as well. */
const isOver = ({ error }: Reply): boolean => error === undefined || error.code === RESOURCE_NOT_FOUND;

export class CloseService {
  readonly #ports: ClosePorts;
  /** Sessions by the client's id of the request that passed. */
  readonly #passed = new BoundedMap<string, string>();
  /** Our ids by the client's. */
  readonly #taken = new Map<string, RequestId>();

  constructor(ports: ClosePorts) {
    this.#ports = ports;
  }

  onCall(call: Call, host: Host): Outcome {
    const session = idOf(at(call.params, 'sessionId'));
    const { id } = call;
    if (session === undefined || id === undefined) return undefined;
    if (!this.#ports.closing(session)) {
      this.#passed.set(keyOf(id), session);
      return undefined;
    }
    const own = host.request('toAgent', call.method, call.params, (reply) => this.#onOwnReply(reply, session, id, host), 'close');
    this.#taken.set(keyOf(id), own);
    return ruled('close', take());
  }

  /** The reply to a request that passed. */
  onReply(reply: Reply): Outcome {
    const key = keyOf(reply.to.id);
    const session = this.#passed.get(key);
    this.#passed.delete(key);
    if (session === undefined) return undefined;
    const out = this.#settled(reply, session);
    this.#ports.answerOpen(session);
    return out.length === 0 ? undefined : ruled('close', instead(...out, keep));
  }

  /** The agent knows a request that we took by our own id. */
  onCancelRequest(call: Call): Outcome {
    const own = this.#taken.get(keyOf(at(call.params, 'requestId')));
    return own === undefined || !isObject(call.params) ? undefined : ruled('close', replace({ params: { ...call.params, requestId: own } }));
  }

  #onOwnReply(reply: Reply, session: string, id: RequestId, host: Host): void {
    this.#taken.delete(keyOf(id));
    for (const message of this.#settled(reply, session)) if (message !== keep) host.notify('toClient', message.method, message.params, 'close');
    if (isOver(reply)) this.#ports.answerOpen(session);
    host.respond('toAgent', id, reply.error === undefined ? { result: reply.result } : { error: reply.error }, 'close');
  }

  #settled(reply: Reply, session: string): readonly Outgoing[] {
    if (isOver(reply)) return this.#ports.ended(session);
    this.#ports.failed(session);
    return [];
  }
}
