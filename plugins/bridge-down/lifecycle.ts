/**
 * A v1 client's requests about sessions and sign-in, in the form that a v2 agent takes (ACP "Session
 * Setup", "Authentication").
 */
import { refuse, take, type Call, type Outcome, type Reply } from 'afterturn/plugin';
import {
  arrayOf, at, idOf, invalidParams, methodNotFound, modeOptionOf, objectOf, toV1Commands, toV1ConfigOptions, toV1ConfigUpdates, toV1SessionList, toV1SessionStatus, toV1SetupResult, toV2SetConfigOption, toV2SetupParams,
  v2OptionsOf, type JsonObject, type V2Options,
} from 'afterturn/protocol';
import { bodyOf, type Body, type Requests } from '../bridge/requests.js';
import type { DownCalls } from './calls.js';
import type { DownConnection } from './connection.js';
import type { DownPrompts } from './prompts.js';
import { newTranscript, type DownSession } from './session.js';

/** "Resource not found": a session that the agent does not have is as good as closed. */
const NOT_FOUND = -32002;

const paramsOf = (call: Call): JsonObject => objectOf(call.params) ?? {};

export class DownLifecycle {
  readonly #connection: DownConnection;
  readonly #requests: Requests;
  readonly #prompts: DownPrompts;
  readonly #calls: DownCalls;

  constructor(connection: DownConnection, requests: Requests, prompts: DownPrompts, calls: DownCalls) {
    this.#connection = connection;
    this.#requests = requests;
    this.#prompts = prompts;
    this.#calls = calls;
  }

