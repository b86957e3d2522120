import { childOfRun } from '../../../src/protocol/signals/subagents.js';
import { describe, expect, test } from 'vitest';
import {
  endingOfOutcome, launchedInBackground, launchesSubagent, launchOfUpdate, readChildNews, readSubagentTask, sessionMessages,
} from '../../../src/protocol/bridge/subagents.js';

const rules = { full: false };
const read = (update: Record<string, unknown> & { sessionUpdate: string }) => {
  const faults: string[] = [];
  return { news: readChildNews(update, rules, faults), faults };
};
const spawned = (members: object) => read({ sessionUpdate: 'subagent_spawned', subagentSessionId: 'c', ...members });
const state = (word: unknown) => read({ sessionUpdate: 'subagent_state_update', subagentSessionId: 'c', state: word });
const association = (members: object) => read({ sessionUpdate: 'subagent_update', sessionId: 'c', ...members });

describe('a run of the extension', () => {
  test('is a child that works, with its name and its prompt', () => {
    expect(spawned({ name: 'Search', task: 'find it', prompt: 'find it', capabilities: {} })).toEqual({
      news: { session: 'c', fields: { title: 'Search', capabilities: {} }, prompt: 'find it', state: { state: 'running' } }, faults: [],
    });
  });

  test('a task that is not the prompt describes the child', () => {
    expect(spawned({ name: 'Server', task: 'Delegated task for Server' }).news?.fields).toEqual({ title: 'Server', description: 'Delegated task for Server' });
  });

  test('every further run is one of the same child', () => {
    expect(read({ sessionUpdate: 'subagent_spawned', subagentSessionId: 'c:generation:2', name: 'Search' }).news?.session).toBe('c');
    expect(read({ sessionUpdate: 'subagent_state_update', subagentSessionId: 'c:generation:1760000000000', state: 'completed' }).news?.session).toBe('c');
    expect(childOfRun('c:generation:x')).toBe('c:generation:x');
  });

  test.each([
    ['completed', { stopReason: 'end_turn' }],
    ['failed', { stopReason: 'error', error: { code: -32603, message: 'The subagent failed' } }],
    ['cancelled', { stopReason: 'cancelled' }],
    ['disconnected', { stopReason: 'cancelled', meta: { afterturn: { reason: 'the agent lost sight of the subagent' } } }],
  ])('that is %s', (word, ending) => expect(state(word).news).toEqual({ session: 'c', fields: {}, prompt: undefined, state: { state: 'idle', ending } }));

  test.each([['exploded', 'another word'], [3, 'number']])('state %s is malformed', (word, got) =>
    expect(state(word)).toEqual({ news: undefined, faults: [`state: expected completed, failed, cancelled, disconnected, running, got ${got}`] }));

  test('that can be cancelled says so with a flag', () => {
    expect(spawned({ name: 'Search', capabilities: { cancel: true } })).toMatchObject({ news: { fields: { capabilities: { cancel: {} } } }, faults: [] });
    expect(spawned({ name: 'Search', capabilities: { cancel: false } })).toMatchObject({ news: { fields: { capabilities: {} } }, faults: [] });
  });
  test('that has no id is malformed', () => expect(spawned({ subagentSessionId: '' })).toEqual({ news: undefined, faults: ['subagentSessionId: expected a non-empty string, got string'] }));
});

describe('an association', () => {
  test('is patched: members that are there, and those that `null` clears', () => {
    expect(association({ title: 'T', description: null, capabilities: { cancel: {} }, cwd: '/w', additionalDirectories: ['/x'] }).news).toEqual({
      session: 'c', fields: { title: 'T', capabilities: { cancel: {} }, cwd: '/w', description: null }, prompt: undefined, state: undefined,
    });
    expect(association({ capabilities: null }).news?.fields).toEqual({ capabilities: null });
  });

  test.each([
    [{ state: 'running' }, { state: 'running' }],
    [{ state: 'requires_action' }, { state: 'running' }],
    [{ state: 'unknown' }, { state: 'unknown' }],
    [{ state: 'idle', stopReason: 'end_turn' }, { state: 'idle', ending: { stopReason: 'end_turn' } }],
    [{ state: 'idle', stopReason: 'error', error: { code: 1, message: 'm' } }, { state: 'idle', ending: { stopReason: 'error', error: { code: 1, message: 'm' } } }],
    [{ state: 'idle' }, { state: 'idle', ending: { stopReason: 'cancelled', meta: { afterturn: { reason: 'the agent did not tell how the subagent ended' } } } }],
  ])('with the state %j', (given, told) => expect(association({ state: given }).news?.state).toEqual(told));

  test('with a state that nobody knows tells none', () => {
    expect(association({ state: { state: 'dancing' } })).toMatchObject({ news: { state: undefined }, faults: ['state.state: expected running, requires_action, idle, unknown, got another word'] });
  });
});

describe('a flattened subagent', () => {
  const answer = (toolResponse: unknown) => launchedInBackground({ _meta: { claudeCode: { toolResponse } } });

  test('is known by the call that launched it', () => {
    expect(launchOfUpdate({ _meta: { claudeCode: { parentToolUseId: 'T' } } })).toBe('T');
    expect(launchOfUpdate({ _meta: {} })).toBeUndefined();
    expect([launchesSubagent('Agent'), launchesSubagent('Task'), launchesSubagent('Bash')]).toEqual([true, true, false]);
  });

  test('goes on in the background only where the structured answer says so', () => {
    expect(answer({ status: 'async_launched', agentId: 'a' })).toEqual({ agent: 'a' });
    expect(answer({ status: 'async_launched' })).toEqual({ agent: undefined });
    expect(answer({ status: 'completed', agentId: 'a' })).toBeUndefined();
    expect(answer('async_launched')).toBeUndefined();
  });
});

test('what the raw feed tells of a subagent that starts', () => {
  const started = (members: object) => readSubagentTask({ message: { type: 'system', subtype: 'task_started', task_id: 'a', task_type: 'local_agent', tool_use_id: 'T', subagent_type: 'general-purpose', ...members } });
  expect(started({})).toEqual({ task: 'a', launch: 'T', role: 'general-purpose' });
  expect(started({ task_type: 'local_bash' })).toBeUndefined();
  expect(started({ subtype: 'task_progress' })).toBeUndefined();
});

test.each([['completed', 'end_turn'], ['failed', 'error'], ['stopped', 'cancelled'], ['unknown', 'cancelled']] as const)('work that %s ends with %s', (outcome, stopReason) =>
  expect(endingOfOutcome(outcome).stopReason).toBe(stopReason));

test('a message between sessions has a view in each, which name one another', () => {
  const [outgoing, incoming] = sessionMessages({ id: 'm', from: 's', to: 'c', text: 'go' });
  const message = { sessionUpdate: 'session_message', messageId: 'm', senderSessionId: 's', recipientSessionId: 'c', content: [{ type: 'text', text: 'go' }] };
  expect([outgoing, incoming]).toEqual([{ session: 's', update: { ...message, recipientMessageId: 'm' } }, { session: 'c', update: { ...message, senderMessageId: 'm' } }]);
});
