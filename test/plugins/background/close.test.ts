import { describe, expect, it } from 'vitest';
import { connected, lastId, SESSION, type Connected } from './connected.js';

const close = (on: Connected, id: number, method = 'session/close'): void => on.client.sends({ jsonrpc: '2.0', id, method, params: { sessionId: SESSION } });
const settledShell = 'terminal c exited {} not cancellable because the session was closed';

describe.each(['session/close', 'session/delete'])('%s', (method) => {
  it('settles everything before its response, and nothing comes after it', () => {
    const on = connected();
    on.runsShell();
    on.runsWorkflow();
    close(on, 5, method);
    const [request] = on.agent.received();
    expect(request).toMatchObject({ method, params: { sessionId: SESSION } });
    expect(on.saw()).toEqual([]);
    on.agent.answers(request.id, { _meta: { kept: 1 } });
    expect(on.saw()).toEqual([settledShell, 'call w1 cancelled not cancellable because the session was closed', 'idle []', 'ok 5 {"_meta":{"kept":1}}']);
    on.says('tool_call_update', { toolCallId: 'c', status: 'failed' });
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'stopped' });
    on.says('agent_message_chunk', { messageId: 'm', content: { type: 'text', text: 'late' } });
    on.raw('task_updated', { task_id: 'b', patch: { status: 'killed' } });
    on.clock.advance(1000);
    expect(on.saw()).toEqual(['_claude/sdkMessage']);
    expect(on.clock.pending()).toBe(0);
  });

  it('passes as it came where nothing is listed', () => {
    const on = connected();
    const request = `{"id":5.0, "jsonrpc":"2.0","method":"${method}","params":{"sessionId":"${SESSION}"}}`;
    on.client.sends(request);
    expect(on.agent.receivedLines()).toEqual([request]);
    on.agent.sends('{"id":5.0, "jsonrpc":"2.0","result":{}}');
    expect(on.client.receivedLines()).toEqual(['{"id":5.0, "jsonrpc":"2.0","result":{}}']);
  });

  it('"not found" counts as closed; the error is passed on', () => {
    const on = connected();
    on.runsShell();
    close(on, 5, method);
    on.agent.refuses(lastId(on.agent.received()), { code: -32002, message: 'Session not found' });
    expect(on.saw()).toEqual([settledShell, 'idle []', 'error 5 -32002']);
    on.says('state_update', { state: 'running' });
    expect(on.saw()).toEqual([]);
  });

  it('on another error nothing is settled, and the session goes on', () => {
    const on = connected();
    on.runsShell();
    close(on, 5, method);
    on.agent.refuses(lastId(on.agent.received()), { code: -32603, message: 'no', data: { x: 1 } });
    expect(on.client.received()).toEqual([{ jsonrpc: '2.0', id: 5, error: { code: -32603, message: 'no', data: { x: 1 } } }]);
    on.says('state_update', { state: 'running' });
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'failed' });
    on.clock.advance(250);
    expect(on.saw()).toEqual(['running [terminal c]', 'terminal c exited {} not cancellable', 'running []']);
  });

  it('ends foreground work that runs, in one idle', () => {
    const on = connected();
    on.runsShell();
    on.says('state_update', { state: 'running' });
    on.says('tool_call_update', { toolCallId: 'f', status: 'in_progress' });
    close(on, 5, method);
    on.client.received();
    const id = lastId(on.agent.received());
    on.says('tool_call_update', { toolCallId: 'f', status: 'cancelled' });
    on.says('state_update', { state: 'idle', stopReason: 'cancelled' });
    expect(on.saw()).toEqual(['call f cancelled']);
    on.agent.answers(id, {});
    expect(on.saw()).toEqual([settledShell, 'idle (cancelled) []', 'ok 5 {}']);
  });

  it('reads the output to its end first', () => {
    const on = connected();
    on.runsShell({ outputFilePath: '/tmp/b' });
    on.files.write('/tmp/b', 'late', { lazily: true });
    close(on, 5, method);
    on.agent.answers(lastId(on.agent.received()), {});
    expect(on.saw()).toEqual(['terminal c output', settledShell, 'idle []', 'ok 5 {}']);
    expect(on.files.followed()).toEqual([]);
  });
});

