/**
 * Permission requests, v1 to v2, and their answers, v2 to v1 (ACP "Requesting Permission"). v1 asks
 * about a tool call; v2 asks with a title of its own about a subject.
 */
import { at, isObject, objectOf, stringOf, typeName, type JsonObject } from '../shape.js';
import { invalidParams, type Translated } from '../errors.js';
import { filledList, oneOf, shape, text, within, type Faults } from './fields.js';
import { toV2Meta, type MetaRules } from './meta.js';

const options = filledList(shape({ optionId: text, name: text, kind: oneOf('allow_once', 'allow_always', 'reject_once', 'reject_always') }));

/** How the extension words the question, where it does: v1 itself has the call's title only. */
function wordsOf(params: JsonObject): { title?: string; description?: string } {
  const words = at(params, '_meta', 'jetbrains', 'air', 'permission');
  const title = stringOf(at(words, 'title'));
  const description = stringOf(at(words, 'description'));
  return { ...(title ? { title } : {}), ...(description ? { description } : {}) };
}

/** The v2 request. `toolCall` is the call as it is known, with what the request says of it. */
export function toV2PermissionParams(params: JsonObject, toolCall: JsonObject, rules: MetaRules): Translated<JsonObject> {
  const faults: Faults = [];
  const given = within('options', faults, (inner) => options(params.options, inner));
  if (given === undefined) return { error: invalidParams(`options must hold at least one option (${faults[0] ?? typeName(params.options)}).`) };
  const meta = toV2Meta(params._meta, rules);
  return {
    value: {
      sessionId: params.sessionId,
      title: stringOf(at(params, 'toolCall', 'title')) ?? stringOf(toolCall.title) ?? stringOf(toolCall.name) ?? 'Permission required',
      ...wordsOf(params),
      subject: { type: 'tool_call', toolCall },
      options: given,
      ...(meta === undefined ? {} : { _meta: meta }),
    },
  };
}

/** The v1 answer. Outcomes that v1 does not know are no approval: they become `cancelled`. */
export function toV1PermissionResult(result: unknown): JsonObject {
  const outcome = objectOf(objectOf(result)?.outcome);
  const meta = objectOf(objectOf(result)?._meta);
  const selected = outcome?.outcome === 'selected' && typeof outcome.optionId === 'string';
  return { outcome: selected ? outcome : cancelledOutcome.outcome, ...(meta === undefined ? {} : { _meta: meta }) };
}

/** What a client answers when the turn is cancelled (ACP v1 "Cancellation"). */
export const cancelledOutcome = { outcome: { outcome: 'cancelled' } } as const;

/** Whether the params name a tool call at all. */
export const permissionToolCall = (params: JsonObject): JsonObject | undefined => (isObject(params.toolCall) ? params.toolCall : undefined);
