import { describe, expect, test } from 'vitest';
import { chunk, connected, fullAgent, state, type Connected } from './connected.js';

const brief = { type: 'text', text: 'Be brief.' };
const anId = expect.any(String);
const steered = { sessionUpdate: 'user_message', messageId: anId, content: [brief] };
const result = { stopReason: 'end_turn' };
const ended = state('idle', { stopReason: 'end_turn' });
const codex = { ...fullAgent, agentInfo: { name: '@agentclientprotocol/codex-acp', version: '2.6.0' } };

/** The client steers, and the agent answers with this outcome. What the client is told. */
function steers(wires: Connected, outcome: string): unknown[] {
  wires.told();
  wires.client.sends({ jsonrpc: '2.0', id: 'x', method: '_session/steering', params: { sessionId: 's', prompt: [brief] } });
  wires.asked();
  const answer = `{ "id":"x","jsonrpc":"2.0","result":{"outcome":"${outcome}","n":1.0} }`;
  wires.agent.sends(answer);
  const [first = '', ...others] = wires.client.receivedLines();
  expect(first).toBe(answer);
  return others.map((line) => JSON.parse(line) as { method?: string; params: { update: unknown } }).map((message) => (message.method === undefined ? message : message.params.update));
}

const thread = (type: string): object => ({ sessionUpdate: 'session_info_update', _meta: { codex: { threadStatus: { type } } } });

test('the request and its answer pass byte for byte', () => {
  const wires = connected();
  wires.runs();
  const line = '{ "jsonrpc":"2.0","id":"x","method":"_session/steering","params":{"prompt":[{"type":"text","text":"Be brief."}],"sessionId":"s","n":1.0} }';
  wires.client.sends(line);
  expect(wires.agent.receivedLines()).toEqual([line]);
});

describe('a message that is added to the turn that runs', () => {
  test('is told when it was taken in', () => {
    const wires = connected();
    wires.runs();
    expect(steers(wires, 'injected')).toEqual([steered]);
  });

  test('comes after the prompt that the turn is of', () => {
    const wires = connected();
    wires.prompts('one');
    expect(steers(wires, 'injected')).toMatchObject([{ sessionUpdate: 'user_message', content: [{ text: 'one' }] }, { result: {} }, { state: 'running' }, steered]);
  });

  test('takes in no prompt that waits for the end of the turn, also when the agent names it', () => {
    const wires = connected();
    const names = (id: string): void => wires.agent.notifies('_claude/sdkMessage', { sessionId: 's', message: { type: 'system', subtype: 'status', user_message_uuids: [id] } });
    const told = (): unknown[] => wires.told().filter(({ method }) => method !== '_claude/sdkMessage');
    const one = wires.runs('one');
    names('of-one');
    wires.prompts('two');
    expect(steers(wires, 'injected')).toEqual([steered]);
    names('of-steering');
    expect(told()).toEqual([]);
    wires.agent.answers(one as string, result);
    names('of-two');
    expect(told()).toMatchObject([ended, { sessionUpdate: 'user_message', messageId: 'of-two', content: [{ text: 'two' }] }, { result: { messageId: 'of-two' } }, state('running')]);
  });

  test('has the same id in a replay', () => {
    const wires = connected();
    const one = wires.runs('one');
    const [{ messageId }] = steers(wires, 'injected') as [{ messageId: string }];
    wires.agent.answers(one as string, result);
    wires.told();
    wires.client.requests('session/resume', { sessionId: 's', cwd: '/project', replayFrom: { type: 'start' } });
    wires.asked();
    wires.updates({ sessionUpdate: 'user_message_chunk', messageId: 'item-1', content: { type: 'text', text: 'one' } }, { sessionUpdate: 'user_message_chunk', messageId: 'item-2', content: brief });
    expect(wires.told().at(-1)).toEqual({ sessionUpdate: 'user_message_chunk', messageId, content: brief });
  });
});

test.each(['promptRequired', 'failed'])('one that was not taken in (%s) is not told', (outcome) => {
  const wires = connected();
  expect(steers(wires, outcome)).toEqual([]);
});

describe('a message that begins a turn, because none ran', () => {
  test('runs until Codex says that its thread is idle', () => {
    const wires = connected(codex);
    wires.updates(thread('active'), thread('idle'));
    expect(steers(wires, 'startedNewTurn')).toEqual([steered, state('running')]);
    wires.updates(chunk('word', 'm'), thread('idle'));
    expect(wires.told().filter(({ sessionUpdate }) => sessionUpdate === 'state_update')).toEqual([ended]);
  });

  test('runs until the raw feed says so', () => {
    const wires = connected();
    const feed = (word: string): void => wires.agent.notifies('_claude/sdkMessage', { sessionId: 's', message: { type: 'system', subtype: 'session_state_changed', state: word } });
    feed('idle');
    expect(steers(wires, 'startedNewTurn')).toEqual([steered, state('running')]);
    feed('running');
    feed('idle');
    wires.clock.advance(250);
    expect(wires.told().filter(({ sessionUpdate }) => sessionUpdate === 'state_update')).toEqual([ended]);
  });

  test('of an agent that tells no end runs while something shows', () => {
    const wires = connected(codex);
    expect(steers(wires, 'startedNewTurn')).toEqual([steered, state('running')]);
    wires.clock.advance(9000);
    wires.updates(chunk('word', 'm'));
    wires.told();
    wires.clock.advance(9999);
    expect(wires.told()).toEqual([]);
    wires.clock.advance(1);
    expect(wires.told()).toEqual([ended]);
  });

  test('that is cancelled ends so', () => {
    const wires = connected(codex);
    wires.updates(thread('idle'));
    steers(wires, 'startedNewTurn');
    wires.client.notifies('session/cancel', { sessionId: 's' });
    wires.updates(thread('idle'));
    expect(wires.told().at(-1)).toEqual(state('idle', { stopReason: 'cancelled' }));
  });
});
