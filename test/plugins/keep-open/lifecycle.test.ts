/** The life of a kept open call, in the orders that real agents send. */
import { describe, expect, it } from 'vitest';
import { call, exits, launchBash, raw, S, talk, terminal, text, WINDOW } from './conversation.js';

const armed = { taskId: 'b1', taskType: 'local_bash', description: 'Run the build' };
const SENTENCE = 'Background command "Run the build" completed (exit code 0)';
const FAILED = 'Background command "Run the build" failed with exit code 3';

describe('a background command', () => {
  it('stays in progress from its acknowledgement until the harness reports the end, and then says how it ended', () => {
    const on = talk();
    on.says(call.starts('T', 'Bash', [terminal('T')]));
    on.feeds(raw.live(raw.task('b1', 'Run the build')));
    on.feeds(raw.started('b1', 'T', 'Run the build'));
    expect(on.seen()).toEqual([call.starts('T', 'Bash', [terminal('T')])]);

    on.says(call.answers('T', 'Bash', { backgroundTaskId: 'b1' }));
    expect(on.seen()).toEqual([{ toolCallId: 'T', sessionUpdate: 'tool_call_update', _meta: { claudeCode: { toolResponse: { backgroundTaskId: 'b1' }, toolName: 'Bash', backgroundTask: armed } } }]);

    on.says(call.completes('T', 'Bash', { content: [terminal('T'), text('Command running in background')], rawOutput: 'x' }));
    expect(on.seen()).toEqual([{
      toolCallId: 'T', sessionUpdate: 'tool_call_update', status: 'in_progress', content: [terminal('T'), text('Command running in background')], rawOutput: 'x',
      _meta: { claudeCode: { toolName: 'Bash', backgroundTask: armed } },
    }]);

    on.feeds(raw.updated('b1', 'completed'));
    expect(on.seen()).toEqual([{
      sessionUpdate: 'tool_call_update', toolCallId: 'T', status: 'completed',
      _meta: { claudeCode: { backgroundTask: { ...armed, status: 'completed' }, taskStatus: 'completed' } },
    }]);

    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'T', _meta: exits('T', null) });
    expect(on.seen()).toEqual([{
      sessionUpdate: 'tool_call_update', toolCallId: 'T',
      _meta: { ...exits('T', null), claudeCode: { backgroundTask: { ...armed, status: 'completed' }, taskStatus: 'completed' } },
    }]);

    on.feeds(raw.notified('b1', 'completed', SENTENCE));
    expect(on.seen()).toEqual([{
      sessionUpdate: 'tool_call_update', toolCallId: 'T', status: 'completed', content: [terminal('T'), text('Command running in background'), text(SENTENCE)],
      _meta: { claudeCode: { backgroundTask: { ...armed, status: 'completed', summary: SENTENCE }, taskStatus: 'completed' } },
    }]);

    on.feeds(raw.live());
    on.feeds(raw.notified('b1', 'completed', SENTENCE));
    expect(on.seen()).toEqual([]);
  });

  it('fails with the harness\'s own word when it was killed', () => {
    const on = talk();
    launchBash(on);
    on.feeds(raw.updated('b1', 'killed'));
    on.feeds(raw.notified('b1', 'stopped', 'Background command "Run the build" was stopped'));
    const [settled, refined] = on.seen();
    expect([settled.status, settled._meta.claudeCode.taskStatus]).toEqual(['failed', 'killed']);
    expect([refined.status, refined._meta.claudeCode.taskStatus]).toEqual(['failed', 'stopped']);
  });

  it('is told once when only the notification comes', () => {
    const on = talk();
    launchBash(on);
    on.feeds(raw.notified('b1', 'failed', FAILED));
    const seen = on.seen();
    expect(seen.map(({ status }) => status)).toEqual(['failed']);
    expect(seen[0].content).toEqual([terminal('T'), text(FAILED)]);
  });

  it('is merged with an end that comes before the acknowledgement, sentence and all', () => {
    const on = talk();
    on.says(call.starts('T', 'Bash', [terminal('T')]));
    on.feeds(raw.live(raw.task('b1', 'Run the build')));
    on.says(call.answers('T', 'Bash', { backgroundTaskId: 'b1' }));
    on.feeds(raw.updated('b1', 'failed'));
    on.feeds(raw.notified('b1', 'failed', FAILED));
    on.seen();
    on.says(call.completes('T', 'Bash', { content: [text('launched')] }));
    expect(on.seen()).toEqual([{
      toolCallId: 'T', sessionUpdate: 'tool_call_update', status: 'failed', content: [text('launched'), text(FAILED)],
      _meta: { claudeCode: { toolName: 'Bash', backgroundTask: { ...armed, status: 'failed', summary: FAILED }, taskStatus: 'failed' } },
    }]);
    on.feeds(raw.live());
    expect(on.seen()).toEqual([]);
  });

  it('is merged with its end also in the exit that the acknowledgement carries', () => {
    const on = talk();
    on.says(call.starts('T', 'Bash', [terminal('T')]));
    on.feeds(raw.live(raw.task('b1', 'Run the build')));
    on.says(call.answers('T', 'Bash', { backgroundTaskId: 'b1' }));
    on.feeds(raw.updated('b1', 'failed'));
    on.seen();
    const acknowledged = call.completes('T', 'Bash');
    on.says({ ...acknowledged, _meta: { ...acknowledged._meta, ...exits('T', 0) } });
    expect(on.seen().map(({ status, _meta }) => [status, _meta.terminal_exit.exit_code])).toEqual([['failed', null]]);
    on.feeds(raw.notified('b1', 'failed', FAILED));
    expect(on.seen().map(({ status, _meta }) => [status, _meta.terminal_exit.exit_code])).toEqual([['failed', 3]]);
  });

  it('is merged with an end that comes before its structured answer', () => {
    const on = talk();
    on.says(call.starts('T', 'Bash', [terminal('T')]));
    on.feeds(raw.live(raw.task('b1', 'Run the build')));
    on.feeds(raw.updated('b1', 'completed'));
    on.says(call.answers('T', 'Bash', { backgroundTaskId: 'b1' }));
    on.says(call.completes('T', 'Bash'));
    on.feeds(raw.notified('b1', 'completed', SENTENCE));
    expect(on.seen().map(({ status }) => status)).toEqual(['pending', undefined, 'completed', 'completed']);
  });

  it('ends while idle, in a later turn or in its own, and never holds the response of a prompt', () => {
    const on = talk();
    on.client.sends({ jsonrpc: '2.0', id: 'p1', method: 'session/prompt', params: { sessionId: S, prompt: [] } });
    launchBash(on);
    on.agent.answers('p1', { stopReason: 'end_turn' });
    expect(on.got()).toEqual([{ jsonrpc: '2.0', id: 'p1', result: { stopReason: 'end_turn' } }]);
    on.client.sends({ jsonrpc: '2.0', id: 'p2', method: 'session/prompt', params: { sessionId: S, prompt: [] } });
    on.feeds(raw.updated('b1', 'completed'));
    expect(on.seen().map(({ status }) => status)).toEqual(['completed']);
    on.agent.answers('p2', { stopReason: 'end_turn' });
    expect(on.got()).toEqual([{ jsonrpc: '2.0', id: 'p2', result: { stopReason: 'end_turn' } }]);
  });

  it('ends on 0.66, where the empty level comes first, with the exit that was attached to its acknowledgement', () => {
    const on = talk({ agent: { name: '@agentclientprotocol/claude-agent-acp', version: '0.66.0' } });
    on.says(call.starts('T', 'Bash', [terminal('T')]));
    on.feeds(raw.live({ task_id: 'b1', task_type: 'local_bash', description: 'Run the build' }));
    on.says(call.answers('T', 'Bash', { backgroundTaskId: 'b1' }));
    const acknowledged = call.completes('T', 'Bash', { content: [terminal('T')] });
    on.says({ ...acknowledged, _meta: { ...acknowledged._meta, ...exits('T', 0) } });
    expect(on.seen().at(-1)._meta).toEqual({ claudeCode: { toolName: 'Bash', backgroundTask: armed } });
    on.feeds(raw.live());
    expect(on.seen()).toEqual([]);
    on.feeds({ subtype: 'task_updated', task_id: 'b1', patch: { status: 'failed' } });
    expect(on.seen().map(({ status, _meta }) => [status, _meta.terminal_exit])).toEqual([['failed', exits('T', null).terminal_exit]]);
    on.feeds({ subtype: 'task_notification', task_id: 'b1', status: 'failed', summary: FAILED });
    expect(on.seen().map(({ status, _meta }) => [status, _meta.terminal_exit])).toEqual([['failed', exits('T', 3).terminal_exit]]);
  });

  it('survives a cancelled turn, whose late failure does not settle it', () => {
    const on = talk();
    on.says(call.starts('T', 'Bash', [terminal('T')]));
    on.feeds(raw.live(raw.task('b1', 'Run the build')));
    on.says(call.answers('T', 'Bash', { backgroundTaskId: 'b1' }));
    on.client.notifies('session/cancel', { sessionId: S });
    on.says(call.fails('T', 'Bash'));
    expect(on.seen().at(-1).status).toBe('in_progress');
    on.feeds(raw.updated('b1', 'completed'));
    expect(on.seen().map(({ status }) => status)).toEqual(['completed']);
  });

  it('that fails to launch is the agent\'s own failure', () => {
    const on = talk();
    on.says(call.starts('T', 'Bash'));
    on.says(call.answers('T', 'Bash', { backgroundTaskId: 'b1' }));
    on.seen();
    on.says(call.fails('T', 'Bash'));
    expect(on.seen()).toEqual([call.fails('T', 'Bash')]);
  });

  it('takes a change of its last word', () => {
    const on = talk();
    launchBash(on);
    on.feeds(raw.updated('b1', 'killed'));
    on.clock.advance(WINDOW * 4);
    on.feeds(raw.updated('b1', 'completed'));
    expect(on.seen().map(({ status, _meta }) => [status, _meta.claudeCode.taskStatus])).toEqual([['failed', 'killed'], ['completed', 'completed']]);
  });
});

