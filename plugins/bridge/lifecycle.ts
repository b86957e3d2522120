/**
 * The client's requests about sessions and sign-in, in the form that a v1 agent takes (ACP "Session
 * Setup", "Authentication").
 */
import { answer, refuse, type Call, type Outcome, type Reply } from 'afterturn/plugin';
import {
  idOf, internalError, methodNotFound, objectOf, optionsOfResult, setterOf, stringOf, toV1SetConfigOption, toV1SetupParams, toV2Config, toV2SessionList,
  toV2SetupResult, withForm, withOptions, type JsonObject,
} from 'afterturn/protocol';
import type { Bridge } from './bridge.js';
import type { Children } from './children.js';
import type { Foreground } from './foreground.js';
import type { Questions } from './questions.js';
import { bodyOf, type Body, type Requests } from './requests.js';
import { Resumes } from './resume.js';
import type { BridgeSession } from './session.js';
import type { Revival } from '../revivals.js';

/** "Resource not found": a session that the agent does not have is as good as closed. */
const NOT_FOUND = -32002;

export type LifecycleMethod =
  | 'session/new' | 'session/fork' | 'session/resume' | 'session/list' | 'session/close' | 'session/delete' | 'session/set_config_option' | 'auth/login' | 'auth/logout';

const paramsOf = (call: Call): JsonObject => objectOf(call.params) ?? {};
const sessionIdOf = (call: Call): string => idOf(paramsOf(call).sessionId) ?? '';

export class Lifecycle {
  readonly #bridge: Bridge;
  readonly #requests: Requests;
  readonly #questions: Questions;
  readonly #foreground: Foreground;
  readonly #children: Children;
  readonly #resumes: Resumes;

  constructor(bridge: Bridge, requests: Requests, questions: Questions, foreground: Foreground, children: Children) {
    this.#bridge = bridge;
    this.#requests = requests;
    this.#questions = questions;
    this.#foreground = foreground;
    this.#children = children;
    this.#resumes = new Resumes(bridge, requests, foreground, (session, reply) => this.#setUpResult(session, reply, undefined));
  }

  readonly #rows: Readonly<Record<LifecycleMethod, (call: Call) => Outcome>> = {
    'session/new': (call) => this.#setUp(call, 'session/new'),
    'session/fork': (call) => (this.#bridge.agent.forks ? this.#setUp(call, 'session/fork') : refuse(methodNotFound('session/fork', 'This agent cannot fork a session.'))),
    'session/resume': (call) => this.#resumes.serve(call),
    'session/list': (call) => this.#list(call),
    'session/close': (call) => this.#close(call),
    'session/delete': (call) => (this.#bridge.agent.deletes ? this.#end(call, 'session/delete') : refuse(methodNotFound('session/delete', 'This agent cannot delete a session.'))),
    'session/set_config_option': (call) => this.#setOption(call),
    'auth/login': (call) => this.#requests.forward(call, { method: 'authenticate', params: paramsOf(call) }),
    'auth/logout': (call) =>
      this.#bridge.agent.logsOut ? this.#requests.forward(call, { method: 'logout', params: paramsOf(call) }) : refuse(methodNotFound('auth/logout', 'This agent has no logout.')),
  };

  serve(method: LifecycleMethod, call: Call): Outcome {
    return this.#rows[method](call);
  }

  #setUp(call: Call, method: string): Outcome {
    const params = toV1SetupParams(paramsOf(call), this.#bridge.agent);
    if (params.error) return refuse(params.error);
    return this.#requests.forward(call, { method, params: params.value }, (reply) => {
      if (reply.error) return { error: reply.error };
      const sessionId = idOf(objectOf(reply.result)?.sessionId);
      if (sessionId === undefined) return { error: internalError(`the agent answered ${method} without a sessionId.`) };
      this.#bridge.sessions.opened(sessionId);
      const session = this.#bridge.session(sessionId);
      session.closed = false;
      session.cwd = stringOf(paramsOf(call).cwd);
      return { result: this.#setUpResult(session, reply, sessionId) };
    });
  }

