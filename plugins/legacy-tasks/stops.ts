/**
 * Serves the private extension's `_session/async_task/stop`: what the client knows as a task is
 * cancelled as what it is in ACP v2. Its end is confirmed by its own final update.
 *
 * Follows "Cancellable tool calls" and "Cancellable terminals" of the v2 Background Work RFD.
 */
import { answer, refuse, take, type Call, type Host, type Outcome, type Reply } from 'afterturn/plugin';
import { AcpErrorCode, at, idOf, invalidParams, typeName } from 'afterturn/protocol';
import type { ListedTask } from 'afterturn/state';
import type { TaskSession } from './session.js';

export const STOP = '_session/async_task/stop';

/** How a task of each type is stopped: by a request that is answered, or by a notification. */
const cancels: Readonly<Record<ListedTask['type'], (sessionId: string, id: string) => { readonly method: string; readonly params: object; readonly answered: boolean }>> = {
  terminal: (sessionId, terminalId) => ({ method: 'terminal/cancel', params: { sessionId, terminalId }, answered: true }),
  tool_call: (sessionId, toolCallId) => ({ method: 'tool_call/cancel', params: { sessionId, toolCallId }, answered: true }),
  subagent: (_, sessionId) => ({ method: 'session/cancel', params: { sessionId }, answered: false }),
  turn: (sessionId) => ({ method: 'session/cancel', params: { sessionId }, answered: false }),
};

/** The agent does not do it: the work has ended, or cannot be cancelled. */
const isRefusal = ({ error }: Reply): boolean => error?.code === AcpErrorCode.invalidParams || error?.code === AcpErrorCode.methodNotFound;

/** Answers a stop. `owner`: the session in which the client knows the task, if any. */
export function stop(call: Call, host: Host, owner: (session: string, task: string) => TaskSession | undefined): Outcome {
  const { id } = call;
  const sessionId = idOf(at(call.params, 'sessionId'));
  const taskId = idOf(at(call.params, 'asyncTaskId'));
  if (id === undefined) return undefined;
  if (sessionId === undefined || taskId === undefined) {
    return refuse(invalidParams(`expected sessionId and asyncTaskId as non-empty strings, got ${typeName(at(call.params, 'sessionId'))} and ${typeName(at(call.params, 'asyncTaskId'))}.`));
  }
  const session = owner(sessionId, taskId);
  const task = session?.task(taskId);
  if (session === undefined || task === undefined || !task.canStop) return answer({ stopped: false });
  const { method, params, answered } = cancels[task.type](session.id, task.id);
  session.told({ type: 'stopAsked', task: taskId });
  if (!answered) {
    host.notify('toAgent', method, params);
    return answer({ stopped: true });
  }
  host.request('toAgent', method, params, (reply) => {
    if (reply.error !== undefined) session.told({ type: 'stopRefused', task: taskId });
    host.respond('toAgent', id, reply.error === undefined || isRefusal(reply) ? { result: { stopped: reply.error === undefined } } : { error: reply.error });
  });
  return take();
}
