import { describe, expect, test } from 'vitest';
import { agentOf, habitsOfAgent, habitsOfAnswer, habitsOfCommand, reportsBy } from '../../src/protocol/profiles.js';

const CLAUDE = '@agentclientprotocol/claude-agent-acp';

describe('what an agent says of itself', () => {
  test.each<[string | undefined, string | undefined, string, string, boolean]>([
    [CLAUDE, '0.66.0', 'claude-agent-acp', 'v1', true],
    [CLAUDE, '0.75.2', 'claude-agent-acp', 'v1', true],
    [CLAUDE, '0.89.9', 'claude-agent-acp', 'v1', true],
    [CLAUDE, '0.90.0', 'claude-agent-acp', 'v1', false],
    [CLAUDE, '0.98.1', 'claude-agent-acp', 'v1', false],
    [CLAUDE, '0.100.9', 'claude-agent-acp', 'v1', false],
    [CLAUDE, '0.101.0-beta.1', 'claude-agent-acp', 'v2', false],
    [CLAUDE, '1.0.0', 'claude-agent-acp', 'v2', false],
    [CLAUDE, 'unknown', 'claude-agent-acp', 'both', true],
    [CLAUDE, undefined, 'claude-agent-acp', 'both', true],
    ['@agentclientprotocol/codex-acp', '2.6.0', 'codex-acp', 'v1', false],
    ['codex-acp', undefined, 'codex-acp', 'v1', false],
    ['gemini-cli', '0.61.0', 'gemini-cli', 'both', true],
    ['OpenCode', '1.18.33', 'opencode', 'both', true],
    ['claude-agent-acp-next', '0.80.0', '', 'both', true],
    ['something', '0.101.0', '', 'both', true],
    [undefined, '0.101.0', '', 'both', true],
  ])('%s %s is %j: offered %s, corrects stops: %s', (name, version, row, speaks, correctsStops) => {
    expect(habitsOfAgent(name, version)).toMatchObject({ name: row, speaks, correctsStops });
  });

  test('is read from the answer of either version', () => {
    expect(agentOf({ agentInfo: { name: 'a', version: '1' } })).toEqual({ name: 'a', version: '1' });
    expect(agentOf({ info: { name: 'b', version: 2 } })).toEqual({ name: 'b', version: undefined });
    expect(agentOf(null)).toEqual({ name: undefined, version: undefined });
    expect(habitsOfAnswer({ info: { name: CLAUDE, version: '0.95.0' } })).toMatchObject({ since: '0.90', claudeMeta: true });
  });
});

describe('a command line', () => {
  test.each<[string, string, string]>([
    [`npx -y ${CLAUDE}`, 'claude-agent-acp', 'both'],
    [`npx -y ${CLAUDE}@latest`, 'claude-agent-acp', 'both'],
    [`npx -y ${CLAUDE}@0.80.0`, 'claude-agent-acp', 'v1'],
    [`npx -y ${CLAUDE}@^0.95`, 'claude-agent-acp', 'v1'],
    [`npx -y ${CLAUDE}@~0.101.3`, 'claude-agent-acp', 'v2'],
    [`npx -y ${CLAUDE}@0.101.0`, 'claude-agent-acp', 'v2'],
    [`npx -y ${CLAUDE}@>=0.80`, 'claude-agent-acp', 'both'],
    [`npx -y ${CLAUDE}@0`, 'claude-agent-acp', 'both'],
    ['claude-agent-acp --verbose', 'claude-agent-acp', 'both'],
    ['C:\\bin\\claude-agent-acp.cmd', 'claude-agent-acp', 'both'],
    [`/usr/bin/node /opt/node_modules/${CLAUDE}/dist/index.js`, 'claude-agent-acp', 'both'],
    [`node node_modules/.pnpm/@agentclientprotocol+claude-agent-acp@0.80.0_zod@4/node_modules/${CLAUDE}/dist/index.js`, 'claude-agent-acp', 'v1'],
    ['npx @agentclientprotocol/codex-acp@2.6.0', 'codex-acp', 'v1'],
    ['codex-acp', 'codex-acp', 'v1'],
    ['node /opt/node_modules/@agentclientprotocol/codex-acp/dist/index.js', 'codex-acp', 'v1'],
    ['gemini --acp', 'gemini-cli', 'both'],
    ['/opt/opencode acp', 'opencode', 'both'],
    ['node agent.js', '', 'both'],
    ['my-codex-acp', '', 'both'],
    ['codex-acp-fork', '', 'both'],
  ])('%s is %j: offered %s', (line, name, speaks) => {
    expect(habitsOfCommand(line.split(' '))).toMatchObject({ name, speaks });
  });

  test('may stand in a single word, for a shell', () => {
    expect(habitsOfCommand(['sh', '-c', `exec npx ${CLAUDE}@0.80.0 2>/tmp/log`])).toMatchObject({ name: 'claude-agent-acp', speaks: 'v1' });
  });
});

test('a list is whole with all that its agent needs for it', () => {
  expect(reportsBy(habitsOfAgent('x'), ['asyncTasks'])).toBe(true);
  expect(reportsBy(habitsOfAgent('x'), [])).toBe(false);
  expect(reportsBy(habitsOfAgent('codex-acp'), ['asyncTasks'])).toBe(false);
  expect(reportsBy(habitsOfAgent('codex-acp'), ['asyncTasks', 'nativeSubagentSessions'])).toBe(true);
});
