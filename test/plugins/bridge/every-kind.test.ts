/**
 * Every kind of everything that a v1 agent can say in a session, one sample each: valid in ACP v1,
 * sent through the bridge, and valid in ACP v2 (`told()` checks that) with the same meaning.
 */
import { describe, expect, test } from 'vitest';
import { validateToClient } from '../../tools/schema.js';
import { connected, fullAgent, state } from './connected.js';

type Json = Record<string, unknown>;

const text = { type: 'text', text: 'x' };
const entry = (priority: string, status: string): Json => ({ content: 'c', priority, status });

/** What becomes of one update while a prompt runs. */
function told(update: Json): Json[] {
  const v1 = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } };
  expect(validateToClient('v1-unstable', v1), JSON.stringify(update)).toEqual([]);
  const wires = connected();
  wires.runs();
  wires.updates(update);
  expect(wires.log).toEqual([]);
  return wires.told() as Json[];
}

describe('updates', () => {
  test.each<[Json, Json]>([
    [{ sessionUpdate: 'user_message_chunk', content: text }, { sessionUpdate: 'user_message_chunk', content: text }],
    [{ sessionUpdate: 'agent_message_chunk', content: text }, { sessionUpdate: 'agent_message_chunk', content: text }],
    [{ sessionUpdate: 'agent_thought_chunk', content: text }, { sessionUpdate: 'agent_thought_chunk', content: text }],
    [{ sessionUpdate: 'tool_call', toolCallId: 'c', title: 't' }, { sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 't' }],
    [{ sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 't' }, { sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 't' }],
    [{ sessionUpdate: 'plan', entries: [] }, { sessionUpdate: 'plan_update', plan: { type: 'items', entries: [] } }],
    [{ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p', entries: [] } }, { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p' } }],
    [{ sessionUpdate: 'plan_update', plan: { type: 'file', planId: 'p', uri: 'file:///p' } }, { plan: { type: 'file', uri: 'file:///p' } }],
    [{ sessionUpdate: 'plan_update', plan: { type: 'markdown', planId: 'p', content: '# p' } }, { plan: { type: 'markdown', content: '# p' } }],
    [{ sessionUpdate: 'plan_removed', planId: 'p' }, { sessionUpdate: 'plan_removed', planId: 'p' }],
    [{ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'n', description: 'd', input: { hint: 'h' } }] }, { availableCommands: [{ type: 'command', name: 'n', input: { type: 'text', hint: 'h' } }] }],
    [{ sessionUpdate: 'config_option_update', configOptions: [{ id: 'o', name: 'O', type: 'boolean', currentValue: true }] }, { sessionUpdate: 'config_option_update', configOptions: [{ configId: 'o', type: 'boolean' }] }],
    [{ sessionUpdate: 'session_info_update', title: 't' }, { sessionUpdate: 'session_info_update', title: 't' }],
    [{ sessionUpdate: 'usage_update', used: 1, size: 2 }, { sessionUpdate: 'usage_update', used: 1, size: 2 }],
    [{ sessionUpdate: 'compaction_summary_chunk', compactionId: 'k', content: text }, { sessionUpdate: 'compaction_summary_chunk', compactionId: 'k', content: text }],
    [{ sessionUpdate: 'subagent_update', sessionId: 'child', title: 't', state: { state: 'running' } }, { sessionUpdate: 'subagent_update', sessionId: 'child', title: 't', state: { state: 'running' } }],
    [{ sessionUpdate: 'session_message', messageId: 'm', content: [text] }, { sessionUpdate: 'session_message', messageId: 'm', content: [text] }],
    [{ sessionUpdate: 'session_message_chunk', messageId: 'm', content: text }, { sessionUpdate: 'session_message_chunk', messageId: 'm', content: text }],
    ...['info', 'warning', 'error', '_own'].map((severity): [Json, Json] => [{ sessionUpdate: 'notice', severity, title: 't' }, { sessionUpdate: 'notice', severity, title: 't' }]),
    ...['in_progress', 'completed', 'failed', 'cancelled', '_own'].map((status): [Json, Json] => [{ sessionUpdate: 'compaction_update', compactionId: 'k', status }, { sessionUpdate: 'compaction_update', compactionId: 'k', status }]),
  ])('%j', (update, expected) => {
    expect(told(update)[0]).toMatchObject(expected);
  });

  test('current_mode_update is a change of the option that the modes became', () => {
    const wires = connected(undefined, { modes: { currentModeId: 'a', availableModes: [{ id: 'a', name: 'A' }, { id: 'b', name: 'B' }] } });
    wires.updates({ sessionUpdate: 'current_mode_update', currentModeId: 'b' });
    expect(wires.told()).toMatchObject([{ sessionUpdate: 'config_option_update', configOptions: [{ configId: 'mode', currentValue: 'b' }] }]);
  });

  test('a kind that nobody knows passes as it is', () => {
    const wires = connected();
    wires.agent.notifies('session/update', { sessionId: 's', update: { sessionUpdate: 'later_kind', any: [1] } });
    expect(wires.client.received()).toEqual([{ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'later_kind', any: [1] } } }]);
  });

  test.each(['state_update', 'user_message', 'agent_message', 'agent_thought', 'terminal_update', 'terminal_output_chunk', 'tool_call_content_chunk'])('%s is no kind of v1: what the agent means is not known', (sessionUpdate) => {
    const wires = connected();
    wires.updates({ sessionUpdate, state: 'running', messageId: 'm', terminalId: 't', toolCallId: 'c' });
    expect(wires.told()).toEqual([]);
    expect(wires.log).toHaveLength(1);
  });
});

