/** What arms a call, and what never does. */
import { describe, expect, it } from 'vitest';
import { keepOpen } from '../../../plugins/keep-open/index.js';
import { wired } from '../../pipeline/harness.js';
import { call, launchBash, pluginsFor, raw, S, talk, text, WINDOW, type Talk } from './conversation.js';

const launches: readonly (readonly [string, object, string])[] = [
  ['Bash', { stdout: '', backgroundTaskId: 't1' }, 't1'],
  ['Bash', { stdout: 'step 1', backgroundTaskId: 't1', timedOutAfterMs: 2000 }, 't1'],
  ['Monitor', { taskId: 't1', timeoutMs: 60000, persistent: false }, 't1'],
  ['Agent', { isAsync: true, status: 'async_launched', agentId: 't1' }, 't1'],
  ['Task', { isAsync: true, status: 'async_launched', agentId: 't1' }, 't1'],
  ['Workflow', { status: 'async_launched', taskId: 't1', runId: 'wf_1' }, 't1'],
];

describe('a covered tool whose structured answer names a task', () => {
  it.each(launches)('keeps its call open: %s %j', (name, answer, task) => {
    const on = talk();
    on.says(call.starts('T', name));
    on.says(call.answers('T', name, answer));
    on.says(call.completes('T', name));
    expect(on.seen().map(({ status, _meta }) => [status, _meta.claudeCode.backgroundTask?.taskId])).toEqual([['pending', undefined], [undefined, task], ['in_progress', task]]);
    on.feeds(raw.updated('t1', 'completed'));
    expect(on.seen().map(({ status }) => status)).toEqual(['completed']);
  });
});

const others: readonly (readonly [string, string, object])[] = [
  ['a foreground command', 'Bash', { stdout: 'hello', stderr: '' }],
  ['a foreground subagent', 'Agent', { status: 'completed', agentId: 't1' }],
  ['a subagent of which the task is not named', 'Agent', { status: 'async_launched', isAsync: true }],
  ['a tool of an MCP server with an answer of the same shape', 'mcp__ci__Bash', { backgroundTaskId: 't1', taskId: 't1', status: 'async_launched', agentId: 't1' }],
  ['a tool that is not in the table', 'TaskOutput', { taskId: 't1', backgroundTaskId: 't1' }],
  ['a task of the wrong type', 'Bash', { backgroundTaskId: 7 }],
  ['an empty task', 'Monitor', { taskId: '' }],
];

describe('everything else', () => {
  it.each(others)('keeps its lifecycle, byte for byte: %s', (_, name, answer) => {
    const on = talk();
    on.feeds(raw.live(raw.task('t1', 'x')));
    on.feeds(raw.started('t1', 'T', 'x'));
    const lines = [call.starts('T', name), call.answers('T', name, answer), call.completes('T', name, { content: [text('Command running in background with ID: t1')] })]
      .map((update) => JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: S, update } }));
    on.agent.sends(...lines);
    expect(on.client.receivedLines()).toEqual(lines);
    on.feeds(raw.updated('t1', 'failed'));
    expect(on.client.receivedLines()).toEqual([]);
  });

  it('is never armed by text', () => {
    const on = talk();
    const said = call.completes('T', 'Bash', { rawOutput: 'Command running in background with ID: t1', content: [text('Monitor started (task t1)')] });
    on.says(call.starts('T', 'Bash'));
    on.feeds(raw.live(raw.task('t1', 'x')));
    on.feeds(raw.started('t1', 'T', 'x'));
    on.seen();
    on.says(said);
    expect(on.seen()).toEqual([said]);
  });

  it('is not armed for the agent\'s own housekeeping', () => {
    const on = talk();
    on.feeds(raw.live({ ...raw.task('t1', 'x'), ambient: true }));
    on.says(call.starts('T', 'Bash'));
    on.says(call.answers('T', 'Bash', { backgroundTaskId: 't1' }));
    on.says(call.completes('T', 'Bash'));
    expect(on.seen().map(({ status }) => status)).toEqual(['pending', undefined, 'completed']);
  });

  it('of a malformed shape passes, and is named once', () => {
    const on = talk();
    launchBash(on);
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 7, status: 'completed' });
    on.agent.notifies('session/update', { sessionId: S, update: 'none' });
    on.agent.notifies('session/update', null);
    expect(on.got()).toHaveLength(3);
    on.feeds({ subtype: 'task_updated', task_id: 7, patch: {} });
    on.feeds({ subtype: 'task_updated', task_id: 7, patch: {} });
    on.feeds({ subtype: 'background_tasks_changed', tasks: 'none' });
    expect(on.log.filter((line) => line.startsWith('warn'))).toHaveLength(1);
    on.feeds(raw.updated('b1', 'completed'));
    expect(on.seen().map(({ status }) => status)).toEqual(['completed']);
  });
});

/** What a launch looks like when nothing is at work. */
function passesUntouched(on: Pick<Talk, 'agent' | 'client'>): void {
  const lines = [call.starts('T', 'Bash'), call.answers('T', 'Bash', { backgroundTaskId: 'b1' }), call.completes('T', 'Bash')]
    .map((update) => `{"params":{"sessionId":"${S}", "update":${JSON.stringify(update)}},"method":"session/update","jsonrpc":"2.0"}`);
  on.agent.sends(...lines);
  expect(on.client.receivedLines()).toEqual(lines);
}

describe('the plugin leaves', () => {
  it.each(['codex-acp', '@google/gemini-cli', 'OpenCode', undefined])('where nothing reports background work: %s', (name) => {
    passesUntouched(talk({ agent: { name: name as string, version: '1.0.0' } }));
  });

  it('where the agent is too old to have the raw feed', () => {
    passesUntouched(talk({ agent: { name: '@agentclientprotocol/claude-agent-acp', version: '0.25.3' } }));
  });

  it('with `--source none`', () => passesUntouched(talk({ source: 'none' })));

  it('with `--source async-tasks` when the agent does not know the extension', () => passesUntouched(talk({ source: 'async-tasks' })));

  it('when the client negotiated the extension itself', () => {
    const clientCapabilities = { _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } };
    passesUntouched(talk({ clientCapabilities, answer: { _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } } }));
  });

  it('when the client speaks v2', () => {
    const on = wired([keepOpen({ source: 'auto', followUpWindow: WINDOW })]);
    on.client.sends({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 2 } });
    on.agent.answers(1, { protocolVersion: 2, info: { name: 'claude-agent-acp', version: '0.101.0' } });
    on.client.received();
    passesUntouched(on);
  });

  it('but not for an answer that is an error, after which the client may ask again', () => {
    const on = wired(pluginsFor());
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } };
    on.client.sends(initialize);
    on.agent.refuses(1, { code: -32603, message: 'busy' });
    on.client.sends(initialize);
    on.agent.answers(1, { protocolVersion: 1, agentInfo: { name: 'claude-agent-acp', version: '0.101.0' } });
    on.client.received();
    on.agent.sends(...[call.starts('T', 'Bash'), call.answers('T', 'Bash', { backgroundTaskId: 'b1' }), call.completes('T', 'Bash')]
      .map((update) => ({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: S, update } })));
    expect(on.client.received().at(-1).params.update.status).toBe('in_progress');
  });
});
