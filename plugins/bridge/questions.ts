/**
 * What the agent asks the user: permission requests and elicitations (ACP "Requesting Permission",
 * "Elicitation"). Each goes to the client under an id of our own.
 *
 * Towards a v1 agent we are the client: on `session/cancel` we answer every open request of foreground
 * work `cancelled` at once. The client may do the same, or is told that nobody waits any more; what it
 * answers then is dropped. What listed background work asks is no matter of the foreground: it changes
 * no state, and stays open at a cancel. In a closed session nobody is asked.
 */
import { answer, refuse, ruled, take, type Call, type Outcome, type Reply, type RequestId } from 'afterturn/plugin';
import {
  cancelledOutcome, idOf, invalidParams, isObject, objectOf, permissionToolCall, toV1PermissionResult, toV2ElicitationParams, toV2PermissionCall,
  toV2PermissionParams, toV2Terminals, type JsonObject,
} from 'afterturn/protocol';
import type { ListedWork } from '../listed-work.js';
import type { Bridge } from './bridge.js';
import type { Foreground } from './foreground.js';
import { unmarkedQuestion } from './own-turns.js';
import { bodyOf, type Body, type Requests } from './requests.js';
import type { BridgeSession } from './session.js';

/** What an elicitation is answered when nobody waits for it any more. */
const cancelledElicitation = { action: 'cancel' } as const;
const MAX_REMEMBERED = 1000;

/** How long the client has to answer a request that its own `session/cancel` ended, before it is told. */
const WITHDRAW_AFTER_MS = 250;

interface Question {
  readonly agentId: RequestId;
  readonly clientId: RequestId;
  readonly session: BridgeSession | undefined;
  readonly isPermission: boolean;
  /** It is about background work that the client has on its list. */
  readonly isListed: boolean;
  /** The agent has its answer. */
  answered: boolean;
  /** The client was told that nobody waits for it. */
  withdrawn: boolean;
}

/** Why open questions end: the client cancelled the foreground, another prompt stopped it, or the session is over. */
export type CancelReason = 'cancelled' | 'overtaken' | 'closed';

/** What is asked, and what the client is to be told before it. */
interface Asked {
  readonly session: BridgeSession | undefined;
  readonly isPermission: boolean;
  readonly isListed: boolean;
  readonly method: string;
  readonly params: unknown;
  readonly before: () => void;
}

const keyOf = (id: unknown): string => JSON.stringify(id);

export class Questions {
  readonly #bridge: Bridge;
  readonly #requests: Requests;
  readonly #foreground: Foreground;
  readonly #listed: ListedWork;
  readonly #open = new Map<string, Question>();
  /** The agent's ids of the questions that were asked last: the client knows none of them. */
  readonly #agentIds = new Set<string>();

  constructor(bridge: Bridge, requests: Requests, foreground: Foreground, listed: ListedWork) {
    this.#bridge = bridge;
    this.#requests = requests;
    this.#foreground = foreground;
    this.#listed = listed;
  }

  /** A `session/request_permission` of the agent. */
  onPermission(call: Call): Outcome {
    const params = objectOf(call.params);
    const sessionId = idOf(params?.sessionId);
    const toolCall = params && permissionToolCall(params);
    if (params === undefined || sessionId === undefined || toolCall === undefined) return refuse(invalidParams('session/request_permission needs a sessionId and a toolCall.'));
    const session = this.#bridge.ownerOf(this.#bridge.session(sessionId), toolCall);
    if (session.closed) return answer(cancelledOutcome);
    const isListed = this.#isListed(session, idOf(toolCall.toolCallId));
    const shown = this.#permissionCall(session, toolCall, isListed);
    if (shown === undefined) return refuse(invalidParams('session/request_permission needs a toolCall with a toolCallId.'));
    const translated = toV2PermissionParams({ ...params, sessionId: session.id }, shown.call, this.#bridge.rules);
    if (translated.error) return refuse(translated.error);
    return this.#ask(call, { session, isPermission: true, isListed, method: 'session/request_permission', params: translated.value, before: shown.send });
  }

  /** An `elicitation/create` of the agent, which may name a request of the client in place of a session. */
  onElicitation(call: Call): Outcome {
    const params = objectOf(call.params) ?? {};
    const sessionId = idOf(params.sessionId);
    const session = sessionId === undefined ? undefined : this.#bridge.session(sessionId);
    if (session?.closed) return answer(cancelledElicitation);
    const translated = toV2ElicitationParams(session === undefined ? params : { ...params, sessionId: session.id });
    if (translated.error) return refuse(translated.error);
    const isListed = session !== undefined && this.#isListed(session, idOf(params.toolCallId));
    return this.#ask(call, { session, isPermission: false, isListed, method: 'elicitation/create', params: this.#requests.withClientId(translated.value), before: () => {} });
  }

  #isListed(session: BridgeSession, toolCallId: string | undefined): boolean {
    return toolCallId !== undefined && this.#listed.covers(session.id, toolCallId);
  }

