/** What the connection remembers is bounded, and a session at work is never forgotten. */
import { expect, test } from 'vitest';
import { talk } from './conversation.js';

test('of many sessions those at rest are forgotten first', () => {
  const { prompts, turnEnds, call, clock, settles, client } = talk({ agent: 'gemini-cli' });
  const busy = prompts('busy');
  call('c', 'in_progress', {}, 'busy');
  for (let i = 0; i < 2500; i++) call('c', 'completed', {}, `s${i}`);
  client.received();
  turnEnds(busy, 'end_turn', 'busy');
  clock.advance(2000);
  expect(settles('busy')).toHaveLength(1);
});

test('one more session than may be at rest is watched when all others are at work', () => {
  const { call, log } = talk({ agent: 'gemini-cli' });
  for (let i = 0; i < 1500; i++) call('c', 'pending', {}, `s${i}`);
  call('c', 'completed', {}, 'new');
  expect(log).toEqual([]);
});

test('a closed session is left alone as long as it is remembered', () => {
  const { agent, requests, prompts, call, clock, settles } = talk({ agent: 'gemini-cli' });
  for (let i = 0; i < 1500; i++) agent.answers(requests('session/close', `s${i}`), {});
  prompts('s1499');
  call('c', 'in_progress', {}, 's1499');
  expect(clock.pending()).toBe(0);
  expect(settles('s1499')).toEqual([]);
});

test('a new grace period takes the place of the old timer', () => {
  const { prompts, turnEnds, call, clock } = talk({ agent: 'gemini-cli' });
  const prompt = prompts();
  call('c', 'in_progress');
  turnEnds(prompt);
  expect(clock.pending()).toBe(1);
  clock.advance(1000);
  call('c', 'in_progress');
  expect(clock.pending()).toBe(1);
  call('c', 'completed');
  expect(clock.pending()).toBe(0);
});

test('a word puts the end of a grace period off, also past the time that was first waited for', () => {
  const { prompts, turnEnds, call, clock, settles } = talk({ agent: 'gemini-cli' });
  const prompt = prompts();
  call('c', 'in_progress');
  turnEnds(prompt);
  for (let i = 0; i < 5; i++) {
    clock.advance(1500);
    call('c', 'in_progress');
    expect(clock.pending()).toBe(1);
  }
  clock.advance(1999);
  expect(settles()).toEqual([]);
  clock.advance(1);
  expect(settles()).toHaveLength(1);
});
