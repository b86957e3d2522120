/**
 * How foreground work of a v2 session ends, as the answer to a v1 prompt (ACP "Prompt Turn"). Which
 * prompt an end belongs to is `state/v1-prompts`' business.
 */
import { integerOf, isObject, objectOf, stringOf, type JsonObject } from '../shape.js';
import { AcpErrorCode } from '../errors.js';
import type { RpcError } from '../../wire/jsonrpc.js';

/** What a prompt is answered. */
export type PromptAnswer = { readonly result: JsonObject } | { readonly error: RpcError };

const stopReasons: ReadonlySet<string> = new Set(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled']);

export const cancelledAnswer: PromptAnswer = { result: { stopReason: 'cancelled' } };

function errorOf(update: JsonObject): RpcError {
  const { code, message, data } = objectOf(update.error) ?? {};
  return { code: integerOf(code) ?? AcpErrorCode.internalError, message: stringOf(message) ?? 'The agent failed', ...(data === undefined || data === null ? {} : { data }) };
}

/** v1 has no other reasons: the word itself stands in `_meta`. */
function resultOf(update: JsonObject, usageIsKnown: boolean): JsonObject {
  const reason = stringOf(update.stopReason) ?? 'end_turn';
  const isKnown = stopReasons.has(reason);
  const { usage } = update;
  const meta = {
    ...objectOf(update._meta),
    ...(isObject(usage) && !usageIsKnown ? { usage } : {}),
    ...(isKnown ? {} : { afterturn: { stopReason: reason } }),
  };
  return {
    stopReason: isKnown ? reason : 'end_turn',
    ...(isObject(usage) && usageIsKnown ? { usage } : {}),
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
  };
}

/** The answer that an `idle` state gives. `usageIsKnown`: the client reads what only the unstable schema of v1 has. */
export const answerOfIdle = (update: JsonObject, usageIsKnown: boolean): PromptAnswer =>
  update.stopReason === 'error' ? { error: errorOf(update) } : { result: resultOf(update, usageIsKnown) };
