/** Permission requests: a call that waits for the user is not stale, and a refusal makes it a failure. */
import { describe, expect, test } from 'vitest';
import { CANCELLED, ENDED, REFUSED, talk } from './conversation.js';

describe.each([{ version: 1, agent: 'gemini-cli' }, { version: 2, agent: 'gemini-cli' }] as const)('on ACP v$version', (options) => {
  const v1 = options.version === 1;

  test('the request may be the first word about a call; refused, nothing ends it', () => {
    const { asks, answers, prompts, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    asks(0, 'c');
    answers(0, 'reject');
    clock.advance(9000);
    expect(settles()).toEqual([]);
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles()).toEqual([['c', v1 ? 'failed' : 'cancelled', REFUSED]]);
  });

  test.each([['allow', 'completed', ENDED], ['cancelled', 'failed', REFUSED]] as const)('answer %s', (how, status, reason) => {
    const { asks, answers, prompts, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    asks(0, 'c');
    answers(0, how);
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles()).toEqual([['c', v1 ? status : 'cancelled', reason]]);
  });

  test('a cancelled turn is the reason, whatever the answer to the request was', () => {
    const { client, asks, answers, prompts, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    asks(0, 'c');
    client.notifies('session/cancel', { sessionId: 's' });
    answers(0, 'cancelled');
    turnEnds(prompt, 'cancelled');
    clock.advance(2000);
    expect(settles()).toEqual([['c', v1 ? 'failed' : 'cancelled', CANCELLED]]);
  });

  test('an open request keeps its call, whatever the state of the turn; the grace period starts with the answer', () => {
    const { call, asks, answers, prompts, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    call('c', 'in_progress');
    asks(0, 'c');
    turnEnds(prompt);
    clock.advance(60_000);
    expect(settles()).toEqual([]);
    answers(0, 'allow');
    clock.advance(1999);
    expect(settles()).toEqual([]);
    clock.advance(1);
    expect(settles()).toEqual([['c', v1 ? 'completed' : 'cancelled', ENDED]]);
  });

  test('two requests about one call: the last answer must have come', () => {
    const { asks, answers, prompts, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    asks(0, 'c');
    asks(1, 'c');
    turnEnds(prompt);
    answers(1, 'reject');
    clock.advance(9000);
    expect(settles()).toEqual([]);
    answers(0, 'allow');
    clock.advance(2000);
    expect(settles()).toHaveLength(1);
  });

  test('a request that is taken back keeps nothing', () => {
    const { agent, asks, answers, prompts, turnEnds, clock, settles } = talk(options);
    const prompt = prompts();
    asks(0, 'c');
    turnEnds(prompt);
    agent.notifies('$/cancel_request', { requestId: 0 });
    clock.advance(2000);
    expect(settles()).toHaveLength(1);
    answers(0, 'cancelled');
    clock.advance(9000);
    expect(settles()).toEqual([]);
  });

  test('a request about a call that the agent ended starts no new life; about one that we settled it does', () => {
    const { agent, call, asks, answers, prompts, turnEnds, clock, settles } = talk(options);
    const first = prompts();
    call('done', 'failed');
    asks(0, 'done');
    call('stale', 'pending');
    turnEnds(first);
    answers(0, 'cancelled');
    clock.advance(2000);
    expect(settles().map(([id]) => id)).toEqual(['stale']);
    const second = prompts();
    asks(1, 'stale');
    turnEnds(second);
    clock.advance(9000);
    expect(settles()).toEqual([]);
    agent.received();
    answers(1, 'reject');
    clock.advance(2000);
    expect(settles().map(([id]) => id)).toEqual(['stale']);
  });
});

test('ACP v1: an error is no approval', () => {
  const { client, asks, prompts, turnEnds, clock, settles } = talk({ agent: 'gemini-cli' });
  const prompt = prompts();
  asks(0, 'c');
  client.refuses(0, { code: -32603, message: 'no' });
  turnEnds(prompt);
  clock.advance(2000);
  expect(settles()).toEqual([['c', 'failed', REFUSED]]);
});

test('ACP v2: a request about a command names its call without being its first word', () => {
  const { agent, answers, call, prompts, turnEnds, clock, settles } = talk({ version: 2, agent: 'gemini-cli' });
  const prompt = prompts();
  call('c', 'in_progress');
  const params = (toolCallId: string): object => ({ sessionId: 's', title: 'x', options: [], subject: { type: 'command', command: 'ls', cwd: '/', toolCallId } });
  agent.sends({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params: params('c') }, { jsonrpc: '2.0', id: 1, method: 'session/request_permission', params: params('unknown') });
  turnEnds(prompt);
  clock.advance(9000);
  expect(settles()).toEqual([]);
  answers(0, 'allow');
  clock.advance(2000);
  expect(settles().map(([id]) => id)).toEqual(['c']);
});
