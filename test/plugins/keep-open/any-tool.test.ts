/**
 * A plain v1 client of a v2 agent that lists its work, and is not known: its list alone says which call
 * launched, whatever its tool is called.
 */
import { expect, test } from 'vitest';
import { builtInPlugins } from '../../../plugins/index.js';
import { wired, type Message } from '../../pipeline/harness.js';

const TERMINAL = { type: 'terminal', terminalId: 't' };

function talk() {
  const { client, agent, clock, agentExits } = wired(builtInPlugins({ agentProtocol: 'v2', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: ['some-agent'] }));
  const asked = (): number => agent.received().at(-1).id;
  client.requests('initialize', { protocolVersion: 1, clientCapabilities: {} });
  agent.answers(asked(), { protocolVersion: 2, info: { name: 'some-agent', version: '1.0.0' }, capabilities: {}, authMethods: [] });
  client.requests('session/new', { cwd: '/p', mcpServers: [] });
  agent.answers(asked(), { sessionId: 's' });
  const says = (...updates: Message[]): void => updates.forEach((update) => agent.notifies('session/update', { sessionId: 's', update }));
  const lists = (state: string, background: readonly object[], members: object = {}): void => says({ sessionUpdate: 'state_update', state, background, ...members });
  const call = (members: object): Message => ({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...members });
  const statuses = (): string[] => client.received().flatMap(({ params }: Message) => (params?.update?.toolCallId === 'c' && params.update.status !== undefined ? [params.update.status] : []));
  client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'go' }] });
  agent.answers(asked(), { messageId: 'u' });
  lists('running', []);
  says(call({ title: 'Run', kind: 'execute', status: 'in_progress', content: [TERMINAL] }), { sessionUpdate: 'terminal_update', terminalId: 't', command: 'serve' });
  return { says, lists, call, statuses, clock, agentExits };
}

test('the launching call stays open until its listed terminal has ended', () => {
  const { says, lists, call, statuses } = talk();
  says(call({ status: 'completed' }));
  lists('running', [TERMINAL]);
  lists('idle', [TERMINAL], { stopReason: 'end_turn' });
  expect(statuses().filter((status) => status !== 'in_progress')).toEqual([]);
  says({ sessionUpdate: 'terminal_update', terminalId: 't', exitStatus: { exitCode: 1 } });
  lists('idle', []);
  expect(statuses().at(-1)).toBe('failed');
});

test('what is still listed when the agent is gone ends then', async () => {
  const { says, lists, call, statuses, agentExits } = talk();
  says(call({ status: 'completed' }));
  lists('idle', [TERMINAL], { stopReason: 'end_turn' });
  await agentExits(0);
  expect(statuses().at(-1)).toBe('failed');
});

test('a call whose terminal is not listed ends as the agent says', () => {
  const { says, lists, call, statuses, clock } = talk();
  says(call({ status: 'completed' }), { sessionUpdate: 'terminal_update', terminalId: 't', exitStatus: { exitCode: 0 } });
  lists('idle', [], { stopReason: 'end_turn' });
  clock.advance(1000);
  expect(statuses()).toEqual(['in_progress', 'completed']);
});
