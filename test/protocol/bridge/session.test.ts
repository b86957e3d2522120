import { describe, expect, test } from 'vitest';
import { v1AgentFactsOf, type V1AgentFacts } from '../../../src/protocol/bridge/initialize.js';
import { optionsOfResult, toV1Resume, toV1SetConfigOption, toV1SetupParams, toV2SessionList, toV2SetupResult } from '../../../src/protocol/bridge/session.js';

const rules = { full: false };
const agent = (facts: Partial<V1AgentFacts> = {}): V1AgentFacts => ({ ...v1AgentFactsOf({}), ...facts });

describe('set-up params', () => {
  test('v1 requires the list of MCP servers', () => {
    expect(toV1SetupParams({ cwd: '/w', _meta: { k: 1 } }, agent())).toEqual({ value: { cwd: '/w', _meta: { k: 1 }, mcpServers: [] } });
  });

  test('a server that cannot be said is an error', () => {
    expect(toV1SetupParams({ cwd: '/w', mcpServers: [{ type: 'http', name: 'b', url: 'http://b' }] }, agent()).error?.code).toBe(-32602);
  });

  test('additional directories are an error for an agent that takes none', () => {
    const params = { cwd: '/w', additionalDirectories: ['/a', '/b'] };
    expect(toV1SetupParams(params, agent({ additionalDirectories: true })).value).toEqual({ ...params, mcpServers: [] });
    expect(toV1SetupParams(params, agent()).error).toEqual({ code: -32602, message: 'Invalid params: this agent takes no additional directories.', data: { additionalDirectories: 2 } });
    expect(toV1SetupParams({ cwd: '/w', additionalDirectories: [] }, agent()).error).toBeUndefined();
  });

  test('a system prompt is content', () => {
    const systemPrompt = { mode: 'append', content: [{ type: 'text', text: 'x' }] };
    expect(toV1SetupParams({ cwd: '/w', systemPrompt }, agent({ systemPrompt: true })).value).toEqual({ cwd: '/w', systemPrompt, mcpServers: [] });
    expect(toV1SetupParams({ cwd: '/w', systemPrompt: { mode: 'append', content: [{ type: '_x' }] } }, agent({ systemPrompt: true })).error?.code).toBe(-32602);
    expect(toV1SetupParams({ cwd: '/w', systemPrompt }, agent()).error).toEqual({ code: -32602, message: 'Invalid params: this agent takes no system prompt.', data: { systemPrompt: 'append' } });
    expect(toV1SetupParams({ cwd: '/w', systemPrompt: null }, agent()).error).toBeUndefined();
  });
});

describe('a resume', () => {
  const params = { sessionId: 's', cwd: '/w' };
  const replay = { ...params, replayFrom: { type: 'start' } };

  test.each<[string, Record<string, unknown>, Partial<V1AgentFacts>, string, boolean]>([
    ['without a replay', params, { resumes: true, loads: true }, 'session/resume', false],
    ['with a replay is a load', replay, { resumes: true, loads: true }, 'session/load', true],
    ['is a load without its replay, where there is no resume', params, { loads: true }, 'session/load', false],
  ])('%s', (_, given, facts, method, replays) => {
    expect(toV1Resume(given, agent(facts))).toEqual({ value: { method, params: { ...params, mcpServers: [] }, replays } });
  });

  test.each<[string, Record<string, unknown>, Partial<V1AgentFacts>, number]>([
    ['from elsewhere', { ...params, replayFrom: { type: '_middle' } }, { loads: true }, -32602],
    ['with a replay of an agent that cannot load', replay, { resumes: true }, -32602],
    ['of an agent that can neither', params, {}, -32601],
  ])('%s is an error', (_, given, facts, code) => {
    expect(toV1Resume(given, agent(facts)).error?.code).toBe(code);
  });
});

test('a set-up result has the options and, when it made a session, its id', () => {
  const config = { options: [{ configId: 'a' }], made: [] };
  expect(toV2SetupResult({ sessionId: 's', modes: {}, configOptions: [], _meta: { jetbrains: {}, k: 1 } }, 's', config, rules)).toEqual({ sessionId: 's', configOptions: [{ configId: 'a' }], _meta: { k: 1 } });
  expect(toV2SetupResult({ sessionId: 's' }, undefined, undefined, rules)).toEqual({});
});

test('an option is set by an id or a boolean', () => {
  const params = { sessionId: 's', configId: 'c' };
  expect(toV1SetConfigOption({ ...params, type: 'id', value: 'v' })).toEqual({ value: { ...params, value: 'v' } });
  expect(toV1SetConfigOption({ ...params, type: 'boolean', value: true })).toEqual({ value: { ...params, type: 'boolean', value: true } });
  expect(toV1SetConfigOption({ ...params, type: '_number', value: 1 }).error).toMatchObject({ code: -32602, data: { type: '_number' } });
  expect(optionsOfResult({ configOptions: [{ id: 'f', name: 'F', type: 'boolean', currentValue: true }] }, rules, [])).toEqual([{ configId: 'f', name: 'F', type: 'boolean', currentValue: true }]);
});

test('a list of sessions, without those that v2 cannot name', () => {
  const faults: string[] = [];
  expect(toV2SessionList({
    sessions: [{ sessionId: 's', cwd: '/w', title: null, updatedAt: '2026-01-01T00:00:00Z', extra: 1 }, { sessionId: 't', cwd: 'relative' }, { sessionId: 'u', cwd: '/w', updatedAt: 'today' }],
    nextCursor: 'n',
  }, rules, faults)).toEqual({ sessions: [{ sessionId: 's', cwd: '/w', updatedAt: '2026-01-01T00:00:00Z' }, { sessionId: 'u', cwd: '/w' }], nextCursor: 'n' });
  expect(toV2SessionList(null, rules, [])).toEqual({ sessions: [] });
});