describe('late and repeated frames', () => {
  it('neither settle a live call nor re-open an ended one', () => {
    const on = talk();
    launchBash(on);
    on.says(call.completes('T', 'Bash', { content: [terminal('T'), text('again')] }));
    expect(on.seen().map(({ status, content }) => [status, content])).toEqual([['in_progress', [terminal('T'), text('again')]]]);
    on.feeds(raw.updated('b1', 'failed'));
    on.feeds(raw.notified('b1', 'failed', FAILED));
    on.seen();
    on.says(call.completes('T', 'Bash', { content: [text('late')] }));
    on.says({ toolCallId: 'T', sessionUpdate: 'tool_call_update', status: 'in_progress' });
    expect(on.seen().map(({ status, content }) => [status, content])).toEqual([['failed', [text('late'), text(FAILED)]], ['failed', undefined]]);
  });

  it('arm a call whose structured answer comes after its acknowledgement', () => {
    const on = talk();
    on.says(call.starts('T', 'Bash'));
    on.feeds(raw.live(raw.task('b1', 'Run the build')));
    on.says(call.completes('T', 'Bash'));
    on.seen();
    on.says(call.answers('T', 'Bash', { backgroundTaskId: 'b1' }));
    expect(on.seen().map(({ status }) => status)).toEqual(['in_progress']);
    on.feeds(raw.updated('b1', 'completed'));
    expect(on.seen().map(({ status }) => status)).toEqual(['completed']);
  });
});

