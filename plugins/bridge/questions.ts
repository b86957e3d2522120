/**
 * What the agent asks the user: permission requests and elicitations (ACP "Requesting Permission",
 * "Elicitation"). Each goes to the client under an id of our own.
 *
 * Towards a v1 agent we are the client: on `session/cancel` we answer every open permission request
 * `cancelled` at once. The client may do the same, or is told that nobody waits any more; what it
 * answers then is dropped.
 */
import { refuse, take, type Call, type Outcome, type Reply, type RequestId } from 'afterturn/plugin';
import {
  cancelledOutcome, idOf, invalidParams, isObject, objectOf, permissionToolCall, toV1PermissionResult, toV2PermissionCall,
  toV2PermissionParams, toV2Terminals, type JsonObject,
} from 'afterturn/protocol';
import type { Bridge } from './bridge.js';
import type { Foreground } from './foreground.js';
import { bodyOf, type Body, type Requests } from './requests.js';
import type { BridgeSession } from './session.js';

/** What an elicitation is answered when its session ends. */
const cancelledElicitation = { action: 'cancel' } as const;
const MAX_REMEMBERED = 1000;

/** How long the client has to answer a request that its own `session/cancel` ended, before it is told. */
const WITHDRAW_AFTER_MS = 250;

interface Question {
  readonly agentId: RequestId;
  readonly clientId: RequestId;
  readonly session: BridgeSession | undefined;
  readonly isPermission: boolean;
  /** The agent has its answer. */
  answered: boolean;
  /** The client was told that nobody waits for it. */
  withdrawn: boolean;
}

const keyOf = (id: unknown): string => JSON.stringify(id);

export class Questions {
  readonly #bridge: Bridge;
  readonly #requests: Requests;
  readonly #foreground: Foreground;
  readonly #open = new Map<string, Question>();
  /** The agent's ids of the questions that were asked last: the client knows none of them. */
  readonly #agentIds = new Set<string>();

  constructor(bridge: Bridge, requests: Requests, foreground: Foreground) {
    this.#bridge = bridge;
    this.#requests = requests;
    this.#foreground = foreground;
  }

  /** A `session/request_permission` of the agent. */
  onPermission(call: Call): Outcome {
    const params = objectOf(call.params);
    const sessionId = idOf(params?.sessionId);
    const toolCall = params && permissionToolCall(params);
    if (params === undefined || sessionId === undefined || toolCall === undefined) return refuse(invalidParams('session/request_permission needs a sessionId and a toolCall.'));
    const session = this.#bridge.session(sessionId);
    const shown = this.#permissionCall(session, toolCall);
    if (shown === undefined) return refuse(invalidParams('session/request_permission needs a toolCall with a toolCallId.'));
    const translated = toV2PermissionParams(params, shown.call, this.#bridge.rules);
    if (translated.error) return refuse(translated.error);
    return this.#ask(call, session, true, 'session/request_permission', translated.value, shown.send);
  }

  /** An `elicitation/create` of the agent: the same in both versions, but for the request that it may name. */
  onElicitation(call: Call): Outcome {
    const sessionId = idOf(objectOf(call.params)?.sessionId);
    const session = sessionId === undefined ? undefined : this.#bridge.session(sessionId);
    return this.#ask(call, session, false, 'elicitation/create', this.#requests.withClientId(call.params), () => {});
  }

  /** The agent takes a request back. `true`: it was a question, and the client is told of it if it is open. */
  onAgentCancel(requestId: unknown): boolean {
    const agentId = keyOf(requestId);
    const key = [...this.#open].find(([, open]) => keyOf(open.agentId) === agentId)?.[0];
    if (key !== undefined) this.withdraw(key);
    return this.#agentIds.has(agentId);
  }

  /** `session/cancel`, or the session's end: the agent gets its answers now. */
  cancelAll(session: BridgeSession, when: 'now' | 'later'): void {
    for (const [key, question] of this.#open) {
      if (question.session !== session || (!question.isPermission && when === 'later')) continue;
      this.#answer(key, question, question.isPermission ? { result: cancelledOutcome } : { result: cancelledElicitation });
      if (when === 'now') this.withdraw(key);
      else this.#bridge.host.after(WITHDRAW_AFTER_MS, () => this.withdraw(key));
    }
  }

  /** Tells the client, once, that nobody waits for its answer. */
  withdraw(key: string): void {
    const question = this.#open.get(key);
    if (question === undefined || question.withdrawn) return;
    question.withdrawn = true;
    this.#bridge.host.notify('toClient', '$/cancel_request', { requestId: question.clientId });
  }

  /** The call that a permission request is about, as it is known with what the request says. */
  #permissionCall(session: BridgeSession, toolCall: JsonObject): { call: JsonObject; send: () => void } | undefined {
    const id = idOf(toolCall.toolCallId);
    const faults: string[] = [];
    const read = toV2PermissionCall(toolCall, id === undefined ? undefined : session.calls.get(id), session.callContext(this.#bridge.rules), faults);
    this.#bridge.report(session.id, 'session/request_permission', faults);
    if (id === undefined || read === undefined) return undefined;
    session.rememberCall(id, read.call);
    const { terminals, updates } = toV2Terminals(toolCall, read.call, session.terminals, { cwd: session.cwd, habits: this.#bridge.habits }, []);
    session.rememberTerminals(terminals);
    return { call: read.shown, send: () => updates.forEach((update) => this.#bridge.send(session.id, update)) };
  }

  #ask(call: Call, session: BridgeSession | undefined, isPermission: boolean, method: string, params: unknown, before: () => void): Outcome {
    const agentId = call.id;
    if (agentId === undefined) return undefined;
    const key = keyOf(this.#bridge.host.uniqueId());
    if (session) this.#foreground.happened(session, { type: 'said', starts: false });
    before();
    if (session) this.#foreground.happened(session, { type: 'asked', question: key });
    const clientId = this.#bridge.host.request('toClient', method, params, (reply) => this.#onReply(key, reply));
    this.#agentIds.add(keyOf(agentId));
    if (this.#agentIds.size > MAX_REMEMBERED) this.#agentIds.delete(this.#agentIds.values().next().value ?? '');
    this.#open.set(key, { agentId, clientId, session, isPermission, answered: false, withdrawn: false });
    return take();
  }

  #onReply(key: string, reply: Reply): void {
    const question = this.#open.get(key);
    if (question === undefined) return;
    this.#open.delete(key);
    if (!question.isPermission || reply.error) return this.#answer(key, question, bodyOf(reply));
    this.#answer(key, question, { result: toV1PermissionResult(isObject(reply.result) ? reply.result : undefined) });
  }

  #answer(key: string, question: Question, body: Body): void {
    if (question.answered) return;
    question.answered = true;
    this.#bridge.host.respond('toClient', question.agentId, body);
    if (question.session) this.#foreground.happened(question.session, { type: 'answered', question: key });
  }
}
