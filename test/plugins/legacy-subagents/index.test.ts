import { describe, expect, it } from 'vitest';
import { LegacyClient } from '../../../plugins/legacy-client.js';
import { legacySubagents } from '../../../plugins/legacy-subagents/index.js';
import { legacyTasks } from '../../../plugins/legacy-tasks/index.js';
import { wired, type Message, type Wired } from '../../pipeline/harness.js';
import { air, initializeBridge } from '../legacy-tasks/connected.js';

interface Connected extends Wired {
  says(session: string, sessionUpdate: string, members?: object): void;
  child(state: object | undefined, members?: object, id?: string, parent?: string): void;
  message(id: string, text: string, members?: object): void;
  saw(): Message[];
}

function connected(declared: readonly string[], capabilities: object = {}): Connected {
  const client = new LegacyClient();
  const on = wired([client.observer, initializeBridge, legacySubagents({ client }), legacyTasks({ source: 'auto', client }).plugin]);
  const clientCapabilities = { ...capabilities, ...(declared.length === 0 ? {} : air(...declared)) };
  on.client.sends({ jsonrpc: '2.0', id: 'init', method: 'initialize', params: { protocolVersion: 1, clientCapabilities } });
  on.agent.answers('init', { protocolVersion: 2, info: { name: 'agent', version: '1' } });
  on.agent.received();
  const says = (sessionId: string, sessionUpdate: string, members: object = {}): void => on.agent.notifies('session/update', { sessionId, update: { sessionUpdate, ...members } });
  return {
    ...on, says,
    child: (state, members = {}, id = 'child', parent = 's') => says(parent, 'subagent_update', { sessionId: id, ...(state === undefined ? {} : { state }), ...members }),
    message: (messageId, text, members = {}) => says('s', 'session_message', { messageId, senderSessionId: 's', recipientSessionId: 'child', content: [{ type: 'text', text }], ...members }),
    saw: () => on.client.received().map((message) => (message.method === 'session/update' ? [message.params.sessionId, message.params.update] : message)),
  };
}

const described = { title: 'Search', description: 'general-purpose', capabilities: { cancel: {} } };

