/** Subagents that a v1 agent shows inside their parent session, as child sessions. */
import { describe, expect, test } from 'vitest';
import { chunk, connected, type Connected } from './connected.js';
import type { Message } from '../../pipeline/harness.js';

const saw = (on: Connected): Message[] => on.told().flatMap((message: Message) => {
  if (message.sessionUpdate !== undefined) return [['s', message]];
  if (message.method === '_claude/sdkMessage') return [];
  if (message.method === 'session/update') return [[message.params.sessionId, message.params.update]];
  return [[message.method === undefined ? (message.result ?? message.error) : message.method, message.params]];
});
const fed = (on: Connected, subtype: string, members: object): void => on.agent.notifies('_claude/sdkMessage', { sessionId: 's', message: { type: 'system', subtype, ...members } });
/** `<session> <kind> <what it says>`, without messages between sessions. */
const inShort = (on: Connected): string[] => saw(on).filter(([, update]) => update?.sessionUpdate !== 'session_message').map(([session, update]) =>
  `${String(session)} ${String(update?.sessionUpdate)} ${String(update?.state?.state ?? update?.state ?? update?.toolCallId ?? update?.terminalId ?? update?.asyncTaskId ?? update?.messageId ?? '')}${update?.status ? ` ${String(update.status)}` : ''}`);

const input = { description: 'Search', prompt: 'find it', subagent_type: 'explorer' };
const agentCall = (more: object = {}): Message => ({ sessionUpdate: 'tool_call', toolCallId: 'T', title: 'Search', kind: 'think', status: 'pending', rawInput: input, _meta: { claudeCode: { toolName: 'Agent' } }, ...more });
const answered = (toolResponse: object): Message => ({ sessionUpdate: 'tool_call_update', toolCallId: 'T', _meta: { claudeCode: { toolResponse } } });
const done = (status = 'completed', more: object = {}): Message => ({ sessionUpdate: 'tool_call_update', toolCallId: 'T', status, ...more });
const its = { _meta: { claudeCode: { parentToolUseId: 'T' } } };
const bash = (more: object = {}): Message => ({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'ls', kind: 'execute', status: 'pending', content: [{ type: 'terminal', terminalId: 't' }], ...its, ...more });

function launched(...more: Message[]): Connected {
  const on = connected();
  on.runs();
  on.updates(agentCall(), ...more);
  return on;
}

