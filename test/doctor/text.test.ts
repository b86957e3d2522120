/** What a person reads of an agent that was initialised as a client of each version would have it. */
import { describe, expect, test } from 'vitest';
import { visitLines } from '../../src/doctor/text.js';
import type { Trouble, Visit, VisitEvent } from '../../src/doctor/visit.js';
import { firstChoice, habitsOfAgent } from '../../src/protocol/index.js';

const CLAUDE = '@agentclientprotocol/claude-agent-acp';
const asked = (params: unknown = {}): VisitEvent => ({ type: 'asked', params });
const answered = (result: unknown): VisitEvent => ({ type: 'answered', result, error: undefined });
const visit = (events: readonly VisitEvent[], more: Partial<Visit> = {}): Visit => ({ client: 2, events, strays: 0, firstStray: undefined, trouble: undefined, keptOpenBy: undefined, rawFeed: false, ...more });
const offered = (command: string, option: 'auto' | 'v1' | 'v2' = 'auto', client: 1 | 2 = 2): VisitEvent => ({ type: 'choice', choice: firstChoice(client, option, command.split(' ')) });
const shown = (of: Visit, command = 'agent'): string => visitLines(of, command.split(' ')).join('\n');

test('an agent that is started again', () => {
  const air = { _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } };
  const v1 = { protocolVersion: 1, agentInfo: { name: CLAUDE, title: 'Claude Agent', version: '0.95.0' }, agentCapabilities: { loadSession: true, mcpCapabilities: { http: true, sse: false }, sessionCapabilities: { list: {}, _meta: {} } }, authMethods: [{ id: 'x', name: 'Key' }, { id: 'y' }], ...air };
  const events: VisitEvent[] = [
    offered(`npx ${CLAUDE}`), asked(), answered({ protocolVersion: 2, info: { name: CLAUDE, version: '0.95.0' } }),
    { type: 'choice', choice: { offer: 'v1', because: 'answer', habits: habitsOfAgent(CLAUDE, '0.95.0') } }, asked({ clientCapabilities: air }), answered(v1),
  ];
  expect(visitLines(visit(events, { rawFeed: true }), ['npx', CLAUDE])).toEqual([
    'A client of ACP v2',
    '  offered       ACP v1 and v2 in one request: the command line names claude-agent-acp, which does not decide it',
    '  answered      ACP v2, @agentclientprotocol/claude-agent-acp 0.95.0',
    '  started again offered ACP v1: the profile of claude-agent-acp since 0.90, which it says it is',
    '  answered      ACP v1, @agentclientprotocol/claude-agent-acp 0.95.0',
    '  spoken        ACP v1, translated from and to the client\'s v2',
    '  agent         @agentclientprotocol/claude-agent-acp 0.95.0 (Claude Agent)',
    '  capabilities  loadSession, mcpCapabilities (http), sessionCapabilities (list)',
    '  extension     asyncTasks',
    '  sign-in       Key, y',
    '  background    yes, from the start, by the async task extension, which the agent acknowledged, and the raw feed.',
    '  not reported  scheduled wakeups and cron jobs: they have no structured end',
  ]);
});

test('an agent that is asked again on the same connection', () => {
  expect(shown(visit([offered('agent'), asked(), answered({ protocolVersion: 1 }), asked(), answered({ protocolVersion: 1 })]))).toContain(
    '  offered       ACP v1 and v2 in one request: nothing is known of it from its command line\n  answered      ACP v1\n  asked again   ACP v1 alone: the answer acknowledged nothing of the v1 half\n  answered      ACP v1\n',
  );
});

test.each<[string, VisitEvent, string]>([
  ['a v1 client', offered('agent', 'auto', 1), 'ACP v1: a v1 client gets a v1 agent side'],
  ['the user', offered('codex-acp', 'v2'), 'ACP v2: --agent-protocol says so'],
  ['the command line', offered('codex-acp'), 'ACP v1: the profile of codex-acp, which the command line names'],
  ['the command line and its version', offered(`npx ${CLAUDE}@0.101.0`), 'ACP v2: the profile of claude-agent-acp since 0.101, which the command line names'],
  ['an old version', offered(`npx ${CLAUDE}@0.66.0`), 'ACP v1: the profile of claude-agent-acp, which the command line names'],
])('what is offered because of %s', (_, choice, text) => {
  expect(shown(visit([choice, asked()]))).toContain(`  offered       ${text}\n`);
});

describe('trouble', () => {
  test.each<[Trouble, string]>([
    [{ kind: 'silent', ms: 2500 }, 'The agent did not answer `initialize` within 2.5 s.'],
    [{ kind: 'exited', code: 3, signal: null }, 'The agent ended with exit code 3 before it answered `initialize`.'],
    [{ kind: 'exited', code: null, signal: 'SIGSEGV' }, 'The agent ended by SIGSEGV before it answered `initialize`.'],
    [{ kind: 'refused', code: -32000, message: 'sign in first' }, 'The agent refused `initialize`: sign in first (-32000).'],
    [{ kind: 'malformed', came: 'an array' }, 'expected an object with a protocolVersion, got an array.'],
    [{ kind: 'notStarted', text: 'expected a command' }, 'expected a command'],
  ])('%j', (trouble, text) => {
    const lines = visitLines(visit([offered('agent'), asked()], { trouble }), ['agent']);
    expect(lines.at(-1)).toMatch(/^ {2}trouble {7}\S/);
    expect(lines.at(-1)).toContain(text);
    expect(lines.join('\n')).not.toContain('background');
  });

  test('what else the agent printed is counted', () => {
    const lines = visitLines(visit([asked()], { trouble: { kind: 'silent', ms: 1000 }, strays: 2, firstStray: 'loading' }), ['agent']);
    expect(lines).toContain('  stray output  2 lines on stdout that are no JSON-RPC message; the first: loading');
  });

  test('an error that was answered is shown', () => {
    expect(shown(visit([offered('agent'), asked(), { type: 'answered', error: { code: -32602, message: 'no' } }]))).toContain('  answered      an error: no (-32602)');
  });
});

test('an agent that answers a v1 client in v2', () => {
  expect(shown(visit([asked(), answered({ protocolVersion: 2, info: { name: 'x', version: '1' } })], { client: 1 }))).toContain('a v1 client cannot be served');
});
