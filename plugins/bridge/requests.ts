/**
 * The client's requests that go on to the agent in another form: parked, sent with an id of our own,
 * and answered in their own time. Keeps the two ids of each together, so that a cancellation and
 * a request that names another one find it.
 */
import { ruled, take, type Call, type Host, type Outcome, type Reply, type RequestId } from 'afterturn/plugin';
import { at, isObject, type V1Request } from 'afterturn/protocol';

export type Body = Parameters<Host['respond']>[2];

const keyOf = (id: unknown): string => JSON.stringify(id);

/** The answer as it came; v2 results are objects. */
export const bodyOf = (reply: Reply): Body => (reply.error ? { error: reply.error } : { result: isObject(reply.result) ? reply.result : {} });

export class Requests {
  readonly #bridge: { readonly host: Host };
  readonly #ownIds = new Map<string, RequestId>();
  readonly #clientIds = new Map<string, RequestId>();

  constructor(bridge: { readonly host: Host }) {
    this.#bridge = bridge;
  }

  /** Sends `request` in the place of the client's call, and answers that with what `answerOf` makes of the reply. */
  forward(call: Call, request: V1Request, answerOf: (reply: Reply) => Body = bodyOf): Outcome {
    const { id } = call;
    if (id === undefined) return undefined;
    this.send(id, request, (reply) => void this.#bridge.host.respond('toAgent', id, answerOf(reply), request.method));
    return ruled(call.method, take());
  }

  /** Sends `request` for the client's request `clientId`, which is answered elsewhere. */
  send(clientId: RequestId, request: V1Request, onReply: (reply: Reply) => void): void {
    const own = this.#bridge.host.request('toAgent', request.method, request.params, (reply) => {
      if (this.ownId(clientId) === own) this.answered(clientId);
      this.#clientIds.delete(keyOf(own));
      onReply(reply);
    }, request.method);
    this.#ownIds.set(keyOf(clientId), own);
    this.#clientIds.set(keyOf(own), clientId);
  }

  /** The client has its answer: nothing that it says of this id is about the agent's request any more, which may be open. */
  answered(clientId: RequestId): void {
    this.#ownIds.delete(keyOf(clientId));
  }

  /** The id under which the agent knows the client's request. */
  ownId = (clientId: unknown): RequestId | undefined => this.#ownIds.get(keyOf(clientId));

  /** The params with `requestId` as the client knows it. */
  withClientId(params: unknown): unknown {
    const clientId = this.#clientIds.get(keyOf(at(params, 'requestId')));
    return isObject(params) && clientId !== undefined ? { ...params, requestId: clientId } : params;
  }
}
