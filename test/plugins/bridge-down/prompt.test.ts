import { describe, expect, test } from 'vitest';
import { chunk, connected, richClient, state } from './connected.js';

const idle = (more: Record<string, unknown> = { stopReason: 'end_turn' }) => state('idle', more);
const answered = (id: unknown, result: unknown) => ({ jsonrpc: '2.0', id, result });
const refused = (id: unknown, error: unknown) => ({ jsonrpc: '2.0', id, error });
const usage = { totalTokens: 3, inputTokens: 2, outputTokens: 1 };

describe('a prompt is answered when its work ends', () => {
  test('not when its message is inserted', () => {
    const on = connected();
    const id = on.runs();
    on.updates(chunk('hi'));
    expect(on.told()).toEqual([chunk('hi')]);
    on.updates(idle());
    expect(on.told()).toEqual([answered(id, { stopReason: 'end_turn' })]);
  });

  test('with the usage in _meta, as the stable schema has none', () => {
    const on = connected();
    const id = on.runs();
    on.updates(idle({ stopReason: 'max_tokens', usage, _meta: { quota: 1 } }));
    expect(on.told()).toEqual([answered(id, { stopReason: 'max_tokens', _meta: { quota: 1, usage } })]);
  });

  test('with the usage at its place, for a client that reads the unstable schema', () => {
    const on = connected(richClient);
    const id = on.runs();
    on.updates(idle({ stopReason: 'refusal', usage }));
    expect(on.told()).toEqual([answered(id, { stopReason: 'refusal', usage })]);
  });

  test('with an error when its work failed', () => {
    const on = connected();
    const id = on.runs();
    on.updates(idle({ stopReason: 'error', error: { code: -32000, message: 'Authentication required', data: { why: 'key' } } }));
    expect(on.told()).toEqual([refused(id, { code: -32000, message: 'Authentication required', data: { why: 'key' } })]);
    const other = on.runs('u2');
    on.updates(idle({ stopReason: 'error' }));
    expect(on.told()).toEqual([refused(other, { code: -32603, message: 'The agent failed' })]);
  });

  test('with end_turn when the reason is one of an extension, whose word stands in _meta', () => {
    const on = connected();
    const id = on.runs();
    on.updates(idle({ stopReason: '_tired' }));
    expect(on.told()).toEqual([answered(id, { stopReason: 'end_turn', _meta: { afterturn: { stopReason: '_tired' } } })]);
  });

  test('also where the state tells no reason', () => {
    const on = connected();
    const id = on.runs();
    on.updates(state('requires_action'), state('running'), idle({}));
    expect(on.told()).toEqual([answered(id, { stopReason: 'end_turn' })]);
  });

  test('a state_update that only repeats what is ends nothing', () => {
    const on = connected();
    const id = on.client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'x' }] });
    const own = on.asked().at(-1)[2];
    on.updates(idle({ background: [] }), { sessionUpdate: 'user_message', messageId: 'u', content: [] });
    on.agent.answers(own, { messageId: 'u' });
    on.updates(idle({ background: [] }));
    expect(on.told()).toEqual([]);
    on.updates(state('running'), idle());
    expect(on.told()).toEqual([answered(id, { stopReason: 'end_turn' })]);
  });

  test('when the answer of the agent comes behind the end of its work', () => {
    const on = connected();
    const id = on.client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'x' }] });
    const own = on.asked().at(-1)[2];
    on.updates({ sessionUpdate: 'user_message', messageId: 'u', content: [] }, state('running'), idle({ stopReason: 'max_turn_requests' }));
    expect(on.told()).toEqual([]);
    on.agent.answers(own, { messageId: 'u' });
    expect(on.told()).toEqual([answered(id, { stopReason: 'max_turn_requests' })]);
  });
});

describe('several prompts', () => {
  test('one that waits is answered by its own work', () => {
    const on = connected();
    const first = on.runs();
    const second = on.client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'and then' }] });
    const own = on.asked().at(-1)[2];
    on.updates(idle());
    expect(on.told()).toEqual([answered(first, { stopReason: 'end_turn' })]);
    on.updates({ sessionUpdate: 'user_message', messageId: 'u2', content: [] });
    on.agent.answers(own, { messageId: 'u2' });
    on.updates(state('running'), chunk('b'), idle({ stopReason: 'refusal' }));
    expect(on.told()).toEqual([chunk('b'), answered(second, { stopReason: 'refusal' })]);
  });

  test('one that is folded into running work ends with it', () => {
    const on = connected();
    const first = on.runs();
    const second = on.client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'also' }] });
    const own = on.asked().at(-1)[2];
    on.updates({ sessionUpdate: 'user_message', messageId: 'u2', content: [] });
    on.agent.answers(own, { messageId: 'u2' });
    on.updates(idle());
    expect(on.told()).toEqual([answered(first, { stopReason: 'end_turn' }), answered(second, { stopReason: 'end_turn' })]);
  });

  test('the turns of the agent belong to none', () => {
    const on = connected();
    on.updates(state('running'), chunk('by myself'), idle());
    expect(on.told()).toEqual([chunk('by myself')]);
    const id = on.runs();
    on.updates(idle());
    expect(on.told()).toEqual([answered(id, { stopReason: 'end_turn' })]);
  });
});

