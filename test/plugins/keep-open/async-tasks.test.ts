/** The async task extension as the source, asked for in the client's name. */
import { describe, expect, it } from 'vitest';
import { call, CLAUDE, S, talk, terminal, WINDOW, type Talk } from './conversation.js';

const air = { _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks', 'sessionFailure'] } } } };
const connected = (): Talk => talk({ source: 'async-tasks', answer: air });
/** The same with a version that corrects a `stopped` at once. */
const correcting = (): Talk => talk({ source: 'async-tasks', answer: air, agent: { ...CLAUDE, version: '0.80.0' } });

const spawned = (more: object = {}) =>
  ({ sessionUpdate: 'async_task_spawned', asyncTaskId: 'b1', name: 'build', taskType: 'shell', description: 'Run the build', showInTranscript: false, canStop: true, toolCallId: 'T', ...more });
const became = (state: string, more: object = {}) => ({ sessionUpdate: 'async_task_state_update', asyncTaskId: 'b1', state, ...more });
/** The form of a client with the extension: the name only at the start, the exit at the launch. */
const acknowledged = { sessionUpdate: 'tool_call_update', toolCallId: 'T', status: 'completed', _meta: { terminal_exit: { terminal_id: 'T', exit_code: 0, signal: null } } };
const armed = { taskId: 'b1', taskType: 'shell', description: 'Run the build' };

function launches(on: Talk): void {
  on.says(call.starts('T', 'Bash', [terminal('T')]));
  on.says(spawned());
  on.says({ ...acknowledged, status: undefined, _meta: { jetbrains: { air: { asyncTasks: { backgrounded: true } } }, terminal_output: { terminal_id: 'T', data: 'x' } } });
  on.says(acknowledged);
}

describe('a spawn that names a covered call', () => {
  it('keeps the call open, and nothing of the extension reaches the client', () => {
    const on = connected();
    launches(on);
    expect(on.seen()).toEqual([
      call.starts('T', 'Bash', [terminal('T')]),
      { sessionUpdate: 'tool_call_update', toolCallId: 'T', _meta: { terminal_output: { terminal_id: 'T', data: 'x' }, claudeCode: { backgroundTask: armed } } },
      { sessionUpdate: 'tool_call_update', toolCallId: 'T', status: 'in_progress', _meta: { claudeCode: { backgroundTask: armed } } },
    ]);
    on.says({ sessionUpdate: 'async_task_progress', asyncTaskId: 'b1', description: 'half way' });
    expect(on.got()).toEqual([]);
    on.says(became('completed'));
    expect(on.seen()).toEqual([{
      sessionUpdate: 'tool_call_update', toolCallId: 'T', status: 'completed',
      _meta: { claudeCode: { backgroundTask: { ...armed, status: 'completed' }, taskStatus: 'completed' }, terminal_exit: { terminal_id: 'T', exit_code: null, signal: null } },
    }]);
    on.says(became('completed', { outputFilePath: '/tmp/out' }));
    expect(on.got()).toEqual([]);
  });

  it('gives the terminal the exit code that the agent\'s own turn names', () => {
    const on = connected();
    launches(on);
    on.says(became('failed'));
    on.seen();
    on.says({ sessionUpdate: 'async_task_spawned', asyncTaskId: 'turn-1', name: 'Working', taskType: 'turn', description: 'Background command "Run the build" failed with exit code 3' });
    expect(on.seen().map(({ status, _meta }) => [status, _meta.terminal_exit])).toEqual([['failed', { terminal_id: 'T', exit_code: 3, signal: null }]]);
  });

  it('may come without the call, which a progress names', () => {
    const on = connected();
    on.says(call.starts('T', 'Bash', [terminal('T')]));
    on.says(spawned({ toolCallId: undefined }));
    on.says({ sessionUpdate: 'async_task_progress', asyncTaskId: 'b1', toolCallId: 'T' });
    on.says(acknowledged);
    expect(on.seen().map(({ status }) => status)).toEqual(['pending', 'in_progress']);
  });

  it('may come after the acknowledgement, and opens the call again', () => {
    const on = connected();
    on.says(call.starts('T', 'Bash', [terminal('T')]));
    on.says(acknowledged);
    on.says(spawned());
    expect(on.seen().map(({ status }) => status)).toEqual(['pending', 'completed', 'in_progress']);
    on.says(became('failed'));
    expect(on.seen().map(({ status }) => status)).toEqual(['failed']);
  });

  it('arms no call of a tool that is not covered', () => {
    const on = connected();
    on.says(call.starts('T', 'Deploy'));
    on.says(spawned());
    on.says(acknowledged);
    expect(on.seen()).toEqual([call.starts('T', 'Deploy'), acknowledged]);
  });

  it('is needed: a structured answer alone names a task whose end nobody will report', () => {
    const on = connected();
    on.says(call.starts('T', 'Agent'));
    on.says(call.answers('T', 'Agent', { status: 'async_launched', agentId: 'a1' }));
    on.says(call.completes('T', 'Agent'));
    expect(on.seen().map(({ status }) => status)).toEqual(['pending', undefined, 'completed']);
  });
});

describe('a `stopped` that nobody asked for', () => {
  it('waits for its correction, so that the client sees one end', () => {
    const on = correcting();
    launches(on);
    on.seen();
    on.says(became('stopped'));
    on.clock.advance(2);
    expect(on.seen()).toEqual([]);
    on.says(became('completed'));
    expect(on.seen().map(({ status, _meta }) => [status, _meta.claudeCode.taskStatus])).toEqual([['completed', 'completed']]);
    on.clock.advance(WINDOW);
    expect(on.seen()).toEqual([]);
  });

  it('is told when the window is over', () => {
    const on = correcting();
    launches(on);
    on.seen();
    on.says(became('stopped'));
    on.says(became('stopped', { outputFilePath: '/tmp/out' }));
    on.clock.advance(WINDOW - 1);
    expect(on.seen()).toEqual([]);
    on.clock.advance(1);
    expect(on.seen().map(({ status, _meta }) => [status, _meta.claudeCode.taskStatus])).toEqual([['failed', 'stopped']]);
    on.says(became('completed'));
    expect(on.seen().map(({ status, _meta }) => [status, _meta.claudeCode.taskStatus])).toEqual([['completed', 'completed']]);
  });

  it('is told at once when the session closes', () => {
    const on = correcting();
    launches(on);
    on.seen();
    on.says(became('stopped'));
    on.client.sends({ jsonrpc: '2.0', id: 'c', method: 'session/close', params: { sessionId: S } });
    on.agent.answers('c', {});
    expect(on.got().map(({ params, id }) => params?.update._meta.claudeCode.taskStatus ?? id)).toEqual(['stopped', 'c']);
    on.clock.advance(WINDOW);
    expect(on.got()).toEqual([]);
  });

  it('holds the acknowledgement open that comes in between', () => {
    const on = correcting();
    on.says(call.starts('T', 'Bash', [terminal('T')]));
    on.says(spawned());
    on.says(became('stopped'));
    on.says(acknowledged);
    expect(on.seen().map(({ status }) => status)).toEqual(['pending', 'in_progress']);
    on.says(became('completed'));
    expect(on.seen().map(({ status }) => status)).toEqual(['completed']);
  });

  it('waits for nothing where the agent is known not to correct it', () => {
    const on = connected();
    launches(on);
    on.seen();
    on.says(became('stopped'));
    expect(on.seen().map(({ status, _meta }) => [status, _meta.claudeCode.taskStatus])).toEqual([['failed', 'stopped']]);
    on.clock.advance(WINDOW);
    expect(on.seen()).toEqual([]);
  });
});
