/**
 * What a v2 agent asks the user, for a v1 client: permission requests and elicitations. A permission
 * request goes on under an id of our own, behind what is new of its call; a question about no tool call
 * has one that is only there for it, and ends with it.
 */
import { drop, replace, take, type Call, type Outcome, type RequestId } from 'afterturn/plugin';
import { arrayOf, at, idOf, isObject, objectOf, permissionAskedAbout, stringOf, toV1ElicitationParams, toV1PermissionParams } from 'afterturn/protocol';
import { bodyOf, type Body, type Requests } from '../bridge/requests.js';
import type { DownCalls } from './calls.js';
import type { DownConnection } from './connection.js';

const keyOf = (id: unknown): string => JSON.stringify(id);

interface Asked {
  readonly clientId: RequestId;
  /** Answers the agent. */
  readonly answer: (body: Body) => void;
}

/** Whether the chosen option is an approval. */
const allows = (options: unknown, outcome: unknown): boolean =>
  at(outcome, 'outcome') === 'selected' &&
  (arrayOf(options) ?? []).some((option) => at(option, 'optionId') === at(outcome, 'optionId') && stringOf(at(option, 'kind'))?.startsWith('allow') === true);

export class DownQuestions {
  readonly #connection: DownConnection;
  readonly #requests: Requests;
  readonly #calls: DownCalls;
  /** Open permission requests, by the agent's id. */
  readonly #open = new Map<string, Asked>();

  constructor(connection: DownConnection, requests: Requests, calls: DownCalls) {
    this.#connection = connection;
    this.#requests = requests;
    this.#calls = calls;
  }

  onPermission(call: Call): Outcome {
    const { id } = call;
    const params = objectOf(call.params) ?? {};
    if (id === undefined) return undefined;
    const { host } = this.#connection;
    const session = this.#connection.session(idOf(params.sessionId) ?? '');
    this.#calls.release(session);
    const about = permissionAskedAbout(params, () => `afterturn:permission:${host.uniqueId()}`);
    const faults: string[] = [];
    const toolCall = this.#calls.asked(session, about.toolCallId, about, faults);
    this.#connection.report(session, 'session/request_permission', faults);
    const asked = toV1PermissionParams(params, toolCall, this.#connection.client.extension);
    const answer = (body: Body): void => {
      const status = allows(params.options, at(body, 'result', 'outcome')) ? 'completed' : 'failed';
      const ends = about.isMade && this.#calls.knows(session, about.toolCallId);
      if (ends) this.#calls.onCall(session, { sessionUpdate: 'tool_call_update', toolCallId: about.toolCallId, status }, []);
      host.respond('toClient', id, body);
    };
    const clientId = host.request('toClient', 'session/request_permission', asked, (reply) => {
      if (this.#open.get(keyOf(id))?.clientId !== clientId) return;
      this.#open.delete(keyOf(id));
      answer(bodyOf(reply));
    });
    this.#open.set(keyOf(id), { clientId, answer });
    return take();
  }

  onElicitation(call: Call): Outcome {
    const params = objectOf(call.params);
    if (params === undefined) return undefined;
    const asked = this.#requests.withClientId(toV1ElicitationParams(params));
    return isObject(asked) ? replace({ params: asked }) : undefined;
  }

  /** The agent takes a request back, which is its answer, whatever its client still says. */
  onAgentCancel(call: Call): Outcome {
    const key = keyOf(at(call.params, 'requestId'));
    const asked = this.#open.get(key);
    if (asked === undefined) return undefined;
    this.#open.delete(key);
    this.#connection.host.notify('toClient', '$/cancel_request', { requestId: asked.clientId });
    asked.answer({ result: { outcome: { outcome: 'cancelled' } } });
    return drop();
  }
}
