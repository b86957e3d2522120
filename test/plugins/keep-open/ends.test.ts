/** Calls whose end nobody reports, and sessions that are loaded while work runs. */
import { describe, expect, it } from 'vitest';
import { call, exits, launchBash, raw, S, talk, terminal, text, type Talk } from './conversation.js';

const armed = { taskId: 'b1', taskType: 'local_bash', description: 'Run the build' };
const unknown = (reason: string) => ({
  sessionUpdate: 'tool_call_update', toolCallId: 'T', status: 'failed',
  _meta: { claudeCode: { backgroundTask: { ...armed, status: 'unknown' }, taskStatus: 'unknown' }, afterturn: { reason } },
});
const CLOSED = 'the session was closed before the work ended';

const closes = (on: Talk, method: string): void => on.client.sends({ jsonrpc: '2.0', id: 'c', method, params: { sessionId: S } });

describe('a call whose task never ends', () => {
  it('waits without a timer', () => {
    const on = talk();
    launchBash(on);
    on.clock.advance(24 * 3_600_000);
    expect(on.seen()).toEqual([]);
    expect(on.clock.pending()).toBe(0);
  });

  it.each(['session/close', 'session/delete'])('is settled with the reason before the answer to %s', (method) => {
    const on = talk();
    launchBash(on);
    closes(on, method);
    expect(on.got()).toEqual([]);
    on.agent.answers('c', {});
    const [update, answer] = on.got();
    expect(update.params).toEqual({ sessionId: S, update: unknown(CLOSED) });
    expect(answer).toEqual({ jsonrpc: '2.0', id: 'c', result: {} });
  });

  it('is settled when the session turns out to be gone, and not when closing it failed', () => {
    const on = talk();
    launchBash(on);
    closes(on, 'session/close');
    on.agent.refuses('c', { code: -32603, message: 'no' });
    expect(on.got()).toEqual([{ jsonrpc: '2.0', id: 'c', error: { code: -32603, message: 'no' } }]);
    closes(on, 'session/close');
    on.agent.refuses('c', { code: -32002, message: 'not found' });
    expect(on.got().map(({ params, error }) => params?.update.status ?? error.code)).toEqual(['failed', -32002]);
  });

  it('says nothing more once the session is closed', () => {
    const on = talk();
    launchBash(on);
    closes(on, 'session/close');
    on.agent.answers('c', {});
    on.got();
    on.feeds(raw.updated('b1', 'killed'));
    on.feeds(raw.live());
    expect(on.got()).toEqual([]);
    expect(on.log).toEqual([]);
  });

  it('gets back the exit of its terminal that was held back', () => {
    const on = talk();
    on.says(call.starts('T', 'Bash', [terminal('T')]));
    on.says(call.answers('T', 'Bash', { backgroundTaskId: 'b1' }));
    const acknowledged = call.completes('T', 'Bash');
    on.says({ ...acknowledged, _meta: { ...acknowledged._meta, ...exits('T', 0) } });
    on.seen();
    closes(on, 'session/close');
    on.agent.answers('c', {});
    expect(on.got()[0].params.update._meta.terminal_exit).toEqual({ terminal_id: 'T', exit_code: null, signal: null });
  });

  it('is settled at the end of the client\'s input, once, and by the agent\'s own word if that still comes', async () => {
    const on = talk();
    launchBash(on);
    await on.client.ends();
    expect(on.seen()).toEqual([unknown('the input of the client ended before the work did')]);
    on.feeds(raw.updated('b1', 'completed'));
    expect(on.seen().map(({ status, _meta }) => [status, _meta.claudeCode.taskStatus, _meta.afterturn])).toEqual([['completed', 'completed', undefined]]);
    await on.agentExits(0);
    expect(on.seen()).toEqual([]);
  });

  it('is settled when the agent exits', async () => {
    const on = talk();
    launchBash(on);
    await on.agentExits(1);
    expect(on.seen()).toEqual([unknown('the agent exited before the work ended')]);
  });

  it('is settled by its known end when only the acknowledgement is missing', () => {
    const on = talk();
    on.says(call.starts('T', 'Bash', [terminal('T')]));
    on.feeds(raw.live(raw.task('b1', 'Run the build')));
    on.says(call.answers('T', 'Bash', { backgroundTaskId: 'b1' }));
    on.feeds(raw.notified('b1', 'completed', 'It is done.'));
    on.seen();
    closes(on, 'session/close');
    on.agent.answers('c', {});
    const [{ params }] = on.got();
    expect([params.update.status, params.update.content]).toEqual(['completed', [terminal('T'), text('It is done.')]]);
  });
});

