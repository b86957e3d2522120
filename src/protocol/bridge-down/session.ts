/**
 * Session set-up and life cycle, v1 requests in v2 form and v2 results in v1 form (ACP "Session
 * Setup"). v1's `session/load` is a `session/resume` that replays from the start.
 */
import { invalidParams, type Translated } from '../errors.js';
import { arrayOf, isObject, objectOf, stringOf, type JsonObject } from '../shape.js';
import { toV1ConfigOptions, toV1Modes, v2OptionsOf } from './config.js';
import type { V1ClientFacts } from './initialize.js';

/** A v1 server without a type is one over stdio. */
const toV2McpServer = (server: unknown): unknown => (isObject(server) && server.type === undefined ? { ...server, type: 'stdio' } : server);

function toV2McpServers(value: unknown): Translated<unknown> {
  const servers = arrayOf(value);
  const sse = servers?.find((server) => isObject(server) && server.type === 'sse');
  if (sse !== undefined) return { error: invalidParams('this agent speaks ACP v2, which has no MCP servers over sse.', { name: stringOf(objectOf(sse)?.name) }) };
  return { value: servers?.map(toV2McpServer) ?? value };
}

/** The v2 params of a set-up request. `replays`: the history is to reach the client. */
export function toV2SetupParams(params: JsonObject, replays: boolean): Translated<JsonObject> {
  const servers = toV2McpServers(params.mcpServers);
  if (servers.error) return servers;
  return { value: { ...params, ...(servers.value === undefined ? {} : { mcpServers: servers.value }), ...(replays ? { replayFrom: { type: 'start' } } : {}) } };
}

const metaOf = (value: unknown): JsonObject => {
  const meta = objectOf(objectOf(value)?._meta);
  return meta === undefined ? {} : { _meta: meta };
};

/** The v1 result of a set-up request. Its commands are told in an update. */
export function toV1SetupResult(result: unknown, client: V1ClientFacts): JsonObject {
  const sessionId = objectOf(result)?.sessionId;
  const options = v2OptionsOf(result);
  const modes = options && toV1Modes(options);
  return {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(modes === undefined ? {} : { modes }),
    ...(options === undefined ? {} : { configOptions: toV1ConfigOptions(options, client) }),
    ...metaOf(result),
  };
}

/** v2 tags a chosen value; v1 tags a boolean only. */
export const toV2SetConfigOption = (params: JsonObject): JsonObject => (params.type === 'boolean' ? params : { ...params, type: 'id' });

/** The v1 result of `session/list`. Whether a session is archived only the unstable schema of v1 tells. */
export function toV1SessionList(result: unknown, client: V1ClientFacts): JsonObject {
  const sessions = (arrayOf(objectOf(result)?.sessions) ?? []).filter(isObject).map(({ archived, ...session }) => (client.unstable && archived !== undefined ? { ...session, archived } : session));
  return { ...objectOf(result), sessions };
}

/** The v1 result of `session/status`, which tells no state. */
export function toV1SessionStatus(result: unknown): JsonObject {
  const { state: _, ...rest } = objectOf(result) ?? {};
  return rest;
}
