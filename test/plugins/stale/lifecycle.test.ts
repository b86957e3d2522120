/** Replays, forks and the ends of sessions. */
import { describe, expect, test } from 'vitest';
import { ENDED, REPLAYED, talk } from './conversation.js';

const V1 = { version: 1, agent: 'opencode' } as const;
const V2 = { version: 2, agent: 'opencode' } as const;
const CLOSED = 'the session was closed';

describe.each([V1, V2])('on ACP v$version', (options) => {
  const v1 = options.version === 1;
  const load = v1 ? 'session/load' : 'session/resume';

  test('a call that the history leaves unfinished is settled when the session is quiet after the answer, not before', () => {
    const { agent, requests, call, clock, settles } = talk(options);
    const id = requests(load, 'old');
    call('c', 'pending', {}, 'old');
    call('c', 'in_progress', {}, 'old');
    clock.advance(60_000);
    expect(settles('old')).toEqual([]);
    agent.answers(id, {});
    clock.advance(1999);
    expect(settles('old')).toEqual([]);
    clock.advance(1);
    expect(settles('old')).toEqual([['c', v1 ? 'completed' : 'cancelled', REPLAYED]]);
  });

  test('a prompt before the session is quiet puts it off to the end of its turn', () => {
    const { agent, requests, prompts, turnEnds, call, clock, settles } = talk(options);
    const id = requests(load, 'old');
    call('c', 'pending', {}, 'old');
    agent.answers(id, {});
    clock.advance(1000);
    const prompt = prompts('old');
    clock.advance(9000);
    expect(settles('old')).toEqual([]);
    turnEnds(prompt, 'end_turn', 'old');
    clock.advance(2000);
    expect(settles('old')).toEqual([['c', v1 ? 'completed' : 'cancelled', REPLAYED]]);
  });

  test('the end that the history brings counts, also for a call that was settled', () => {
    const { agent, requests, prompts, turnEnds, call, clock, settles } = talk(options);
    const prompt = prompts();
    call('c', 'in_progress');
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles()).toHaveLength(1);
    const id = requests(load);
    call('c', 'completed');
    agent.answers(id, {});
    clock.advance(9000);
    expect(settles()).toEqual([]);
  });

  test('a settled call that a second load replays unfinished is settled again, once', () => {
    const { agent, requests, call, clock, settles } = talk(options);
    const first = requests(load, 'old');
    call('c', 'in_progress', {}, 'old');
    agent.answers(first, {});
    clock.advance(9000);
    expect(settles('old')).toHaveLength(1);
    const second = requests(load, 'old');
    call('c', 'in_progress', {}, 'old');
    agent.answers(second, {});
    clock.advance(60_000);
    expect(settles('old')).toEqual([['c', v1 ? 'completed' : 'cancelled', REPLAYED]]);
  });

  test('a load during a turn: its answer does not end the turn, and what it repeats stays alive', () => {
    const { agent, requests, prompts, turnEnds, call, clock, settles } = talk(options);
    const prompt = prompts();
    call('c', 'in_progress');
    const id = requests(load);
    call('c', 'in_progress');
    agent.answers(id, {});
    clock.advance(60_000);
    expect(settles()).toEqual([]);
    call('c', 'completed');
    turnEnds(prompt);
    clock.advance(9000);
    expect(settles()).toEqual([]);
  });

  test("a load while a turn of the agent's own runs: what it repeats still belongs to nobody", () => {
    const { agent, requests, call, clock, settles } = talk(options);
    call('own', 'in_progress');
    const id = requests(load);
    call('own', 'in_progress');
    agent.answers(id, {});
    clock.advance(60_000);
    expect(settles()).toEqual([]);
  });

  test('a load that fails ends its replay as well', () => {
    const { agent, requests, prompts, turnEnds, call, clock, settles } = talk(options);
    const prompt = prompts();
    call('c', 'in_progress');
    const id = requests(load);
    turnEnds(prompt);
    clock.advance(9000);
    expect(settles()).toEqual([]);
    agent.refuses(id, { code: -32603, message: 'no' });
    clock.advance(2000);
    expect(settles()).toHaveLength(1);
  });

  test('a fork: its history comes before the answer that names it; the original lives on', () => {
    const { agent, requests, prompts, turnEnds, call, clock, settles, client } = talk(options);
    const prompt = prompts();
    call('c', 'in_progress');
    const id = requests('session/fork');
    call('c', 'in_progress', {}, 'fork');
    clock.advance(9000);
    expect(client.received()).toHaveLength(v1 ? 2 : 4);
    agent.answers(id, { sessionId: 'fork' });
    clock.advance(2000);
    expect(settles('fork')).toEqual([['c', v1 ? 'completed' : 'cancelled', REPLAYED]]);
    clock.advance(60_000);
    expect(settles()).toEqual([]);
    call('c', 'completed');
    turnEnds(prompt);
    clock.advance(9000);
    expect(settles()).toEqual([]);
  });

  test('another unnamed session that speaks during a fork is no history', () => {
    const { agent, requests, call, clock, settles } = talk(options);
    const id = requests('session/fork');
    call('c', 'in_progress', {}, 'child');
    agent.answers(id, { sessionId: 'fork' });
    call('c', 'in_progress', {}, 'child');
    clock.advance(60_000);
    expect(settles('child')).toEqual([]);
  });

  test('nor is what a session that is known says during a fork', () => {
    const { agent, requests, prompts, turnEnds, call, clock, settles } = talk(options);
    call('own', 'in_progress');
    const prompt = prompts();
    const id = requests('session/fork');
    call('c', 'in_progress');
    call('own', 'in_progress');
    agent.answers(id, { sessionId: 'fork' });
    clock.advance(60_000);
    expect(settles()).toEqual([]);
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles().map(([id]) => id)).toEqual(['c']);
  });

  test('of two forks each ends its own history', () => {
    const { agent, requests, call, clock, settles } = talk(options);
    const first = requests('session/fork');
    const second = requests('session/fork');
    call('c', 'in_progress', {}, 'one');
    call('c', 'in_progress', {}, 'two');
    agent.answers(second, { sessionId: 'two' });
    clock.advance(2000);
    agent.answers(first, { sessionId: 'one' });
    clock.advance(1000);
    expect(settles('two')).toHaveLength(1);
    clock.advance(1000);
    expect(settles('one')).toHaveLength(1);
  });

  test.each(['session/close', 'session/delete'])('%s settles every call of the session, before its answer, and says nothing afterwards', (method) => {
    const { client, agent, requests, prompts, turnEnds, call, asks, answers, clock } = talk(options);
    const first = prompts();
    call('stale', 'in_progress');
    turnEnds(first);
    clock.advance(500);
    call('own', 'in_progress');
    prompts();
    call('running', 'in_progress');
    asks(0, 'asking');
    client.received();
    const id = requests(method);
    call('other', 'in_progress', {}, 'other');
    expect(client.received()).toHaveLength(1);
    agent.answers(id, {});
    const messages = client.received();
    expect(messages.at(-1)).toEqual({ jsonrpc: '2.0', id, result: {} });
    const reason = method === 'session/close' ? CLOSED : 'the session was deleted';
    expect(messages.slice(0, -1).map(({ params }) => [params.update.toolCallId, params.update.status, params.update._meta.afterturn])).toEqual([
      ['stale', v1 ? 'completed' : 'cancelled', { settled: true, reason }],
      ['own', v1 ? 'failed' : 'cancelled', { settled: true, reason }],
      ['running', v1 ? 'failed' : 'cancelled', { settled: true, reason }],
      ['asking', v1 ? 'failed' : 'cancelled', { settled: true, reason }],
    ]);
    answers(0, 'cancelled');
    const late = prompts();
    call('running', 'in_progress');
    turnEnds(late);
    client.received();
    clock.advance(60_000);
    expect(client.received()).toEqual([]);
  });

  test('a session that is not found is closed; on another error nothing is settled', () => {
    const { agent, requests, prompts, call, settles } = talk(options);
    prompts();
    call('c', 'in_progress');
    agent.refuses(requests('session/close'), { code: -32603, message: 'no' });
    expect(settles()).toEqual([]);
    agent.refuses(requests('session/close'), { code: -32002, message: 'not found' });
    expect(settles()).toEqual([['c', v1 ? 'failed' : 'cancelled', CLOSED]]);
  });

  test('a closed session that is loaded again lives again', () => {
    const { agent, requests, prompts, turnEnds, call, clock, settles } = talk(options);
    agent.answers(requests('session/close'), {});
    agent.answers(requests(load), {});
    const prompt = prompts();
    call('c', 'in_progress');
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles()).toEqual([['c', v1 ? 'completed' : 'cancelled', ENDED]]);
  });

  test('one that is loaded again before its close is answered does, too', () => {
    const { agent, requests, prompts, turnEnds, call, clock, settles } = talk(options);
    const [close, again] = [requests('session/close'), requests(load)];
    agent.answers(close, {});
    agent.answers(again, {});
    const prompt = prompts();
    call('c', 'in_progress');
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles()).toEqual([['c', v1 ? 'completed' : 'cancelled', ENDED]]);
  });

  test("the end of the client's input settles every call", async () => {
    const { client, prompts, call, settles, agentExits } = talk(options);
    call('own', 'in_progress');
    prompts();
    call('c', 'pending');
    await client.ends();
    const all = [['own', v1 ? 'failed' : 'cancelled', "the client's input ended"], ['c', v1 ? 'failed' : 'cancelled', "the client's input ended"]];
    expect(settles()).toEqual(all);
    await agentExits();
    expect(settles()).toEqual([]);
  });

  test("the agent's exit settles every call, of all sessions", async () => {
    const { client, prompts, call, agentExits } = talk(options);
    prompts();
    call('c', 'in_progress');
    call('c', 'in_progress', {}, 'other');
    client.received();
    await agentExits(null, 'SIGKILL');
    expect(client.received().map(({ params }) => [params.sessionId, params.update.status, params.update._meta.afterturn.reason])).toEqual([
      ['s', v1 ? 'failed' : 'cancelled', 'the agent exited'], ['other', v1 ? 'failed' : 'cancelled', 'the agent exited'],
    ]);
  });

  test('after the agent was told to cancel, what it leaves at its exit is a failure', async () => {
    const { client, prompts, turnEnds, call, clock, agentExits, settles } = talk(options);
    const prompt = prompts();
    call('c', 'in_progress');
    client.notifies('session/cancel', { sessionId: 's' });
    turnEnds(prompt, 'cancelled');
    clock.advance(1999);
    await agentExits();
    expect(settles()).toEqual([['c', v1 ? 'failed' : 'cancelled', 'the agent exited']]);
  });
});

