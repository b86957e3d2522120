/**
 * What a v2 agent asks the user, for a v1 client: permission requests and elicitations. Each goes on
 * under the agent's own id, so its answer and a cancellation need no rule; but a question about no tool
 * call has one that is only there for it, and ends with it.
 */
import { replace, take, type Call, type Outcome } from 'afterturn/plugin';
import { arrayOf, at, idOf, isObject, objectOf, stringOf, permissionAskedAbout, toV1ElicitationParams, toV1PermissionParams } from 'afterturn/protocol';
import type { Requests } from '../bridge/requests.js';
import type { DownCalls } from './calls.js';
import type { DownConnection } from './connection.js';

export class DownQuestions {
  readonly #connection: DownConnection;
  readonly #requests: Requests;
  readonly #calls: DownCalls;

  constructor(connection: DownConnection, requests: Requests, calls: DownCalls) {
    this.#connection = connection;
    this.#requests = requests;
    this.#calls = calls;
  }

  onPermission(call: Call): Outcome {
    const { id: agentId } = call;
    const params = objectOf(call.params) ?? {};
    if (agentId === undefined) return undefined;
    const session = this.#connection.session(idOf(params.sessionId) ?? '');
    this.#calls.release(session);
    const about = permissionAskedAbout(params, () => `afterturn:permission:${this.#connection.host.uniqueId()}`);
    const faults: string[] = [];
    const toolCall = this.#calls.asked(session, about.toolCallId, about, faults);
    this.#connection.report(session, 'session/request_permission', faults);
    const asked = toV1PermissionParams(params, toolCall, this.#connection.client.extension);
    if (!about.isMade) return replace({ params: asked });
    this.#connection.host.request('toClient', 'session/request_permission', asked, ({ result, error }) => {
      const outcome = at(result, 'outcome');
      const allowed = at(outcome, 'outcome') === 'selected' && allows(params.options, at(outcome, 'optionId'));
      this.#calls.onCall(session, { sessionUpdate: 'tool_call_update', toolCallId: about.toolCallId, status: allowed ? 'completed' : 'failed' }, []);
      this.#connection.host.respond('toClient', agentId, error === undefined ? { result } : { error });
    });
    return take();
  }

  onElicitation(call: Call): Outcome {
    const params = objectOf(call.params);
    if (params === undefined) return undefined;
    const asked = this.#requests.withClientId(toV1ElicitationParams(params));
    return isObject(asked) ? replace({ params: asked }) : undefined;
  }
}

/** Whether the chosen option is an approval. */
const allows = (options: unknown, optionId: unknown): boolean =>
  (arrayOf(options) ?? []).some((option) => at(option, 'optionId') === optionId && stringOf(at(option, 'kind'))?.startsWith('allow') === true);
