/**
 * History that is replayed to a client that may know it already (ACP v2 "Session Setup"): each message
 * begins with an upsert that empties it, each call and terminal that is begun clears what it leaves
 * out. Pure; which messages and calls a replay has begun is the caller's to know.
 */
import { at, idOf, isObject, type JsonObject } from '../shape.js';
import type { V2Update } from '../v2.js';

const upsertKinds: ReadonlyMap<string, string> = new Map([
  ['user_message_chunk', 'user_message'],
  ['agent_message_chunk', 'agent_message'],
  ['agent_thought_chunk', 'agent_thought'],
]);

/** The upsert that empties the message that chunks of `kind` belong to. */
export const toV2EmptyMessage = (kind: string, messageId: string): V2Update => ({ sessionUpdate: upsertKinds.get(kind) ?? kind, messageId, content: [] });

/** What a replayed call and a replayed terminal consist of: `null` resets a member to its default. */
const callMembers = ['name', 'title', 'kind', 'status', 'content', 'locations', 'rawInput', 'rawOutput', 'capabilities'] as const;
const terminalMembers = ['command', 'cwd', 'output', 'exitStatus', 'capabilities'] as const;

const nulls = (update: V2Update, members: readonly string[]): JsonObject =>
  Object.fromEntries(members.filter((member) => update[member] === undefined).map((member) => [member, null]));

/** `_meta` patches by key: a key that the client may hold and the replay leaves out is removed. */
const metaAnew = (update: V2Update, heldKeys: readonly string[]): JsonObject => {
  const { _meta: meta } = update;
  if (!isObject(meta)) return { _meta: null };
  const gone = heldKeys.filter((key) => !(key in meta));
  return { _meta: { ...Object.fromEntries(gone.map((key) => [key, null])), ...meta } };
};

/**
 * The updates that a replayed v1 report became, as they begin what the report begins: `tool_call` a
 * call, `_meta.terminal_info` a terminal. `heldMeta`: the keys of `_meta` that the client has of the call.
 */
export function toV2Replayed(report: JsonObject, updates: readonly V2Update[], heldMeta: readonly string[]): V2Update[] {
  const terminal = idOf(at(report, '_meta', 'terminal_info', 'terminal_id'));
  let begins = terminal !== undefined;
  return updates.map((update) => {
    if (update.sessionUpdate === 'tool_call_update' && report.sessionUpdate === 'tool_call') return { ...nulls(update, callMembers), ...update, ...metaAnew(update, heldMeta) };
    if (!begins || update.sessionUpdate !== 'terminal_update' || update.terminalId !== terminal) return update;
    begins = false;
    return { ...nulls(update, terminalMembers), ...update };
  });
}

const REPLAYED_CHILD = /:replay-subagent:(.+)$/;

/** The launching call of a replayed subagent, after which claude-agent-acp names its session then. */
export const launchOfReplayed = (sessionId: string): string | undefined => REPLAYED_CHILD.exec(sessionId)?.[1];
