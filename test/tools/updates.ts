/**
 * Reads the few shapes of a session update that the test tools look at. Validity is not its
 * business: what has another shape is `undefined`.
 */
import type { RecordedMessage } from './recording.js';

export type Json = Readonly<Record<string, unknown>>;

export interface Item {
  readonly type: string;
  readonly terminalId?: string;
  readonly toolCallId?: string;
  readonly sessionId?: string;
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
export const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The session and the update of a `session/update` to the client. */
export function updateOf({ dir, msg }: RecordedMessage): { readonly sessionId: string; readonly update: Json } | undefined {
  const params = objectOf(msg.params);
  if (dir !== 'a2c' || msg.method !== 'session/update' || !isObject(params.update)) return undefined;
  return { sessionId: String(params.sessionId), update: params.update };
}

/** A message of the agent's raw feed. */
export function rawMessage({ dir, msg }: RecordedMessage): Json | undefined {
  const message = objectOf(msg.params).message;
  return dir === 'a2c' && msg.method === '_claude/sdkMessage' && isObject(message) ? message : undefined;
}

/** The list of a `state_update`; `undefined` where none is reported. */
export const background = (update: Json): readonly Item[] | undefined =>
  update.sessionUpdate === 'state_update' && Array.isArray(update.background) ? (update.background as Item[]) : undefined;

/** `terminal:<id>`, `tool_call:<id>` or `subagent:<id>`. */
export const itemKey = (item: Item): string => `${item.type}:${String(item.terminalId ?? item.toolCallId ?? item.sessionId)}`;
