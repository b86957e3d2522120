import { describe, expect, test } from 'vitest';
import type { Message } from '../../pipeline/harness.js';
import { HISTORY_SILENCE_MS } from '../../../plugins/bridge/resume.js';
import { chunk, connected, fullAgent, initialized, state, type Connected } from './connected.js';

const loader = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
const gemini = { protocolVersion: 1, agentInfo: { name: 'gemini-cli', version: '0.61.0' }, agentCapabilities: { loadSession: true } };
const fast = { id: 'fast', name: 'Fast', type: 'boolean', currentValue: false };
const v2Fast = { configId: 'fast', name: 'Fast', type: 'boolean', currentValue: false };
const fromStart = { replayFrom: { type: 'start' } };

const said = (sessionUpdate: string, text: string, messageId?: string): Message => ({ sessionUpdate, content: { type: 'text', text }, ...(messageId === undefined ? {} : { messageId }) });
const user = (text: string, messageId?: string): Message => said('user_message_chunk', text, messageId);
const thought = (text: string, messageId?: string): Message => said('agent_thought_chunk', text, messageId);
const commands = { sessionUpdate: 'available_commands_update', availableCommands: [] };

/** The client resumes `s`; gives what the agent was asked, with its id. */
function resumes(wires: Connected, more: Record<string, unknown> = {}): { readonly method: string; readonly params: unknown; readonly own: string } {
  wires.client.requests('session/resume', { sessionId: 's', cwd: '/project', ...more });
  const [method, params, own] = wires.asked().at(-1) as [string, unknown, string];
  return { method, params, own };
}

/** A replay of `updates` in a session of this connection: what the client was told, up to the response. */
function replays(wires: Connected, ...updates: Message[]): Message[] {
  const { own } = resumes(wires, fromStart);
  wires.updates(...updates);
  wires.agent.answers(own, {});
  return wires.told();
}

const kinds = (told: readonly Message[]): string[] => told.map(({ sessionUpdate, result, error }) => (sessionUpdate as string | undefined) ?? (result ? 'result' : `error ${error?.code}`));
const idsOf = (told: readonly Message[], kind: string): string[] => told.filter(({ sessionUpdate }) => sessionUpdate === kind).map(({ messageId }) => messageId as string);

describe('which request of v1 it becomes', () => {
  test.each([
    ['a resume without replay', fullAgent, {}, 'session/resume'],
    ['a load with one', fullAgent, fromStart, 'session/load'],
    ['a load where the agent has no resume', loader, {}, 'session/load'],
    ['a resume, as null asks for no replay', fullAgent, { replayFrom: null }, 'session/resume'],
  ])('%s', (_, agent, params, method) => {
    const sent = resumes(initialized(agent), params);
    expect([sent.method, sent.params]).toEqual([method, { sessionId: 's', cwd: '/project', mcpServers: [] }]);
  });

  test('the state comes before the response', () => {
    const wires = initialized();
    const { own } = resumes(wires);
    wires.agent.answers(own, { sessionId: 's', configOptions: [fast] });
    expect(wires.told()).toEqual([state('idle'), { jsonrpc: '2.0', id: 2, result: { configOptions: [v2Fast] } }]);
  });

  test('it is the state that the session is in', () => {
    const wires = connected();
    wires.runs();
    wires.agent.answers(resumes(wires).own, {});
    expect(wires.told()).toMatchObject([state('running'), { result: {} }]);
  });
});

