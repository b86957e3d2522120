/** What tracing needs of messages: codes, counts and ids. Never their content. */
import { isSpanContextValid, ROOT_CONTEXT, trace, type SpanContext, type TextMapGetter, type TextMapPropagator, type TextMapSetter } from '@opentelemetry/api';
import type { Call, Reply } from 'afterturn/plugin';
import { agentOf, arrayOf, at, defined, idOf, integerOf, isObject, objectOf, protocolVersionOf, stringOf, type JsonObject } from 'afterturn/protocol';
import type { PermissionEnd, RemoteContext, TurnEnd } from 'afterturn/state';

const metaGetter: TextMapGetter<unknown> = {
  keys: (meta) => (isObject(meta) ? Object.keys(meta) : []),
  get: (meta, key) => stringOf(at(meta, key)),
};

/** The span context that the client sent in `_meta` (`traceparent`, `tracestate`), if it is valid. */
export function remoteContextOf(params: unknown, propagator: TextMapPropagator): RemoteContext | undefined {
  const meta = at(params, '_meta');
  return meta === undefined ? undefined : trace.getSpanContext(propagator.extract(ROOT_CONTEXT, meta, metaGetter));
}

/** A `tracestate` of which nothing was valid is empty, and none. */
const metaSetter: TextMapSetter<Record<string, unknown>> = {
  set(meta, key, value) {
    if (value !== '') meta[key] = value;
  },
};

/**
 * The params of a prompt with a span context of ours in `_meta` in place of the client's (ACP
 * "Extensibility": `traceparent`, `tracestate`, `baggage`); what baggage there is goes on. `undefined`: there
 * is no place for it, or nothing to write.
 */
export function withContext(params: unknown, own: SpanContext, propagator: TextMapPropagator): JsonObject | undefined {
  const { _meta: before = {}, ...others } = objectOf(params) ?? {};
  if (!isSpanContextValid(own) || !(before === null || isObject(before))) return undefined;
  const { traceparent: _, tracestate: __, ...meta }: Record<string, unknown> = before ?? {};
  propagator.inject(trace.setSpanContext(ROOT_CONTEXT, own), meta, metaSetter);
  return { ...others, _meta: meta };
}

/** How a turn ended: from the result of `session/prompt` (v1), or from a state snapshot (v2). */
export function turnEndOf(value: unknown): TurnEnd {
  return defined({
    stopReason: stringOf(at(value, 'stopReason')),
    errorCode: integerOf(at(value, 'error', 'code')),
    inputTokens: integerOf(at(value, 'usage', 'inputTokens')),
    outputTokens: integerOf(at(value, 'usage', 'outputTokens')),
    cacheReadTokens: integerOf(at(value, 'usage', 'cachedReadTokens')),
    cacheWriteTokens: integerOf(at(value, 'usage', 'cachedWriteTokens')),
  });
}

export const promptEndOf = (reply: Reply): TurnEnd => (reply.error === undefined ? turnEndOf(reply.result) : { errorCode: integerOf(reply.error.code) ?? 0 });

/** The tool call that a permission request is about: v1 `toolCall`, v2 `subject`. */
export const callOfPermission = (params: unknown): string | undefined =>
  idOf(at(params, 'toolCall', 'toolCallId')) ?? idOf(at(params, 'subject', 'toolCall', 'toolCallId')) ?? idOf(at(params, 'subject', 'toolCallId'));

/** The kinds of a permission request's options, by their ids. */
export function optionKindsOf(params: unknown): ReadonlyMap<string, string> {
  const options = (arrayOf(at(params, 'options')) ?? []).map((option) => [stringOf(at(option, 'optionId')), stringOf(at(option, 'kind'))] as const);
  return new Map(options.filter((pair): pair is readonly [string, string] => pair[0] !== undefined && pair[1] !== undefined));
}

export function permissionEndOf(reply: Reply, kinds: ReadonlyMap<string, string>): PermissionEnd {
  if (reply.error !== undefined) return { errorCode: integerOf(reply.error.code) ?? 0 };
  const option = stringOf(at(reply.result, 'outcome', 'optionId'));
  return defined({ outcome: stringOf(at(reply.result, 'outcome', 'outcome')), optionKind: option === undefined ? undefined : kinds.get(option) });
}

const terminalKeys = ['terminal_info', 'terminal_output', 'terminal_output_delta', 'terminal_exit'] as const;

/** Whether an id in the `_meta` of a call's update is empty. */
function lacksIdInMeta(meta: JsonObject): boolean {
  if (meta.claudeCode !== undefined && at(meta, 'claudeCode', 'parentToolUseId') === '') return true;
  for (const key of terminalKeys) if (meta[key] !== undefined && at(meta, key, 'terminal_id') === '') return true;
  return false;
}

/** Whether what is left of a tool call's update without long strings has lost an id: one longer than any agent's. */
function lacksId(params: unknown): boolean {
  if (!isObject(params)) return false;
  const { sessionId, update } = params;
  if (sessionId === '' || !isObject(update)) return sessionId === '';
  const { toolCallId, _meta, content } = update;
  return toolCallId === '' || (isObject(_meta) && lacksIdInMeta(_meta)) || (Array.isArray(content) && content.some((block) => at(block, 'terminalId') === ''));
}

/** Of a `session/update` about a tool call what spans are made of: neither input nor output, most of its bytes. */
export function outlineOf(call: Call): unknown {
  return lacksId(call.outline) ? call.params : call.outline;
}

/** The members of an update that no span of a known call is made of, and such of its `_meta`. */
const quietMembers: ReadonlySet<string> = new Set(['sessionUpdate', 'toolCallId', 'title', 'kind', 'rawInput', 'locations', '_meta']);
const quietMeta: ReadonlySet<string> = new Set(['terminal_info', 'terminal_output', 'terminal_output_delta']);

/** The call that a `tool_call_update` is about which tells nothing that the span of a known call is made of. */
export function quietCallOf(update: JsonObject): string | undefined {
  if (update.sessionUpdate !== 'tool_call_update') return undefined;
  for (const key in update) if (!quietMembers.has(key)) return undefined;
  const meta = objectOf(update._meta);
  if (meta !== undefined) for (const key in meta) if (!quietMeta.has(key)) return undefined;
  return idOf(update.toolCallId);
}

export interface Introduction {
  readonly protocol: 1 | 2;
  readonly name: string | undefined;
  readonly version: string | undefined;
}

/** Who the agent says it is in its `initialize` result: v1 `agentInfo`, v2 `info`. */
export function introductionOf(result: unknown): Introduction {
  return { protocol: protocolVersionOf(result) ?? 1, ...agentOf(result) };
}
