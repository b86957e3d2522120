import { describe, expect, test } from 'vitest';
import { MessageIds } from '../../../plugins/bridge/message-ids.js';

const text = (words: string) => ({ type: 'text', text: words });
const chunk = (words: string, messageId?: string, kind = 'user_message_chunk') => ({ sessionUpdate: kind, content: text(words), ...(messageId === undefined ? {} : { messageId }) });

describe('a replayed message', () => {
  test('has the id that the client has of it, whatever the agent calls it, in this replay and the next', () => {
    const ids = new MessageIds();
    ids.note('user_message_chunk', 'ours', text('hello'));
    expect(ids.replayed(chunk('hello', 'theirs'), { next: 0 })).toBe('ours');
    expect(ids.replayed(chunk('more of it', 'theirs'), { next: 0 })).toBe('ours');
  });

  test('of an agent that tells no ids is recognised by its words', () => {
    const ids = new MessageIds();
    ids.note('agent_message_chunk', 'a1', text('Run'));
    ids.note('agent_message_chunk', 'a1', text('ning.'));
    ids.note('user_message_chunk', 'u1', text('Work'));
    const place = { next: 0 };
    expect(ids.replayed(chunk('the context'), place)).toBeUndefined();
    expect(ids.replayed(chunk('Running.', undefined, 'agent_message_chunk'), place)).toBe('a1');
    expect(ids.replayed(chunk('Work'), place)).toBe('u1');
  });

  test('is found in the order of the session: equal words are the next of these', () => {
    const ids = new MessageIds();
    for (const id of ['u1', 'u2']) ids.note('user_message_chunk', id, text('go on'));
    const place = { next: 0 };
    expect([ids.replayed(chunk('go on', 'x'), place), ids.replayed(chunk('go on', 'y'), place), ids.replayed(chunk('go on', 'z'), place)]).toEqual(['u1', 'u2', 'z']);
  });

  test('of another kind, or that an earlier replay told already, is none of ours', () => {
    const ids = new MessageIds();
    expect(ids.replayed(chunk('go on', 'old'), { next: 0 })).toBe('old');
    ids.note('user_message_chunk', 'ours', text('go on'));
    const place = { next: 0 };
    expect([ids.replayed(chunk('go on', 'old'), place), ids.replayed(chunk('go on', 'a', 'agent_message_chunk'), place), ids.replayed(chunk('go on', 'new'), place)]).toEqual(['old', 'a', 'ours']);
  });

  test('whose id the agent told late keeps the one that the client has', () => {
    const ids = new MessageIds();
    ids.prompted('command', text('/compact'), false);
    ids.prompted('ours', text('first'), false);
    ids.named('late');
    expect(ids.replayed(chunk('something else', 'late'), { next: 0 })).toBe('ours');
  });

  test('that is no prompt, but named beside one that has its name, is none of ours', () => {
    const ids = new MessageIds();
    ids.named('nobody');
    ids.prompted('command', text('/compact'), false);
    ids.prompted('theirs', text('first'), true);
    ids.named('steering');
    expect(['nobody', 'theirs', 'steering'].map((id) => ids.replayed(chunk('x', id), { next: 0 }))).toEqual(['nobody', 'theirs', 'steering']);
    expect(ids.replayed(chunk('/compact', 'item'), { next: 0 })).toBe('command');
  });
});

test('what is remembered is bounded', () => {
  const ids = new MessageIds();
  for (let index = 0; index < 1001; index++) ids.note('user_message_chunk', `u${index}`, text(`words ${index}`));
  expect(ids.replayed(chunk('words 0'), { next: 0 })).toBeUndefined();
  expect(ids.replayed(chunk('words 1'), { next: 0 })).toBe('u1');
});
