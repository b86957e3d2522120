import { describe, expect, test } from 'vitest';
import { declaresPrivateExtension, toBothInitializeParams, toV1InitializeParams, toV2InitializeResult, v1AgentFactsOf } from '../../../src/protocol/bridge/initialize.js';
import { loadRecording } from '../../tools/recording.js';

const params = { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: { auth: { terminal: {} }, elicitation: { form: {} }, _meta: { k: 1 } }, _meta: { t: 2 } };
const v1Half = {
  clientInfo: { name: 'c', version: '1' },
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false }, terminal: false, session: { configOptions: { boolean: {} }, notices: {}, compaction: {} }, plan: {}, subagents: {},
    auth: { terminal: true }, elicitation: { form: {} }, _meta: { k: 1, terminal_output: true },
  },
};

test('the offer in v1 shape says what every v2 client can do', () => {
  expect(toV1InitializeParams(params)).toEqual({ protocolVersion: 1, ...v1Half, _meta: { t: 2 } });
  expect(toV1InitializeParams({ protocolVersion: 2 })).toMatchObject({ protocolVersion: 1, clientCapabilities: { auth: { terminal: false }, _meta: { terminal_output: true } } });
});

test('the offer of both versions leaves the v2 half alone', () => {
  expect(toBothInitializeParams(params)).toEqual({ ...params, ...v1Half });
});

test('a client that speaks the private extension says so', () => {
  expect(declaresPrivateExtension({ capabilities: { _meta: { jetbrains: { air: { version: 1 } } } } })).toBe(true);
  expect(declaresPrivateExtension(params)).toBe(false);
});

const answerIn = (name: string): Record<string, unknown> => loadRecording(name).find(({ dir, msg }) => dir === 'a2c' && msg.id === 0)?.msg.result as Record<string, unknown>;

describe('the answer of claude-agent-acp', () => {
  test('in v1 is its answer in v2, but for what it says of extensions', () => {
    const { _meta, ...ours } = toV2InitializeResult(answerIn('b_background_exit0.legacyrich'), 'x', []);
    expect(ours).toEqual(answerIn('b_background_exit0.v2'));
    expect(_meta).toMatchObject({ jetbrains: { air: { capabilities: expect.arrayContaining(['asyncTasks']) as unknown } } });
  });

  test('tells what it can do', () => {
    expect(v1AgentFactsOf(answerIn('b_background_exit0.legacyrich'))).toEqual({
      name: '@agentclientprotocol/claude-agent-acp', loads: true, resumes: true, closes: true, lists: true, deletes: true, forks: true, logsOut: true,
      additionalDirectories: true, systemPrompt: true, mcpTransports: new Set(['stdio', 'http']), promptBlocks: new Set(['text', 'resource_link', 'image', 'resource']),
    });
  });
});

test('an agent that says nothing can do nothing, and is named for its command', () => {
  expect(toV2InitializeResult({ protocolVersion: 1 }, 'my-agent', [])).toEqual({
    protocolVersion: 2, info: { name: 'my-agent', version: 'unknown' }, capabilities: { session: { prompt: {}, mcp: { stdio: {} } } }, authMethods: [],
  });
  expect(toV2InitializeResult(null, 'my-agent', [])).toMatchObject({ protocolVersion: 2 });
  expect(v1AgentFactsOf(undefined)).toEqual({ name: undefined, loads: false, resumes: false, closes: false, lists: false, deletes: false, forks: false, logsOut: false,
    additionalDirectories: false, systemPrompt: false, mcpTransports: new Set(['stdio']), promptBlocks: new Set(['text', 'resource_link']),
  });
});

test('ways to sign in have a type, and the environment as pairs', () => {
  const faults: string[] = [];
  expect(toV2InitializeResult({
    agentInfo: { name: 'a', version: '1', title: null },
    agentCapabilities: { auth: { status: {}, logout: {} }, sessionCapabilities: { archive: {}, close: {}, fork: null }, mcpCapabilities: { http: false, sse: true } },
    authMethods: [{ id: 'key', name: 'Key', description: 'd' }, { id: 'tty', name: 'TTY', type: 'terminal', args: ['login'], env: { A: 'b', C: 7 } }, { name: 'nameless' }],
  }, 'x', faults)).toEqual({
    protocolVersion: 2, info: { name: 'a', version: '1' }, capabilities: { session: { prompt: {}, mcp: { stdio: {} }, archive: {} }, auth: { status: {} } },
    authMethods: [{ methodId: 'key', name: 'Key', description: 'd', type: 'agent' }, { methodId: 'tty', name: 'TTY', type: 'terminal', args: ['login'], env: [{ name: 'A', value: 'b' }] }],
  });
  expect(faults).toEqual(['authMethods.id: expected a value, got undefined']);
});

test.each([['agent', 'agent'], ['env_var', '_env_var'], ['_vault', '_vault'], [undefined, 'agent'], [7, 'agent']])('a way to sign in of the type %j is one of the type %s', (type, expected) => {
  const { authMethods } = toV2InitializeResult({ authMethods: [{ id: 'm', name: 'M', type }] }, 'x', []);
  expect(authMethods).toEqual([{ methodId: 'm', name: 'M', type: expected }]);
});
