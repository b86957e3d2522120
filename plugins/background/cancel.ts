/**
 * Serves `terminal/cancel` and `tool_call/cancel`: a listed item is stopped with the extension's
 * `_session/async_task/stop`; its end is confirmed by its own final update.
 *
 * Follows "Cancellable tool calls" and "Cancellable terminals" of the v2 Background Work RFD.
 */
import { JSONRPCErrorException, JSONRPCServer } from 'json-rpc-2.0';
import type { Call, Host, Reply, RequestId } from 'afterturn/plugin';
import { at, idOf, typeName } from 'afterturn/protocol';
import type { BackgroundSession } from './session.js';

const INVALID_PARAMS = -32602;
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

export const STOP = '_session/async_task/stop';

/** The cancel methods, by the kind of item they name and the parameter that names it. */
export const cancelMethods = { 'terminal/cancel': ['terminal', 'terminalId'], 'tool_call/cancel': ['tool_call', 'toolCallId'] } as const;

type Kind = (typeof cancelMethods)[keyof typeof cancelMethods];

/** A cancel request that has no answer yet. */
interface Open {
  readonly id: RequestId;
  answered: boolean;
}

export interface CancelPorts {
  sessionOf(id: string): BackgroundSession | undefined;
  /** The session in which the agent stops the tasks of this one: it knows a subagent's in that of the root. */
  rootOf(id: string): string;
  /** Names an answer of the agent that has the wrong shape. */
  malformed(session: string, problem: string): void;
}

const refusal = (message: string, code: number, data?: object): JSONRPCErrorException => new JSONRPCErrorException(message, code, data);

export class CancelService {
  readonly #server = new JSONRPCServer<Open>({ errorListener: () => {} });
  readonly #host: Host;
  readonly #ports: CancelPorts;
  /** Requests whose stop is on its way, by session. */
  readonly #open = new Map<string, Set<Open>>();
  /** The stops that are on their way, by session and task, with why the agent refuses, if it does. */
  readonly #stops = new Map<string, Map<string, Promise<JSONRPCErrorException | undefined>>>();

  constructor(host: Host, ports: CancelPorts) {
    this.#host = host;
    this.#ports = ports;
    for (const [method, kind] of Object.entries(cancelMethods)) this.#server.addMethod(method, (params: unknown, open) => this.#cancel(kind, params, open));
  }

  /** Answers a parked cancel request. */
  serve(call: Call): void {
    const open: Open = { id: call.id ?? null, answered: false };
    const request = { jsonrpc: '2.0' as const, id: open.id, method: call.method, params: call.params as never };
    void this.#server.receive(request, open).then((response) => {
      if (response !== null) this.#answer(open, response.error === undefined ? { result: response.result } : { error: response.error });
    });
  }

  /** Whether stops of this session have no answer yet. */
  isOpen = (session: string): boolean => this.#open.has(session);

  /** The session is over, and with it the work: open requests are answered as accepted. */
  endSession(session: string): void {
    for (const open of this.#open.get(session) ?? []) this.#answer(open, { result: {} });
    this.#open.delete(session);
    this.#stops.delete(session);
  }

  #answer(open: Open, body: Parameters<Host['respond']>[2]): void {
    if (open.answered) return;
    open.answered = true;
    this.#host.respond('toAgent', open.id, body, 'cancel');
  }

  #cancel([type, key]: Kind, params: unknown, open: Open): Promise<object> {
    const sessionId = idOf(at(params, 'sessionId'));
    const id = idOf(at(params, key));
    if (sessionId === undefined || id === undefined) {
      throw refusal(`Expected sessionId and ${key} as non-empty strings, got ${typeName(at(params, 'sessionId'))} and ${typeName(at(params, key))}.`, INVALID_PARAMS, id === undefined ? undefined : { [key]: id });
    }
    const session = this.#ports.sessionOf(sessionId);
    const found = session?.listed(type, id);
    if (session === undefined || found === undefined || !found.entry.canCancel) {
      throw refusal(`Nothing that can be cancelled runs in the background under ${key} ${JSON.stringify(id)}.`, INVALID_PARAMS, { [key]: id });
    }
    this.#opened(sessionId, open);
    return this.#stopOf(session, sessionId, found.item.task, { [key]: id }).then((refused) => {
      this.#closed(sessionId, open);
      if (refused !== undefined) throw refused;
      return {};
    });
  }

  /** One stop for all that ask for it before it is answered: to the second the agent would say that there is nothing left to stop. */
  #stopOf(session: BackgroundSession, sessionId: string, task: string, data: object): Promise<JSONRPCErrorException | undefined> {
    const stops = this.#stops.get(sessionId) ?? new Map<string, Promise<JSONRPCErrorException | undefined>>();
    this.#stops.set(sessionId, stops);
    const stop = stops.get(task) ?? new Promise((resolve) => {
      session.told([{ type: 'stopAsked', task }]);
      this.#host.request('toAgent', STOP, { sessionId: this.#ports.rootOf(sessionId), asyncTaskId: task }, (reply) => {
        stops.delete(task);
        const refused = this.#refusalIn(reply, sessionId, data);
        if (refused !== undefined) session.told([{ type: 'stopRefused', task }]);
        resolve(refused);
      }, 'cancel');
    });
    stops.set(task, stop);
    return stop;
  }

  /** The error that the agent's answer to the stop means for the client, or `undefined` if it accepted. */
  #refusalIn({ error, result }: Reply, session: string, data: object): JSONRPCErrorException | undefined {
    if (error?.code === METHOD_NOT_FOUND) return refusal(error.message, INVALID_PARAMS, data);
    if (error !== undefined) return refusal(error.message, error.code, error.data as object | undefined);
    const stopped = at(result, 'stopped');
    if (stopped === true) return undefined;
    if (stopped === false) return refusal('The agent did not stop it: it has ended or cannot be cancelled.', INVALID_PARAMS, data);
    this.#ports.malformed(session, `stopped is ${typeName(stopped)}, expected boolean`);
    return refusal(`The agent answered ${STOP} without a boolean \`stopped\` (${typeName(stopped)}).`, INTERNAL_ERROR, data);
  }

  #opened(session: string, open: Open): void {
    const opened = this.#open.get(session) ?? new Set();
    this.#open.set(session, opened.add(open));
  }

  #closed(session: string, open: Open): void {
    const opened = this.#open.get(session);
    opened?.delete(open);
    if (opened?.size === 0) this.#open.delete(session);
  }
}
