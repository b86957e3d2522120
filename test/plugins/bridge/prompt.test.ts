import { describe, expect, test } from 'vitest';
import { chunk, connected, state } from './connected.js';

const result = { stopReason: 'end_turn', usage: { totalTokens: 3, inputTokens: 1, outputTokens: 2 }, _meta: { quota: 1 } };
const idle = state('idle', { stopReason: 'end_turn', usage: result.usage, _meta: { quota: 1 } });
const userMessage = (messageId: string, text = 'do it') => ({ sessionUpdate: 'user_message', messageId, content: [{ type: 'text', text }] });
const anId = expect.any(String) as string;

describe('a prompt', () => {
  test("is answered with its message at the agent's first word, and ends with a state", () => {
    const wires = connected();
    const id = wires.client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'do it' }] });
    const [[method, params, own]] = wires.asked() as [[string, unknown, string]];
    expect([method, params]).toEqual(['session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'do it' }] }]);
    expect(own).not.toBe(id);
    wires.updates({ sessionUpdate: 'usage_update', used: 1, size: 2 });
    expect(wires.told()).toEqual([{ sessionUpdate: 'usage_update', used: 1, size: 2 }]);
    wires.updates(chunk('hi', 'm'));
    const [user, response, running, word] = wires.told();
    expect(user).toEqual(userMessage(user.messageId as string));
    expect(response).toEqual({ jsonrpc: '2.0', id, result: { messageId: user.messageId as string } });
    expect([running, word]).toEqual([state('running'), chunk('hi', 'm')]);
    wires.agent.answers(own, result);
    expect(wires.told()).toEqual([idle]);
  });

  test('without a word it is taken in after a quarter of a second', () => {
    const wires = connected();
    wires.prompts();
    wires.clock.advance(249);
    expect(wires.told()).toEqual([]);
    wires.clock.advance(1);
    expect(wires.told()).toMatchObject([{ sessionUpdate: 'user_message' }, { result: { messageId: anId } }, state('running')]);
  });

  test('that fails before it was taken in is answered with the error', () => {
    const wires = connected();
    const own = wires.prompts();
    wires.agent.refuses(own as string, { code: -32000, message: 'Authentication required' });
    expect(wires.told()).toMatchObject([{ error: { code: -32000, message: 'Authentication required' } }]);
  });

  test('that fails after it ends with the error', () => {
    const wires = connected();
    const own = wires.runs();
    wires.agent.refuses(own as string, { code: -32603, message: 'no model', data: { errorKind: 'unknown' } });
    expect(wires.told()).toEqual([state('idle', { stopReason: 'error', error: { code: -32603, message: 'no model', data: { errorKind: 'unknown' } } })]);
  });

  test('that v1 cannot carry is refused, and does not reach the agent', () => {
    const wires = connected();
    wires.client.requests('session/prompt', { sessionId: 's', prompt: [{ type: '_sketch' }] });
    expect(wires.asked()).toEqual([]);
    expect(wires.told()).toMatchObject([{ error: { code: -32602, data: { type: '_sketch' } } }]);
  });

  test('behind another one is taken in when that has ended', () => {
    const wires = connected();
    const first = wires.runs('one');
    const second = wires.prompts('two');
    wires.clock.advance(1000);
    expect(wires.told()).toEqual([]);
    wires.agent.answers(first as string, result);
    expect(wires.told()).toMatchObject([idle, userMessage(anId, 'two'), { result: { messageId: anId } }, state('running')]);
    wires.agent.answers(second as string, result);
    expect(wires.told()).toEqual([idle]);
  });

  test('has the id that the agent itself gave its message, where it told one', () => {
    const wires = connected();
    wires.prompts();
    wires.agent.notifies('_claude/sdkMessage', { sessionId: 's', message: { type: 'system', subtype: 'status', user_message_uuids: ['uuid-1'] } });
    expect(wires.told()).toMatchObject([{ method: '_claude/sdkMessage' }, userMessage('uuid-1'), { result: { messageId: 'uuid-1' } }, state('running')]);
  });

  test('of an agent that is gone ends with an error', async () => {
    const wires = connected();
    wires.runs();
    await wires.agentExits(1);
    expect(wires.told()).toMatchObject([state('idle', { stopReason: 'error' })]);
  });
});

