/**
 * At its place in the whole list, beside the client: what the other plugins tell is enough to leave
 * alone what lives, and each call ends once.
 */
import { describe, expect, test } from 'vitest';
import { builtInPlugins } from '../../../plugins/index.js';
import type { Source } from '../../../plugins/sources.js';
import type { Plugin } from '../../../src/plugin.js';
import { wired, type Message, type Wired } from '../../pipeline/harness.js';
import { loadRecording, recordingNames } from '../../tools/recording.js';
import { runInMemory } from '../../tools/scenario-in-memory.js';
import { scenarioOf } from '../../tools/scenario.js';

const list = ({ source = 'auto', agentProtocol = 'auto' }: { source?: Source; agentProtocol?: 'auto' | 'v1' | 'v2' } = {}): Plugin[] =>
  builtInPlugins({ agentProtocol, source, followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: ['agent'] });

interface End {
  readonly t: number;
  readonly call: string;
  readonly status: string;
  readonly settled: boolean;
}
const FINAL = new Set(['completed', 'failed', 'cancelled']);
const endsIn = (t: number, messages: readonly Message[]): End[] =>
  messages.flatMap(({ params }: Message): End[] => (FINAL.has(params?.update?.status) ? [{ t, call: params.update.toolCallId, status: params.update.status, settled: params.update._meta?.afterturn?.settled === true }] : []));

/** Plays a recording of a v1 client at its recorded times through the list, then a minute, then the agent's exit. */
async function played(name: string, source: Source): Promise<{ readonly ends: readonly End[]; readonly last: number }> {
  const records = loadRecording(name);
  const { client, agent, clock, agentExits } = wired(list({ source }));
  const ends: End[] = [];
  const until = (t: number): void => {
    while (clock.now() < t) {
      clock.advance(clock.pending() === 0 ? t - clock.now() : 1);
      ends.push(...endsIn(clock.now(), client.received()));
    }
  };
  for (const { t, dir, msg } of records) {
    until(t);
    (dir === 'c2a' ? client : agent).sends(msg);
    ends.push(...endsIn(clock.now(), client.received()));
  }
  until(clock.now() + 60_000);
  await agentExits();
  ends.push(...endsIn(clock.now(), client.received()));
  return { ends, last: records.at(-1)?.t ?? 0 };
}

describe('a v1 client of claude-agent-acp', () => {
  test.each(recordingNames('raw'))('%s: nothing that lives is settled', async (name) => {
    const { ends } = await played(name, 'auto');
    expect(ends.filter(({ settled }) => settled)).toEqual([]);
  });

  test.each(recordingNames('legacy'))('%s, with the extension as the source: nothing that lives is settled', async (name) => {
    const { ends } = await played(name, 'async-tasks');
    expect(ends.filter(({ settled }) => settled)).toEqual([]);
  });
});

const S = 'session-1';

/** A plain v1 client of claude-agent-acp with a background command and a call that its turn left open. */
function claude(): { readonly on: Wired; readonly says: (update: Message) => void } {
  const on = wired(list());
  const { client, agent } = on;
  client.sends({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } });
  agent.answers(0, { protocolVersion: 1, agentInfo: { name: '@agentclientprotocol/claude-agent-acp', version: '0.101.0' }, agentCapabilities: { _meta: { claudeCode: { promptQueueing: true } } } });
  client.sends({ jsonrpc: '2.0', id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [] } });
  agent.answers(1, { sessionId: S });
  client.sends({ jsonrpc: '2.0', id: 2, method: 'session/prompt', params: { sessionId: S, prompt: [] } });
  const says = (update: Message): void => agent.notifies('session/update', { sessionId: S, update });
  const feeds = (message: Message): void => agent.notifies('_claude/sdkMessage', { sessionId: S, message: { type: 'system', ...message } });
  const tool = (more: Message = {}): Message => ({ _meta: { claudeCode: { toolName: 'Bash', ...more } } });
  says({ sessionUpdate: 'tool_call', toolCallId: 'kept', title: 'x', status: 'pending', ...tool() });
  says({ sessionUpdate: 'tool_call', toolCallId: 'left', title: 'x', status: 'in_progress', ...tool() });
  feeds({ subtype: 'background_tasks_changed', tasks: [{ task_id: 'b1', task_type: 'local_bash', description: 'x' }] });
  feeds({ subtype: 'task_started', task_id: 'b1', tool_use_id: 'kept', task_type: 'local_bash', description: 'x' });
  says({ sessionUpdate: 'tool_call_update', toolCallId: 'kept', ...tool({ toolResponse: { backgroundTaskId: 'b1' } }) });
  says({ sessionUpdate: 'tool_call_update', toolCallId: 'kept', status: 'completed', ...tool() });
  agent.answers(2, { stopReason: 'end_turn' });
  client.received();
  agent.received();
  return { on, says };
}

