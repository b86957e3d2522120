/** What a v1 agent takes as it is, what it takes in another form, and what it cannot take. */
import { describe, expect, test } from 'vitest';
import { connected, fullAgent, initialized } from './connected.js';

const able = { ...fullAgent, agentCapabilities: { ...fullAgent.agentCapabilities, promptCapabilities: { image: true, audio: true, embeddedContext: true }, sessionCapabilities: { additionalDirectories: {}, resume: {}, list: {} } } };
const stdio = { type: 'stdio', name: 'a', command: '/a' };
const http = { type: 'http', name: 'b', url: 'http://b' };
const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };

describe('what the agent cannot take is refused with its name, and does not reach it', () => {
  test.each<[string, string, Record<string, unknown>, Record<string, unknown>]>([
    ['two MCP servers of one name', 'session/new', { cwd: '/w', mcpServers: [stdio, stdio] }, { name: 'a' }],
    ['an MCP transport that it has not', 'session/new', { cwd: '/w', mcpServers: [stdio, { ...http, type: 'acp', serverId: 'i' }] }, { name: 'b', type: 'acp' }],
    ['the same on resume', 'session/resume', { sessionId: 's', cwd: '/w', mcpServers: [{ type: '_pipe', name: 'p' }] }, { name: 'p', type: '_pipe' }],
    ['the same on fork', 'session/fork', { sessionId: 's', cwd: '/w', mcpServers: [stdio, stdio] }, { name: 'a' }],
    ['additional directories', 'session/new', { cwd: '/w', additionalDirectories: ['/x'] }, { additionalDirectories: 1 }],
    ['a system prompt', 'session/new', { cwd: '/w', systemPrompt: { mode: 'append', content: [{ type: 'text', text: 'x' }] } }, { systemPrompt: 'append' }],
    ['an image', 'session/prompt', { sessionId: 's', prompt: [image] }, { type: 'image' }],
    ['audio', 'session/prompt', { sessionId: 's', prompt: [{ type: 'audio', data: 'aGk=', mimeType: 'audio/wav' }] }, { type: 'audio' }],
    ['a resource', 'session/prompt', { sessionId: 's', prompt: [{ type: 'resource', resource: { uri: 'file:///a', text: 'x' } }] }, { type: 'resource' }],
    ['a content block of an extension', 'session/prompt', { sessionId: 's', prompt: [{ type: '_sketch' }] }, { type: '_sketch' }],
    ['an option value of an extension', 'session/set_config_option', { sessionId: 's', configId: 'x', type: '_n', value: 1 }, { type: '_n' }],
  ])('%s', (_, method, params, data) => {
    const wires = connected();
    const id = wires.client.requests(method, params);
    expect(wires.told()).toMatchObject([{ id, error: { code: -32602, message: expect.stringMatching(/^Invalid params: this agent /) as string, data } }]);
    expect(wires.asked()).toEqual([]);
  });

  test.each(['session/load', 'session/set_mode', 'session/set_model', 'authenticate', 'nonsense/method'])('%s is no method of v2', (method) => {
    const wires = connected();
    const id = wires.client.requests(method, { sessionId: 's' });
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, error: { code: -32601, message: `Method not found: ${method}. This agent speaks ACP v1, which has no such method.` } }]);
    wires.client.notifies(method, { sessionId: 's' });
    expect(wires.asked()).toEqual([]);
  });

  test.each(['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'terminal/output', 'terminal/release', 'terminal/wait_for_exit', 'terminal/kill'])('%s of the agent is refused: a v2 client has no files and terminals', (method) => {
    const wires = connected();
    wires.agent.sends({ jsonrpc: '2.0', id: 4, method, params: { sessionId: 's' } });
    wires.agent.notifies(method, { sessionId: 's' });
    expect(wires.told()).toEqual([]);
    expect(wires.asked()).toEqual([[{ code: -32601, message: `Method not found: ${method}. The client speaks ACP v2, where the agent owns its files and terminals.` }]]);
  });
});

