import { expect, test } from 'vitest';
import { v1AgentFactsOf } from '../../../src/protocol/bridge/initialize.js';
import { toV1McpServers } from '../../../src/protocol/bridge/mcp-servers.js';

const plain = v1AgentFactsOf({});
const able = v1AgentFactsOf({ agentCapabilities: { mcpCapabilities: { http: true, sse: true, acp: true } } });

test('v1 knows a stdio server by its missing type, and requires what v2 may leave out', () => {
  const http = { type: 'http', name: 'b', url: 'http://b' };
  const acp = { type: 'acp', name: 'c', serverId: 'i' };
  expect(toV1McpServers([{ type: 'stdio', name: 'a', command: '/a', _meta: { k: 1 } }, { ...http, headers: [{ name: 'x', value: 'y' }] }, { ...http, name: 'd' }, acp], able)).toEqual({
    value: [{ name: 'a', command: '/a', args: [], env: [], _meta: { k: 1 } }, { ...http, headers: [{ name: 'x', value: 'y' }] }, { ...http, name: 'd', headers: [] }, acp],
  });
});

test.each([undefined, null, []])('%j is no server', (none) => {
  expect(toV1McpServers(none, plain)).toEqual({ value: [] });
});

test.each([[{ type: 'http', name: 'b', url: 'http://b' }, 'http'], [{ type: 'sse', name: 'b', url: 'http://b' }, 'sse'], [{ type: '_pipe', name: 'b' }, '_pipe'], [{ name: 'b' }, 'undefined']])(
  '%j is refused with its name and type, when the agent does not take it', (server, type) => {
    expect(toV1McpServers([server], plain).error).toEqual({ code: -32602, message: 'Invalid params: this agent takes MCP servers over stdio.', data: { name: 'b', type } });
  });

test('what is no server at all is refused', () => {
  expect(toV1McpServers(['b'], able).error).toMatchObject({ code: -32602, message: 'Invalid params: this agent takes MCP servers over stdio, http, acp.' });
});

test('sse is no transport of v2, also where the agent has it', () => {
  expect(toV1McpServers([{ type: 'sse', name: 'b', url: 'http://b' }], able).error?.code).toBe(-32602);
});

test('two servers of one name are refused', () => {
  const server = { type: 'stdio', command: '/a' };
  expect(toV1McpServers([{ ...server, name: 'a' }, { ...server, name: 'b' }, { ...server, name: 'a' }], plain).error)
    .toEqual({ code: -32602, message: 'Invalid params: this agent speaks ACP v1, where two MCP servers cannot have one name.', data: { name: 'a' } });
});