describe('cancel requests that are open when the session is closed', () => {
  const open = (): { on: Connected; stop: number } => {
    const on = connected();
    on.runsShell();
    on.client.sends({ jsonrpc: '2.0', id: 7, method: 'terminal/cancel', params: { sessionId: SESSION, terminalId: 'c' } });
    return { on, stop: lastId(on.agent.received()) };
  };

  it('are answered before the close is, and once', async () => {
    const { on, stop } = open();
    close(on, 8);
    on.agent.answers(lastId(on.agent.received()), {});
    expect(on.saw()).toEqual([settledShell, 'idle []', 'ok 7 {}', 'ok 8 {}']);
    on.agent.answers(stop, { stopped: true });
    await on.settled();
    expect(on.saw()).toEqual([]);
    expect(on.log).toEqual([]);
  });

  it('also when the work has ended meanwhile', () => {
    const { on } = open();
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'stopped' });
    on.clock.advance(1000);
    on.client.received();
    close(on, 8);
    on.agent.answers(lastId(on.agent.received()), {});
    expect(on.saw()).toEqual(['ok 7 {}', 'ok 8 {}']);
  });

  it('also one that is sent after the close', () => {
    const on = connected();
    on.runsShell();
    close(on, 8);
    const id = lastId(on.agent.received());
    on.client.sends({ jsonrpc: '2.0', id: 9, method: 'terminal/cancel', params: { sessionId: SESSION, terminalId: 'c' } });
    on.agent.answers(id, {});
    expect(on.saw()).toEqual([settledShell, 'idle []', 'ok 9 {}', 'ok 8 {}']);
  });

  it('stay open when the close fails', async () => {
    const { on, stop } = open();
    close(on, 8);
    on.agent.refuses(lastId(on.agent.received()), { code: -32603, message: 'no' });
    expect(on.saw()).toEqual(['error 8 -32603']);
    on.agent.answers(stop, { stopped: true });
    await on.settled();
    expect(on.saw()).toEqual(['ok 7 {}']);
  });

  it('of other sessions stay open, and hold nothing up', async () => {
    const { on, stop } = open();
    on.says('state_update', { state: 'running' }, 'other');
    on.says('_async_task_spawned', { asyncTaskId: 'x', taskType: 'shell', canStop: true }, 'other');
    on.says('state_update', { state: 'idle' }, 'other');
    on.client.received();
    on.client.sends({ jsonrpc: '2.0', id: 8, method: 'session/close', params: { sessionId: 'other' } });
    on.agent.answers(lastId(on.agent.received()), {});
    expect(on.saw()).toEqual(['other: terminal afterturn:x exited {} not cancellable because the session was closed', 'other: idle []', 'ok 8 {}']);
    on.agent.answers(stop, { stopped: true });
    await on.settled();
    expect(on.saw()).toEqual(['ok 7 {}']);
  });

  it('a cancellation of the close itself reaches the agent under the id that it knows', () => {
    const on = connected();
    on.runsShell();
    close(on, 8);
    const id: unknown = lastId(on.agent.received());
    on.client.notifies('$/cancel_request', { requestId: 8 });
    on.client.notifies('$/cancel_request', { requestId: 9 });
    expect(on.agent.received().map(({ params }) => params)).toEqual([{ requestId: id }, { requestId: 9 }]);
  });
});

