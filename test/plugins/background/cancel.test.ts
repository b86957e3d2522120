import { describe, expect, it } from 'vitest';
import { connected, lastId, SESSION, STOP, type Connected } from './connected.js';
import type { Message } from '../../pipeline/harness.js';

const cancel = (on: Connected, id: Message, method: string, params: Message): void => on.client.sends({ jsonrpc: '2.0', id, method, params });
const cancelTerminal = (on: Connected, id: Message, terminalId: Message = 'c', sessionId: Message = SESSION): void => cancel(on, id, 'terminal/cancel', { sessionId, terminalId });
const cancelCall = (on: Connected, id: Message, toolCallId: Message = 'w1'): void => cancel(on, id, 'tool_call/cancel', { sessionId: SESSION, toolCallId });

/** The next message to the client, whole, once the promises of the handler have settled. */
async function answer(on: Connected): Promise<Message> {
  await on.settled();
  return on.client.received();
}

/** Sends the cancel, and has the agent answer the stop. */
async function afterStop(reply: Message): Promise<{ on: Connected; messages: Message }> {
  const on = connected();
  on.runsShell();
  cancelTerminal(on, 7);
  const id = lastId(on.agent.received());
  on.agent.sends({ jsonrpc: '2.0', id, ...reply });
  return { on, messages: await answer(on) };
}

describe.each([
  ['terminal/cancel', 'c', 'b', cancelTerminal, (on: Connected) => on.runsShell()],
  ['tool_call/cancel', 'w1', 'w', cancelCall, (on: Connected) => on.runsWorkflow()],
] as const)('%s', (_, id, task, send, runs) => {
  it('becomes a stop of the task; accepted is an empty result, and the end is confirmed by the task itself', async () => {
    const on = connected();
    runs(on);
    send(on, 7, id);
    const asked = on.agent.received();
    expect(asked).toEqual([{ jsonrpc: '2.0', id: asked[0].id, method: STOP, params: { sessionId: SESSION, asyncTaskId: task } }]);
    on.says('_async_task_state_update', { asyncTaskId: task, state: 'stopped' });
    on.agent.answers(asked[0].id, { stopped: true });
    await on.settled();
    const [end, ok] = on.saw();
    expect(end).toMatch(id === 'c' ? /^terminal c exited \{\} not cancellable$/ : /^call w1 cancelled not cancellable$/);
    expect(ok).toBe('ok 7 {}');
    on.clock.advance(250);
    expect(on.saw()).toEqual(['idle []']);
  });

  it.each([['an unknown id', 'nosuch'], ['an id of the other kind', id === 'c' ? 'w1' : 'c']])('of %s is -32602 with the id in `data`, and no request to the agent', async (__, other) => {
    const on = connected();
    runs(on);
    send(on, 7, other);
    const [message] = await answer(on);
    expect(message).toMatchObject({ id: 7, error: { code: -32602, data: { [id === 'c' ? 'terminalId' : 'toolCallId']: other } } });
    expect(on.agent.received()).toEqual([]);
  });
});

describe('what is not cancelled', () => {
  it.each<[string, (on: Connected) => void]>([
    ['what cannot be stopped', (on) => on.runsShell({ canStop: false })],
    ['what has ended', (on) => { on.runsShell(); on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'completed' }); on.clock.advance(1000); }],
    ['what has ended within the window', (on) => { on.runsShell(); on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'completed' }); on.clock.advance(10); }],
    ['what was stopped, and may be corrected', (on) => { on.runsShell(); on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'stopped' }); }],
    ['what is still foreground', (on) => {
      on.says('state_update', { state: 'running' });
      on.says('terminal_update', { terminalId: 'c' });
      on.says('_async_task_spawned', { asyncTaskId: 'b', taskType: 'shell', canStop: true, toolCallId: 'c' });
    }],
    ['a session that nobody knows', () => {}],
    ['a session that is closed', (on) => {
      on.runsShell();
      on.client.sends({ jsonrpc: '2.0', id: 3, method: 'session/close', params: { sessionId: SESSION } });
      on.agent.answers(lastId(on.agent.received()), {});
    }],
  ])('%s', async (_, before) => {
    const on = connected();
    before(on);
    on.client.received();
    on.agent.received();
    cancelTerminal(on, 7);
    const messages = await answer(on);
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 7, error: { code: -32602, message: expect.any(String) as string, data: { terminalId: 'c' } } }]);
    expect(on.agent.received()).toEqual([]);
  });

  it.each<[string, Message]>([
    ['no params', undefined], ['no id', { sessionId: SESSION }], ['an id that is no string', { sessionId: SESSION, terminalId: 7 }], ['an empty id', { sessionId: SESSION, terminalId: '' }],
    ['a session that is no string', { sessionId: null, terminalId: 'c' }], ['params that are a list', [SESSION, 'c']],
  ])('%s: -32602, and types only in the message', async (_, params) => {
    const on = connected();
    on.runsShell();
    cancel(on, 7, 'terminal/cancel', params);
    const [message] = await answer(on);
    expect(message).toMatchObject({ id: 7, error: { code: -32602, message: expect.stringMatching(/^Expected sessionId and terminalId as non-empty strings, got \w+ and \w+\.$/) as string } });
    expect(on.agent.received()).toEqual([]);
  });

  it('a notification is not ours', () => {
    const on = connected();
    on.runsShell();
    on.client.notifies('terminal/cancel', { sessionId: SESSION, terminalId: 'c' });
    expect(on.agent.received()).toEqual([{ jsonrpc: '2.0', method: 'terminal/cancel', params: { sessionId: SESSION, terminalId: 'c' } }]);
  });
});

