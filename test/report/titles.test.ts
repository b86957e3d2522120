import { expect, test } from 'vitest';
import type { RecordedMessage } from '../../src/check/index.js';
import { sessionTitle, titlesOf } from '../../src/report/titles.js';

const update = (body: object, dir: 'a2c' | 'c2a' = 'a2c', sessionId = 's'): RecordedMessage => ({ t: 0, dir, msg: { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update: body } } });
const feed = (message: object): RecordedMessage => ({ t: 0, dir: 'a2c', msg: { jsonrpc: '2.0', method: '_claude/sdkMessage', params: { sessionId: 's', message } } });

test('the latest title of a call, a task and a session counts, and an empty one is none', () => {
  const titles = titlesOf([
    update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Terminal' }),
    update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'make test', status: 'in_progress' }),
    update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', title: ' ', status: 'completed' }),
    update({ sessionUpdate: 'async_task_spawned', asyncTaskId: 't', name: 'Run the tests' }),
    update({ sessionUpdate: 'session_info_update', title: 'Mend it' }),
    update({ sessionUpdate: 'session_info_update', title: null }),
  ]).get('s');
  expect(titles).toEqual({ title: 'Mend it', calls: new Map([['c', 'make test']]), tasks: new Map([['t', 'Run the tests']]) });
});

test('the first description of a task is its title, a later one is progress', () => {
  const titles = titlesOf([
    feed({ type: 'system', subtype: 'task_started', task_id: 't', description: 'Start the server' }),
    feed({ type: 'system', subtype: 'task_progress', task_id: 't', description: 'listening' }),
  ]).get('s');
  expect(titles?.tasks).toEqual(new Map([['t', 'Start the server']]));
});

test('a subagent is called what its parent calls it, and so is its session', () => {
  const titles = titlesOf([
    update({ sessionUpdate: 'subagent_spawned', subagentSessionId: 'child', name: 'Search' }),
    update({ sessionUpdate: 'subagent_update', sessionId: 'native', title: 'Look' }),
    update({ sessionUpdate: 'session_info_update', title: 'Its own' }, 'a2c', 'other'),
  ]);
  expect(titles.get('s')?.tasks).toEqual(new Map([['child', 'Search'], ['native', 'Look']]));
  expect(['child', 'native', 'other', 'none'].map((session) => sessionTitle(titles, session))).toEqual(['Search', 'Look', 'Its own', undefined]);
});

test('what a client says, and what is malformed, tells nothing', () => {
  expect(titlesOf([
    update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x' }, 'c2a'),
    { t: 0, dir: 'a2c', msg: { method: 'session/update', params: { sessionId: 's', update: 7 } } },
    { t: 0, dir: 'a2c', msg: { method: 'session/update' } },
    { t: 0, dir: 'a2c', msg: { id: 1, result: {} } },
  ])).toEqual(new Map());
});