describe('a session id', () => {
  it('that is set up again lives again', () => {
    const on = connected();
    on.runsShell();
    close(on, 5);
    on.agent.answers(lastId(on.agent.received()), {});
    on.client.received();
    on.client.sends({ jsonrpc: '2.0', id: 6, method: 'session/resume', params: { sessionId: SESSION, cwd: '/w' } });
    on.says('state_update', { state: 'idle' });
    on.agent.answers(6, {});
    expect(on.saw()).toEqual(['idle []', 'ok 6 {}']);
  });

  it('that a fork comes from stays closed; the fork starts with an empty list', () => {
    const on = connected();
    on.runsShell();
    close(on, 5);
    on.agent.answers(lastId(on.agent.received()), {});
    on.client.received();
    on.client.sends({ jsonrpc: '2.0', id: 6, method: 'session/fork', params: { sessionId: SESSION, cwd: '/w' } });
    on.agent.answers(6, { sessionId: 'forked' });
    on.says('state_update', { state: 'idle' });
    on.says('state_update', { state: 'idle' }, 'forked');
    expect(on.saw()).toEqual(['ok 6 {"sessionId":"forked"}', 'forked: idle []']);
  });

  it('keeps its work apart from that of another session with the same ids', () => {
    const on = connected();
    on.runsShell();
    for (const [kind, members] of [
      ['state_update', { state: 'running' }], ['terminal_update', { terminalId: 'c' }], ['_async_task_spawned', { asyncTaskId: 'b', taskType: 'shell', toolCallId: 'c' }], ['state_update', { state: 'idle' }],
    ] as const) on.says(kind, members, 'other');
    on.client.received();
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'failed' });
    on.clock.advance(500);
    expect(on.saw()).toEqual(['terminal c exited {} not cancellable', 'idle []']);
    on.says('state_update', { state: 'running' }, 'other');
    expect(on.saw()).toEqual(['other: running [terminal c]']);
  });
});

describe('a session that comes back', () => {
  const resume = (on: Connected, id: number): void => on.client.sends({ jsonrpc: '2.0', id, method: 'session/resume', params: { sessionId: SESSION, cwd: '/project' } });
  const runsShell = (on: Connected): void => {
    on.runsShell();
    on.client.received();
  };

  it('with a resume that was sent before the close was answered: it has lists again', () => {
    const on = connected();
    runsShell(on);
    close(on, 5);
    resume(on, 6);
    on.agent.answers(lastId(on.agent.received().slice(0, 1)), {});
    expect(on.saw()).toEqual([settledShell, 'idle []', 'ok 5 {}']);
    on.says('state_update', { state: 'idle' });
    on.agent.answers(6, {});
    expect(on.saw()).toEqual(['idle []', 'ok 6 {}']);
    on.says('state_update', { state: 'running' });
    on.says('_async_task_spawned', { asyncTaskId: 'b', taskType: 'shell' });
    on.says('state_update', { state: 'idle' });
    expect(on.saw()).toEqual(['running []', 'terminal afterturn:b', 'idle [terminal afterturn:b]']);
  });

  it('calls nothing by the id of what has ended', () => {
    const on = connected();
    for (const [round, id] of ['afterturn:b', 'afterturn:b:2', 'afterturn:b:3'].entries()) {
      on.says('_async_task_spawned', { asyncTaskId: 'b', taskType: 'shell' });
      on.says('state_update', { state: 'idle' });
      expect(on.saw().at(-1)).toBe(`idle [terminal ${id}]`);
      close(on, round);
      on.agent.answers(lastId(on.agent.received()), {});
      resume(on, 10 + round);
      on.agent.answers(10 + round, {});
      on.client.received();
    }
  });
});

describe('the agent is gone', () => {
  it('everything of every session is settled, with that reason', async () => {
    const on = connected();
    on.runsShell({ outputFilePath: '/tmp/b' });
    on.files.write('/tmp/b', 'late', { lazily: true });
    on.says('state_update', { state: 'running' }, 'other');
    on.client.received();
    await on.agentExits(null, 'SIGKILL');
    expect(on.saw()).toEqual(['terminal c output', 'terminal c exited {} not cancellable because the agent exited', 'idle []', 'other: idle (cancelled) []']);
    expect(on.files.followed()).toEqual([]);
  });

  it('while a close waits: the session is settled, and the close fails', async () => {
    const on = connected();
    on.runsShell();
    close(on, 5);
    await on.agentExits(0);
    expect(on.saw().sort()).toEqual(['error 5 -32603', 'idle []', 'terminal c exited {} not cancellable because the agent exited']);
  });
});