const OPTIONS = { cwd: '/project', mcpServers: [] };
const loads = (on: Talk, method = 'session/load', more: object = {}): void => on.client.sends({ jsonrpc: '2.0', id: 'l', method, params: { sessionId: S, ...OPTIONS, ...more } });

function replays(on: Talk): void {
  on.says(call.starts('T', 'Bash', [terminal('T')]));
  const done = call.completes('T', 'Bash', { content: [terminal('T')] });
  on.says({ ...done, _meta: { ...done._meta, ...exits('T', 0) } });
}

describe('a session that is loaded', () => {
  it('keeps a live call open through its own replay', () => {
    const on = talk();
    launchBash(on);
    loads(on);
    replays(on);
    on.agent.answers('l', {});
    const messages = on.got();
    expect(messages.map(({ params }) => params?.update.status)).toEqual(['in_progress', 'in_progress', undefined]);
    expect(messages[1].params.update._meta).toEqual({ claudeCode: { toolName: 'Bash', backgroundTask: armed } });
    on.feeds(raw.updated('b1', 'completed'));
    expect(on.seen().map(({ status }) => status)).toEqual(['completed']);
  });

  it('settles nothing before its response', () => {
    const on = talk();
    launchBash(on);
    loads(on);
    on.feeds(raw.updated('b1', 'completed'));
    replays(on);
    expect(on.seen().map(({ status }) => status)).toEqual(['in_progress', 'in_progress']);
    on.agent.answers('l', {});
    expect(on.got().map(({ params, id }) => params?.update.status ?? id)).toEqual(['completed', 'l']);
  });

  it('replays an ended call with its real end', () => {
    const on = talk();
    launchBash(on);
    on.feeds(raw.notified('b1', 'failed', 'It failed with exit code 3'));
    on.seen();
    loads(on);
    replays(on);
    expect(on.seen().map(({ status, content, _meta }) => [status, content, _meta.terminal_exit?.exit_code])).toEqual([
      ['failed', [terminal('T'), text('It failed with exit code 3')], undefined],
      ['failed', [terminal('T'), text('It failed with exit code 3')], 3],
    ]);
  });

  it('passes the history of calls that it does not know as it came', () => {
    const on = talk();
    loads(on);
    on.says(call.starts('T', 'Bash', [terminal('T')]));
    on.says(call.answers('T', 'Bash', { backgroundTaskId: 'b1' }));
    on.says(call.completes('T', 'Bash'));
    on.feeds(raw.updated('b1', 'completed'));
    expect(on.seen()).toEqual([call.starts('T', 'Bash', [terminal('T')]), call.answers('T', 'Bash', { backgroundTaskId: 'b1' }), call.completes('T', 'Bash')]);
    on.agent.answers('l', {});
    expect(on.got()).toEqual([{ jsonrpc: '2.0', id: 'l', result: {} }]);
  });

  it.each(['session/load', 'session/resume'])('with other options than before loses its work at the response of %s', (method) => {
    const on = talk();
    launchBash(on);
    loads(on, method, { cwd: '/other' });
    expect(on.got()).toEqual([]);
    on.agent.answers('l', {});
    const [update, answer] = on.got();
    expect(update.params.update).toEqual(unknown('the session was set up again with other options, which ends its background work'));
    expect(answer).toEqual({ jsonrpc: '2.0', id: 'l', result: {} });
  });

  it('keeps its work when the options are the same in another order, or when the request failed', () => {
    const on = talk();
    launchBash(on);
    on.client.sends({ jsonrpc: '2.0', id: 'l', method: 'session/resume', params: { mcpServers: [], cwd: '/project', sessionId: S } });
    on.agent.answers('l', {});
    expect(on.got()).toEqual([{ jsonrpc: '2.0', id: 'l', result: {} }]);
    loads(on, 'session/load', { cwd: '/missing' });
    on.agent.refuses('l', { code: -32602, message: 'no such folder' });
    expect(on.got().map(({ error }) => error.code)).toEqual([-32602]);
    on.feeds(raw.updated('b1', 'completed'));
    expect(on.seen().map(({ status }) => status)).toEqual(['completed']);
  });
});
