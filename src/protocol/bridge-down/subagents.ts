/**
 * Subagents of a v2 session for a v1 client that knows the Subagents RFD, which has one form in both
 * versions. Other clients are told of them in other forms, before this.
 */
import type { Faults } from '../bridge/fields.js';
import { isObject, type JsonObject } from '../shape.js';
import { toV1Blocks } from './content.js';

/** A `subagent_update` without what only v2 has: the list of background work in a state. */
export function toV1Association(update: JsonObject): JsonObject {
  if (!isObject(update.state)) return update;
  const { background: _, ...state } = update.state;
  return { ...update, state };
}

/** A message between sessions. */
export function toV1SessionMessage(update: JsonObject, faults: Faults): JsonObject[] {
  if (update.sessionUpdate === 'session_message_chunk') return toV1Blocks([update.content], faults).map((content) => ({ ...update, content }));
  return [Array.isArray(update.content) ? { ...update, content: toV1Blocks(update.content, faults) } : update];
}