test('what it has advertised it gets', () => {
  const wires = connected(able);
  const prompt = [image, { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' }, { type: 'resource', resource: { uri: 'file:///a', blob: 'aGk=' } }, { type: 'resource_link', name: 'a', uri: 'file:///a', icons: [{ src: 'https://x/i.png' }] }];
  wires.client.requests('session/new', { cwd: '/w', additionalDirectories: ['/x'], mcpServers: [stdio, http] });
  wires.client.requests('session/prompt', { sessionId: 's', prompt });
  expect(wires.asked().map(([, params]) => params as unknown)).toEqual([
    { cwd: '/w', additionalDirectories: ['/x'], mcpServers: [{ name: 'a', command: '/a', args: [], env: [] }, { ...http, headers: [] }] },
    { sessionId: 's', prompt: [...prompt.slice(0, 3), { type: 'resource_link', name: 'a', uri: 'file:///a' }] },
  ]);
});

describe('a request that is the same in both versions passes, and so does its answer', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['providers/list', {}, { providers: [] }],
    ['providers/set', { providerId: 'p', apiType: 'anthropic', baseUrl: 'https://x', headers: {} }, {}],
    ['providers/disable', { providerId: 'p' }, {}],
    ['auth/status', {}, { state: 'authenticated' }],
    ['session/archive', { sessionId: 's' }, {}],
    ['session/unarchive', { sessionId: 's' }, {}],
    ['session/set_title', { sessionId: 's', title: 'T' }, {}],
    ['session/status', { sessionId: 's' }, { status: 'open' }],
    ['_own/method', { any: [1.50] }, { thing: true }],
  ])('%s', (method, params, result) => {
    const wires = initialized();
    const request = `{ "jsonrpc":"2.0", "id":"x", "method":"${method}", "params":${JSON.stringify(params)} }`;
    wires.client.sends(request);
    expect(wires.agent.receivedLines()).toEqual([request]);
    const answer = `{"id":"x", "jsonrpc":"2.0", "result":${JSON.stringify(result)}}`;
    wires.agent.sends(answer);
    expect(wires.client.receivedLines()).toEqual([answer]);
  });

  test.each(['mcp/message', '_own/method'])('%s of the agent', (method) => {
    const wires = initialized();
    const request = `{ "jsonrpc":"2.0", "id":"x", "method":"${method}", "params":{"serverId":"i","method":"tools/list"} }`;
    wires.agent.sends(request);
    expect(wires.client.receivedLines()).toEqual([request]);
    wires.client.sends('{"id":"x", "jsonrpc":"2.0", "result":{"result":{}}}');
    expect(wires.agent.receivedLines()).toEqual(['{"id":"x", "jsonrpc":"2.0", "result":{"result":{}}}']);
  });

  test.each([['auth/status_update', { state: 'unauthenticated' }], ['elicitation/complete', { elicitationId: 'e' }], ['mcp/message', { serverId: 'i', method: 'x' }], ['_auth/status_update', { any: 1 }]])('%s, which asks for nothing', (method, params) => {
    const wires = initialized();
    const line = `{ "jsonrpc":"2.0", "method":"${method}", "params":${JSON.stringify(params)} }`;
    wires.agent.sends(line);
    expect(wires.client.receivedLines()).toEqual([line]);
  });
});

describe('$/cancel_request', () => {
  test('of the client names the request as the agent knows it', () => {
    const wires = initialized();
    const id = wires.client.requests('session/list', {});
    const own = wires.asked()[0][2] as string;
    wires.client.notifies('$/cancel_request', { requestId: id });
    expect(wires.asked()).toEqual([['$/cancel_request', { requestId: own }]]);
    wires.agent.refuses(own, { code: -32800, message: 'Request cancelled' });
    expect(wires.told()).toMatchObject([{ id, error: { code: -32800 } }]);
  });

  test.each(['_own/method', 'providers/list'])('passes for what passes: %s', (method) => {
    const wires = initialized();
    const id = wires.client.requests(method, {});
    wires.agent.received();
    wires.client.notifies('$/cancel_request', { requestId: id });
    expect(wires.asked()).toEqual([['$/cancel_request', { requestId: id }]]);
  });

  test('of the agent passes for what passes', () => {
    const wires = initialized();
    wires.agent.sends({ jsonrpc: '2.0', id: 9, method: '_own/method', params: {} });
    wires.client.received();
    wires.agent.notifies('$/cancel_request', { requestId: 9 });
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 9 } }]);
  });
});

describe('an agent with models of its own', () => {
  const models = { currentModelId: 'pro', availableModels: [{ modelId: 'pro', name: 'Pro' }, { modelId: 'flash', name: 'Flash' }] };

  test('has them as an option, which is set with its own method', () => {
    const wires = connected(fullAgent, { models });
    const id = wires.client.requests('session/set_config_option', { sessionId: 's', configId: 'model', type: 'id', value: 'flash' });
    const [request] = wires.agent.received() as [{ id: string; method: string; params: unknown }];
    expect([request.method, request.params]).toEqual(['session/set_model', { sessionId: 's', modelId: 'flash' }]);
    wires.agent.answers(request.id, {});
    const configOptions = [{ configId: 'model', category: 'model', currentValue: 'flash' }];
    expect(wires.told()).toMatchObject([{ sessionUpdate: 'config_option_update', configOptions }, { id, result: { configOptions } }]);
  });
});

test('the list of an agent without one is that of the connection, in the directory that is asked for', () => {
  const wires = connected({ protocolVersion: 1 });
  wires.client.requests('session/new', { cwd: '/other' });
  wires.agent.answers(wires.asked()[0][2], { sessionId: 'o' });
  wires.client.requests('session/list', { cwd: '/other' });
  expect(wires.told().at(-1)).toMatchObject({ result: { sessions: [{ sessionId: 'o', cwd: '/other' }] } });
});
