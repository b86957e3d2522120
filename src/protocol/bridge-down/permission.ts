/**
 * Permission requests of a v2 agent in v1 form (ACP "Requesting Permission"). v2 asks with words of its
 * own about a subject; v1 asks about a tool call, so a question about anything else gets a call that
 * stands for it.
 */
import { arrayOf, idOf, isObject, objectOf, stringOf, type JsonObject } from '../shape.js';

/** What a v2 request is about. */
export interface AskedAbout {
  readonly toolCallId: string;
  /** What the request says of the call, as a v2 update of it. */
  readonly update: JsonObject;
  /** Content that says why it is asked. */
  readonly reason: JsonObject | undefined;
  /** No tool call of the agent: it is only there for the question. */
  readonly isMade: boolean;
}

const words = (text: string): JsonObject => ({ type: 'content', content: { type: 'text', text } });

const reasonOf = (params: JsonObject): JsonObject | undefined => (idOf(params.description) === undefined ? undefined : words(stringOf(params.description) ?? ''));

/** A call that stands for a question. */
const standIn = (toolCallId: string, params: JsonObject, more: JsonObject): AskedAbout =>
  ({ toolCallId, isMade: true, update: { title: stringOf(params.title) ?? 'Permission required', ...more }, reason: reasonOf(params) });

/** A command that is asked for beside a known call is a question about that call. */
function aboutCommand(params: JsonObject, subject: JsonObject, freshId: () => string): AskedAbout {
  const toolCallId = idOf(subject.toolCallId);
  const rawInput = { command: subject.command, cwd: subject.cwd };
  if (toolCallId !== undefined) return { toolCallId, isMade: false, update: {}, reason: reasonOf(params) };
  return standIn(freshId(), params, { kind: 'execute', rawInput });
}

export function askedAbout(params: JsonObject, freshId: () => string): AskedAbout {
  const subject = objectOf(params.subject);
  const toolCall = objectOf(subject?.toolCall);
  const toolCallId = idOf(toolCall?.toolCallId);
  if (subject?.type === 'tool_call' && toolCall !== undefined && toolCallId !== undefined) return { toolCallId, isMade: false, update: toolCall, reason: reasonOf(params) };
  return subject?.type === 'command' ? aboutCommand(params, subject, freshId) : standIn(freshId(), params, {});
}

const kinds: ReadonlySet<unknown> = new Set(['allow_once', 'allow_always', 'reject_once', 'reject_always']);

/** A kind that v1 does not have is none that a client may choose by itself. */
const toV1Option = (option: JsonObject): JsonObject => (kinds.has(option.kind) ? option : { ...option, kind: 'reject_once' });

/** How the private extension words the question beside its call. */
function wordsMeta(params: JsonObject): JsonObject {
  const permission = Object.fromEntries(['title', 'description'].filter((key) => stringOf(params[key]) !== undefined).map((key) => [key, params[key]]));
  return { jetbrains: { air: { version: 1, permission } } };
}

/**
 * The v1 request. `toolCall`: the call as the client should know it. `withWords`: the client takes the
 * extension, in whose `_meta` the words of the question have a place.
 */
export function toV1PermissionParams(params: JsonObject, toolCall: JsonObject, withWords: boolean): JsonObject {
  const meta = { ...objectOf(params._meta), ...(withWords ? wordsMeta(params) : {}) };
  return {
    sessionId: params.sessionId,
    toolCall,
    options: (arrayOf(params.options) ?? []).filter(isObject).map(toV1Option),
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
  };
}