describe('a plain v1 client of claude-agent-acp, on the raw feed', () => {
  test('the call of a background command stays, the one that was left is settled', () => {
    const { on } = claude();
    on.clock.advance(60_000);
    expect(endsIn(0, on.client.received())).toEqual([{ t: 0, call: 'left', status: 'completed', settled: true }]);
    on.agent.notifies('_claude/sdkMessage', { sessionId: S, message: { type: 'system', subtype: 'task_updated', task_id: 'b1', patch: { status: 'completed' } } });
    on.clock.advance(60_000);
    expect(endsIn(0, on.client.received())).toEqual([{ t: 0, call: 'kept', status: 'completed', settled: false }]);
  });

  test.each(['close', 'end of input', 'exit'])('at %s each ends once', async (how) => {
    const { on } = claude();
    if (how === 'close') {
      on.client.sends({ jsonrpc: '2.0', id: 3, method: 'session/close', params: { sessionId: S } });
      on.agent.answers(3, {});
    }
    if (how === 'end of input') await on.client.ends();
    await on.agentExits();
    const ends = endsIn(0, on.client.received());
    expect(ends.map(({ call, status }) => `${call} ${status}`).sort()).toEqual(['kept failed', 'left completed']);
  });

  test('a session whose set-up the agent refused is not watched', () => {
    const { on } = claude();
    on.client.sends({ jsonrpc: '2.0', id: 9, method: 'session/load', params: { sessionId: 'never-answered' } });
    on.agent.refuses(9, { code: -32603, message: 'no' });
    on.agent.notifies('session/update', { sessionId: 'never-answered', update: { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x', status: 'in_progress' } });
    on.clock.advance(60_000);
    expect(endsIn(0, on.client.received()).map(({ call }) => call)).toEqual(['left']);
  });
});

test.each(['a', 'b', 'd', 'f', 'h', 'j', 'l2', 'l4', 'o'])('a v2 client of claude-agent-acp through the bridge, scenario %s: nothing is settled', async (scenario) => {
  const { recording } = await runInMemory(scenarioOf(scenario, 'legacy'), list({ agentProtocol: 'v1' }));
  expect(endsIn(0, recording.filter(({ dir }) => dir === 'a2c').map(({ msg }) => msg)).filter(({ settled }) => settled)).toEqual([]);
});

describe('a v2 client through the bridge', () => {
  const connected = (name: string, sessionCapabilities: Message = { close: {}, fork: {}, resume: {}, list: {} }): Wired & { says(update: Message): void; sent(method: string): number } => {
    const on = wired(list());
    on.client.sends({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: {} } });
    // The second offer is in the pure form of v1.
    for (const offer of [...on.agent.received()]) on.agent.answers(offer.id, { protocolVersion: 1, agentInfo: { name, version: '1.0.0' }, agentCapabilities: { loadSession: true, sessionCapabilities } });
    for (const offer of [...on.agent.received()]) on.agent.answers(offer.id, { protocolVersion: 1, agentInfo: { name, version: '1.0.0' }, agentCapabilities: { loadSession: true, sessionCapabilities } });
    const sent = (method: string): number => on.agent.received().find((message) => message.method === method)?.id;
    on.client.sends({ jsonrpc: '2.0', id: 'n', method: 'session/new', params: { cwd: '/', mcpServers: [] } });
    on.agent.answers(sent('session/new'), { sessionId: S });
    on.client.received();
    return { ...on, sent, says: (update) => on.agent.notifies('session/update', { sessionId: S, update }) };
  };

  test('gemini-cli: a refused permission', () => {
    const { client, agent, clock, sent } = connected('gemini-cli');
    client.sends({ jsonrpc: '2.0', id: 'p', method: 'session/prompt', params: { sessionId: S, prompt: [{ type: 'text', text: 'x' }] } });
    const prompt = sent('session/prompt');
    const toolCall = { toolCallId: 'c', status: 'pending', title: './hello.sh', kind: 'execute', locations: [], content: [] };
    agent.sends({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params: { sessionId: S, options: [{ optionId: 'cancel', name: 'Reject', kind: 'reject_once' }], toolCall } });
    const asked = client.received().find((message) => message.method === 'session/request_permission') as Message;
    client.answers(asked.id, { outcome: { outcome: 'selected', optionId: 'cancel' } });
    agent.answers(prompt, { stopReason: 'end_turn' });
    expect(client.received().at(-1)?.params.update).toMatchObject({ sessionUpdate: 'state_update', state: 'idle' });
    clock.advance(1999);
    expect(client.received()).toEqual([]);
    clock.advance(1);
    expect(endsIn(0, client.received())).toEqual([{ t: 0, call: 'c', status: 'cancelled', settled: true }]);
  });

  test('opencode: a close during a command ends its call once, before the answer', () => {
    const { client, agent, clock, sent, says } = connected('OpenCode');
    client.sends({ jsonrpc: '2.0', id: 'p', method: 'session/prompt', params: { sessionId: S, prompt: [{ type: 'text', text: 'x' }] } });
    const prompt = sent('session/prompt');
    says({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'bash', status: 'pending' });
    says({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'in_progress' });
    client.sends({ jsonrpc: '2.0', id: 'c', method: 'session/close', params: { sessionId: S } });
    agent.answers(sent('session/close'), {});
    agent.answers(prompt, { stopReason: 'cancelled' });
    clock.advance(60_000);
    const messages = client.received();
    expect(endsIn(0, messages).map(({ call, status }) => [call, status])).toEqual([['c', 'cancelled']]);
    expect(messages.at(-1)).toEqual({ jsonrpc: '2.0', id: 'c', result: {} });
  });

  test('opencode: a call of a turn of its own is left alone until the agent exits', async () => {
    const { client, clock, says, agentExits } = connected('OpenCode');
    says({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'bash', status: 'pending' });
    clock.advance(60_000);
    expect(endsIn(0, client.received())).toEqual([]);
    await agentExits();
    expect(endsIn(0, client.received()).map(({ call, status }) => [call, status])).toEqual([['c', 'cancelled']]);
  });

  test('an agent of which nothing is known keeps its calls', () => {
    const { client, agent, clock, sent, says } = connected('some-agent');
    client.sends({ jsonrpc: '2.0', id: 'p', method: 'session/prompt', params: { sessionId: S, prompt: [{ type: 'text', text: 'x' }] } });
    says({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'bash', status: 'pending' });
    agent.answers(sent('session/prompt'), { stopReason: 'end_turn' });
    clock.advance(60_000);
    expect(endsIn(0, client.received())).toEqual([]);
  });
});