  /** By the client's method. */
  readonly rows: Readonly<Record<string, (call: Call) => Outcome>> = {
    'session/new': (call) => this.#setUp(call, 'session/new'),
    'session/fork': (call) => this.#setUp(call, 'session/fork'),
    'session/resume': (call) => this.#setUp(call, 'session/resume'),
    'session/load': (call) => this.#load(call),
    'session/list': (call) => this.#requests.forward(call, { method: 'session/list', params: paramsOf(call) }, (reply) =>
      reply.error ? { error: reply.error } : { result: toV1SessionList(reply.result, this.#connection.client) }),
    'session/status': (call) => this.#requests.forward(call, { method: 'session/status', params: paramsOf(call) }, (reply) => (reply.error ? { error: reply.error } : { result: toV1SessionStatus(reply.result) })),
    'session/close': (call) => this.#end(call, 'session/close'),
    'session/delete': (call) => this.#end(call, 'session/delete'),
    'session/set_mode': (call) => this.#setMode(call),
    'session/set_config_option': (call) => this.#setOption(call),
    authenticate: (call) => this.#requests.forward(call, { method: 'auth/login', params: paramsOf(call) }),
    logout: (call) => this.#requests.forward(call, { method: 'auth/logout', params: paramsOf(call) }),
  };

  #setUp(call: Call, method: string): Outcome {
    const params = toV2SetupParams(paramsOf(call), false);
    if (params.error) return refuse(params.error);
    const session = this.#connection.known(idOf(params.value.sessionId) ?? '');
    return this.#sendSetup(call, { method, params: params.value }, method === 'session/resume' ? session : undefined);
  }

  /** The commands of a session are told in an update, behind the answer. `revived`: the session that it brings back to life. */
  #sendSetup(call: Call, request: { readonly method: string; readonly params: JsonObject }, revived: DownSession | undefined, onReply: (reply: Reply) => void = () => {}): Outcome {
    const { id } = call;
    if (id === undefined) return undefined;
    const revival = revived?.revivals.sent(revived.closed);
    if (revived !== undefined) revived.closed = false;
    this.#requests.send(id, request, (reply) => {
      if (revived !== undefined && revival !== undefined) {
        revived.revivals.answered(revival);
        if (reply.error !== undefined) revived.closed = revival.closed;
      }
      onReply(reply);
      const session = reply.error === undefined ? this.#wasSetUp(call, reply, revived) : undefined;
      this.#connection.host.respond('toAgent', id, reply.error ? { error: reply.error } : { result: toV1SetupResult(reply.result, this.#connection.client) });
      const commands = arrayOf(at(reply.result, 'availableCommands'));
      if (session !== undefined && commands !== undefined) this.#connection.send(session, { sessionUpdate: 'available_commands_update', availableCommands: toV1Commands(commands) });
    });
    return take();
  }

  #wasSetUp(call: Call, reply: Reply, revived: DownSession | undefined): DownSession | undefined {
    const id = idOf(at(reply.result, 'sessionId')) ?? idOf(paramsOf(call).sessionId);
    const session = id === undefined ? undefined : this.#connection.session(id);
    if (session === undefined) return undefined;
    if (session !== revived) session.closed = false;
    session.options = v2OptionsOf(reply.result) ?? session.options;
    return session;
  }

  /** The client is told the history anew. One that could not be loaded is as it was. */
  #load(call: Call): Outcome {
    const params = toV2SetupParams(paramsOf(call), true);
    if (params.error) return refuse(params.error);
    const session = this.#connection.session(idOf(paramsOf(call).sessionId) ?? '');
    this.#calls.settle(session);
    const before = session.transcript;
    session.transcript = newTranscript();
    Object.assign(session, { replays: true, earlier: before });
    session.pastExits.clear();
    return this.#sendSetup(call, { method: 'session/resume', params: params.value }, session, (reply) => {
      session.replays = false;
      if (reply.error !== undefined) session.transcript = session.closed ? newTranscript() : before;
      this.#calls.tellPastExits(session);
      this.#calls.tellEarlier(session);
    });
  }

  #end(call: Call, method: string): Outcome {
    const session = this.#connection.known(idOf(paramsOf(call).sessionId) ?? '');
    const before = session?.revivals.open ?? [];
    return this.#requests.forward(call, { method, params: paramsOf(call) }, (reply) => {
      const isOver = reply.error === undefined || reply.error.code === NOT_FOUND;
      if (session !== undefined && isOver) {
        this.#calls.settle(session);
        this.#prompts.closed(session);
        this.#connection.close(session, before);
      }
      return bodyOf(reply);
    });
  }

  #setMode(call: Call): Outcome {
    const { sessionId, modeId } = paramsOf(call);
    const session = this.#connection.known(idOf(sessionId) ?? '');
    const option = modeOptionOf(session?.options ?? []);
    if (option === undefined) return refuse(session === undefined ? invalidParams('there is no such session.', { sessionId }) : methodNotFound('session/set_mode', 'The session has no modes.'));
    return this.#requests.forward(call, { method: 'session/set_config_option', params: { sessionId, configId: option.configId, type: 'id', value: modeId } }, (reply) => {
      if (reply.error) return { error: reply.error };
      this.#optionsAfterMode(session, modeId, v2OptionsOf(reply.result));
      return { result: {} };
    });
  }

  /** v1's answer holds no options: what is new of them is an update. The mode is what the client asked for, unless the agent says another. */
  #optionsAfterMode(session: DownSession | undefined, modeId: unknown, options: V2Options | undefined): void {
    if (session === undefined || options === undefined) return;
    const news = JSON.stringify(options) === JSON.stringify(session.options) ? [] : toV1ConfigUpdates(session.options, options, this.#connection.client);
    session.options = options;
    for (const update of news) if (update.currentModeId !== modeId) this.#connection.send(session, update);
  }

  #setOption(call: Call): Outcome {
    return this.#requests.forward(call, { method: 'session/set_config_option', params: toV2SetConfigOption(paramsOf(call)) }, (reply): Body => {
      const options = v2OptionsOf(reply.result);
      if (reply.error !== undefined || options === undefined) return bodyOf(reply);
      const session = this.#connection.known(idOf(paramsOf(call).sessionId) ?? '');
      if (session !== undefined) session.options = options;
      return { result: { ...objectOf(reply.result), configOptions: toV1ConfigOptions(options, this.#connection.client) } };
    });
  }
}
