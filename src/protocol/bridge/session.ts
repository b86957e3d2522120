/**
 * Session set-up and life cycle, v2 requests in v1 form and v1 results in v2 form (ACP "Session
 * Setup"). v2 has one `session/resume` that may replay; v1 has `session/resume`, which never does, and
 * `session/load`, which always does.
 */
import { arrayOf, isObject, objectOf, stringOf, typeName, type JsonObject } from '../shape.js';
import { invalidParams, methodNotFound, type Translated } from '../errors.js';
import { toV2ConfigOptions, type ConfigView } from './config.js';
import { toV1ContentBlocks } from './content.js';
import { toAbsolutePath } from './diff.js';
import { dateTime, filledText, flag, list, shape, text, type Faults } from './fields.js';
import type { V1AgentFacts } from './initialize.js';
import { toV1McpServers } from './mcp-servers.js';
import { toV2Meta, withV2Meta, type MetaRules } from './meta.js';

/** A v1 request: its method and its params. */
export interface V1Request {
  readonly method: string;
  readonly params: JsonObject;
}

function toV1SystemPrompt(value: unknown, agent: V1AgentFacts): Translated<JsonObject> {
  if (!isObject(value)) return { value: {} };
  if (!agent.systemPrompt) return { error: invalidParams('this agent takes no system prompt.', { systemPrompt: stringOf(value.mode) ?? typeName(value.mode) }) };
  const content = toV1ContentBlocks(arrayOf(value.content) ?? []);
  return content.error ? content : { value: { systemPrompt: { ...value, content: content.value } } };
}

/** The params that set-up requests share: v1 requires the list of MCP servers. What the agent did not advertise is an error, not left out. */
export function toV1SetupParams(params: JsonObject, agent: V1AgentFacts): Translated<JsonObject> {
  const directories = arrayOf(params.additionalDirectories)?.length ?? 0;
  if (directories > 0 && !agent.additionalDirectories) return { error: invalidParams('this agent takes no additional directories.', { additionalDirectories: directories }) };
  const { mcpServers, systemPrompt, replayFrom: _, ...rest } = params;
  const servers = toV1McpServers(mcpServers, agent);
  if (servers.error) return servers;
  const prompt = toV1SystemPrompt(systemPrompt, agent);
  return prompt.error ? prompt : { value: { ...rest, ...prompt.value, mcpServers: servers.value } };
}

/** The v1 request that a v2 `session/resume` means. `replays`: its history reaches the client. */
export function toV1Resume(params: JsonObject, agent: V1AgentFacts): Translated<V1Request & { readonly replays: boolean }> {
  const replays = params.replayFrom !== undefined && params.replayFrom !== null;
  const from = objectOf(params.replayFrom)?.type;
  if (replays && from !== 'start') return { error: invalidParams('this agent replays a session from its start only.', { replayFrom: stringOf(from) ?? typeName(from) }) };
  if (replays && !agent.loads) return { error: invalidParams('this agent cannot replay a session.', { replayFrom: 'start' }) };
  if (!agent.resumes && !agent.loads) return { error: methodNotFound('session/resume', 'This agent speaks ACP v1 and can neither resume nor load a session.') };
  const setup = toV1SetupParams(params, agent);
  if (setup.error) return setup;
  return { value: { method: replays || !agent.resumes ? 'session/load' : 'session/resume', params: setup.value, replays } };
}

/** The v2 result of a set-up request. `made`: the session that it made, which a resume does not name. */
export function toV2SetupResult(result: unknown, made: string | undefined, config: ConfigView | undefined, rules: MetaRules): JsonObject {
  const meta = toV2Meta(objectOf(result)?._meta, rules);
  return { ...(made === undefined ? {} : { sessionId: made }), ...(config === undefined ? {} : { configOptions: config.options }), ...(meta === undefined ? {} : { _meta: meta }) };
}

/** v2 tags a chosen value with `type: "id"`; v1 leaves it untagged. */
export function toV1SetConfigOption(params: JsonObject): Translated<JsonObject> {
  const { type, ...rest } = params;
  if (type === 'id') return { value: rest };
  if (type === 'boolean') return { value: params };
  return { error: invalidParams('this agent speaks ACP v1, whose options take an id or a boolean.', { type: stringOf(type) ?? typeName(type) }) };
}

/** The options that the v1 answer to `session/set_config_option` lists. */
export const optionsOfResult = (result: unknown, rules: MetaRules, faults: Faults): JsonObject[] | undefined =>
  toV2ConfigOptions(objectOf(result)?.configOptions, rules, faults);

/** The v2 result of `session/list`. */
export function toV2SessionList(result: unknown, rules: MetaRules, faults: Faults): JsonObject {
  const absolute = (value: unknown) => toAbsolutePath(value, undefined);
  const info = shape({ sessionId: filledText, cwd: absolute }, { additionalDirectories: list(absolute), title: text, updatedAt: dateTime, archived: flag });
  const nextCursor = stringOf(objectOf(result)?.nextCursor);
  const meta = toV2Meta(objectOf(result)?._meta, rules);
  const sessions = (list(info)(objectOf(result)?.sessions, faults) ?? []).map((session) => withV2Meta(session, rules));
  return { sessions, ...(nextCursor === undefined ? {} : { nextCursor }), ...(meta === undefined ? {} : { _meta: meta }) };
}