describe('what is refused without asking the agent', () => {
  const codeOf = (wires: Connected): unknown => {
    expect(wires.asked()).toEqual([]);
    return wires.told()[0].error.code;
  };

  test.each([{ type: 'message', messageId: 'm' }, { type: '_custom' }, 'start', [], {}])('a replay from %j', (replayFrom) => {
    const wires = initialized();
    wires.client.requests('session/resume', { sessionId: 's', cwd: '/project', replayFrom });
    expect(codeOf(wires)).toBe(-32602);
  });

  test('a replay of an agent that cannot load, and any resume of one that can neither', () => {
    const resumer = initialized({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } });
    resumer.client.requests('session/resume', { sessionId: 's', cwd: '/project', ...fromStart });
    expect(codeOf(resumer)).toBe(-32602);
    const neither = initialized({ protocolVersion: 1 });
    neither.client.requests('session/resume', { sessionId: 's', cwd: '/project' });
    expect(codeOf(neither)).toBe(-32601);
  });

  test('session/load, which v2 does not have', () => {
    const wires = initialized();
    wires.client.requests('session/load', { sessionId: 's', cwd: '/project', mcpServers: [] });
    expect(codeOf(wires)).toBe(-32601);
  });
});

describe('a replay', () => {
  test('begins each message with an upsert that empties it, once', () => {
    const told = replays(initialized(), user('hi', 'u'), thought('hm', 'm'), chunk('a', 'm'), { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'ls' }, chunk('b', 'm'), chunk('c', 'n'));
    expect(kinds(told)).toEqual([
      'user_message', 'user_message_chunk', 'agent_thought', 'agent_thought_chunk', 'agent_message', 'agent_message_chunk', 'tool_call_update', 'agent_message_chunk', 'agent_message', 'agent_message_chunk',
      'state_update', 'result',
    ]);
    expect(told[0]).toEqual({ sessionUpdate: 'user_message', messageId: 'u', content: [] });
  });

  test('starts no turn, and its usage closes none', () => {
    const wires = connected();
    const own = wires.runs();
    const { own: resume } = resumes(wires, fromStart);
    wires.updates(chunk('a', 'm'), { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 1, currency: 'USD' }, _meta: { '_claude/origin': {} } });
    wires.agent.answers(resume, {});
    expect(wires.told().at(-2)).toEqual(state('running'));
    wires.agent.answers(own as string, { stopReason: 'end_turn' });
    expect(wires.told()).toEqual([state('idle', { stopReason: 'end_turn' })]);
  });

  test('has each call and terminal clear what it leaves out', () => {
    const wires = connected();
    wires.updates({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'ls', kind: 'execute', status: 'completed', rawOutput: { x: 1 }, _meta: { k: 1 } });
    const content = [{ type: 'terminal', terminalId: 't' }];
    const [terminal, call, change] = replays(wires,
      { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'ls', status: 'pending', content, _meta: { n: 1, terminal_info: { terminal_id: 't' } } },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' }).slice(-5);
    expect(terminal).toEqual({ sessionUpdate: 'terminal_update', terminalId: 't', command: null, cwd: null, output: null, exitStatus: null, capabilities: null });
    expect(call).toEqual({
      sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'ls', status: 'pending', content, name: null, kind: null, locations: null, rawInput: null, rawOutput: null, capabilities: null,
      _meta: { k: null, n: 1 },
    });
    expect(change).toEqual({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' });
  });

  test('a call that the client knows as cancelled is not called failed', () => {
    const wires = connected();
    wires.runs();
    wires.updates({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'ls', status: 'in_progress' }, { sessionUpdate: 'tool_call', toolCallId: 'f', title: 'ls', status: 'failed' });
    wires.client.notifies('session/cancel', { sessionId: 's' });
    wires.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed' });
    wires.told();
    wires.asked();
    const told = replays(wires, ...['c', 'f', 'g'].map((toolCallId) => ({ sessionUpdate: 'tool_call', toolCallId, title: 'ls', status: 'failed' })));
    expect(told.flatMap(({ toolCallId, status }) => (toolCallId === undefined ? [] : [[toolCallId, status]]))).toEqual([['c', 'cancelled'], ['f', 'failed'], ['g', 'failed']]);
  });

  test('that the client did not ask for is swallowed, what is said of the session and its tasks is not', () => {
    const wires = initialized(loader);
    const { own } = resumes(wires);
    wires.updates(user('hi'), chunk('a'), { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'ls' }, { sessionUpdate: 'plan', entries: [] }, { sessionUpdate: 'session_info_update', title: 'T' },
      { sessionUpdate: 'async_task_spawned', asyncTaskId: 'b' }, commands);
    wires.agent.answers(own, {});
    expect(kinds(wires.told())).toEqual(['session_info_update', '_async_task_spawned', 'available_commands_update', 'state_update', 'result']);
    wires.updates(chunk('live', 'm'));
    expect(wires.told().at(-1)).toEqual(chunk('live', 'm'));
  });

  test('a turn that the agent began meanwhile is told after it, one that has ended is not', () => {
    const turn = (asyncTaskId: string): Message => ({ sessionUpdate: 'async_task_spawned', asyncTaskId, taskType: 'turn' });
    const wires = connected();
    const told = replays(wires, turn('t'), { sessionUpdate: 'async_task_state_update', asyncTaskId: 't', state: 'completed' }, turn('u'));
    expect(told.filter(({ sessionUpdate }) => sessionUpdate === 'state_update')).toEqual([state('running'), state('running')]);
    wires.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: 'u', state: 'completed' });
    wires.clock.advance(1000);
    expect(wires.told().at(-1)).toEqual(state('idle', { stopReason: 'end_turn' }));
  });

  test.each([1, 2])('a turn that ran before, and whose end was on its way when it was asked for, has ended after it (%i at once)', (count) => {
    const wires = connected();
    wires.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 't', taskType: 'turn' });
    expect(wires.told().at(-1)).toEqual(state('running'));
    const asked = [resumes(wires, fromStart).own];
    wires.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: 't', state: 'completed' });
    if (count === 2) asked.push(resumes(wires, fromStart).own);
    for (const own of asked) wires.agent.answers(own, {});
    wires.clock.advance(1000);
    const states = wires.told().filter(({ sessionUpdate }) => sessionUpdate === 'state_update');
    const before = Array.from({ length: count - 1 }, () => state('running'));
    expect(states).toEqual([...before, state('idle', { stopReason: 'end_turn' }), state('idle')]);
  });

  test('two at once: the one that was asked for last counts to its end', () => {
    const wires = connected();
    const first = resumes(wires, fromStart).own;
    const second = resumes(wires, fromStart).own;
    wires.updates(chunk('a', 'm'));
    wires.agent.answers(first, {});
    wires.updates(chunk('b', 'n'));
    wires.agent.answers(second, {});
    wires.updates(chunk('c', 'o'));
    expect(kinds(wires.told())).toEqual(['agent_message', 'agent_message_chunk', 'state_update', 'result', 'agent_message', 'agent_message_chunk', 'state_update', 'result', 'agent_message_chunk']);
  });
});

