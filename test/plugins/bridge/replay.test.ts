import { expect, test } from 'vitest';
import type { Happened } from '../../../plugins/bridge/foreground.js';
import { isHistory, Replay } from '../../../plugins/bridge/replay.js';

test('a message is begun once, each kind for itself', () => {
  const replay = new Replay(new Map());
  expect(replay.before('user_message_chunk', 'm')).toEqual([{ sessionUpdate: 'user_message', messageId: 'm', content: [] }]);
  expect([replay.before('user_message_chunk', 'm'), replay.before('agent_message_chunk', 'm').length]).toEqual([[], 1]);
});

test('a call replaces what was known of it, private marks aside', () => {
  const update = { sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'x', _meta: { n: 1 } };
  const [told] = new Replay(new Map()).anew({ sessionUpdate: 'tool_call', toolCallId: 'c' }, [update], { fields: {}, meta: { k: 1, n: 0, jetbrains: {} } });
  expect(told).toMatchObject({ title: 'x', status: null });
  expect(told?._meta).toEqual({ k: null, n: 1 });
});

test('it knows which calls were cancelled before it', () => {
  const replay = new Replay(new Map([['a', { fields: { status: 'cancelled' }, meta: {} }], ['b', { fields: { status: 'failed' }, meta: {} }]]));
  expect(['a', 'b', 'c'].map(replay.wasCancelled)).toEqual([true, false, false]);
});

const started = (id: string): Happened => ({ type: 'ownStarted', id });
const ended = (id: string): Happened => ({ type: 'ownEnded', id, ending: { stopReason: 'end_turn' }, marks: false });

test('own turns that began and did not end, and the ends of those that began before, are still to be told', () => {
  const replay = new Replay(new Map());
  for (const event of [started('t'), ended('t'), started('u'), ended('v'), { type: 'marked' } satisfies Happened]) replay.turn(event);
  expect([[...replay.turns], [...replay.ends.values()]]).toEqual([['u'], [ended('v')]]);
  const next = new Replay(new Map());
  next.takesOver(replay);
  next.turn(ended('u'));
  expect([[...next.turns], [...next.ends.values()]]).toEqual([[], [ended('v')]]);
});

test.each([['agent_message_chunk', true], ['tool_call', true], ['plan', true], ['available_commands_update', false], ['async_task_spawned', false], ['session_info_update', false]])('%s is history: %s', (kind, is) => {
  expect(isHistory(kind)).toBe(is);
});
