/** An agent of v2 with the extension that asks without saying that it waits. */
import { describe, expect, test } from 'vitest';
import { Questions } from '../../../plugins/background/questions.js';
import { connected, SESSION, type Connected } from './connected.js';

const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
const asks = (on: Connected, id: number, toolCallId = 'x'): void =>
  on.agent.sends({ jsonrpc: '2.0', id, method: 'session/request_permission', params: { sessionId: SESSION, title: 'Run?', subject: { type: 'tool_call', toolCall: { toolCallId } }, options } });
const answers = (on: Connected, id: number): void => on.client.sends({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId: 'y' } } });
const running = (): Connected => {
  const on = connected();
  on.says('state_update', { state: 'running' });
  on.client.received();
  return on;
};
const state = (word: string): object => ({ sessionUpdate: 'state_update', state: word, background: [] });
const got = (on: Connected): unknown[] => on.client.received().map(({ method, params }) => (method === 'session/update' ? params.update : method));

describe('a request of foreground work', () => {
  test('is told after the state that it puts the session into, which ends with its answer', () => {
    const on = running();
    asks(on, 1);
    expect(got(on)).toEqual([state('requires_action'), 'session/request_permission']);
    answers(on, 1);
    expect(got(on)).toEqual([state('running')]);
  });

  test('of several the last to be answered counts', () => {
    const on = running();
    asks(on, 1);
    asks(on, 2);
    got(on);
    answers(on, 2);
    expect(got(on)).toEqual([]);
    answers(on, 1);
    expect(got(on)).toEqual([state('running')]);
  });

  test('that is taken back is over as well, and its late answer says nothing', () => {
    const on = running();
    asks(on, 1);
    got(on);
    on.agent.notifies('$/cancel_request', { requestId: 1 });
    expect(got(on)).toContainEqual(state('running'));
    answers(on, 1);
    expect(got(on)).toEqual([]);
  });

  test('leaves the states to an agent that tells them', () => {
    const on = running();
    on.says('state_update', { state: 'requires_action' });
    asks(on, 1);
    expect(got(on)).toEqual([state('requires_action'), 'session/request_permission']);
    answers(on, 1);
    expect(got(on)).toEqual([]);
    on.says('state_update', { state: 'idle', stopReason: 'cancelled' });
    expect(got(on)).toEqual([{ ...state('idle'), stopReason: 'cancelled' }]);
  });
});

test('a request about listed work, and one while nothing runs, change no state', () => {
  const on = connected();
  on.runsWorkflow();
  asks(on, 1, 'w1');
  asks(on, 2);
  expect(got(on)).toEqual(['session/request_permission', 'session/request_permission']);
});

test('what is open is bounded', () => {
  const questions = new Questions();
  for (let id = 0; id < 2000; id++) questions.asked(id, `${id}`);
  expect(questions.over(0)).toBeUndefined();
  expect(questions.over(1999)).toBe('1999');
});