describe('message ids', () => {
  const insertedId = (wires: Connected): string => idsOf(wires.told(), 'user_message')[0] ?? '';

  test('a prompt whose message the agent names is replayed under that id', () => {
    const wires = connected();
    wires.prompts('go');
    wires.agent.notifies('_claude/sdkMessage', { sessionId: 's', message: { type: 'system', subtype: 'status', user_message_uuids: ['uuid-1'] } });
    expect(insertedId(wires)).toBe('uuid-1');
    expect(idsOf(replays(wires, user('go', 'uuid-1')), 'user_message')).toEqual(['uuid-1']);
  });

  test('one that it names too late keeps ours, in every replay', () => {
    const wires = connected();
    wires.prompts('go');
    wires.clock.advance(250);
    const ours = insertedId(wires);
    wires.agent.notifies('_claude/sdkMessage', { sessionId: 's', message: { type: 'system', subtype: 'status', user_message_uuids: ['uuid-1'] } });
    wires.told();
    expect(idsOf(replays(wires, user('go', 'uuid-1')), 'user_message')).toEqual([ours]);
  });

  test('one that it never names is recognised by its words', () => {
    const wires = connected();
    wires.prompts('go');
    wires.clock.advance(250);
    const ours = insertedId(wires);
    wires.updates(chunk('right away'));
    const word = idsOf(wires.told(), 'agent_message_chunk')[0];
    const told = replays(wires, user('before', 'item-0'), user('go', 'item-1'), chunk('right away'));
    expect([idsOf(told, 'user_message'), idsOf(told, 'agent_message')]).toEqual([['item-0', ours], [word]]);
    expect(idsOf(replays(wires, user('before', 'item-0'), user('go', 'item-1')), 'user_message_chunk')).toEqual(['item-0', ours]);
  });

  test('two prompts that were folded in at once have the ids that are told, in their order', () => {
    const wires = connected();
    wires.prompts('one');
    wires.prompts('two');
    wires.agent.notifies('_claude/sdkMessage', { sessionId: 's', message: { type: 'system', subtype: 'status', user_message_uuids: ['u1', 'u2'] } });
    expect(wires.told().filter(({ sessionUpdate }) => sessionUpdate === 'user_message').map(({ messageId, content }) => [messageId, content[0].text])).toEqual([['u1', 'one'], ['u2', 'two']]);
  });
});

