/** What comes with the extension and was not asked for by the client never reaches it. */
import { describe, expect, it } from 'vitest';
import { connected, isUntouched, NEW, type Options } from './asking.js';
import type { Message } from '../pipeline/harness.js';

describe('the extension, declared in the name of a v1 client,', () => {
  const air = { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } };
  const answer = { _meta: air, agentCapabilities: { sessionCapabilities: { list: {}, subagents: {} } } };
  const asyncTasks = (more: Options = {}) => connected({ source: 'async-tasks', answer, ...more });

  const update = (members: Message): Message => ({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: members } });

  it('is kept from the client: its updates, marks and answers', () => {
    const on = asyncTasks();
    on.client.sends(NEW);
    on.agent.sends('{"jsonrpc":"2.0","id":1.0,"result":{"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A","_meta":{"jetbrains":{"air":{}}}}]}}}');
    expect(on.client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: { sessionId: 's', modes: { currentModeId: 'a', availableModes: [{ id: 'a', name: 'A' }] } } }]);
    on.agent.sends(
      update({ sessionUpdate: 'async_task_spawned', asyncTaskId: 'b' }),
      update({ sessionUpdate: 'async_task_progress', asyncTaskId: 'b' }),
      update({ sessionUpdate: 'async_task_state_update', asyncTaskId: 'b', state: 'completed' }),
      update({ sessionUpdate: 'async_task_of_another_day' }),
      update({ sessionUpdate: 'session_info_update', _meta: { promptSuggestions: {} } }),
      update({ sessionUpdate: 'session_info_update', title: 'T', _meta: { promptSuggestions: {} } }),
      update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'T', _meta: { claudeCode: { toolName: 'Bash' }, jetbrains: { air: {} } } }),
      update({ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'a', description: 'A', _meta: { jetbrains: {} } }] }),
      { jsonrpc: '2.0', id: 9, method: 'session/request_permission', params: { sessionId: 's', toolCall: { toolCallId: 't' }, options: [], _meta: { jetbrains: { air: {} } } } },
    );
    expect(on.client.received().map(({ params }) => params.update ?? params)).toEqual([
      { sessionUpdate: 'session_info_update', title: 'T' },
      { sessionUpdate: 'tool_call', toolCallId: 't', title: 'T', _meta: { claudeCode: { toolName: 'Bash' } } },
      { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'a', description: 'A' }] },
      { sessionId: 's', toolCall: { toolCallId: 't' }, options: [] },
    ]);
  });

  it('lets everything else pass byte for byte, also what tools were given and answered', () => {
    const on = asyncTasks();
    const lines = [
      '{"jsonrpc":"2.0", "method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"},"n":1.0}}}',
      '{"jsonrpc":"2.0", "method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","rawInput":{"_meta":{"jetbrains":1}}}}}',
      '{"jsonrpc":"2.0", "method":"_other/thing","params":{"text":"\\"jetbrains\\""}}',
    ];
    on.agent.sends(...lines);
    expect(on.client.receivedLines()).toEqual(lines);
  });

  it('is hidden but for another part that the client declared itself', () => {
    const declared = { _meta: { jetbrains: { air: { version: 1, capabilities: ['sessionFailure'] } } } };
    const on = asyncTasks({ clientCapabilities: declared });
    expect(JSON.parse(on.toAgent).params.clientCapabilities._meta.jetbrains.air.capabilities).toEqual(['sessionFailure', 'asyncTasks']);
    expect(JSON.parse(on.toClient).result._meta).toEqual(air);
    on.agent.sends(update({ sessionUpdate: 'async_task_spawned', asyncTaskId: 'b' }), update({ sessionUpdate: 'session_info_update', _meta: { jetbrains: { failure: 1 } } }));
    expect(on.client.received()).toEqual([update({ sessionUpdate: 'session_info_update', _meta: { jetbrains: { failure: 1 } } })]);
  });

  it('is not looked for when the agent does not know it', () => isUntouched(connected({ source: 'async-tasks' })));
});