describe('prompts and a session that is closed', () => {
  test('one that waits is refused, also when the agent answers both before the close', () => {
    const wires = connected();
    const first = wires.runs('one');
    const second = wires.prompts('two');
    const id = wires.client.requests('session/close', { sessionId: 's' });
    const [[, , close]] = wires.asked() as [[string, unknown, string]];
    wires.agent.answers(first as string, { stopReason: 'cancelled' });
    wires.agent.answers(second as string, { stopReason: 'cancelled' });
    wires.agent.answers(close, {});
    expect(wires.told()).toMatchObject([state('idle', { stopReason: 'cancelled' }), { error: { code: -32800 } }, { id, result: {} }]);
  });

  test('a call that the close stops was cancelled', () => {
    const wires = connected();
    wires.runs();
    wires.updates({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'ls', status: 'pending' });
    wires.client.requests('session/close', { sessionId: 's' });
    wires.told();
    wires.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed' });
    expect(wires.told()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'cancelled' }]);
  });

  test('one that waits is taken in when the close was refused', () => {
    const wires = connected();
    const first = wires.runs('one');
    wires.prompts('two');
    wires.client.requests('session/close', { sessionId: 's' });
    const close = wires.asked()[0][2] as string;
    wires.agent.answers(first as string, result);
    expect(wires.told()).toEqual([idle]);
    wires.agent.refuses(close, { code: -32603, message: 'busy' });
    expect(wires.told()).toMatchObject([userMessage(anId, 'two'), { result: { messageId: anId } }, state('running'), { error: { code: -32603 } }]);
  });
});

test('other extensions pass byte for byte, and take nothing in', () => {
  const wires = connected();
  wires.prompts();
  const line = '{ "jsonrpc":"2.0","id":"x","method":"_session/goal","params":{"objective":"Be brief.","sessionId":"s","n":1.0} }';
  wires.client.sends(line);
  expect(wires.agent.receivedLines()).toEqual([line]);
  const answer = '{ "id":"x","jsonrpc":"2.0","result":{"outcome":"injected","n":1.0} }';
  wires.agent.sends(answer);
  expect(wires.client.receivedLines()).toEqual([answer]);
});

describe('session/cancel', () => {
  test('goes on as it is, and the work ends cancelled whatever the agent says', () => {
    const wires = connected();
    const own = wires.runs();
    wires.updates({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'ls', status: 'pending' });
    wires.told();
    const line = '{"jsonrpc":"2.0", "method":"session/cancel","params":{"sessionId":"s"}}';
    wires.client.sends(line);
    expect(wires.agent.receivedLines()).toEqual([line]);
    wires.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed' });
    wires.agent.answers(own as string, { stopReason: 'end_turn' });
    expect(wires.told()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'cancelled' }, state('idle', { stopReason: 'cancelled' })]);
  });

  test('a queued prompt that the agent answers cancelled is -32800', () => {
    const wires = connected();
    const first = wires.runs('one');
    const second = wires.prompts('two');
    wires.client.notifies('session/cancel', { sessionId: 's' });
    wires.agent.answers(second as string, { stopReason: 'cancelled' });
    expect(wires.told()).toMatchObject([{ error: { code: -32800, message: 'Request cancelled' } }]);
    wires.agent.answers(first as string, { stopReason: 'cancelled' });
    expect(wires.told()).toEqual([state('idle', { stopReason: 'cancelled' })]);
  });

  test('of a session that nobody knows passes', () => {
    const wires = connected();
    wires.client.notifies('session/cancel', { sessionId: 'other' });
    expect(wires.asked()).toEqual([['session/cancel', { sessionId: 'other' }]]);
  });
});

describe('$/cancel_request of the client', () => {
  test('names the request by the id that the agent knows', () => {
    const wires = connected();
    const own = wires.prompts();
    wires.client.notifies('$/cancel_request', { requestId: 3 });
    expect(wires.asked()).toEqual([['$/cancel_request', { requestId: own }]]);
    wires.agent.refuses(own as string, { code: -32800, message: 'Request cancelled' });
    expect(wires.told()).toMatchObject([{ id: 3, error: { code: -32800 } }]);
  });

  test('of a prompt that was taken in is too late: its turn goes on', () => {
    const wires = connected();
    const own = wires.prompts();
    wires.clock.advance(250);
    wires.client.notifies('$/cancel_request', { requestId: 3 });
    expect(wires.asked()).not.toContainEqual(['$/cancel_request', { requestId: own }]);
  });

  test('of any other request passes', () => {
    const wires = connected();
    wires.client.notifies('$/cancel_request', { requestId: 99 });
    expect(wires.asked()).toEqual([['$/cancel_request', { requestId: 99 }]]);
  });
});
