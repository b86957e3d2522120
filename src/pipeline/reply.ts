/**
 * A response as one plugin sees it: with the request it answers, as that plugin saw the request.
 */
import type { Reply, RequestId, RpcError } from '../plugin.js';
import type { Frame } from '../wire/frame.js';
import type { Asked, Sight } from './pending.js';

class ReplyView implements Reply {
  readonly kind = 'reply';
  readonly to: Reply['to'];
  readonly #frame: Frame;

  constructor(frame: Frame, to: Reply['to']) {
    this.#frame = frame;
    this.to = to;
  }

  get result(): unknown {
    return this.#frame.result;
  }

  get error(): RpcError | undefined {
    return this.#frame.error;
  }

  get raw(): Uint8Array {
    return this.#frame.raw;
  }
}

/** The reply for a plugin that saw the request like this. */
export const replyTo = (asked: Asked, { method, seenAt }: Sight, frame: Frame): Reply =>
  new ReplyView(frame, { method, id: JSON.parse(asked.idText) as RequestId, seenAt });