describe('a subagent that its launching call waits for', () => {
  test('is announced by the first thing that it does, with what the call says of it', () => {
    const on = launched();
    saw(on);
    on.updates(bash());
    const [announced, works, outgoing, incoming, terminal, call] = saw(on);
    expect(announced).toEqual(['s', { sessionUpdate: 'subagent_update', sessionId: 'afterturn:T', title: 'Search', description: 'explorer', ...its, state: { state: 'running' } }]);
    expect(works).toEqual(['afterturn:T', { sessionUpdate: 'state_update', state: 'running' }]);
    expect([outgoing[0], incoming[0], outgoing[1].messageId, outgoing[1].content]).toEqual(['s', 'afterturn:T', 'T', [{ type: 'text', text: 'find it' }]]);
    expect([terminal[0], terminal[1].terminalId, call[0], call[1].toolCallId]).toEqual(['afterturn:T', 't', 'afterturn:T', 't']);
  });

  test('has what is its in its own session: calls, later words on them, messages, tasks', () => {
    const on = launched(bash());
    inShort(on);
    on.updates(
      { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' }, chunk('the parent', 'm1'), { ...chunk('the child', 'm2'), ...its },
      { sessionUpdate: 'async_task_spawned', asyncTaskId: 'b', name: 'b', taskType: 'shell', canStop: true, toolCallId: 't' },
      { sessionUpdate: 'async_task_state_update', asyncTaskId: 'b', state: 'completed' },
    );
    expect(inShort(on)).toEqual([
      'afterturn:T tool_call_update t completed', 's agent_message_chunk m1', 'afterturn:T agent_message_chunk m2',
      'afterturn:T _async_task_spawned t', 'afterturn:T _async_task_state_update completed',
    ]);
  });

  test.each([['completed', 'end_turn'], ['failed', 'error']])('has ended when the call is %s, before it, and its answer is a message', (status, stopReason) => {
    const on = launched(bash());
    saw(on);
    on.updates(answered({ status: 'completed' }), done(status, { content: [{ type: 'content', content: { type: 'text', text: 'Found.' } }] }));
    const seen = saw(on).filter(([, update]) => update.sessionUpdate !== 'tool_call_update' || update.status !== undefined);
    expect(seen.map(([session, update]) => [session, update.sessionUpdate, update.state?.stopReason ?? update.stopReason ?? update.status ?? update.messageId])).toEqual([
      ['s', 'subagent_update', stopReason], ['afterturn:T', 'state_update', stopReason],
      ...(status === 'completed' ? [['s', 'session_message', 'T:reply']] : []), ['s', 'tool_call_update', status],
    ]);
  });

  test('that is cancelled with its parent is cancelled', () => {
    const on = launched(bash());
    on.client.notifies('session/cancel', { sessionId: 's' });
    saw(on);
    on.updates(done('failed'));
    expect(saw(on).slice(0, 2).map(([, update]) => update.state?.stopReason ?? update.stopReason)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('a subagent that goes on behind its launching call', () => {
  test('is announced by the answer that says so, under the id that it names', () => {
    const on = launched(answered({ status: 'async_launched', agentId: 'a' }), done());
    expect(inShort(on).filter((line) => !line.includes('undefined'))).toEqual([
      's tool_call_update T pending', 's tool_call_update T', 's subagent_update running', 'a state_update running', 's tool_call_update T completed',
    ]);
  });

  test('ends when the raw feed says so, and works again when that says so', () => {
    const on = launched(answered({ status: 'async_launched', agentId: 'a' }), done());
    inShort(on);
    fed(on, 'task_started', { task_id: 'a', task_type: 'local_agent', tool_use_id: 'T' });
    fed(on, 'task_updated', { task_id: 'a', patch: { status: 'completed' } });
    expect(inShort(on)).toEqual(['s subagent_update idle', 'a state_update idle']);
    fed(on, 'task_started', { task_id: 'a', task_type: 'local_agent', tool_use_id: 'T' });
    expect(inShort(on)).toEqual(['s subagent_update running', 'a state_update running']);
  });

  test('without the feed is part of the turn, and ends with it, before it', () => {
    const on = connected();
    const id = on.runs();
    on.updates(agentCall(), answered({ status: 'async_launched' }), done());
    inShort(on);
    on.agent.answers(id as string, { stopReason: 'end_turn' });
    expect(saw(on).map(([session, { sessionUpdate, state, stopReason }]) => [session, sessionUpdate, state?.stopReason ?? stopReason])).toEqual([
      ['s', 'subagent_update', 'end_turn'], ['afterturn:T', 'state_update', 'end_turn'], ['s', 'state_update', 'end_turn'],
    ]);
  });

  test.each([
    ['before the call is completed', [answered({ status: 'async_launched', agentId: 'a' }), done()]],
    ['with the status of the call', [{ ...answered({ status: 'async_launched', agentId: 'a' }), status: 'completed' }]],
  ])('outlives the turn where the feed calls it alive; it is told to go on %s', (_, updates) => {
    const on = connected();
    const id = on.runs();
    on.updates(agentCall());
    fed(on, 'background_tasks_changed', { tasks: [{ task_id: 'a', task_type: 'local_agent' }] });
    fed(on, 'task_started', { task_id: 'a', task_type: 'local_agent', tool_use_id: 'T', subagent_type: 'explorer' });
    on.updates(...updates);
    const told = inShort(on);
    expect(told).toContain('s subagent_update running');
    expect(told).not.toContain('s subagent_update idle');
    on.agent.answers(id as string, { stopReason: 'end_turn' });
    expect(inShort(on)).toEqual(['s state_update idle']);
  });
});

test('a subagent within a subagent is one of that', () => {
  const on = launched(bash());
  inShort(on);
  on.updates({ ...agentCall({ toolCallId: 'U' }), _meta: { claudeCode: { toolName: 'Agent', parentToolUseId: 'T' } } }, { ...chunk('inner', 'm'), _meta: { claudeCode: { parentToolUseId: 'U' } } });
  expect(inShort(on)).toEqual(['afterturn:T tool_call_update U pending', 'afterturn:T subagent_update running', 'afterturn:U state_update running', 'afterturn:U agent_message_chunk m']);
});

test('the user is asked in the session of the subagent whose call it is', () => {
  const on = launched(bash());
  on.told();
  on.agent.requests('session/request_permission', { sessionId: 's', toolCall: { toolCallId: 't', title: 'ls' }, options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }] });
  expect(on.told().at(-1).params).toMatchObject({ sessionId: 'afterturn:T', subject: { toolCall: { toolCallId: 't' } } });
});

test('a subagent that has a session of its own is not flattened', () => {
  const on = connected();
  on.runs();
  on.updates({ sessionUpdate: 'subagent_spawned', subagentSessionId: 'c', name: 'Search' });
  on.agent.notifies('session/update', { sessionId: 'c', update: bash() });
  fed(on, 'task_started', { task_id: 'c', task_type: 'local_agent', tool_use_id: 'T' });
  expect(inShort(on)).toEqual(['s subagent_update running', 'c state_update running', 'c terminal_update t', 'c tool_call_update t pending']);
});

test('nor is a call shown that launched it, when the agent lets a word on that through', () => {
  const on = connected();
  on.runs();
  on.updates({ sessionUpdate: 'subagent_spawned', subagentSessionId: 'c', name: 'Search' });
  inShort(on);
  on.updates({ ...answered({ status: 'async_launched', agentId: 'c' }), _meta: { claudeCode: { toolName: 'Agent', toolResponse: { status: 'async_launched', agentId: 'c' } } } });
  fed(on, 'task_started', { task_id: 'c', task_type: 'local_agent', tool_use_id: 'T' });
  on.updates(done());
  expect(inShort(on)).toEqual([]);
});

test('another tool with the same answer launches nothing', () => {
  const on = launched();
  on.updates({ ...agentCall({ toolCallId: 'B' }), _meta: { claudeCode: { toolName: 'Other' } } }, { ...answered({ status: 'async_launched', agentId: 'a' }), toolCallId: 'B' });
  expect(inShort(on).filter((line) => line.includes('subagent'))).toEqual([]);
});
