/**
 * `session/prompt` and the ways to stop it. The prompt goes to the agent under an id of our own; its
 * response to the client is the message that it became, and comes when it is taken in.
 */
import { drop, refuse, take, type Call, type Outcome } from 'afterturn/plugin';
import { arrayOf, at, endingOfResult, idOf, objectOf, toV1PromptParams } from 'afterturn/protocol';
import type { Bridge } from './bridge.js';
import type { Foreground } from './foreground.js';
import type { Questions } from './questions.js';
import type { Requests } from './requests.js';

export class Prompts {
  readonly #bridge: Bridge;
  readonly #requests: Requests;
  readonly #questions: Questions;
  readonly #foreground: Foreground;

  constructor(bridge: Bridge, requests: Requests, questions: Questions, foreground: Foreground) {
    this.#bridge = bridge;
    this.#requests = requests;
    this.#questions = questions;
    this.#foreground = foreground;
  }

  onPrompt(call: Call): Outcome {
    const { id } = call;
    if (id === undefined) return drop();
    const given = objectOf(call.params) ?? {};
    const params = toV1PromptParams(given, this.#bridge.agent);
    if (params.error) return refuse(params.error);
    const session = this.#bridge.session(idOf(given.sessionId) ?? '');
    const prompt = this.#bridge.host.uniqueId();
    this.#foreground.park(prompt, { id, content: arrayOf(given.prompt) ?? [] });
    this.#requests.send(id, { method: 'session/prompt', params: params.value }, (reply) =>
      this.#foreground.happened(session, reply.error
        ? { type: 'promptFailed', prompt, error: reply.error }
        : { type: 'promptEnded', prompt, ending: endingOfResult(reply.result, this.#bridge.rules) }));
    this.#foreground.happened(session, { type: 'promptSent', prompt });
    return take();
  }

  /** `session/cancel` goes on as it is; what the agent waits for is answered behind it. */
  onCancel(call: Call): Outcome {
    const session = this.#bridge.sessions.get(idOf(at(call.params, 'sessionId')) ?? '');
    if (session === undefined) return undefined;
    this.#foreground.happened(session, { type: 'cancelled' });
    this.#questions.cancelAll(session, 'later');
    return undefined;
  }

  /** The client takes back a request: the agent knows it by our id. */
  onCancelRequest(call: Call): Outcome {
    const own = this.#requests.ownId(at(call.params, 'requestId'));
    if (own === undefined) return undefined;
    this.#bridge.host.notify('toAgent', '$/cancel_request', { requestId: own });
    return drop();
  }
}
