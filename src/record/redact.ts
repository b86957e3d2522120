/**
 * A message without its contents: every string is masked unless its field is known to hold a name of
 * the protocol, an id or a version. Shapes, types, numbers and lengths stay, and with them the order of
 * things: a masked recording breaks the same rules and replays the same way. Pure.
 */
import { ownReasons } from '../protocol/reasons.js';
import { isObject, type JsonObject } from '../protocol/shape.js';

/** Names of the protocol: what a reader needs to tell messages apart. */
const PLAIN: ReadonlySet<string> = new Set([
  'jsonrpc', 'method', 'sessionUpdate', 'type', 'subtype', 'kind', 'state', 'status', 'role', 'stopReason', 'outcome', 'action', 'priority', 'category', 'currency', 'signal',
  'mode', 'operation', 'severity', 'format', 'subagentType', 'taskType', 'task_type', 'toolName', 'taskStatus', 'optionId', 'mimeType', 'encoding', 'level', 'id', 'apiType', 'archived', 'audience', 'fileType', 'supported', 'theme',
]);
/** Ids, versions and lists of them. The value must look like one. */
const NAMED = /(?:Ids?|_ids?|[uU]uids?|[vV]ersion|capabilities|actions)$/;
const TOKEN = /^[\w$.:@/+~-]{1,128}$/;
const DATE = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;
/** Fields whose whole value is content, whatever its members are called. */
const OPAQUE: ReadonlySet<string> = new Set(['rawInput', 'rawOutput', 'arguments', 'args', 'env', 'headers', 'data']);
const SECRET = /token|secret|password|api_?key|credential|cookie|authorization/i;
/** Who the client and the agent say that they are: a version decides what is spoken. */
const INTRODUCTIONS: ReadonlySet<string> = new Set(['clientInfo', 'agentInfo', 'info']);

/** Letters as `x`, digits as `0`; the rest as it is, so that a path stays a path and base64 base64. */
export const masked = (text: string): string => text.replace(/\p{L}|\p{M}/gu, 'x').replace(/\p{N}/gu, '0');

type Place = { readonly key: string; readonly isOpaque: boolean; readonly isIntroduction: boolean };

/** A call's `name` is that of its tool. */
const keyIn = ({ sessionUpdate }: JsonObject, key: string): string => (key === 'name' && (sessionUpdate === 'tool_call' || sessionUpdate === 'tool_call_update') ? 'toolName' : key);

function isPlain(text: string, { key, isOpaque, isIntroduction }: Place): boolean {
  if (isOpaque || SECRET.test(key)) return false;
  if (isIntroduction) return TOKEN.test(text);
  if (DATE.test(text) || (key === 'reason' && ownReasons.has(text))) return true;
  return (PLAIN.has(key) || NAMED.test(key)) && TOKEN.test(text);
}

function redactedValue(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return isPlain(value, place) ? value : masked(value);
  if (Array.isArray(value)) return value.map((item) => redactedValue(item, place));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redactedValue(member, {
    key: keyIn(value, key),
    isOpaque: place.isOpaque || OPAQUE.has(key) || SECRET.test(key),
    isIntroduction: INTRODUCTIONS.has(key) || (place.isIntroduction && key !== '_meta'),
  })]));
}

/** The message with its contents masked. */
export const redacted = (message: unknown): unknown => redactedValue(message, { key: '', isOpaque: false, isIntroduction: false });
