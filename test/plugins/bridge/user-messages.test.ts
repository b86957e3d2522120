import { expect, test } from 'vitest';
import { BridgeSession } from '../../../plugins/bridge/session.js';
import { userMessagesNamed } from '../../../plugins/bridge/user-messages.js';

const status = (...user_message_uuids: unknown[]): object => ({ type: 'system', subtype: 'status', status: 'requesting', user_message_uuids });

/** What each message of the feed has taken in, by the ids that it gives. */
function named(...messages: object[]): string[] {
  const session = new BridgeSession('s');
  const ids: string[] = [];
  for (const message of messages) userMessagesNamed(session, message, () => ids.push(session.takeUserMessageId() ?? '?'));
  return ids;
}

test('each id is taken in once, in order', () => {
  expect(named(status('a'), status('a'), status('a', 'b', 'c'))).toEqual(['a', 'b', 'c']);
});

test('anything else names nothing', () => {
  expect(named(status(), status(7, null, ''), { subtype: 'init', user_message_uuids: ['x'] }, { subtype: 'status' }, { subtype: 'status', user_message_uuids: 'x' })).toEqual([]);
});

test('an id that nobody waited for is the one of the message that the client has under ours', () => {
  const session = new BridgeSession('s');
  session.ids.prompted('ours', { type: 'text', text: 'go' }, false);
  userMessagesNamed(session, status('late'), () => {});
  expect(session.ids.replayed({ sessionUpdate: 'user_message_chunk', messageId: 'late', content: {} }, { next: 0 })).toBe('ours');
});