describe('tool calls', () => {
  const call = (more: Json): Json => ({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...more });

  test.each(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'])('kind %s', (kind) => {
    expect(told(call({ kind }))).toEqual([call({ kind })]);
  });

  test.each(['pending', 'in_progress', 'completed', 'failed'])('status %s', (status) => {
    expect(told(call({ status }))).toEqual([call({ status })]);
  });

  test.each<[Json, Json]>([
    [{ type: 'content', content: text }, { type: 'content', content: text }],
    [{ type: 'diff', path: '/a', oldText: 'x\n', newText: 'y\n' }, { type: 'diff', changes: [{ operation: 'modify', path: '/a', fileType: 'text' }], patch: { format: 'git_patch' } }],
    [{ type: 'diff', path: '/a', newText: 'y\n' }, { type: 'diff', changes: [{ operation: 'add', path: '/a' }] }],
    [{ type: 'diff', path: '/a', oldText: 'x\n', newText: '', _meta: { kind: 'delete' } }, { type: 'diff', changes: [{ operation: 'delete', path: '/a' }] }],
    [{ type: 'terminal', terminalId: 't' }, { type: 'terminal', terminalId: 't' }],
  ])('content %j', (item, expected) => {
    expect(told(call({ content: [item] })).at(-1)).toMatchObject({ content: [expected] });
  });
});

test('a command of the agent is a terminal: terminal_update, terminal_output_chunk', () => {
  const wires = connected();
  wires.runs();
  const report = (meta: Json, more: Json = {}): Json => ({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...more, _meta: meta });
  wires.updates(
    { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'ls', content: [{ type: 'terminal', terminalId: 't' }], _meta: { terminal_info: { terminal_id: 't', cwd: '/w' } } },
    report({ terminal_output: { terminal_id: 't', data: 'a' } }), report({ terminal_output_delta: { terminal_id: 't', data: 'b' } }),
    report({ terminal_exit: { terminal_id: 't', exit_code: 3, signal: null } }, { status: 'completed' }),
  );
  expect(wires.told()).toMatchObject([
    { sessionUpdate: 'terminal_update', terminalId: 't', cwd: '/w' }, { sessionUpdate: 'tool_call_update', content: [{ type: 'terminal', terminalId: 't' }] },
    { sessionUpdate: 'terminal_update', output: { data: 'YQ==' } }, { sessionUpdate: 'terminal_output_chunk', terminalId: 't', data: 'Yg==' },
    { sessionUpdate: 'terminal_update', exitStatus: { exitCode: 3 } }, { sessionUpdate: 'tool_call_update', status: 'completed' },
  ]);
});

test.each<Json>([
  { type: 'text', text: 'x', annotations: { audience: ['user', 'assistant'], priority: 1 } },
  { type: 'image', data: 'aGk=', mimeType: 'image/png' },
  { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
  { type: 'resource_link', name: 'n', uri: 'file:///n' },
  { type: 'resource', resource: { uri: 'file:///n', text: 'x' } },
  { type: 'resource', resource: { uri: 'file:///n', blob: 'aGk=' } },
])('content block %j', (content) => {
  expect(told({ sessionUpdate: 'agent_message_chunk', messageId: 'm', content })).toEqual([{ sessionUpdate: 'agent_message_chunk', messageId: 'm', content }]);
});

describe('plan entries', () => {
  test.each([['high', 'pending'], ['medium', 'in_progress'], ['low', 'completed']])('%s, %s', (priority, status) => {
    expect(told({ sessionUpdate: 'plan', entries: [entry(priority, status)] })).toMatchObject([{ plan: { entries: [entry(priority, status)] } }]);
  });
});

test.each(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'])('stop reason %s', (stopReason) => {
  const wires = connected();
  const own = wires.runs();
  wires.agent.answers(own as string, { stopReason });
  expect(wires.told()).toEqual([state('idle', { stopReason })]);
});

