/**
 * Serves `terminal/cancel` and `tool_call/cancel`: a listed item is stopped with the extension's
 * `_session/async_task/stop`; its end is confirmed by its own final update.
 *
 * Follows "Cancellable tool calls" and "Cancellable terminals" of the v2 Background Work RFD.
 */
import { JSONRPCErrorException, JSONRPCServer } from 'json-rpc-2.0';
import type { Call, Host, Reply } from 'afterturn/plugin';
import { at, idOf, typeName } from 'afterturn/protocol';
import type { BackgroundSession } from './session.js';

const INVALID_PARAMS = -32602;
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

export const STOP = '_session/async_task/stop';

/** The cancel methods, by the kind of item they name and the parameter that names it. */
export const cancelMethods = { 'terminal/cancel': ['terminal', 'terminalId'], 'tool_call/cancel': ['tool_call', 'toolCallId'] } as const;

function answerOf(reply: Reply, data: object): object {
  if (reply.error !== undefined) {
    const code = reply.error.code === METHOD_NOT_FOUND ? INVALID_PARAMS : reply.error.code;
    throw new JSONRPCErrorException(reply.error.message, code, reply.error.data ?? data);
  }
  const stopped = at(reply.result, 'stopped');
  if (stopped === true) return {};
  if (stopped === false) throw new JSONRPCErrorException('The agent did not stop it: it has ended or cannot be cancelled.', INVALID_PARAMS, data);
  throw new JSONRPCErrorException(`The agent answered ${STOP} without a boolean \`stopped\` (${typeName(stopped)}).`, INTERNAL_ERROR, data);
}

export class CancelService {
  readonly #server = new JSONRPCServer({ errorListener: () => {} });
  /** What ends a request early, by session. */
  readonly #open = new Map<string, Set<() => void>>();
  readonly #answering = new Set<Promise<void>>();

  constructor(sessionOf: (id: string) => BackgroundSession | undefined, host: Host) {
    for (const [method, [type, key]] of Object.entries(cancelMethods)) {
      this.#server.addMethod(method, (params: unknown) => this.#cancel(sessionOf, host, type, key, params));
    }
  }

  /** Answers a parked cancel request. */
  serve(call: Call, host: Host): void {
    const id = call.id ?? null;
    const answered = Promise.resolve(this.#server.receive({ jsonrpc: '2.0', id, method: call.method, params: call.params as never })).then((response) => {
      if (response === null) return;
      if (response.error === undefined) host.respond('toAgent', id, { result: response.result });
      else host.respond('toAgent', id, { error: response.error });
    });
    this.#answering.add(answered);
    void answered.finally(() => this.#answering.delete(answered));
  }

  /** The session is over, and with it the work: open requests are answered as accepted. */
  async endSession(session: string): Promise<void> {
    for (const end of this.#open.get(session) ?? []) end();
    this.#open.delete(session);
    await Promise.all(this.#answering);
  }

  get busy(): boolean {
    return this.#answering.size > 0;
  }

  #cancel(sessionOf: (id: string) => BackgroundSession | undefined, host: Host, type: 'terminal' | 'tool_call', key: string, params: unknown): Promise<object> {
    const sessionId = idOf(at(params, 'sessionId'));
    const id = idOf(at(params, key));
    if (sessionId === undefined || id === undefined) {
      throw new JSONRPCErrorException(`Expected sessionId and ${key} as strings, got ${typeName(at(params, 'sessionId'))} and ${typeName(at(params, key))}.`, INVALID_PARAMS);
    }
    const session = sessionOf(sessionId);
    const found = session?.listed(type, id);
    if (session === undefined || found === undefined || !found.entry.canCancel) {
      throw new JSONRPCErrorException(`Nothing that can be cancelled runs in the background under ${key} ${JSON.stringify(id)}.`, INVALID_PARAMS, { [key]: id });
    }
    session.told([{ type: 'stopAsked', task: found.item.task }]);
    return new Promise((resolve, reject) => {
      const open = this.#open.get(sessionId) ?? new Set();
      this.#open.set(sessionId, open);
      const end = (): void => resolve({});
      open.add(end);
      host.request('toAgent', STOP, { sessionId, asyncTaskId: found.item.task }, (reply) => {
        open.delete(end);
        try {
          resolve(answerOf(reply, { [key]: id }));
        } catch (error) {
          reject(error as Error);
        }
      });
    });
  }
}
