/**
 * The MCP servers of a set-up request, v2 to v1 (ACP "Session Setup"). v1 knows a stdio server by its
 * missing `type` and requires the lists that v2 may leave out. What the agent cannot take is an error
 * that names the server: a server that is left out in silence is missed only when a tool is.
 */
import { arrayOf, isObject, objectOf, stringOf, typeName, type JsonObject } from '../shape.js';
import { invalidParams, type Translated } from '../errors.js';
import type { V1AgentFacts } from './initialize.js';

type ServerRow = (server: JsonObject) => JsonObject;

const serverRows: ReadonlyMap<unknown, ServerRow> = new Map<unknown, ServerRow>([
  ['stdio', ({ type: _, ...server }) => ({ ...server, args: server.args ?? [], env: server.env ?? [] })],
  ['http', (server) => ({ ...server, headers: server.headers ?? [] })],
  ['acp', (server) => server],
]);

/** The v1 servers, or the error that names the first one that cannot be said. v1 agents tell servers apart by name. */
export function toV1McpServers(value: unknown, agent: V1AgentFacts): Translated<JsonObject[]> {
  const servers: JsonObject[] = [];
  const names = new Set<string>();
  for (const server of arrayOf(value) ?? []) {
    const type = objectOf(server)?.type;
    const name = stringOf(objectOf(server)?.name);
    const row = serverRows.get(type);
    if (!isObject(server) || row === undefined || !agent.mcpTransports.has(String(type))) {
      return { error: invalidParams(`this agent takes MCP servers over ${[...agent.mcpTransports].join(', ')}.`, { name, type: stringOf(type) ?? typeName(type) }) };
    }
    if (name !== undefined && names.has(name)) return { error: invalidParams('this agent speaks ACP v1, where two MCP servers cannot have one name.', { name }) };
    if (name !== undefined) names.add(name);
    servers.push(row(server));
  }
  return { value: servers };
}