describe('states of a subagent', () => {
  test.each<Json>([
    { state: 'running' }, { state: 'requires_action' }, { state: 'unknown' },
    ...['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled', 'error'].map((stopReason) => ({ state: 'idle', stopReason })),
  ])('%j', (childState) => {
    const updates = told({ sessionUpdate: 'subagent_update', sessionId: 'child', state: childState });
    expect(updates[0]).toMatchObject({ sessionUpdate: 'subagent_update', sessionId: 'child' });
  });
});

test.each(['allow_once', 'allow_always', 'reject_once', 'reject_always'])('permission option %s', (kind) => {
  const wires = connected();
  const options = [{ optionId: 'o', name: 'O', kind }];
  wires.agent.sends({ jsonrpc: '2.0', id: 1, method: 'session/request_permission', params: { sessionId: 's', toolCall: { toolCallId: 'c' }, options } });
  expect(wires.told().at(-1)).toMatchObject({ method: 'session/request_permission', params: { options } });
});

describe('passed as they are', () => {
  test.each(['anthropic', 'openai', 'azure', 'vertex', 'bedrock', '_own'])('a provider of the type %s', (apiType) => {
    const wires = connected();
    const params = { providerId: 'p', apiType, baseUrl: 'https://x', headers: {} };
    const id = wires.client.requests('providers/set', params);
    expect(wires.asked()).toEqual([['providers/set', params, id]]);
  });

  test.each(['authenticated', 'unauthenticated', 'not_required', 'unknown', '_own'])('who is signed in: %s', (state) => {
    const wires = connected();
    wires.agent.notifies('auth/status_update', { state });
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', method: 'auth/status_update', params: { state } }]);
  });

  test.each(['open', 'saved', '_own'])('a session that is %s', (status) => {
    const wires = connected();
    const id = wires.client.requests('session/status', { sessionId: 's' });
    wires.asked();
    wires.agent.answers(id, { status });
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, result: { status } }]);
  });

  test.each(['exclude', 'include', 'only', '_own'])('a list in which what is archived is: %s', (archived) => {
    const wires = connected();
    wires.client.requests('session/list', { archived });
    expect(wires.asked()[0][1]).toEqual({ archived });
  });

  test.each(['append', 'override', '_own'])('a system prompt to %s', (mode) => {
    const wires = connected({ ...fullAgent, agentCapabilities: { sessionCapabilities: { systemPrompt: { mode: { override: {} } } } } });
    const systemPrompt = { mode, content: [text] };
    wires.client.requests('session/new', { cwd: '/w', systemPrompt });
    expect(wires.asked()[0][1]).toMatchObject({ systemPrompt });
  });

  test.each(['mode', 'model', 'model_config', 'thought_level', '_own'])('an option of the category %s', (category) => {
    const option = { name: 'O', type: 'boolean', currentValue: true, category };
    expect(told({ sessionUpdate: 'config_option_update', configOptions: [{ id: 'o', ...option }] })).toEqual([{ sessionUpdate: 'config_option_update', configOptions: [{ configId: 'o', ...option }] }]);
  });

  test.each(['email', 'uri', 'date', 'date-time'])('a form that asks for: %s', (format) => {
    const wires = connected();
    const params = { sessionId: 's', mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: { a: { type: 'string', format } } } };
    wires.agent.sends({ jsonrpc: '2.0', id: 1, method: 'elicitation/create', params });
    expect(wires.told()).toMatchObject([{ params }]);
  });
});

test.each(['light', 'dark'])('an icon for a %s theme is left out of a prompt', (theme) => {
  const wires = connected();
  const link = { type: 'resource_link', name: 'n', uri: 'file:///n' };
  wires.client.requests('session/prompt', { sessionId: 's', prompt: [{ ...link, icons: [{ src: 'https://x/i.png', theme }] }] });
  expect(wires.asked()[0][1]).toEqual({ sessionId: 's', prompt: [link] });
});

test.each(['accept', 'decline', 'cancel', '_own'])('an elicitation that is answered %s', (action) => {
  const wires = connected();
  wires.agent.sends({ jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: { sessionId: 's', mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } } });
  const answer = action === 'accept' ? { action, content: { s: 'x', i: 1, n: 1.5, b: true, l: ['x'] } } : { action };
  wires.client.answers((wires.told().at(-1) as { id: string }).id, answer);
  expect(wires.asked()).toEqual([[answer]]);
});

test.each([-32700, -32600, -32601, -32602, -32603, -32800, -32000, -32002, 500])('error %d', (code) => {
  const wires = connected();
  const id = wires.client.requests('session/list', {});
  wires.agent.refuses(wires.asked()[0][2], { code, message: 'no', data: { why: 'so' } });
  expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, error: { code, message: 'no', data: { why: 'so' } } }]);
});
