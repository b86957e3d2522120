/** Whose a call is, and when it is settled: turns of ACP v1 and v2, grace, second lives, late words. */
import { describe, expect, test } from 'vitest';
import { CANCELLED, ENDED, FAILED, talk } from './conversation.js';

const V1 = { version: 1, agent: 'gemini-cli' } as const;
const V2 = { version: 2, agent: 'gemini-cli' } as const;

describe.each([V1, V2])('on ACP v$version', (options) => {
  const v1 = options.version === 1;

  test.each(['pending', 'in_progress', ...(v1 ? [] : ['paused'])])('%s is settled when the grace period after its turn is over, not before', (status) => {
    const { prompts, call, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    call('c', status);
    clock.advance(60_000);
    turnEnds(prompt);
    clock.advance(1999);
    expect(settles()).toEqual([]);
    clock.advance(1);
    expect(settles()).toEqual([['c', v1 ? 'completed' : 'cancelled', ENDED]]);
    clock.advance(60_000);
    expect(settles()).toEqual([]);
  });

  test('a status that nobody knows is left alone', () => {
    const { prompts, call, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    call('c', '_waiting');
    turnEnds(prompt);
    clock.advance(9000);
    expect(settles()).toEqual([]);
  });

  test('a call that ends in its turn, or in the grace period, is not settled', () => {
    const { prompts, call, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    call('c', 'in_progress');
    call('d', 'in_progress');
    call('c', 'failed');
    turnEnds(prompt);
    clock.advance(1500);
    call('d', 'completed');
    clock.advance(9000);
    expect(settles()).toEqual([]);
  });

  test('a word about a call is a sign of life: the grace period starts again', () => {
    const { prompts, call, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    call('c', 'in_progress');
    call('d', 'in_progress');
    turnEnds(prompt);
    clock.advance(1500);
    call('c', 'in_progress');
    clock.advance(500);
    expect(settles().map(([id]) => id)).toEqual(['d']);
    clock.advance(1500);
    expect(settles().map(([id]) => id)).toEqual(['c']);
  });

  test("the agent's own final status that comes later passes and wins", () => {
    const { client, prompts, call, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    call('c', 'in_progress');
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles()).toHaveLength(1);
    call('c', 'failed', { title: 'late' });
    expect(client.received()).toMatchObject([{ params: { update: { toolCallId: 'c', status: 'failed', title: 'late' } } }]);
    clock.advance(9000);
    expect(client.received()).toEqual([]);
  });

  test('a settle that another plugin adds to ours goes no further', () => {
    const { client, prompts, call, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    call('c', 'in_progress');
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles()).toHaveLength(1);
    call('c', 'failed', { _meta: { afterturn: { reason: 'the agent exited' } } });
    expect(client.received()).toEqual([]);
    call('d', 'failed', { _meta: { afterturn: { reason: 'the agent exited' } } });
    expect(client.received()).toHaveLength(1);
  });

  test('a word about a settled call without a status changes nothing', () => {
    const { prompts, call, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    call('c', 'in_progress');
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles()).toHaveLength(1);
    call('c', undefined, { title: 'x' });
    clock.advance(9000);
    expect(settles()).toEqual([]);
  });

  test('a re-used id is a new life, of the prompt that is open then', () => {
    const { prompts, says, call, turnEnds, clock, settles } = talk(options);
    const announce = v1 ? { sessionUpdate: 'tool_call', title: 'x' } : { sessionUpdate: 'tool_call_update', status: 'pending' };
    const first = prompts();
    says({ ...announce, toolCallId: 'finished' });
    says({ ...announce, toolCallId: 'stale' });
    call('finished', 'completed');
    turnEnds(first);
    clock.advance(2000);
    expect(settles().map(([id]) => id)).toEqual(['stale']);
    const second = prompts();
    says({ ...announce, toolCallId: 'finished' });
    says({ ...announce, toolCallId: 'stale' });
    clock.advance(9000);
    expect(settles()).toEqual([]);
    turnEnds(second);
    clock.advance(2000);
    expect(settles().map(([id]) => id)).toEqual(['finished', 'stale']);
  });

  test('a call that goes on after it was settled, while no prompt is open, is at work: its id is not settled again', () => {
    const { prompts, call, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    call('c', 'in_progress');
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles()).toHaveLength(1);
    call('c', 'in_progress');
    clock.advance(9000);
    expect(settles()).toEqual([]);
  });

  test('a call that is first seen while no prompt is open belongs to none, also when a prompt ends later', () => {
    const { prompts, call, turnEnds, clock, settles } = talk(options);
    turnEnds(prompts());
    call('own', 'in_progress');
    clock.advance(9000);
    turnEnds(prompts());
    clock.advance(9000);
    expect(settles()).toEqual([]);
  });

  test('keys are session and id', () => {
    const { prompts, call, turnEnds, clock, settles } = talk(options);
    const a = prompts('a');
    const b = prompts('b');
    call('c', 'in_progress', {}, 'a');
    call('c', 'in_progress', {}, 'b');
    turnEnds(a, 'end_turn', 'a');
    clock.advance(9000);
    expect(settles('a')).toHaveLength(1);
    expect(settles('b')).toEqual([]);
    call('c', 'completed', {}, 'b');
    turnEnds(b, 'end_turn', 'b');
    clock.advance(9000);
    expect(settles('b')).toEqual([]);
  });
});

describe('turns of ACP v1', () => {
  test.each([
    ['end_turn', 'completed', ENDED], ['max_tokens', 'completed', ENDED], ['refusal', 'completed', ENDED], ['cancelled', 'failed', CANCELLED],
  ])('stop reason %s: %s', (stopReason, status, reason) => {
    const { prompts, call, turnEnds, clock, settles } = talk(V1);
    const prompt = prompts();
    call('c', 'in_progress');
    turnEnds(prompt, stopReason);
    clock.advance(2000);
    expect(settles()).toEqual([['c', status, reason]]);
  });

  test('an error ends a turn', () => {
    const { agent, prompts, call, clock, settles } = talk(V1);
    const prompt = prompts();
    call('c', 'in_progress');
    agent.refuses(prompt, { code: 500, message: 'terminated' });
    clock.advance(2000);
    expect(settles()).toEqual([['c', 'failed', FAILED]]);
  });

  test('a turn that was cancelled may end as if it was not', () => {
    const { client, prompts, call, turnEnds, clock, settles } = talk(V1);
    const prompt = prompts();
    call('c', 'in_progress');
    client.notifies('session/cancel', { sessionId: 's' });
    turnEnds(prompt, 'end_turn');
    clock.advance(2000);
    expect(settles()).toEqual([['c', 'failed', CANCELLED]]);
  });

  test('a second prompt that ends first leaves the calls of the first alone', () => {
    const { prompts, call, turnEnds, clock, settles } = talk(V1);
    const first = prompts();
    call('c', 'in_progress');
    const second = prompts();
    turnEnds(second);
    clock.advance(9000);
    expect(settles()).toEqual([]);
    turnEnds(first, 'cancelled');
    clock.advance(2000);
    expect(settles()).toEqual([['c', 'failed', CANCELLED]]);
  });

  test('a call of the second prompt outlives the end of the first', () => {
    const { prompts, call, turnEnds, clock, settles } = talk(V1);
    const first = prompts();
    const second = prompts();
    call('c', 'in_progress');
    turnEnds(first, 'cancelled');
    clock.advance(9000);
    expect(settles()).toEqual([]);
    call('c', 'completed');
    turnEnds(second);
    clock.advance(9000);
    expect(settles()).toEqual([]);
  });

  test('a call of the second prompt ends with it where the first is never answered', () => {
    const { prompts, call, turnEnds, clock, settles } = talk(V1);
    prompts();
    const second = prompts();
    call('c', 'pending');
    turnEnds(second);
    clock.advance(2000);
    expect(settles()).toEqual([['c', 'completed', ENDED]]);
  });

  test('an agent that queues prompts may work for any of them: the call waits for all', () => {
    const { prompts, call, turnEnds, clock, settles } = talk({ mode: 'always', agentCapabilities: { _meta: { claudeCode: { promptQueueing: true } } } });
    const running = prompts();
    const queued = prompts();
    call('c', 'in_progress');
    turnEnds(queued, 'cancelled');
    clock.advance(9000);
    expect(settles()).toEqual([]);
    turnEnds(running);
    clock.advance(2000);
    expect(settles()).toEqual([['c', 'failed', CANCELLED]]);
  });

  test('two open prompts with one id are answered in order', () => {
    const { client, agent, call, clock, settles } = talk(V1);
    const prompt = { jsonrpc: '2.0', id: 'same', method: 'session/prompt', params: { sessionId: 's', prompt: [] } };
    client.sends(prompt);
    call('first', 'in_progress');
    client.sends(prompt);
    call('second', 'in_progress');
    agent.answers('same', { stopReason: 'end_turn' });
    clock.advance(9000);
    expect(settles().map(([id]) => id)).toEqual(['first']);
  });

  test('an update without a status that is the first about its id starts nothing', () => {
    const { prompts, call, turnEnds, clock, settles } = talk(V1);
    const prompt = prompts();
    call('c', undefined, { title: 'x' });
    turnEnds(prompt);
    clock.advance(9000);
    expect(settles()).toEqual([]);
  });
});

describe('turns of ACP v2', () => {
  test('a prompt that was not taken up owns nothing, and its error ends nothing', () => {
    const { client, agent, prompts, call, turnEnds, clock, settles } = talk(V2);
    const running = prompts();
    client.sends({ jsonrpc: '2.0', id: 1, method: 'session/prompt', params: { sessionId: 's', prompt: [] } });
    call('c', 'in_progress');
    agent.refuses(1, { code: -32800, message: 'Request cancelled' });
    clock.advance(9000);
    expect(settles()).toEqual([]);
    turnEnds(running);
    clock.advance(2000);
    expect(settles()).toEqual([['c', 'cancelled', ENDED]]);
  });

  test('only the step from work to idle ends turns, a repeated snapshot does not', () => {
    const { client, agent, call, state, clock, settles } = talk(V2);
    client.sends({ jsonrpc: '2.0', id: 1, method: 'session/prompt', params: { sessionId: 's', prompt: [] } });
    agent.answers(1, { messageId: 'm' });
    state('idle', { stopReason: 'end_turn' });
    state('running');
    call('c', 'in_progress');
    state('requires_action');
    clock.advance(9000);
    state('running');
    expect(settles()).toEqual([]);
    state('idle', { stopReason: 'cancelled' });
    state('idle', { stopReason: 'end_turn' });
    clock.advance(2000);
    expect(settles()).toEqual([['c', 'cancelled', CANCELLED]]);
  });

  test('a first update without a status is a call that has not started, `null` sets back to that', () => {
    const { prompts, call, turnEnds, clock, settles } = talk(V2);
    const prompt = prompts();
    call('c', undefined, { title: 'x' });
    call('d', '_odd');
    call('d', undefined, { status: null });
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles().map(([id]) => id)).toEqual(['c', 'd']);
  });

  test('the cancel capability of a settled call is taken back', () => {
    const { client, prompts, call, turnEnds, clock } = talk(V2);
    const prompt = prompts();
    call('c', 'in_progress', { capabilities: { cancel: {} } });
    turnEnds(prompt);
    client.received();
    clock.advance(2000);
    expect(client.received()).toEqual([{
      jsonrpc: '2.0', method: 'session/update',
      params: { sessionId: 's', update: { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'cancelled', capabilities: null, _meta: { afterturn: { settled: true, reason: ENDED } } } },
    }]);
  });
});
