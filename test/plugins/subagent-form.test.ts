/** Subagents in the private extension's v2 form become child sessions. */
import { describe, expect, it } from 'vitest';
import { subagentForm } from '../../plugins/subagent-form.js';
import { wired, type Message, type Wired } from '../pipeline/harness.js';

const air = (...capabilities: readonly string[]): Message => ({ _meta: { jetbrains: { air: { version: 1, capabilities } } } });

function connected(declared: Message = {}, acknowledged: Message = air('asyncTasks', 'nativeSubagentSessions')): Wired & { says(update: Message): Message[] } {
  const on = wired([subagentForm()]);
  on.client.sends({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: declared } });
  on.agent.answers(0, { protocolVersion: 2, info: { name: 'a', version: '1' }, ...acknowledged });
  on.client.received();
  return {
    ...on,
    says(update) {
      on.agent.notifies('session/update', { sessionId: 's', update });
      return on.client.received().map(({ params }) => ({ [params.sessionId]: params.update }));
    },
  };
}

const STARTS = { sessionUpdate: '_subagent_update', subagentSessionId: 'c', name: 'Server', task: 'Start it', capabilities: {} };

describe('a subagent', () => {
  it('that starts is a child session, which runs', () => {
    expect(connected().says(STARTS)).toEqual([
      { s: { sessionUpdate: 'subagent_update', sessionId: 'c', title: 'Server', description: 'Start it', capabilities: {}, state: { state: 'running' } } },
      { c: { sessionUpdate: 'state_update', state: 'running' } },
    ]);
  });

  it('whose prompt is told was sent it by its parent', () => {
    const [, , sent, received] = connected().says({ ...STARTS, prompt: 'Start the server.' });
    expect(sent).toMatchObject({ s: { sessionUpdate: 'session_message', senderSessionId: 's', recipientSessionId: 'c', content: [{ text: 'Start the server.' }] } });
    expect(received).toMatchObject({ c: { sessionUpdate: 'session_message' } });
  });

  it.each([['completed', { stopReason: 'end_turn' }], ['cancelled', { stopReason: 'cancelled' }], ['failed', { stopReason: 'error' }]])('that is %s is idle', (state, end) => {
    const on = connected();
    on.says(STARTS);
    expect(on.says({ sessionUpdate: '_subagent_update', subagentSessionId: 'c', state })).toMatchObject([
      { s: { sessionUpdate: 'subagent_update', sessionId: 'c', state: { state: 'idle', ...end } } }, { c: { sessionUpdate: 'state_update', state: 'idle', ...end } },
    ]);
  });

  it('that has no id is named and passes', () => {
    const on = connected();
    expect(on.says({ sessionUpdate: '_subagent_update', name: 'x' })).toEqual([{ s: { sessionUpdate: '_subagent_update', name: 'x' } }]);
    expect(on.log).toHaveLength(1);
  });
});

it.each([['a client that asked for the form', air('nativeSubagentSessions'), undefined], ['an agent that does not know it', {}, air('asyncTasks')]])('with %s all passes as it came', (_, declared, acknowledged) => {
  expect(connected(declared, acknowledged).says(STARTS)).toEqual([{ s: STARTS }]);
});
