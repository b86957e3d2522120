/**
 * The line with which claude-agent-acp says that a task was stopped on the client's request. It is a
 * message chunk without an id, sent before the answer to the stop; to a v2 client it is a notice, not
 * a message of the model.
 */
import { at, stringOf, type JsonObject } from '../shape.js';
import type { V2Update } from '../v2.js';

const bold = /^\s*\*\*(.+?):?\*\*:?\s*([\s\S]*)$/;

/** The notice that such a line is, or `undefined` for any other update. */
export function toV2StopNotice(update: JsonObject): V2Update | undefined {
  if (update.sessionUpdate !== 'agent_message_chunk' || (update.messageId !== undefined && update.messageId !== null)) return undefined;
  const line = stringOf(at(update, 'content', 'text'))?.trim();
  if (line === undefined || line === '') return undefined;
  const match = bold.exec(line);
  const title = match?.[1] ?? line;
  const description = match?.[2]?.trim() ?? '';
  return { sessionUpdate: 'notice', severity: 'info', title, ...(description === '' ? {} : { description }) };
}