describe('cancelling', () => {
  test('session/cancel goes on, and the prompt ends cancelled', () => {
    const on = connected();
    const id = on.runs();
    on.client.notifies('session/cancel', { sessionId: 's' });
    expect(on.asked()).toEqual([['session/cancel', { sessionId: 's' }]]);
    on.updates(idle({ stopReason: 'cancelled' }));
    expect(on.told()).toEqual([answered(id, { stopReason: 'cancelled' })]);
  });

  test('whatever the agent says of an end that a session/cancel fell in', () => {
    const on = connected();
    const id = on.runs();
    on.client.notifies('session/cancel', { sessionId: 's' });
    on.updates(idle({ stopReason: 'error', error: { code: -32603, message: 'aborted' } }));
    expect(on.told()).toEqual([answered(id, { stopReason: 'cancelled' })]);
    const next = on.runs('u2');
    on.updates(idle());
    expect(on.told()).toEqual([answered(next, { stopReason: 'end_turn' })]);
  });

  test('a prompt that was cancelled before it was taken in is cancelled', () => {
    const on = connected();
    on.runs();
    const second = on.client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'x' }] });
    const own = on.asked().at(-1)[2];
    on.client.notifies('session/cancel', { sessionId: 's' });
    on.agent.refuses(own, { code: -32800, message: 'Request cancelled' });
    expect(on.told()).toEqual([answered(second, { stopReason: 'cancelled' })]);
  });

  test('one that is taken back by its id is refused, as the client asked', () => {
    const on = connected();
    const id = on.client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'x' }] });
    const own = on.asked().at(-1)[2];
    on.client.notifies('$/cancel_request', { requestId: id });
    expect(on.asked()).toEqual([['$/cancel_request', { requestId: own }]]);
    on.agent.refuses(own, { code: -32800, message: 'Request cancelled' });
    expect(on.told()).toEqual([refused(id, { code: -32800, message: 'Request cancelled' })]);
  });

  test('one that is work by then is cancelled as work', () => {
    const on = connected();
    const id = on.runs();
    on.client.notifies('$/cancel_request', { requestId: id });
    expect(on.asked()).toEqual([['session/cancel', { sessionId: 's' }]]);
    on.updates(idle({ stopReason: 'cancelled' }));
    expect(on.told()).toEqual([answered(id, { stopReason: 'cancelled' })]);
  });

  test('other requests are taken back under the id that the agent knows', () => {
    const on = connected();
    const id = on.client.requests('session/list', {});
    const own = on.asked()[0][2];
    on.client.notifies('$/cancel_request', { requestId: id });
    expect(on.asked()).toEqual([['$/cancel_request', { requestId: own }]]);
  });
});

describe('one answer each', () => {
  test('an error of the agent before it is taken in', () => {
    const on = connected();
    const id = on.client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'x' }] });
    on.agent.refuses(on.asked().at(-1)[2], { code: -32602, message: 'no' });
    on.updates(idle());
    expect(on.told()).toEqual([refused(id, { code: -32602, message: 'no' })]);
  });

  test('the session is closed', () => {
    const on = connected();
    const id = on.runs();
    const closing = on.client.requests('session/close', { sessionId: 's' });
    on.agent.answers(on.asked().at(-1)[2], {});
    on.updates(idle());
    expect(on.told()).toEqual([answered(id, { stopReason: 'cancelled' }), answered(closing, {})]);
  });

  test('the agent exits', async () => {
    const on = connected();
    const id = on.runs();
    await on.agentExits(1);
    expect(on.told()).toEqual([refused(id, { code: -32603, message: 'The agent exited before the prompt ended' })]);
  });

  test('the agent exits before the prompt is taken in', async () => {
    const on = connected();
    const id = on.client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'x' }] });
    on.asked();
    await on.agentExits(1);
    expect(on.told()).toHaveLength(1);
    expect(id).toBe(3);
  });
});