describe('an agent that answers a load before it has told the history', () => {
  test('is answered for when the last of it came', () => {
    const wires = initialized(gemini);
    const { own } = resumes(wires, fromStart);
    wires.updates(user('context'));
    wires.agent.answers(own, {});
    wires.updates(chunk('Running.'), { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Shell', status: 'completed' });
    expect(kinds(wires.told())).toEqual(['user_message', 'user_message_chunk', 'agent_message', 'agent_message_chunk', 'tool_call_update']);
    wires.updates(commands);
    expect(kinds(wires.told())).toEqual(['available_commands_update', 'state_update', 'result']);
    wires.updates(chunk('live'), commands);
    expect(kinds(wires.told())).toEqual(['agent_message_chunk', 'available_commands_update']);
  });

  test('or after a silence', () => {
    const wires = initialized(gemini);
    wires.agent.answers(resumes(wires, fromStart).own, {});
    wires.clock.advance(HISTORY_SILENCE_MS - 1);
    wires.updates(chunk('late'));
    wires.clock.advance(HISTORY_SILENCE_MS - 1);
    expect(kinds(wires.told())).toEqual(['agent_message', 'agent_message_chunk']);
    wires.clock.advance(1);
    expect(kinds(wires.told())).toEqual(['state_update', 'result']);
  });

  test('the rest is swallowed, too, where nobody asked for it', () => {
    const wires = initialized(gemini);
    const { own } = resumes(wires);
    wires.updates(user('context'));
    wires.agent.answers(own, {});
    wires.updates(chunk('Running.'), commands);
    expect(kinds(wires.told())).toEqual(['available_commands_update', 'state_update', 'result']);
  });
});

describe('a resume that fails', () => {
  const notFound = { code: -32603, message: 'Internal error: no such session', data: { service: 'session' } };

  test('is answered with the error of the agent, and makes no session', () => {
    const wires = initialized({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
    wires.agent.refuses(resumes(wires, fromStart).own, notFound);
    expect(wires.told()).toMatchObject([{ error: notFound }]);
    wires.client.requests('session/list', {});
    expect(wires.told()).toMatchObject([{ result: { sessions: [] } }]);
  });

  test('leaves a session as it was', () => {
    const wires = connected();
    wires.agent.refuses(resumes(wires, fromStart).own, notFound);
    expect(wires.told()).toMatchObject([{ error: { code: -32603 } }]);
    wires.updates(chunk('a', 'm'));
    expect(wires.told()).toEqual([chunk('a', 'm')]);
  });

  test('leaves a closed session closed', () => {
    const wires = connected();
    wires.client.requests('session/close', { sessionId: 's' });
    wires.agent.answers(wires.asked()[0][2], {});
    wires.agent.refuses(resumes(wires).own, notFound);
    wires.told();
    wires.updates(chunk('a', 'm'));
    expect(wires.told()).toEqual([]);
  });
});

test('the client can take it back: the agent knows it by our id', () => {
  const wires = initialized();
  const { own } = resumes(wires);
  wires.client.notifies('$/cancel_request', { requestId: 2 });
  expect(wires.asked()).toEqual([['$/cancel_request', { requestId: own }]]);
});
