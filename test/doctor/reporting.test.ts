import { describe, expect, test } from 'vitest';
import { reportingOf } from '../../src/doctor/reporting.js';
import { negotiated, settledResult, type Visit } from '../../src/doctor/visit.js';
import { habitsOfAgent } from '../../src/protocol/index.js';

const CLAUDE = '@agentclientprotocol/claude-agent-acp';
const air = (capabilities: readonly string[]): object => ({ _meta: { jetbrains: { air: { version: 1, capabilities } } } });
const BOTH = ['asyncTasks', 'nativeSubagentSessions'];

interface Told {
  readonly client?: 1 | 2;
  readonly speaks?: 1 | 2;
  readonly name?: string;
  readonly version?: string;
  readonly declared?: readonly string[];
  readonly acknowledged?: readonly string[];
  readonly more?: Partial<Visit>;
}

function visited({ client = 2, speaks = 1, name, version, declared = BOTH, acknowledged = [], more = {} }: Told): Visit {
  const info = name === undefined ? {} : { [speaks === 2 ? 'info' : 'agentInfo']: { name, version } };
  const result = { protocolVersion: speaks, ...info, ...air(acknowledged) };
  return {
    client, strays: 0, firstStray: undefined, trouble: undefined, keptOpenBy: undefined, rawFeed: false,
    events: [{ type: 'asked', params: { clientCapabilities: air(declared) } }, { type: 'answered', result }],
    ...more,
  };
}
const reported = (told: Told): string => reportingOf(visited(told), habitsOfAgent(undefined)).reported;

describe('to a v2 client', () => {
  test.each<[string, Told, string]>([
    ['the agent itself', { speaks: 2, name: CLAUDE, version: '0.101.0' }, 'yes, by the agent itself'],
    ['a v2 agent that is not known', { speaks: 2, name: 'x', version: '1' }, 'only if the agent\'s states carry the `background` list'],
    ['a v2 agent with the extension', { speaks: 2, name: 'x', version: '1', acknowledged: ['asyncTasks'] }, 'yes, by the async task extension'],
    ['the extension', { name: 'x', acknowledged: ['asyncTasks'] }, 'yes, from the start, by the async task extension, which the agent acknowledged.'],
    ['the extension and the raw feed', { name: CLAUDE, version: '0.80.0', acknowledged: BOTH, more: { rawFeed: true } }, 'yes, from the start, by the async task extension, which the agent acknowledged, and the raw feed.'],
    ['an extension that does not tell all', { name: 'codex-acp', version: '1.13.0', acknowledged: ['asyncTasks'] }, 'from its first sign on, by the async task extension: the agent did not acknowledge nativeSubagentSessions'],
    ['one that was not declared', { name: 'x', declared: [], acknowledged: ['asyncTasks'] }, 'no: the agent acknowledged no extension'],
    ['the raw feed alone', { name: CLAUDE, version: '0.66.0', more: { rawFeed: true } }, 'from its first sign on, by the raw feed'],
    ['nothing', { name: 'gemini-cli' }, 'no: the agent acknowledged no extension'],
  ])('by %s', (_, told, text) => {
    expect(reported(told)).toContain(text);
  });

  test('what has no end is never reported', () => {
    expect(reportingOf(visited({ name: CLAUDE, version: '0.80.0' }), habitsOfAgent(undefined)).notReported).toEqual(['scheduled wakeups and cron jobs: they have no structured end']);
    expect(reportingOf(visited({}), habitsOfAgent(CLAUDE)).notReported).toHaveLength(1);
    expect(reportingOf(visited({ name: 'x' }), habitsOfAgent(CLAUDE)).notReported).toEqual([]);
  });
});

describe('to a v1 client', () => {
  test.each<[string, Told, string]>([
    ['the raw feed', { name: CLAUDE, version: '0.101.0', more: { keptOpenBy: 'rawFeed' } }, 'yes, by the raw feed'],
    ['the extension', { name: 'codex-acp', more: { keptOpenBy: 'asyncTasks' } }, 'yes, by the async task extension'],
    ['nothing, where the extension could be asked for', { name: 'codex-acp' }, 'no: what the agent says passes as it came. (--source async-tasks'],
  ])('by %s', (_, told, text) => {
    expect(reported({ client: 1, ...told })).toContain(text);
  });

  test('or not at all', () => {
    expect(reported({ client: 1, name: 'gemini-cli' })).toBe('no: what the agent says passes as it came.');
  });
});

test('an error is no answer to go by, and only what was declared last is negotiated', () => {
  const first = { protocolVersion: 1, ...air(['asyncTasks']) };
  const visit: Visit = { ...visited({}), events: [
    { type: 'asked', params: { clientCapabilities: air(BOTH) } }, { type: 'answered', result: first },
    { type: 'asked', params: { capabilities: air(['asyncTasks']) } }, { type: 'answered', error: { code: 1, message: 'no' } },
  ] };
  expect(settledResult(visit)).toBe(first);
  expect(negotiated(visit)).toEqual(['asyncTasks']);
});
