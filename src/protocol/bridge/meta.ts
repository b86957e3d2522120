/**
 * `_meta` on its way from a v1 agent to a v2 client: what v2 says with fields of its own, and what
 * only a client that declared the private extension asked for, is left out.
 */
import { at, isObject, objectOf, type JsonObject } from '../shape.js';

/** What of `_meta` goes to the client. `full`: the client declared the private extension itself. */
export interface MetaRules {
  readonly full: boolean;
}

const terminalKeys: ReadonlySet<string> = new Set(['terminal_info', 'terminal_output', 'terminal_output_delta', 'terminal_exit', 'terminal_input']);

const without = (value: JsonObject, ...keys: readonly string[]): JsonObject => Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

/** The mark of a call whose command goes on in the background is kept: lists of background work are made from it. */
const backgroundedMark = (meta: JsonObject): JsonObject =>
  at(meta, 'jetbrains', 'air', 'asyncTasks', 'backgrounded') === true ? { jetbrains: { air: { asyncTasks: { backgrounded: true } } } } : {};

/** A v2 call has its `name`, so `_meta.claudeCode.toolName` says nothing new. */
function claudeMeta(meta: JsonObject): JsonObject {
  if (!isObject(meta.claudeCode)) return {};
  const claudeCode = without(meta.claudeCode, 'toolName');
  return Object.keys(claudeCode).length === 0 ? {} : { claudeCode };
}

const filled = (meta: JsonObject): JsonObject | undefined => (Object.keys(meta).length === 0 ? undefined : meta);

/** What is told in other places, or in part. */
const toldElsewhere: ReadonlySet<string> = new Set([...terminalKeys, 'jetbrains', 'claudeCode']);

/** The `_meta` of a tool call update. */
export function toV2ToolCallMeta(value: unknown, rules: MetaRules): JsonObject | undefined {
  const meta = objectOf(value);
  if (meta === undefined) return undefined;
  const rest = Object.fromEntries(Object.entries(meta).filter(([key]) => !toldElsewhere.has(key)));
  if (meta.claudeCode === undefined && meta.jetbrains === undefined) return filled(rest);
  const jetbrains = rules.full && meta.jetbrains !== undefined ? { jetbrains: meta.jetbrains } : backgroundedMark(meta);
  return filled({ ...rest, ...claudeMeta(meta), ...jetbrains });
}

/** The `_meta` of anything else. */
export function toV2Meta(value: unknown, rules: MetaRules): JsonObject | undefined {
  const meta = objectOf(value);
  return meta && (rules.full ? filled(meta) : filled(without(meta, 'jetbrains', 'promptSuggestions')));
}

/** `value` with its own `_meta` in v2 form. */
export function withV2Meta<T extends JsonObject>(value: T, rules: MetaRules): T {
  if (value._meta === undefined) return value;
  const { _meta, ...rest } = value;
  const meta = toV2Meta(_meta, rules);
  return (meta === undefined ? rest : { ...rest, _meta: meta }) as T;
}
