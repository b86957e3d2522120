/**
 * `session/prompt` and the ways to stop it. The prompt goes to the agent under an id of our own; its
 * response to the client is the message that it became, and comes when it is taken in.
 */
import { drop, refuse, ruled, take, type Call, type Outcome } from 'afterturn/plugin';
import { arrayOf, at, endingOfFailure, endingOfResult, idOf, objectOf, toV1PromptParams } from 'afterturn/protocol';
import type { Bridge } from './bridge.js';
import type { Children } from './children.js';
import type { Foreground } from './foreground.js';
import type { Questions } from './questions.js';
import type { Requests } from './requests.js';

export class Prompts {
  readonly #bridge: Bridge;
  readonly #requests: Requests;
  readonly #questions: Questions;
  readonly #foreground: Foreground;
  readonly #children: Children;

  constructor(bridge: Bridge, requests: Requests, questions: Questions, foreground: Foreground, children: Children) {
    this.#bridge = bridge;
    this.#requests = requests;
    this.#questions = questions;
    this.#foreground = foreground;
    this.#children = children;
    foreground.answered = (id) => requests.answered(id);
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
        : { type: 'promptEnded', prompt, ending: endingOfFailure(endingOfResult(reply.result, this.#bridge.rules), session.failure) }));
    const overlaps = this.#bridge.habits.promptsOverlap;
    if (overlaps) this.#questions.cancelAll(session, 'overtaken');
    this.#foreground.happened(session, { type: 'promptSent', prompt, overlaps });
    return ruled('session/prompt', take());
  }

  /** `session/cancel` goes on as it is; what the agent waits for is answered behind it. Not for a subagent that the agent cannot cancel. */
  onCancel(call: Call): Outcome {
    const session = this.#bridge.sessions.get(idOf(at(call.params, 'sessionId')) ?? '');
    if (session === undefined || (session.parent !== undefined && !session.cancellable)) return undefined;
    this.#children.cancelled(session);
    this.#foreground.happened(session, { type: 'cancelled' });
    for (const stopped of [...this.#children.stoppedWith(session), session]) this.#questions.cancelAll(stopped, 'cancelled');
    return undefined;
  }

  /** The client takes back a request: the agent knows it by our id. A prompt that was taken in is answered, and ends by `session/cancel` only. */
  onCancelRequest(call: Call): Outcome {
    const own = this.#requests.ownId(at(call.params, 'requestId'));
    if (own === undefined) return undefined;
    this.#bridge.host.notify('toAgent', '$/cancel_request', { requestId: own });
    return drop();
  }
}
