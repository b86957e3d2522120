/**
 * Permission requests about listed work (ACP v2 "Requesting Permission"): a listed terminal is asked
 * about as the command that runs in it, with its terminal and the call that launched it. Everything
 * else is asked about as the call that it is, and a listed tool call as the one that is listed.
 */
import { at, defined, idOf, isAbsolutePath, isObject, objectOf, stringOf, type JsonObject } from 'afterturn/protocol';

/** A listed terminal, and what is known of its command. */
export interface ListedTerminal {
  readonly terminalId: string;
  readonly command: string | undefined;
  readonly cwd: string | undefined;
}

/** A listed call, which can be one of our own in place of the one that launched the work. */
export interface ListedCall {
  readonly toolCallId: string;
}

/** The call that a request is about, if it is about one. */
export const callOfRequest = (params: unknown): string | undefined =>
  at(params, 'subject', 'type') === 'tool_call' ? idOf(at(params, 'subject', 'toolCall', 'toolCallId')) : undefined;

/** The params with the listed work as their subject; `undefined`: they are about it already. */
export function withListedSubject(params: unknown, work: ListedTerminal | ListedCall): JsonObject | undefined {
  if ('terminalId' in work) return withCommandSubject(params, work);
  if (!isObject(params) || work.toolCallId === callOfRequest(params)) return undefined;
  return { ...params, subject: { ...objectOf(params.subject), toolCall: { ...objectOf(at(params.subject, 'toolCall')), toolCallId: work.toolCallId } } };
}

/** The params with the command as their subject; `undefined` when the command or its directory is not known. */
export function withCommandSubject(params: unknown, terminal: ListedTerminal): JsonObject | undefined {
  const input = objectOf(at(params, 'subject', 'toolCall', 'rawInput'));
  const command = terminal.command ?? stringOf(input?.command);
  const cwd = [terminal.cwd, stringOf(input?.cwd)].find((path) => path !== undefined && isAbsolutePath(path));
  if (!isObject(params) || command === undefined || cwd === undefined) return undefined;
  const meta = at(params, 'subject', '_meta');
  return { ...params, subject: { type: 'command', command, cwd, terminalId: terminal.terminalId, toolCallId: callOfRequest(params), ...defined({ _meta: objectOf(meta) }) } };
}
