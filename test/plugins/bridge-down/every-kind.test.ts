/**
 * Every kind of everything that a v2 agent can say to a v1 client, and what the client can say to it,
 * one sample each: valid in ACP v2, sent through the bridge down, and valid in ACP v1.
 */
import { describe, expect, test } from 'vitest';
import { validateToClient } from '../../tools/schema.js';
import { connected, initialized, richClient, unconnected } from './connected.js';

type Json = Record<string, unknown>;

const text = { type: 'text', text: 'x' };

/** What becomes of one update for a client that takes everything. */
function told(update: Json): Json[] {
  const v2 = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } };
  expect(validateToClient('v2', v2), JSON.stringify(update)).toEqual([]);
  const wires = connected(richClient);
  wires.updates(update);
  expect(wires.log).toEqual([]);
  return wires.told() as Json[];
}

describe('content', () => {
  test.each<Json>([
    { type: 'text', text: 'x', annotations: { audience: ['assistant', 'user'] } },
    { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
    { type: 'resource_link', name: 'n', uri: 'file:///n' },
    { type: 'resource', resource: { text: 't', uri: 'file:///t' } },
    { type: 'resource', resource: { blob: 'aGk=', uri: 'file:///b' } },
  ])('$type', (content) => {
    expect(told({ sessionUpdate: 'agent_message_chunk', messageId: 'm', content })).toEqual([{ sessionUpdate: 'agent_message_chunk', messageId: 'm', content }]);
  });

  test('a prompt’s blocks are written as v2 wants them', () => {
    const wires = connected();
    wires.client.requests('session/prompt', { sessionId: 's', prompt: [text, { type: 'resource_link', name: 'n', uri: '/n' }] });
    expect(wires.asked()[0][1].prompt).toEqual([text, { type: 'resource_link', name: 'n', uri: 'file:///n' }]);
  });
});

describe('tool calls', () => {
  const call = (more: Json): Json => ({ sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 't', ...more });

  test.each(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'])('kind %s', (kind) => {
    expect(told(call({ kind }))).toMatchObject([{ sessionUpdate: 'tool_call', kind }]);
  });

  test.each(['pending', 'in_progress', 'completed', 'failed'])('status %s', (status) => {
    expect(told(call({ status }))).toMatchObject([{ sessionUpdate: 'tool_call', status }]);
  });
});

describe('kinds that have one form in both versions', () => {
  test.each<Json>([
    ...['info', 'warning', 'error', '_own'].map((severity) => ({ sessionUpdate: 'notice', severity, title: 't' })),
    ...['in_progress', 'completed', 'failed', 'cancelled', '_own'].map((status) => ({ sessionUpdate: 'compaction_update', compactionId: 'k', status })),
    { sessionUpdate: 'compaction_update', compactionId: 'k', status: 'completed', summary: [text] },
    { sessionUpdate: 'subagent_update', sessionId: 'c', title: 't', state: { state: 'idle', stopReason: 'end_turn' } },
    { sessionUpdate: 'session_message', messageId: 'm', content: [text] },
    { sessionUpdate: 'session_message_chunk', messageId: 'm', content: text },
  ])('%j', (update) => {
    expect(told(update)).toEqual([update]);
  });

  test.each(['high', 'medium', 'low'])('a plan entry of priority %s', (priority) => {
    for (const status of ['pending', 'in_progress', 'completed']) {
      const entries = [{ content: 'c', priority, status }];
      const wires = connected();
      wires.updates({ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p', entries } });
      expect(wires.told()).toEqual([{ sessionUpdate: 'plan', entries }]);
    }
  });

  test.each(['mode', 'model', 'model_config', 'thought_level', '_own'])('an option of the category %s', (category) => {
    const option = { name: 'O', category, type: 'select', currentValue: 'a', options: [{ value: 'a', name: 'A' }] };
    expect(told({ sessionUpdate: 'config_option_update', configOptions: [{ configId: 'o', ...option }] }).at(-1)).toEqual({ sessionUpdate: 'config_option_update', configOptions: [{ id: 'o', ...option }] });
  });

  test.each(['authenticated', 'unauthenticated', 'not_required', 'unknown', '_own'])('auth/status_update %s', (state) => {
    const wires = connected(richClient);
    wires.agent.notifies('auth/status_update', { state });
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', method: 'auth/status_update', params: { state } }]);
  });
});

describe('questions', () => {
  test.each(['allow_once', 'allow_always', 'reject_once', 'reject_always'])('an option of the kind %s', (kind) => {
    const wires = connected();
    const options = [{ optionId: 'o', name: 'O', kind }];
    wires.agent.requests('session/request_permission', { sessionId: 's', title: 't', options });
    expect(wires.told().at(-1).params.options).toEqual(options);
  });

  test.each(['string', 'number', 'integer', 'boolean'])('a field of the type %s', (type) => {
    const wires = connected();
    const requestedSchema = { type: 'object', properties: { a: { type }, b: { type: 'array', items: { type: 'string', enum: ['x'] } }, c: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } } } };
    wires.agent.requests('elicitation/create', { sessionId: 's', mode: 'form', message: 'm', requestedSchema });
    expect(wires.told()[0].params.requestedSchema).toEqual(requestedSchema);
  });

  test.each(['email', 'uri', 'date', 'date-time'])('a text of the format %s', (format) => {
    const wires = connected();
    const requestedSchema = { type: 'object', properties: { a: { type: 'string', format } } };
    wires.agent.requests('elicitation/create', { sessionId: 's', mode: 'form', message: 'm', requestedSchema });
    expect(wires.told()[0].params.requestedSchema).toEqual(requestedSchema);
  });

  test.each([{ action: 'accept', content: { s: 'a', i: 1, n: 1.5, b: true, a: ['x'] } }, { action: 'decline' }, { action: 'cancel' }, { action: '_later' }])('the answer $action', (result) => {
    const wires = connected();
    const id = wires.agent.requests('elicitation/create', { sessionId: 's', mode: 'url', message: 'm', url: 'https://x', elicitationId: 'e' });
    wires.client.answers(id, result);
    expect(wires.asked()).toEqual([[result]]);
  });

  test('elicitation/complete and mcp/message pass', () => {
    const wires = connected(richClient);
    wires.agent.notifies('elicitation/complete', { elicitationId: 'e' });
    wires.agent.requests('mcp/message', { serverId: 'x', requestId: 1, method: 'ping' });
    expect(wires.client.received()).toMatchObject([{ method: 'elicitation/complete', params: { elicitationId: 'e' } }, { method: 'mcp/message', params: { serverId: 'x', method: 'ping' } }]);
    wires.client.requests('mcp/message', { serverId: 'x', requestId: 1, method: 'ping' });
    expect(wires.agent.received()).toMatchObject([{ method: 'mcp/message' }]);
  });
});

