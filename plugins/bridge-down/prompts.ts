/**
 * `session/prompt` of a v1 client and the ways to stop it. The prompt goes to the agent under an id of
 * our own, and is answered when `state/v1-prompts` says so.
 */
import { drop, take, type Call, type Outcome, type RequestId } from 'afterturn/plugin';
import { AcpErrorCode, answerOfIdle, at, cancelledAnswer, idOf, objectOf, toV2Blocks, type JsonObject, type PromptAnswer } from 'afterturn/protocol';
import { v1PromptsAfter, type V1PromptEvent } from 'afterturn/state';
import type { Requests } from '../bridge/requests.js';
import type { DownConnection } from './connection.js';
import type { DownSession } from './session.js';

const AGENT_GONE: PromptAnswer = { error: { code: AcpErrorCode.internalError, message: 'The agent exited before the prompt ended' } };
const working: ReadonlySet<unknown> = new Set(['running', 'requires_action']);

interface Parked {
  readonly id: RequestId;
  readonly session: DownSession;
  /** The client took the request back by its id. */
  takenBack: boolean;
}

export class DownPrompts {
  readonly #connection: DownConnection;
  readonly #requests: Requests;
  readonly #parked = new Map<string, Parked>();

  constructor(connection: DownConnection, requests: Requests) {
    this.#connection = connection;
    this.#requests = requests;
  }

  onPrompt(call: Call): Outcome {
    const { id } = call;
    if (id === undefined) return drop();
    const params = objectOf(call.params) ?? {};
    const session = this.#connection.session(idOf(params.sessionId) ?? '');
    const prompt = this.#connection.host.uniqueId();
    const parked: Parked = { id, session, takenBack: false };
    this.#parked.set(prompt, parked);
    this.#happened(session, { type: 'sent', prompt });
    this.#requests.send(id, { method: 'session/prompt', params: { ...params, prompt: toV2Blocks(params.prompt) } }, ({ result, error }) => {
      if (error !== undefined) {
        const isCancelled = error.code === AcpErrorCode.requestCancelled && !parked.takenBack;
        this.#happened(session, { type: 'refused', prompt, answer: isCancelled ? cancelledAnswer : { error } });
        return;
      }
      const message = idOf(at(result, 'messageId'));
      if (message !== undefined) session.own(message);
      this.#happened(session, { type: 'inserted', prompt, message });
      if (parked.takenBack && this.#parked.has(prompt)) this.#stop(session);
    });
    return take();
  }

  onCancel(call: Call): void {
    const session = this.#connection.known(idOf(at(call.params, 'sessionId')) ?? '');
    if (session !== undefined) this.#happened(session, { type: 'cancelled' });
  }

  /** The client takes back a request. A prompt that the agent has answered, or answers all the same, is work by now: that is cancelled. */
  onCancelRequest(call: Call): Outcome {
    const requestId = at(call.params, 'requestId');
    const parked = [...this.#parked.values()].find(({ id }) => JSON.stringify(id) === JSON.stringify(requestId));
    const own = this.#requests.ownId(requestId);
    if (own !== undefined) {
      if (parked !== undefined) parked.takenBack = true;
      this.#connection.host.notify('toAgent', '$/cancel_request', { requestId: own });
      return drop();
    }
    if (parked === undefined) return undefined;
    this.#stop(parked.session);
    return drop();
  }

  #stop(session: DownSession): void {
    this.#happened(session, { type: 'cancelled' });
    this.#connection.host.notify('toAgent', 'session/cancel', { sessionId: session.id });
  }

  /** A `user_message` of the agent. */
  inserted(session: DownSession, message: string): void {
    this.#happened(session, { type: 'message', message });
  }

  onState(session: DownSession, update: JsonObject): void {
    if (working.has(update.state)) this.#happened(session, { type: 'running' });
    else if (update.state === 'idle') {
      const tells = typeof update.stopReason === 'string';
      this.#happened(session, { type: 'idle', answer: answerOfIdle(update, this.#connection.client.unstable), tells });
    }
  }

  closed(session: DownSession): void {
    this.#happened(session, { type: 'over', answer: cancelledAnswer });
  }

  agentGone(): void {
    for (const session of this.#connection.sessions()) this.#happened(session, { type: 'over', answer: AGENT_GONE });
  }

  #happened(session: DownSession, event: V1PromptEvent): void {
    const [state, answers] = v1PromptsAfter(session.prompts, event);
    session.prompts = state;
    for (const { prompt, answer } of answers) {
      const parked = this.#parked.get(prompt);
      this.#parked.delete(prompt);
      if (parked !== undefined) this.#connection.host.respond('toAgent', parked.id, answer);
    }
  }
}