describe('what the agent answers', () => {
  it('`stopped: false` is -32602 with the id', async () => {
    const { messages } = await afterStop({ result: { stopped: false } });
    expect(messages).toMatchObject([{ id: 7, error: { code: -32602, data: { terminalId: 'c' } } }]);
  });

  it('an error is passed on as it is', async () => {
    const error = { code: -32000, message: 'Authentication required', data: { why: ['x'] } };
    expect((await afterStop({ error })).messages).toEqual([{ jsonrpc: '2.0', id: 7, error }]);
    const bare = { code: -32603, message: 'Internal error' };
    expect((await afterStop({ error: bare })).messages).toEqual([{ jsonrpc: '2.0', id: 7, error: bare }]);
  });

  it('-32601 becomes -32602 with the id: the method that the client called exists', async () => {
    const { messages } = await afterStop({ error: { code: -32601, message: 'Method not found', data: { method: STOP } } });
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 7, error: { code: -32602, message: 'Method not found', data: { terminalId: 'c' } } }]);
  });

  it.each<[string, Message]>([
    ['a text', { stopped: 'yes' }], ['nothing', {}], ['null', null], ['a list', [true]], ['true', true],
  ])('%s in place of a boolean `stopped` is -32603, named on stderr, and the session goes on', async (_, result) => {
    const { on, messages } = await afterStop({ result });
    expect(messages).toMatchObject([{ id: 7, error: { code: -32603, data: { terminalId: 'c' } } }]);
    expect(on.log.filter((line) => line.includes(STOP))).toHaveLength(1);
    cancelTerminal(on, 8);
    on.agent.answers(lastId(on.agent.received()), { stopped: 1 });
    expect(await answer(on)).toMatchObject([{ id: 8, error: { code: -32603 } }]);
    expect(on.log.filter((line) => line.includes(STOP))).toHaveLength(1);
    on.says('state_update', { state: 'running' });
    expect(on.saw()).toEqual(['running [terminal c]']);
    await on.relay.close();
    expect(on.log.at(-1)).toBe(`warn: malformed ${STOP}: 2 in all.`);
  });

  it('a stop that was refused was not asked for: the end waits for its correction', async () => {
    const { on } = await afterStop({ result: { stopped: false } });
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'stopped' });
    expect(on.saw()).toEqual([]);
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'completed' });
    on.clock.advance(250);
    expect(on.saw()).toEqual(['terminal c exited {} not cancellable']);
  });

  it('the end of the agent is an error', async () => {
    const on = connected();
    on.runsShell();
    cancelTerminal(on, 7);
    await on.agentExits(1);
    await on.settled();
    expect(on.saw().filter((line) => line.includes('7'))).toEqual(['error 7 -32603']);
  });
});

describe('requests', () => {
  it.each([[0], [''], [null], ['x'], [7]])('are answered under their id %o', async (id) => {
    const on = connected();
    on.runsShell();
    cancelTerminal(on, id);
    on.agent.answers(lastId(on.agent.received()), { stopped: true });
    expect(await answer(on)).toEqual([{ jsonrpc: '2.0', id, result: {} }]);
  });

  it('are answered in their own time', async () => {
    const on = connected();
    on.runsShell();
    on.runsWorkflow();
    cancelTerminal(on, 1);
    cancelCall(on, 2);
    const [first, second] = on.agent.received();
    on.agent.answers(second.id, { stopped: true });
    expect((await answer(on)).map(({ id }: Message) => id)).toEqual([2]);
    on.agent.answers(first.id, { stopped: true });
    expect((await answer(on)).map(({ id }: Message) => id)).toEqual([1]);
  });

  it.each([[{ stopped: true }, 'ok'], [{ stopped: false }, -32602]])('for the same item, before the first is answered, are one stop: %o answers all', async (result, outcome) => {
    const on = connected();
    on.runsShell();
    cancelTerminal(on, 1);
    cancelTerminal(on, 2);
    const asked = on.agent.received();
    expect(asked).toHaveLength(1);
    on.agent.answers(asked[0].id, result);
    expect((await answer(on)).map(({ id, error }: Message) => [id, error?.code ?? 'ok'])).toEqual([[1, outcome], [2, outcome]]);
    cancelTerminal(on, 3);
    expect(on.agent.received()).toHaveLength(1);
    await on.settled();
  });

  it('for the same item are all answered when the session is closed before the agent answers', async () => {
    const on = connected();
    on.runsShell();
    cancelTerminal(on, 1);
    cancelTerminal(on, 2);
    on.client.sends({ jsonrpc: '2.0', id: 3, method: 'session/close', params: { sessionId: SESSION } });
    on.agent.answers(lastId(on.agent.received()), {});
    expect((await answer(on)).filter(({ id }: Message) => id !== undefined).map(({ id, result }: Message) => [id, result])).toEqual([[1, {}], [2, {}], [3, {}]]);
  });

  it('for a session whose work is not reported, or that the agent lists itself, are the agent\'s', () => {
    const on = connected({ acknowledged: [] });
    on.says('state_update', { state: 'running' });
    cancelTerminal(on, 7);
    expect(on.asked()).toHaveLength(1);
    on.says('state_update', { state: 'running', background: [{ type: 'terminal', terminalId: 'c' }] });
    cancelTerminal(on, 8);
    expect(on.asked()).toMatchObject([{ method: 'terminal/cancel', id: 8 }]);
    cancelTerminal(on, 9, 'c', 'unheard');
    expect(on.asked()).toMatchObject([{ method: 'terminal/cancel', id: 9 }]);
  });

  it('are ours from the first item on, where the agent promised nothing (Codex without subagent sessions)', async () => {
    const on = connected({ name: '@agentclientprotocol/codex-acp' });
    on.runsShell();
    cancelTerminal(on, 7);
    expect(on.asked()).toEqual([`stop b of ${SESSION}`]);
    await on.settled();
  });
});
