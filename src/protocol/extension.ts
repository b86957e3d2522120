/**
 * The private extension's declarations: `_meta.jetbrains.air` of `initialize`, and what claude-agent-acp
 * reads in `_meta.claudeCode` of the requests that set a session up.
 */
import { RAW_MESSAGES } from './signals/index.js';
import { arrayOf, at, isObject, objectOf, type JsonObject } from './shape.js';

/** The extension capabilities that `_meta.jetbrains.air` of this object names (client capabilities, or an answer). */
export const extensionCapabilities = (value: unknown): readonly string[] =>
  (arrayOf(at(value, '_meta', 'jetbrains', 'air', 'capabilities')) ?? []).filter((capability) => typeof capability === 'string');

/** The capabilities with the extension declared: merged, never replacing what is there. */
export function withExtension(capabilities: unknown, wanted: readonly string[]): JsonObject {
  const before = objectOf(capabilities) ?? {};
  const meta = objectOf(before._meta) ?? {};
  const jetbrains = objectOf(meta.jetbrains) ?? {};
  const air = objectOf(jetbrains.air) ?? {};
  const declared = extensionCapabilities(before);
  const all = [...declared, ...wanted.filter((capability) => !declared.includes(capability))];
  return { ...before, _meta: { ...meta, jetbrains: { ...jetbrains, air: { version: 1, ...air, capabilities: all } } } };
}

/** The answer to `initialize` with only the capabilities that were declared to the agent: some agents name all that they know. The same object when it names no others. */
export function withNegotiated(result: unknown, declared: readonly string[]): unknown {
  const named = extensionCapabilities(result);
  const negotiated = named.filter((capability) => declared.includes(capability));
  if (!isObject(result) || negotiated.length === named.length) return result;
  const meta = objectOf(result._meta) ?? {};
  const jetbrains = objectOf(meta.jetbrains) ?? {};
  return { ...result, _meta: { ...meta, jetbrains: { ...jetbrains, air: { ...objectOf(jetbrains.air), capabilities: negotiated } } } };
}

/** The object without `_meta.jetbrains`; the same object when it has none. */
export function withoutExtension(value: unknown): unknown {
  const meta = objectOf(at(value, '_meta'));
  if (!isObject(value) || meta === undefined || !('jetbrains' in meta)) return value;
  const { jetbrains: _, ...rest } = meta;
  const { _meta: __, ...others } = value;
  return Object.keys(rest).length === 0 ? others : { ...others, _meta: rest };
}

/** What a set-up request asks of the raw feed: everything, some messages by type and subtype, or nothing. */
export type RawRequest = true | readonly JsonObject[];

export function rawRequestOf(params: unknown): RawRequest {
  const asked = at(params, '_meta', 'claudeCode', 'emitRawSDKMessages');
  return asked === true ? true : (arrayOf(asked) ?? []).filter(isObject);
}

/** Whether the request asked for this message of the raw feed. */
export function asksForRaw(request: RawRequest | undefined, message: unknown): boolean {
  if (request === undefined || request === true) return request === true;
  const matches = (row: JsonObject): boolean =>
    row.type === at(message, 'type') &&
    (row.subtype === undefined || row.subtype === at(message, 'subtype')) &&
    (row.origin === undefined || row.origin === at(message, 'origin', 'kind'));
  return request.some(matches);
}

/** The request with `messages` (default: those that signals are read from): what it lacks is added, `true` stays. */
export function withRawMessages(request: RawRequest, messages: readonly JsonObject[] = RAW_MESSAGES): RawRequest {
  if (request === true) return true;
  return [...request, ...messages.filter((message) => !asksForRaw(request, message))];
}

export interface SetupAddition {
  /** Ask for the raw feed. */
  readonly rawFeed: boolean;
  /** What to ask of it. Default: the client's own request with what is missing. */
  readonly rawRequest?: RawRequest;
  /** Background work survives an interrupt (`perTaskStopAffordance`). */
  readonly perTaskStop: boolean;
}

/** The params of a set-up request for claude-agent-acp with what is added to it. The client's own values win. */
export function withClaudeSetup(params: unknown, add: SetupAddition): JsonObject {
  const before = objectOf(params) ?? {};
  const meta = objectOf(before._meta) ?? {};
  const claudeCode = objectOf(meta.claudeCode) ?? {};
  const options = objectOf(claudeCode.options) ?? {};
  const added = {
    ...(add.perTaskStop ? { options: { perTaskStopAffordance: true, ...options } } : {}),
    ...(add.rawFeed ? { emitRawSDKMessages: add.rawRequest ?? withRawMessages(rawRequestOf(before)) } : {}),
  };
  return { ...before, _meta: { ...meta, claudeCode: { ...claudeCode, ...added } } };
}