  /** The v2 answer to a set-up request, and what is known of the session from now on. */
  #setUpResult(session: BridgeSession, reply: Reply, made: string | undefined): JsonObject {
    const faults: string[] = [];
    session.isSetUp = true;
    session.config = toV2Config(reply.result, this.#bridge.rules, faults);
    this.#bridge.report(session.id, reply.to.method, faults);
    return toV2SetupResult(reply.result, made, session.config, this.#bridge.rules);
  }

  /** v2 requires a list; without one the sessions of this connection are it. */
  #list(call: Call): Outcome {
    if (!this.#bridge.agent.lists) {
      const asked = stringOf(paramsOf(call).cwd);
      const open = [...this.#bridge.sessions.values()].filter(({ closed, cwd, parent }) => !closed && cwd !== undefined && parent === undefined && (asked ?? cwd) === cwd);
      return answer({ sessions: open.map(({ id, cwd }) => ({ sessionId: id, cwd })) });
    }
    return this.#requests.forward(call, { method: 'session/list', params: paramsOf(call) }, (reply) => {
      if (reply.error) return { error: reply.error };
      const faults: string[] = [];
      const result = toV2SessionList(reply.result, this.#bridge.rules, faults);
      this.#bridge.report('', 'session/list', faults);
      return { result };
    });
  }

  /** v2 requires a close; an agent without one is told to stop working, and nothing more is passed on. */
  #close(call: Call): Outcome {
    if (this.#bridge.agent.closes) return this.#end(call, 'session/close');
    const session = this.#bridge.session(sessionIdOf(call));
    this.#bridge.host.notify('toAgent', 'session/cancel', { sessionId: session.id });
    this.#wasClosed(session);
    return answer({});
  }

  /** From the request on no prompt that waits is taken in. */
  #end(call: Call, method: string): Outcome {
    const session = this.#bridge.session(sessionIdOf(call));
    this.#foreground.happened(session, { type: 'closing' });
    const before = session.revivals.open;
    return this.#requests.forward(call, { method, params: paramsOf(call) }, (reply) => {
      if (!reply.error || reply.error.code === NOT_FOUND) this.#wasClosed(session, before);
      else this.#foreground.happened(session, { type: 'closeFailed' });
      return bodyOf(reply);
    });
  }

  /** Its subagents are closed with it, before it. `before`: the resumes that do not outlive it. */
  #wasClosed(session: BridgeSession, before: readonly Revival[] = session.revivals.open): void {
    for (const child of this.#children.descendants(session)) this.#ended(child);
    this.#children.forget(session);
    this.#ended(session);
    session.closed = session.revivals.closed(before);
  }

  #ended(session: BridgeSession): void {
    this.#questions.cancelAll(session, 'closed');
    this.#foreground.happened(session, { type: 'closed' });
    session.closed = true;
    session.calls.clear();
    session.terminals.clear();
  }

  #setOption(call: Call): Outcome {
    const params = paramsOf(call);
    const session = this.#bridge.session(sessionIdOf(call));
    const value = stringOf(params.value);
    const form = session.config?.made.find((made) => made === params.configId);
    if (form !== undefined && value !== undefined) {
      return this.#requests.forward(call, setterOf[form](session.id, value), (reply) => {
        if (!reply.error && session.config) session.config = withForm(session.config, form, value);
        return this.#optionWasSet(session, reply);
      });
    }
    const request = toV1SetConfigOption(params);
    if (request.error) return refuse(request.error);
    return this.#requests.forward(call, { method: 'session/set_config_option', params: request.value }, (reply) => {
      const faults: string[] = [];
      const options = optionsOfResult(reply.result, this.#bridge.rules, faults);
      this.#bridge.report(session.id, 'session/set_config_option', faults);
      if (options) session.config = withOptions(session.config, options);
      return this.#optionWasSet(session, reply);
    });
  }

  /** v2 asks for an update on every change, also one that a client asked for, before the response. */
  #optionWasSet(session: BridgeSession, reply: Reply): Body {
    if (reply.error) return { error: reply.error };
    const configOptions = session.config?.options ?? [];
    this.#bridge.send(session.id, { sessionUpdate: 'config_option_update', configOptions });
    return { result: { configOptions } };
  }
}
