import { describe, expect, test } from 'vitest';
import { firstChoice, nextStep, type AgentProtocol, type Choice } from '../../src/protocol/negotiation.js';

const CLAUDE = '@agentclientprotocol/claude-agent-acp';
const answered = (protocolVersion: number | undefined, name?: string, version?: string, acknowledged: readonly string[] = []): { result: unknown } => ({
  result: {
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(name === undefined ? {} : { [protocolVersion === 2 ? 'info' : 'agentInfo']: { name, version } }),
    ...(acknowledged.length === 0 ? {} : { _meta: { jetbrains: { air: { version: 1, capabilities: acknowledged } } } }),
  },
});
const refused = { error: { code: -32602, message: 'no' } };

describe('the first offer', () => {
  test.each<[string, 1 | 2, AgentProtocol, string, Choice['offer'], Choice['because']]>([
    ['a v1 client gets a v1 agent side', 1, 'auto', `npx ${CLAUDE}@0.101.0`, 'v1', 'client'],
    ['a client of v1 may be bridged down, if the user says so', 1, 'v2', 'agent', 'v2', 'option'],
    ['and keeps its v1 agent otherwise', 1, 'v1', 'agent', 'v1', 'client'],
    ['the user wins over the profile', 2, 'v2', 'codex-acp', 'v2', 'option'],
    ['the user wins over the profile', 2, 'v1', `npx ${CLAUDE}@0.101.0`, 'v1', 'option'],
    ['a profile that says v1', 2, 'auto', 'codex-acp', 'v1', 'command'],
    ['a profile that says v2', 2, 'auto', `npx ${CLAUDE}@0.101.0`, 'v2', 'command'],
    ['an agent whose version is not known', 2, 'auto', `npx ${CLAUDE}`, 'both', 'command'],
    ['an agent that is not known', 2, 'auto', 'agent', 'both', 'none'],
  ])('%s: client %i, --agent-protocol %s, %s: %s', (_, client, option, command, offer, because) => {
    expect(firstChoice(client, option, command.split(' '))).toMatchObject({ offer, because });
  });
});

describe('the answer', () => {
  const chosen = (command: string, option: AgentProtocol = 'auto'): Choice => firstChoice(2, option, command.split(' '));
  const plain = chosen('agent');

  test.each<[string, Choice, { result?: unknown; error?: unknown }, string]>([
    ['v2 of an agent that is not known', plain, answered(2, 'x', '1'), 'settle'],
    ['v2 without a name', plain, answered(2), 'settle'],
    ['v2 of claude 0.101', plain, answered(2, CLAUDE, '0.101.0'), 'settle'],
    ['v2 of claude 0.95, which reports nothing there', plain, answered(2, CLAUDE, '0.95.0'), 'restart v1'],
    ['v2 of codex', plain, answered(2, '@agentclientprotocol/codex-acp', '2.6.0'), 'restart v1'],
    ['v2 of codex, where the user wanted it', chosen('agent', 'v2'), answered(2, 'codex-acp', '2.6.0'), 'settle'],
    ['v1 that acknowledges nothing: the v1 half was not read', plain, answered(1, 'x', '1'), 'again'],
    ['v1 that acknowledges the extension', plain, answered(1, CLAUDE, '0.80.0', ['asyncTasks']), 'settle'],
    ['v1 of claude 0.66', plain, answered(1, CLAUDE, '0.66.0'), 'again'],
    ['no version at all', plain, answered(undefined), 'again'],
    ['v1 to an offer of v1', chosen('codex-acp'), answered(1, 'codex-acp', '2.6.0'), 'settle'],
    ['v1 to an offer of v1, as the user wanted', chosen('agent', 'v1'), answered(1, CLAUDE, '0.101.0'), 'settle'],
    ['v1 of claude 0.101 that the command line called 0.80', chosen(`npx ${CLAUDE}@0.80.0`), answered(1, CLAUDE, '0.101.0'), 'restart v2'],
    ['v1 of another agent than the command line says', chosen('codex-acp'), answered(1, 'x', '1'), 'restart both'],
    ['v1 without a name to an offer of v1', chosen('codex-acp'), answered(1), 'settle'],
    ['an error to an offer of both', plain, refused, 'again'],
    ['an error to an offer of v2', chosen(`npx ${CLAUDE}@0.101.0`), refused, 'again'],
    ['an error to an offer of v1', chosen('codex-acp'), refused, 'settle'],
  ])('%s', (_, choice, reply, expected) => {
    const step = nextStep(choice, reply, true);
    expect(step.do === 'restart' ? `restart ${step.choice.offer}` : step.do).toBe(expected);
    if (step.do === 'restart') expect(step.choice.because).toBe('answer');
  });

  test('is taken as it is where the agent cannot be started again, or was', () => {
    expect(nextStep(plain, answered(2, 'codex-acp', '2.6.0'), false)).toEqual({ do: 'settle' });
    expect(nextStep(chosen('codex-acp'), answered(1, 'x', '1'), false)).toEqual({ do: 'settle' });
  });
});
