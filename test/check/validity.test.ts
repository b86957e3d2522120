import { describe, expect, test } from 'vitest';
import { check, type Finding } from '../../src/check/index.js';
import { strictValidator } from '../../src/edge/schema.js';
import { corpusNames, loadCorpus, loadRecording } from '../tools/recording.js';

const invalid = (findings: readonly Finding[]): Finding[] => findings.filter(({ rule }) => rule === 'S.1');

/** What the agents and clients of the native recordings send that no schema of ACP has, by agent. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  claude: [
    'initialize (response): result/agentCapabilities/sessionCapabilities: must NOT have unevaluated properties (subagents)',
    'session/load (response): result: must NOT have unevaluated properties (sessionId)',
    'session/resume (response): result: must NOT have unevaluated properties (sessionId)',
  ],
  codex: [
    'initialize (response): result/agentCapabilities/sessionCapabilities: must NOT have unevaluated properties (subagents)',
    ...['session/load', 'session/new', 'session/resume'].map((method) => `${method} (response): result/configOptions/1/category: must match pattern "^(?:mode|model|model_config|thought_level|_.*)$"`),
  ],
  gemini: [
    'session/load (response): result: must NOT have unevaluated properties (models)',
    'session/new (response): result: must NOT have unevaluated properties (models)',
    'session/set_model (response): result: v1-unstable has no response to "session/set_model"',
    'session/set_model: method: v1-unstable has no request "session/set_model" to the agent',
  ],
  opencode: [
    'session/set_model (response): result: v1-unstable has no response to "session/set_model"',
    'session/set_model: method: v1-unstable has no request "session/set_model" to the agent',
  ],
};

test('what is not valid in the native recordings is known, each looked at by hand', () => {
  const found: Record<string, Set<string>> = {};
  for (const name of corpusNames()) {
    const [agent = ''] = name.split('/');
    for (const { expected, came } of invalid(check(loadCorpus(name), {}, strictValidator))) (found[agent] ??= new Set()).add(`${expected.replace('a valid ', '')}: ${came}`);
  }
  expect(Object.fromEntries(Object.entries(found).map(([agent, faults]) => [agent, [...faults].sort()]))).toEqual(KNOWN);
});

describe('a message that is not valid', () => {
  const sound = loadRecording('b_background_exit0.v2');
  test('is found at its line, with the other breaches in the order of the recording', () => {
    const place = sound.findIndex(({ msg }) => JSON.stringify(msg).includes('"state_update"'));
    const broken = sound.map((record, index) => (index === place ? { ...record, msg: { ...record.msg, surplus: 1 } } : record));
    const findings = check(broken, {}, strictValidator);
    expect(findings.map(({ line, rule, came }) => [line, rule, came])).toEqual([
      [place + 1, 'S.1', 'surplus: does not belong into this kind of message'],
      [42, '5.7', 'idle without it, and running 137 ms later'],
    ]);
    expect(check(broken)).toHaveLength(1);
  });

  test('an initialize is judged by the version that it asks for, and may offer both', () => {
    const asking = (params: object) => [
      { t: 0, dir: 'c2a' as const, msg: { jsonrpc: '2.0', id: 0, method: 'initialize', params } },
      { t: 1, dir: 'a2c' as const, msg: { jsonrpc: '2.0', id: 0, result: { protocolVersion: 1, agentCapabilities: {} } } },
    ];
    const found = (params: object) => check(asking(params), {}, strictValidator).map(({ came }) => came);
    const v2 = { protocolVersion: 2, info: { name: 'x', version: '1' }, capabilities: {} };
    expect(found(v2)).toEqual([]);
    expect(found({ ...v2, clientInfo: { name: 'x', version: '1' }, clientCapabilities: {} })).toEqual([]);
    expect(found({ ...v2, other: 1 })).toEqual(['params: must NOT have unevaluated properties (other)']);
  });
});