  /** The agent takes a request back. `true`: it was a question, and the client is told of it if it is open. */
  onAgentCancel(requestId: unknown): boolean {
    const agentId = keyOf(requestId);
    const key = [...this.#open].find(([, open]) => keyOf(open.agentId) === agentId)?.[0];
    if (key !== undefined) this.withdraw(key);
    return this.#agentIds.has(agentId);
  }

  /** The agent gets its answers now. After its own `session/cancel` the client is given some time to answer as well. */
  cancelAll(session: BridgeSession, why: CancelReason): void {
    for (const [key, question] of this.#open) {
      if (question.session !== session || (question.isListed && why !== 'closed')) continue;
      this.#answer(key, question, question.isPermission ? { result: cancelledOutcome } : { result: cancelledElicitation });
      if (why === 'cancelled') this.#bridge.host.after(WITHDRAW_AFTER_MS, () => this.withdraw(key));
      else this.withdraw(key);
    }
  }

  /** Tells the client, once, that nobody waits for its answer. */
  withdraw(key: string): void {
    const question = this.#open.get(key);
    if (question === undefined || question.withdrawn) return;
    question.withdrawn = true;
    this.#bridge.host.notify('toClient', '$/cancel_request', { requestId: question.clientId });
  }

  /**
   * The call that a permission request is about, as it is known with what the request says. One that
   * was never announced is, first; so is what is new of listed work, which is shown in another way.
   */
  #permissionCall(session: BridgeSession, toolCall: JsonObject, isListed: boolean): { call: JsonObject; send: () => void } | undefined {
    const id = idOf(toolCall.toolCallId);
    const faults: string[] = [];
    const known = id === undefined ? undefined : session.calls.get(id);
    const adds = this.#bridge.habits.asksInOwnWords && known?.fields.status !== 'pending';
    const read = toV2PermissionCall(toolCall, known, session.callContext(this.#bridge.rules), faults, adds);
    this.#bridge.report(session.id, 'session/request_permission', faults);
    if (id === undefined || read === undefined) return undefined;
    session.rememberCall(id, read.call);
    const { terminals, updates } = toV2Terminals(toolCall, read.call, session.terminals, { cwd: session.cwd, habits: this.#bridge.habits }, []);
    session.rememberTerminals(terminals);
    const announced = (known === undefined || isListed) && read.update ? [...updates, read.update] : updates;
    return { call: read.shown, send: () => announced.forEach((update) => this.#bridge.send(session.id, update)) };
  }

  #ask(call: Call, asked: Asked): Outcome {
    const { session, isPermission, isListed, method, params } = asked;
    const agentId = call.id;
    if (agentId === undefined) return undefined;
    const key = keyOf(this.#bridge.host.uniqueId());
    const foreground = isListed ? undefined : session;
    if (foreground) this.#works(foreground);
    asked.before();
    if (foreground) this.#foreground.happened(foreground, { type: 'asked', question: key });
    const clientId = this.#bridge.host.request('toClient', method, params, (reply) => this.#onReply(key, reply), 'questions');
    this.#agentIds.add(keyOf(agentId));
    if (this.#agentIds.size > MAX_REMEMBERED) this.#agentIds.delete(this.#agentIds.values().next().value ?? '');
    this.#open.set(key, { agentId, clientId, session, isPermission, isListed, answered: false, withdrawn: false });
    return ruled('questions', take());
  }

  /** What asks works: for a prompt that waits, or in a turn of the agent's own. */
  #works(session: BridgeSession): void {
    this.#foreground.happened(session, { type: 'said', starts: false });
    const work = unmarkedQuestion(this.#bridge, session);
    if (work) this.#foreground.happened(session, work);
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
    this.#bridge.host.respond('toClient', question.agentId, body, 'questions');
    if (question.session && !question.isListed) this.#foreground.happened(question.session, { type: 'answered', question: key });
  }
}