describe('requests', () => {
  const PASSING: readonly [string, Json, Json][] = [
    ['providers/list', {}, { providers: ['anthropic', 'openai', 'azure', 'vertex', 'bedrock', '_own'].map((llm) => ({ providerId: llm, supported: [llm], required: false })) }],
    ['providers/set', { providerId: 'p', apiType: 'openai', baseUrl: 'https://x' }, {}],
    ['providers/disable', { providerId: 'p' }, {}],
    ['auth/status', {}, { state: 'authenticated' }],
    ['session/archive', { sessionId: 's' }, {}],
    ['session/unarchive', { sessionId: 's' }, {}],
    ['session/set_title', { sessionId: 's', title: 't' }, { title: 't' }],
    ...['exclude', 'include', 'only', '_own'].map((archived): [string, Json, Json] => ['session/list', { archived }, { sessions: [] }]),
  ];
  test.each(PASSING)('%s %j', (method, params, result) => {
    const wires = connected(richClient);
    const id = wires.client.requests(method, params);
    const [[name, sent, own]] = wires.asked();
    expect([name, sent]).toEqual([method, params]);
    wires.agent.answers(own, result);
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, result }]);
  });

  test.each(['open', 'saved', '_own'])('session/status %s is told without the state', (status) => {
    const wires = connected(richClient);
    const id = wires.client.requests('session/status', { sessionId: 's' });
    wires.agent.answers(wires.asked()[0][2], { status, state: { state: 'running' } });
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, result: { status } }]);
  });

  test.each(['append', 'override', '_own'])('session/fork, with a system prompt to %s', (mode) => {
    const wires = connected(richClient);
    const systemPrompt = { mode, content: [text] };
    const id = wires.client.requests('session/fork', { sessionId: 's', cwd: '/p', mcpServers: [{ type: 'acp', name: 'x', serverId: 'i' }], systemPrompt });
    const [[method, params, own]] = wires.asked();
    expect([method, params]).toEqual(['session/fork', { sessionId: 's', cwd: '/p', mcpServers: [{ type: 'acp', name: 'x', serverId: 'i' }], systemPrompt }]);
    wires.agent.answers(own, { sessionId: 'fork' });
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, result: { sessionId: 'fork' } }]);
  });

  test('session/new with servers over stdio and http; session/set_config_option of a boolean, session/delete, session/close and session/resume keep their shape', () => {
    const wires = connected(richClient);
    const keeps = (method: string, params: Json, result: Json): void => {
      wires.client.requests(method, params);
      const [[name, sent, own]] = wires.asked();
      expect([name, sent]).toEqual([method, params]);
      wires.agent.answers(own, result);
      wires.told();
    };
    keeps('session/set_config_option', { sessionId: 's', configId: 'f', type: 'boolean', value: true }, { configOptions: [] });
    keeps('session/resume', { sessionId: 's', cwd: '/p' }, {});
    keeps('session/close', { sessionId: 's' }, {});
    keeps('session/delete', { sessionId: 's' }, {});
  });

  test.each([-32700, -32600, -32601, -32602, -32603, -32800, -32000, -32002, -32099])('the error %i passes with its data', (code) => {
    const wires = connected();
    const id = wires.client.requests('session/list', {});
    wires.agent.refuses(wires.asked()[0][2], { code, message: 'm', data: { sessionId: 's' } });
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, error: { code, message: 'm', data: { sessionId: 's' } } }]);
  });

  test('the error -32022 of an agent without v2 has it asked in v1, where it answers', () => {
    const wires = unconnected();
    const id = wires.client.requests('initialize', { protocolVersion: 1 });
    wires.agent.refuses(wires.asked()[0][2], { code: -32022, message: 'Unsupported', data: { requested: 2, supported: [1] } });
    const again = wires.agent.received()[0];
    wires.agent.answers(again.id, { protocolVersion: 1 });
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, result: { protocolVersion: 1 } }]);
  });

  test('session/cancel of a session that is not known passes', () => {
    const wires = initialized();
    wires.client.notifies('session/cancel', { sessionId: 'x' });
    expect(wires.asked()).toEqual([['session/cancel', { sessionId: 'x' }]]);
  });
});