test("ACP v2: history waits for a turn of the agent's own as well", () => {
  const { agent, requests, state, call, clock, settles } = talk(V2);
  const id = requests('session/resume', 'old');
  call('c', 'in_progress', {}, 'old');
  state('idle', {}, 'old');
  agent.answers(id, {});
  clock.advance(1000);
  state('running', {}, 'old');
  clock.advance(60_000);
  expect(settles('old')).toEqual([]);
  state('idle', {}, 'old');
  clock.advance(2000);
  expect(settles('old')).toEqual([['c', 'cancelled', REPLAYED]]);
});

describe('an agent that answers a load after the first update of the history', () => {
  const GEMINI = { version: 1, agent: 'gemini-cli' } as const;

  test('what follows the answer is history until the session is quiet', () => {
    const { agent, requests, call, clock, settles } = talk(GEMINI);
    agent.answers(requests('session/load', 'old'), {});
    clock.advance(1500);
    call('c', 'pending', {}, 'old');
    clock.advance(1500);
    call('d', 'pending', {}, 'old');
    clock.advance(1999);
    expect(settles('old')).toEqual([]);
    clock.advance(1);
    expect(settles('old')).toEqual([['c', 'completed', REPLAYED], ['d', 'completed', REPLAYED]]);
  });

  test('what comes later is not, nor what a prompt brings', () => {
    const { agent, requests, prompts, call, clock, settles } = talk(GEMINI);
    agent.answers(requests('session/load', 'old'), {});
    clock.advance(2000);
    call('late', 'pending', {}, 'old');
    clock.advance(9000);
    agent.answers(requests('session/load', 'other'), {});
    prompts('other');
    call('live', 'pending', {}, 'other');
    clock.advance(60_000);
    expect(settles('old')).toEqual([]);
    expect(settles('other')).toEqual([]);
  });

  test('a prompt, however short, ends the history', () => {
    const { agent, requests, prompts, turnEnds, call, clock, settles } = talk(GEMINI);
    agent.answers(requests('session/load', 'old'), {});
    turnEnds(prompts('old'), 'end_turn', 'old');
    call('own', 'pending', {}, 'old');
    clock.advance(60_000);
    expect(settles('old')).toEqual([]);
  });

  test('of other agents nothing after the answer is history', () => {
    const { agent, requests, call, clock, settles } = talk(V1);
    agent.answers(requests('session/load', 'old'), {});
    call('own', 'in_progress', {}, 'old');
    clock.advance(60_000);
    expect(settles('old')).toEqual([]);
  });
});
