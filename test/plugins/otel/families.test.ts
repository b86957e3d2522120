/** The spans of subagents within subagents, however their agent and its raw feed tell of them. */
import { describe, expect, test } from 'vitest';
import { traced, type Traced } from './traced.js';

const spawned = (id: string): object => ({ sessionUpdate: 'subagent_spawned', subagentSessionId: id, name: 'Search', capabilities: {} });
const over = (id: string): object => ({ sessionUpdate: 'subagent_state_update', subagentSessionId: id, state: 'completed' });
const entry = (task: string, parent?: string): object => ({ task_id: task, task_type: 'local_agent', description: 'Search', ...(parent === undefined ? {} : { parent_task_id: parent }) });
const starts = (on: Traced, task: string, parent?: string): void => {
  on.feeds({ subtype: 'background_tasks_changed', tasks: [entry(task, parent)] });
  on.feeds({ subtype: 'task_started', is_backgrounded: true, ...entry(task, parent) });
};
const notified = (task: string): object => ({ subtype: 'task_notification', task_id: task, status: 'completed', summary: 'done' });

/** A prompt runs, in which the subagent `outer` starts the subagent `inner`. */
function nested(): Traced {
  const on = traced();
  on.opens();
  on.clock.advance(100);
  on.client.requests('session/prompt', { sessionId: 's', prompt: [] });
  starts(on, 'outer');
  on.updates(spawned('outer'));
  on.clock.advance(100);
  starts(on, 'inner', 'outer');
  on.updates(spawned('inner'), 'outer');
  on.clock.advance(100);
  return on;
}

describe('a subagent of a subagent', () => {
  test('that the raw feed and its session tell of is one span, under that of its parent', async () => {
    const on = nested();
    on.feeds(notified('inner'));
    on.updates(over('inner'), 'outer');
    on.clock.advance(100);
    on.feeds(notified('outer'));
    on.updates(over('outer'));
    on.clock.advance(1000);
    await on.agentExits();
    expect(on.tree().map((line) => line.replace(/ \[progress\]/, ''))).toEqual([
      'invoke_agent agent-x 100..1400 [unfinished: agent_exited]',
      '  background subagent 100..400 [completed]',
      '    background subagent 200..300 [completed]',
    ]);
  });

  test('stays that when the root tells its next run', async () => {
    const on = nested();
    on.feeds(notified('inner'));
    on.updates(over('inner'), 'outer');
    on.clock.advance(1000);
    starts(on, 'inner', 'outer');
    on.updates(spawned('inner:generation:2'));
    on.clock.advance(100);
    on.updates(over('inner:generation:2'));
    on.feeds(notified('inner'));
    on.clock.advance(1000);
    await on.agentExits();
    expect(on.tree().filter((line) => /^    background/.test(line)).map((line) => line.replace(/ \[progress\]/, ''))).toEqual([
      '    background subagent 200..300 [completed]',
      '    background subagent 1300..1400 [completed]',
    ]);
  });
});

test('what only the raw feed tells first, without whose it is, is one span', async () => {
  const on = traced();
  on.opens();
  on.client.requests('session/prompt', { sessionId: 's', prompt: [] });
  starts(on, 'outer');
  on.updates(spawned('outer'));
  starts(on, 'inner');
  on.updates(spawned('inner'), 'outer');
  on.updates({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'ls', kind: 'execute', status: 'completed' }, 'inner');
  on.feeds({ subtype: 'task_started', task_id: 'shell', task_type: 'local_bash', tool_use_id: 't', is_backgrounded: true, description: 'ls' });
  on.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 'shell', taskType: 'shell', name: 'ls', description: 'ls', canStop: true, toolCallId: 't' });
  on.clock.advance(100);
  on.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: 'shell', state: 'completed' });
  on.updates(over('inner'), 'outer');
  on.feeds(notified('inner'));
  on.clock.advance(1000);
  await on.agentExits();
  const items = on.spans().filter(({ attributes }) => attributes['acp.background.id'] !== undefined);
  const named = (span: (typeof items)[number] | undefined): string => String(span?.attributes['acp.background.id'] ?? span?.name);
  const parentOf = (span: (typeof items)[number]): string => named(on.spans().find((one) => one.spanContext().spanId === span.parentSpanContext?.spanId));
  expect(items.map((item) => `${named(item)} of ${parentOf(item)}: ${String(item.attributes['acp.background.outcome'])}`)).toEqual([
    'inner of invoke_agent agent-x: completed', 'shell of execute_tool execute: completed', 'outer of invoke_agent agent-x: unknown',
  ]);
});