describe('a client that knows subagents as sessions of the extension', () => {
  const air2 = (): Connected => {
    const on = connected(['asyncTasks', 'nativeSubagentSessions']);
    on.saw();
    return on;
  };

  it('is told that it is so', () => {
    expect(connected(['asyncTasks', 'nativeSubagentSessions', 'other']).saw()[0].result._meta.jetbrains.air.capabilities).toEqual(['asyncTasks', 'nativeSubagentSessions']);
  });

  it('sees a start with the message that it was given, its work in a session of its own, and an end', () => {
    const on = air2();
    on.child({ state: 'running' }, described);
    on.says('child', 'state_update', { state: 'running' });
    expect(on.saw()).toEqual([]);
    on.message('m', 'Find it');
    on.says('child', 'session_message', { messageId: 'm', senderSessionId: 's', recipientSessionId: 'child', content: [] });
    on.says('child', 'agent_message_chunk', { messageId: 'a', content: { type: 'text', text: 'Found' } });
    on.child({ state: 'idle', stopReason: 'end_turn' });
    on.says('child', 'state_update', { state: 'idle' });
    expect(on.saw()).toEqual([
      ['s', { sessionUpdate: '_subagent_update', subagentSessionId: 'child', name: 'Search', task: 'Find it', prompt: 'Find it', capabilities: { cancel: true } }],
      ['child', { sessionUpdate: 'agent_message_chunk', messageId: 'a', content: { type: 'text', text: 'Found' } }],
      ['s', { sessionUpdate: '_subagent_update', subagentSessionId: 'child', state: 'completed' }],
    ]);
  });

  it('sees the start before whatever else is said, and at the latest after a moment', () => {
    const on = air2();
    on.child({ state: 'running' }, described);
    on.says('s', 'agent_message_chunk', {});
    expect(on.saw().map(([session, update]) => [session, update.sessionUpdate])).toEqual([['s', '_subagent_update'], ['s', 'agent_message_chunk']]);
    on.child({ state: 'running' }, {}, 'other');
    on.clock.advance(100);
    expect(on.saw()).toEqual([['s', { sessionUpdate: '_subagent_update', subagentSessionId: 'other', name: 'Subagent', task: 'Subagent', capabilities: {} }]]);
    expect(on.clock.pending()).toBe(0);
  });

  it.each([
    [{ state: 'idle', stopReason: 'cancelled' }, 'cancelled'],
    [{ state: 'idle', stopReason: 'error', error: { code: 1, message: 'x' } }, 'failed'],
    [{ state: 'idle' }, 'completed'],
    [{ state: 'unknown' }, 'disconnected'],
  ])('sees the end %j as %s', (state, word) => {
    const on = air2();
    on.child({ state: 'running' });
    on.child(state);
    expect(on.saw().map(([, update]) => update.state)).toEqual([undefined, word]);
  });

  it('sees a further run as a session of its own, and what it says of that is meant for the child', () => {
    const on = air2();
    on.child({ state: 'running' });
    on.child({ state: 'idle' });
    on.child({ state: 'running' });
    on.message('m2', 'Again');
    on.says('child', 'notice', { title: 'x' });
    on.agent.sends({ jsonrpc: '2.0', id: 9, method: 'session/request_permission', params: { sessionId: 'child', options: [] } });
    const saw = on.saw();
    expect(saw.slice(2, 4).map(([session, update]) => [session, update.sessionUpdate, update.subagentSessionId])).toEqual([['s', '_subagent_update', 'child:generation:2'], ['child:generation:2', 'notice', undefined]]);
    expect(saw[4].params.sessionId).toBe('child:generation:2');
    on.client.notifies('session/cancel', { sessionId: 'child:generation:2' });
    expect(on.agent.received()).toEqual([{ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 'child' } }]);
  });

  it('sees the work of a child as tasks of the session of the child, and the child as none', () => {
    const on = air2();
    on.child({ state: 'running' });
    on.says('child', 'state_update', { state: 'running', background: [{ type: 'terminal', terminalId: 't' }] });
    on.says('s', 'state_update', { state: 'running', background: [{ type: 'subagent', sessionId: 'child' }] });
    expect(on.saw().filter(([, update]) => update.sessionUpdate === '_async_task_spawned' && update.taskType !== 'turn').map(([session, update]) => [session, update.asyncTaskId])).toEqual([['child', 't']]);
  });

  it('is told of what a close, or an exit of the agent, cuts off', async () => {
    const on = air2();
    on.child({ state: 'running' });
    on.message('m', 'Find it');
    on.child({ state: 'running' }, {}, 'grandchild', 'child');
    on.says('child', 'notice', {});
    on.client.sends({ jsonrpc: '2.0', id: 1, method: 'session/close', params: { sessionId: 's' } });
    on.saw();
    on.agent.answers(1, {});
    expect(on.saw()).toEqual([
      ['s', { sessionUpdate: '_subagent_update', subagentSessionId: 'child', state: 'disconnected' }],
      ['child', { sessionUpdate: '_subagent_update', subagentSessionId: 'grandchild', state: 'disconnected' }],
      { jsonrpc: '2.0', id: 1, result: {} },
    ]);
    on.child({ state: 'running' }, {}, 'late');
    on.message('m', 'x', { recipientSessionId: 'late' });
    on.saw();
    await on.agentExits(1);
    expect(on.saw().map(([, update]) => update.state)).toEqual(['disconnected']);
  });
});