describe('several lives', () => {
  it('keeps tasks of one turn apart', () => {
    const on = talk();
    launchBash(on, 'T1', 'b1', 'one');
    launchBash(on, 'T2', 'b2', 'two');
    on.says(call.starts('M', 'Monitor'));
    on.feeds(raw.live(raw.task('b1', 'one'), raw.task('b2', 'two'), raw.task('m1', 'watch')));
    on.says(call.answers('M', 'Monitor', { taskId: 'm1', persistent: false }));
    on.says(call.completes('M', 'Monitor'));
    on.seen();
    on.feeds(raw.updated('b2', 'failed'));
    expect(on.seen().map(({ toolCallId, status }) => [toolCallId, status])).toEqual([['T2', 'failed']]);
    on.feeds(raw.updated('m1', 'completed'));
    on.feeds(raw.updated('b1', 'completed'));
    expect(on.seen().map(({ toolCallId, status }) => [toolCallId, status])).toEqual([['M', 'completed'], ['T1', 'completed']]);
  });

  it('takes a new `tool_call` under a used id for a new life, which the old task does not end', () => {
    const on = talk();
    launchBash(on, 'T', 'b1');
    on.says(call.starts('T', 'Bash'));
    expect(on.seen()).toEqual([call.starts('T', 'Bash')]);
    on.feeds(raw.updated('b1', 'completed'));
    expect(on.seen()).toEqual([]);
    on.says(call.completes('T', 'Bash'));
    expect(on.seen()).toEqual([call.completes('T', 'Bash')]);
  });

  it('keeps the same id of two sessions apart', () => {
    const on = talk();
    launchBash(on, 'T', 'b1');
    on.says(call.starts('T', 'Bash'), 'session-2');
    on.says(call.completes('T', 'Bash'), 'session-2');
    expect(on.seen()).toEqual([call.starts('T', 'Bash'), call.completes('T', 'Bash')]);
    on.feeds(raw.updated('b1', 'completed'), 'session-2');
    expect(on.seen()).toEqual([]);
    on.feeds(raw.updated('b1', 'completed'));
    expect(on.seen().map(({ status }) => status)).toEqual(['completed']);
  });

  it('gives two sessions with one id their own tasks, also where the agent tells the answer of one in the other', () => {
    const on = talk();
    const starts = (session: string, task: string): void => {
      on.feeds(raw.live(raw.task(task, task)), session);
      on.feeds(raw.started(task, 'T', task), session);
    };
    on.says(call.starts('T', 'Bash'));
    on.says(call.starts('T', 'Bash'), 'session-2');
    starts(S, 'b1');
    on.says(call.answers('T', 'Bash', { backgroundTaskId: 'b1' }), 'session-2');
    on.says(call.completes('T', 'Bash'));
    starts('session-2', 'b2');
    on.says(call.completes('T', 'Bash'), 'session-2');
    const seen = (): unknown[] => on.got().filter(({ params }) => params.update.status !== 'pending').map(({ params: { sessionId, update } }) => [sessionId, update.status, update._meta.claudeCode.backgroundTask?.taskId]);
    expect(seen()).toEqual([['session-2', undefined, 'b1'], [S, 'in_progress', 'b1'], ['session-2', 'in_progress', 'b2']]);
    on.feeds(raw.updated('b2', 'failed'), 'session-2');
    on.feeds(raw.updated('b1', 'completed'));
    expect(seen()).toEqual([['session-2', 'failed', 'b2'], [S, 'completed', 'b1']]);
  });

  it('re-opens the call of a task that runs again under its old id, and ends it again', () => {
    const on = talk();
    on.says(call.starts('A', 'Agent'));
    on.feeds(raw.live(raw.task('a1', 'Search', 'local_agent', 'run-1')));
    on.says(call.answers('A', 'Agent', { status: 'async_launched', agentId: 'a1' }));
    on.says(call.completes('A', 'Agent', { content: [text('launched')] }));
    on.feeds(raw.updated('a1', 'completed', 'run-1'));
    on.feeds(raw.notified('a1', 'completed', 'Found it.', 'run-1'));
    on.feeds(raw.live());
    on.seen();
    on.feeds(raw.live(raw.task('a1', 'Search', 'local_agent', 'run-2')));
    on.feeds(raw.started('a1', 'SendMessage-1', 'Search', 'local_agent', 'run-2'));
    expect(on.seen()).toEqual([{
      sessionUpdate: 'tool_call_update', toolCallId: 'A', status: 'in_progress',
      _meta: { claudeCode: { backgroundTask: { taskId: 'a1', taskType: 'local_agent', description: 'Search' } } },
    }]);
    on.feeds(raw.updated('a1', 'completed', 'run-1'));
    expect(on.seen()).toEqual([]);
    on.feeds(raw.updated('a1', 'failed', 'run-2'));
    on.feeds(raw.notified('a1', 'failed', 'Lost it.', 'run-2'));
    expect(on.seen().map(({ status, content }) => [status, content])).toEqual([['failed', undefined], ['failed', [text('launched'), text('Found it.'), text('Lost it.')]]]);
  });

  it('goes on with a new run whose old end comes late', () => {
    const on = talk();
    launchBash(on);
    on.feeds(raw.live(raw.task('b1', 'Run the build', 'local_bash', 'run-2')));
    on.feeds(raw.updated('b1', 'completed', 'run-b1'));
    expect(on.seen()).toEqual([]);
    on.feeds(raw.updated('b1', 'failed', 'run-2'));
    expect(on.seen().map(({ status }) => status)).toEqual(['failed']);
  });
});

describe('a card that a permission request made', () => {
  it('is kept open like one that a `tool_call` made', () => {
    const on = talk();
    on.agent.sends({
      jsonrpc: '2.0', id: 'q', method: 'session/request_permission',
      params: { sessionId: S, toolCall: { toolCallId: 'T', name: 'Bash', status: 'pending', title: './build.sh', content: [terminal('T')] }, options: [] },
    });
    expect(on.got()).toHaveLength(1);
    on.client.answers('q', { outcome: { outcome: 'selected', optionId: 'allow' } });
    on.feeds(raw.live(raw.task('b1', 'Run the build')));
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'T', _meta: { claudeCode: { toolResponse: { backgroundTaskId: 'b1' } } } });
    on.says({ sessionUpdate: 'tool_call_update', toolCallId: 'T', status: 'completed' });
    on.feeds(raw.notified('b1', 'completed', SENTENCE));
    expect(on.seen().map(({ status, content }) => [status, content])).toEqual([
      [undefined, undefined], ['in_progress', undefined], ['completed', [terminal('T'), text(SENTENCE)]],
    ]);
  });
});
