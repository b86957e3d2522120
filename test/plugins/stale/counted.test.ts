import { expect, test } from 'vitest';
import { talk } from './conversation.js';

test('who counts is told of each call that is settled, and once of the end that its agent gives it after all', () => {
  const told: string[] = [];
  const it = talk({ mode: 'always', onStale: (what) => told.push(what) });
  const prompt = it.prompts();
  it.call('c1', 'pending');
  it.call('c2', 'pending');
  it.turnEnds(prompt);
  it.clock.advance(2000);
  expect(told).toEqual(['settled', 'settled']);
  it.call('c1', 'completed');
  it.call('c1', 'completed');
  expect(told).toEqual(['settled', 'settled', 'corrected']);
});