describe('a client that knows no subagents', () => {
  const flat = (): Connected => {
    const on = connected([]);
    on.saw();
    on.child({ state: 'running' }, described);
    on.message('call', 'Find it');
    return on;
  };

  it('sees a tool call that ends as the subagent does, with its answer', () => {
    const on = flat();
    on.says('child', 'agent_message_chunk', { messageId: 'a' });
    on.child({ state: 'idle', stopReason: 'end_turn' });
    on.message('r', 'Found', { senderSessionId: 'child', recipientSessionId: 's' });
    expect(on.saw()).toEqual([
      ['s', {
        sessionUpdate: 'tool_call_update', toolCallId: 'call', name: 'Agent', title: 'Search', kind: 'think', status: 'in_progress',
        rawInput: { description: 'Search', prompt: 'Find it', subagent_type: 'general-purpose' },
        content: [{ type: 'content', content: { type: 'text', text: 'Find it' } }], _meta: { claudeCode: { toolName: 'Agent' } },
      }],
      ['s', { sessionUpdate: 'tool_call_update', toolCallId: 'call', status: 'completed' }],
      ['s', { sessionUpdate: 'tool_call_update', toolCallId: 'call', content: [{ type: 'content', content: { type: 'text', text: 'Found' } }] }],
    ]);
  });

  it('sees what the subagent does inside the session, marked with that call', () => {
    const on = flat();
    on.saw();
    on.says('child', 'terminal_update', { terminalId: 't' });
    on.says('child', 'tool_call_update', { toolCallId: 't', _meta: { claudeCode: { toolName: 'Bash' } } });
    on.agent.sends({ jsonrpc: '2.0', id: 9, method: 'session/request_permission', params: { sessionId: 'child', subject: { type: 'tool_call', toolCall: { toolCallId: 't' } } } });
    expect(on.saw()).toEqual([
      ['s', { sessionUpdate: 'terminal_update', terminalId: 't' }],
      ['s', { sessionUpdate: 'tool_call_update', toolCallId: 't', _meta: { claudeCode: { toolName: 'Bash', parentToolUseId: 'call' } } }],
      { jsonrpc: '2.0', id: 9, method: 'session/request_permission', params: { sessionId: 's', subject: { type: 'tool_call', toolCall: { toolCallId: 't', _meta: { claudeCode: { parentToolUseId: 'call' } } } } } },
    ]);
    on.client.answers(9, { outcome: 'x' });
    expect(on.agent.received()).toEqual([{ jsonrpc: '2.0', id: 9, result: { outcome: 'x' } }]);
  });

  it('sees a detached subagent, and what runs in its background, as tasks of the session', () => {
    const on = flat();
    on.saw();
    on.says('child', 'state_update', { state: 'running', background: [{ type: 'terminal', terminalId: 't' }] });
    on.says('s', 'state_update', { state: 'running', background: [{ type: 'subagent', sessionId: 'child' }] });
    expect(on.saw().filter(([, update]) => update.asyncTaskId !== undefined && update.taskType !== 'turn').map(([session, update]) => [session, update.asyncTaskId, update.taskType, update.toolCallId]))
      .toEqual([['s', 't', 'shell', undefined], ['s', 'child', 'subagent', 'call']]);
  });

  it('tells calls and terminals apart that have one id in two sessions', () => {
    const on = flat();
    on.saw();
    const content = [{ type: 'terminal', terminalId: 't' }];
    on.says('s', 'tool_call_update', { toolCallId: 'c1', content });
    on.says('child', 'tool_call_update', { toolCallId: 'c1', content });
    on.says('child', 'terminal_update', { terminalId: 't' });
    on.agent.sends({ jsonrpc: '2.0', id: 9, method: 'session/request_permission', params: { sessionId: 'child', subject: { type: 'tool_call', toolCall: { toolCallId: 'c1' } } } });
    on.says('s', 'tool_call_update', { toolCallId: 'c1', status: 'completed' });
    expect(on.saw().map((told) => told[1] ?? told.params.subject.toolCall)).toMatchObject([
      { toolCallId: 'c1', content },
      { toolCallId: 'child:c1', content: [{ type: 'terminal', terminalId: 'child:t' }] },
      { terminalId: 'child:t' },
      { toolCallId: 'child:c1' },
      { toolCallId: 'c1', status: 'completed' },
    ]);
  });

  it('sees a subagent of a subagent behind the call of that', () => {
    const on = flat();
    on.saw();
    on.child({ state: 'running' }, {}, 'grandchild', 'child');
    on.says('grandchild', 'tool_call_update', { toolCallId: 'g' });
    expect(on.saw().map(([session, update]) => [session, update.toolCallId, update._meta.claudeCode.parentToolUseId])).toEqual([['s', 'afterturn:grandchild', 'call'], ['s', 'g', 'afterturn:grandchild']]);
  });

  it('sees a call of the agent\'s own only once', () => {
    const on = connected([]);
    on.saw();
    on.says('s', 'tool_call_update', { toolCallId: 'call', status: 'pending' });
    on.child({ state: 'running' }, described);
    on.message('call', 'Find it');
    on.says('child', 'tool_call_update', { toolCallId: 't' });
    on.child({ state: 'idle' });
    expect(on.saw().map(([, update]) => [update.toolCallId, update.status])).toEqual([['call', 'pending'], ['t', undefined]]);
  });

  it.each([['cancelled', 'cancelled'], ['error', 'failed'], ['end_turn', 'completed']])('sees %s as %s', (stopReason, status) => {
    const on = flat();
    on.child({ state: 'idle', stopReason });
    expect(on.saw().at(-1)[1]).toMatchObject({ toolCallId: 'call', status });
  });
});

describe('a client that knows the standard\'s own form', () => {
  it('is told what the agent says', () => {
    const on = connected([], { subagents: {} });
    on.saw();
    on.child({ state: 'running' });
    on.says('child', 'state_update', { state: 'running' });
    expect(on.saw().map(([session, update]) => [session, update.sessionUpdate])).toEqual([['s', 'subagent_update'], ['child', 'state_update']]);
  });
});