test('a turn that the end of a subagent of a subagent starts links to it, and the next one does not', async () => {
  const on = nested();
  const turn = (task: string): void => {
    on.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: task, taskType: 'turn', name: 'Claude is working', description: 'done', canStop: true });
    on.clock.advance(10);
    on.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: task, state: 'completed' });
  };
  on.feeds(notified('inner'));
  on.updates(over('inner'), 'outer');
  turn('first');
  turn('second');
  on.clock.advance(1000);
  await on.agentExits();
  const inner = on.spans().find((span) => span.attributes['acp.subagent.session_id'] === 'inner');
  const turns = on.spans().filter((span) => span.name.startsWith('invoke_agent ') && span.attributes['acp.turn.started_by'] === 'agent');
  expect(turns.map(({ links }) => links.map(({ context }) => context.spanId))).toEqual([[inner?.spanContext().spanId], []]);
});

test('a subagent of a subagent that an agent of v2 lists is one span', async () => {
  const on = traced();
  on.opens({ protocol: 2, name: 'claude-agent-acp', extension: false });
  const tells = (id: string, state: object, session: string): void => on.updates({ sessionUpdate: 'subagent_update', sessionId: id, state }, session);
  const lists = (state: string, session: string, ...ids: readonly string[]): void =>
    on.updates({ sessionUpdate: 'state_update', state, ...(state === 'idle' ? { stopReason: 'end_turn' } : {}), background: ids.map((sessionId) => ({ type: 'subagent', sessionId })) }, session);
  on.agent.answers(on.client.requests('session/prompt', { sessionId: 's', prompt: [] }), { messageId: 'm' });
  lists('running', 's');
  starts(on, 'outer');
  tells('outer', { state: 'running', background: [] }, 's');
  lists('running', 's', 'outer');
  on.clock.advance(100);
  starts(on, 'inner', 'outer');
  tells('inner', { state: 'running', background: [] }, 'outer');
  lists('running', 'outer', 'inner');
  on.clock.advance(100);
  on.feeds(notified('inner'));
  tells('inner', { state: 'idle', stopReason: 'end_turn', background: [] }, 'outer');
  lists('running', 'outer');
  on.clock.advance(100);
  on.feeds(notified('outer'));
  tells('outer', { state: 'idle', stopReason: 'end_turn', background: [] }, 's');
  lists('idle', 's');
  on.clock.advance(1000);
  await on.agentExits();
  expect(on.tree().map((line) => line.replace(/ \[progress\]/, ''))).toEqual([
    'invoke_agent claude-agent-acp 0..300 [end_turn]',
    '  background subagent 0..300 [completed]',
    '    background subagent 100..200 [completed]',
  ]);
});

test('what a replay tells of a subagent, under another id than it has, makes no spans', async () => {
  const on = traced();
  on.opens();
  const load = on.client.requests('session/load', { sessionId: 's', cwd: '/project', mcpServers: [] });
  on.updates(spawned('replayed'));
  on.updates({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'ls', kind: 'execute', status: 'pending' }, 'replayed');
  on.agent.answers(load, {});
  on.clock.advance(1000);
  await on.agentExits();
  expect(on.tree()).toEqual([]);
});

test('a code that is read before the end is told counts when it is', async () => {
  const on = traced();
  on.opens();
  on.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 'b', taskType: 'shell', name: 'b', description: 'b', canStop: true });
  on.clock.advance(1000);
  on.exitCode('s', 'b', 3);
  on.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: 'b', state: 'failed' });
  on.clock.advance(1000);
  await on.agentExits();
  expect(on.tree()).toEqual(['background shell 0..1000 [failed] [code 3] [ERROR failed]']);
});

test('a session that is set up again while its close is on its way is traced on', async () => {
  const on = traced();
  on.opens();
  const close = on.client.requests('session/close', { sessionId: 's' });
  const load = on.client.requests('session/load', { sessionId: 's', cwd: '/project', mcpServers: [] });
  on.agent.answers(close, {});
  on.agent.answers(load, {});
  const prompt = on.client.requests('session/prompt', { sessionId: 's', prompt: [] });
  on.updates({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'ls', kind: 'execute', status: 'completed' });
  on.clock.advance(100);
  on.agent.answers(prompt, { stopReason: 'end_turn' });
  await on.agentExits();
  expect(on.tree()).toEqual(['invoke_agent agent-x 0..100 [end_turn]', '  execute_tool execute 0..0 [completed]']);
});
