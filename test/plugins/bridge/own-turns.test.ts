import { describe, expect, test } from 'vitest';
import { SILENCE_MS } from '../../../src/state/turns-unmarked.js';
import { chunk, connected, fullAgent, initialized, state, type Connected } from './connected.js';

/** An agent that tells its own turns by nothing but what it says. */
const plain = { ...fullAgent, agentInfo: { name: 'some-agent', version: '1' } };
const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
const call = (status: string, more: object = {}) => ({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status, ...more });
const begin = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'ls', kind: 'execute', status: 'pending' };
const asks = (wires: Connected, toolCallId = 'c'): void => wires.agent.sends({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params: { sessionId: 's', toolCall: { toolCallId, title: 'ls' }, options } });

describe('content while no prompt runs', () => {
  test('is a turn, until nothing shows any more', () => {
    const wires = connected(plain);
    wires.updates(chunk('a', 'm'), chunk('b', 'm'));
    expect(wires.told()).toEqual([state('running'), chunk('a', 'm'), chunk('b', 'm')]);
    wires.clock.advance(SILENCE_MS);
    expect(wires.told()).toEqual([state('idle', { stopReason: 'end_turn' })]);
  });

  test('goes on while a call is open', () => {
    const wires = connected(plain);
    wires.updates(begin, call('in_progress'));
    wires.clock.advance(600_000);
    expect(wires.told().filter(({ sessionUpdate }) => sessionUpdate === 'state_update')).toEqual([state('running')]);
    wires.updates(call('completed'));
    wires.clock.advance(SILENCE_MS);
    expect(wires.told()).toEqual([call('completed'), state('idle', { stopReason: 'end_turn' })]);
  });

  test('begins with the update of a call that was never announced, not with the end of one', () => {
    const wires = connected(plain);
    wires.updates(call('failed'));
    expect(wires.told()).toEqual([call('failed')]);
    wires.updates({ ...call('in_progress'), toolCallId: 'd' });
    expect(wires.told()[0]).toEqual(state('running'));
  });

  test('that asks waits for the user, and a while for what follows', () => {
    const wires = connected(plain);
    asks(wires);
    const told = wires.told();
    expect(told.slice(0, 3)).toMatchObject([state('running'), { toolCallId: 'c' }, state('requires_action')]);
    wires.clock.advance(600_000);
    wires.client.answers((told.at(-1) as { id: string }).id, { outcome: { outcome: 'selected', optionId: 'yes' } });
    wires.clock.advance(SILENCE_MS);
    expect(wires.told()).toEqual([state('running'), state('idle', { stopReason: 'end_turn' })]);
  });

  test('a question about a call that never comes does not hold it', () => {
    const wires = connected(plain);
    wires.updates(chunk('a', 'm'));
    asks(wires, 'per_1');
    wires.client.answers((wires.told().at(-1) as { id: string }).id, { outcome: { outcome: 'selected', optionId: 'yes' } });
    wires.clock.advance(SILENCE_MS);
    expect(wires.told()).toEqual([state('running'), state('idle', { stopReason: 'end_turn' })]);
  });

  test('is cancelled by session/cancel: what fails then was cancelled', () => {
    const wires = connected(plain);
    wires.updates(begin);
    wires.client.notifies('session/cancel', { sessionId: 's' });
    wires.updates(call('failed'));
    wires.clock.advance(SILENCE_MS);
    expect(wires.told().slice(-2)).toEqual([call('cancelled'), state('idle', { stopReason: 'cancelled' })]);
  });

  test('is taken over by a prompt, which is answered in time', () => {
    const wires = connected(plain);
    wires.updates(begin);
    wires.told();
    const own = wires.prompts();
    wires.clock.advance(250);
    expect(wires.told()).toMatchObject([{ sessionUpdate: 'user_message' }, { result: { messageId: expect.any(String) as string } }]);
    wires.updates(call('completed'), chunk('both', 'n'));
    wires.agent.answers(own as string, { stopReason: 'end_turn' });
    expect(wires.told()).toEqual([call('completed'), chunk('both', 'n'), state('idle', { stopReason: 'end_turn' })]);
  });

  test('ends with the session', () => {
    const wires = connected(plain);
    wires.updates(begin);
    wires.client.requests('session/close', { sessionId: 's' });
    wires.agent.answers(wires.asked()[0][2], {});
    expect(wires.told().slice(-2)).toMatchObject([state('idle', { stopReason: 'cancelled' }), { result: {} }]);
    wires.clock.advance(600_000);
    expect(wires.told()).toEqual([]);
  });
});

describe('content that is no turn', () => {
  test('comes before the session is set up: the history of a fork', () => {
    const wires = initialized(plain);
    wires.client.requests('session/fork', { sessionId: 'first', cwd: '/project' });
    wires.updates(begin, call('completed'), chunk('old', 'm'));
    wires.agent.answers(wires.asked()[0][2], { sessionId: 's' });
    expect(wires.told().map(({ sessionUpdate, result }) => (sessionUpdate ?? result) as unknown)).toEqual(['tool_call_update', 'tool_call_update', 'agent_message_chunk', { sessionId: 's' }]);
    wires.updates(chunk('new', 'n'));
    expect(wires.told()).toEqual([state('running'), chunk('new', 'n')]);
  });

  test.each(['codex-acp', 'gemini-cli'])('%s starts none of its own', (name) => {
    const wires = connected({ ...fullAgent, agentInfo: { name, version: '1' } });
    wires.updates(chunk('[MODE_UPDATE] plan', 'm'));
    asks(wires);
    expect(wires.told()).toMatchObject([chunk('[MODE_UPDATE] plan', 'm'), { sessionUpdate: 'tool_call_update' }, { method: 'session/request_permission' }]);
  });
});
