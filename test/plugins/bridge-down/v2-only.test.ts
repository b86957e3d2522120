/** An agent that answers ACP v2 to a client that asked for v1: it speaks nothing else, so it is bridged without being told to. */
import { describe, expect, it } from 'vitest';
import { builtInPlugins, type Settings } from '../../../plugins/index.js';
import { wired, type Message } from '../../pipeline/harness.js';
import { corpusNames, loadCorpus } from '../../tools/recording.js';
import { playedDown } from './replayed.js';

const agentCommand = ['some-agent'];
const settings: Settings = { agentProtocol: 'auto', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand };
const pluginsFor = (changed: Partial<Settings> = {}) => builtInPlugins({ ...settings, ...changed });
const initialize = { jsonrpc: '2.0', id: 'i', method: 'initialize', params: { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true } }, clientInfo: { name: 'editor', version: '1' } } };
const answer = { protocolVersion: 2, info: { name: 'some-agent', version: '1' }, capabilities: { session: { prompt: { image: {} } } }, authMethods: [] };

/** Both have said who they are. */
function introduced(changed: Partial<Settings> = {}) {
  const on = wired(pluginsFor(changed), { agentCommand });
  on.client.sends(initialize);
  const asked = on.agent.received();
  on.agent.answers(asked[0].id, answer);
  return { ...on, asked, answered: on.client.received() };
}

describe('a v2 agent that a v1 client asked for v1', () => {
  it('is asked as the client asked, and the client gets a v1 answer to its own request', () => {
    const { asked, answered, agent, log } = introduced();
    expect(asked).toEqual([initialize]);
    expect(answered).toMatchObject([{ id: 'i', result: { protocolVersion: 1, agentInfo: { name: 'some-agent', version: '1' }, agentCapabilities: { loadSession: true, promptCapabilities: { image: true } } } }]);
    expect([agent.received(), log]).toEqual([[], ['info: the agent answered ACP v2 to a client of v1, and is bridged']]);
  });

  it('has its turns told to the client in v1', () => {
    const { client, agent } = introduced();
    const created = client.requests('session/new', { cwd: '/w', mcpServers: [] });
    agent.answers(agent.received()[0].id, { sessionId: 's' });
    expect(client.received()).toMatchObject([{ id: created, result: { sessionId: 's' } }]);
    const prompted = client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'go' }] });
    agent.answers(agent.received()[0].id, {});
    const say = (update: Message): void => agent.notifies('session/update', { sessionId: 's', update });
    say({ sessionUpdate: 'user_message', messageId: 'u', content: [{ type: 'text', text: 'go' }] });
    say({ sessionUpdate: 'state_update', state: 'running' });
    say({ sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { type: 'text', text: 'done' } });
    say({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
    const told = client.received();
    expect(told.map(({ id, result, params }) => (id === undefined ? params.update.sessionUpdate : [id, result.stopReason]))).toEqual(['user_message_chunk', 'agent_message_chunk', [prompted, 'end_turn']]);
  });

  it('passes as it is where the user wants v1 to be spoken', () => {
    const { answered } = introduced({ agentProtocol: 'v1' });
    expect(answered).toEqual([{ jsonrpc: '2.0', id: 'i', result: answer }]);
  });
});

describe('an agent that answers otherwise', () => {
  it('passes as it is with v1, and with an error after which it is asked again', () => {
    const on = wired(pluginsFor(), { agentCommand });
    on.client.sends(initialize);
    on.agent.sends({ jsonrpc: '2.0', id: on.agent.received()[0].id, error: { code: -32603, message: 'not yet' } });
    expect(on.client.received()).toMatchObject([{ id: 'i', error: { message: 'not yet' } }]);
    on.client.sends({ ...initialize, id: 'j' });
    on.agent.answers(on.agent.received()[0].id, answer);
    expect(on.client.received()).toMatchObject([{ id: 'j', result: { protocolVersion: 1 } }]);
    const other = wired(pluginsFor(), { agentCommand });
    other.client.sends(initialize);
    other.agent.answers(other.agent.received()[0].id, { protocolVersion: 1, agentCapabilities: {} });
    expect(other.client.received()).toEqual([{ jsonrpc: '2.0', id: 'i', result: { protocolVersion: 1, agentCapabilities: {} } }]);
  });
});

const recordings = corpusNames().filter((name) => name.startsWith('claude/') && name.endsWith('.v2'));

/** Our own requests are counted, and there is one less of them. */
const withoutOwnIds = (messages: readonly Message[]): Message[] => messages.map((message) => (message.method === undefined ? message : { ...message, id: undefined }));

it.each(recordings)('%s is told to a v1 client as where v2 was asked for', (name) => {
  const [unasked, asked] = (['auto', 'v2'] as const).map((agentProtocol) => playedDown(loadCorpus(name), { plugins: pluginsFor({ agentProtocol }), agentCommand }));
  expect(unasked?.toClient.length).toBeGreaterThan(5);
  expect(withoutOwnIds(unasked?.toClient ?? [])).toEqual(withoutOwnIds(asked?.toClient ?? []));
});
