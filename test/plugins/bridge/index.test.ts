import { describe, expect, test } from 'vitest';
import { chunk, connected, state } from './connected.js';

describe('methods of the client', () => {
  test.each(['session/set_title', 'providers/list', 'auth/status', '_own/thing'])('%s is the same in both versions: byte for byte', (method) => {
    const wires = connected();
    const line = JSON.stringify({ jsonrpc: '2.0', id: 'x', method, params: { sessionId: 's', big: 1 } }).replace('1', '1.0');
    wires.client.sends(line);
    expect(wires.agent.receivedLines()).toEqual([line]);
  });

  test.each(['session/load', 'session/set_mode', 'no/such'])('%s is not one of v2', (method) => {
    const wires = connected();
    wires.client.requests(method, {});
    wires.client.notifies(method, {});
    expect(wires.agent.received()).toEqual([]);
    expect(wires.client.received()).toMatchObject([{ error: { code: -32601, message: `Method not found: ${method}. This agent speaks ACP v1, which has no such method.` } }]);
  });

  test.each([['terminal/cancel', { sessionId: 's', terminalId: 't' }], ['tool_call/cancel', { sessionId: 's', toolCallId: 'c' }]])('%s: nothing here can be cancelled by its id', (method, params) => {
    const wires = connected();
    wires.client.requests(method, params);
    expect(wires.agent.received()).toEqual([]);
    expect(wires.client.received()).toMatchObject([{ error: { code: -32602, data: params } }]);
  });
});

describe('methods of the agent', () => {
  test.each(['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'terminal/output'])('%s: a v2 client has no such thing', (method) => {
    const wires = connected();
    wires.agent.requests(method, { sessionId: 's' });
    expect(wires.client.received()).toEqual([]);
    expect(wires.agent.received()).toMatchObject([{ error: { code: -32601, message: `Method not found: ${method}. The client speaks ACP v2, where the agent owns its files and terminals.` } }]);
  });

  test.each(['mcp/message', '_own/thing', 'some/future_method'])('%s passes byte for byte', (method) => {
    const wires = connected();
    const line = JSON.stringify({ jsonrpc: '2.0', id: 5, method, params: { n: 1 } });
    wires.agent.sends(line);
    expect(wires.client.receivedLines()).toEqual([line]);
  });
});

describe('_session/async_task/stop', () => {
  test('passes; what the agent says without an id until it answers is a notice', () => {
    const wires = connected();
    const line = '{"jsonrpc":"2.0","id":"stop","method":"_session/async_task/stop","params":{"sessionId":"s","asyncTaskId":"t"}}';
    wires.client.sends(line);
    expect(wires.agent.receivedLines()).toEqual([line]);
    wires.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: 't', state: 'stopped' }, chunk('**Task stopped by user:** ./server.sh.'), chunk('said by the model', 'm'));
    wires.agent.answers('stop', { stopped: true });
    wires.updates(chunk('later'));
    expect(wires.told()).toMatchObject([
      { sessionUpdate: '_async_task_state_update' }, { sessionUpdate: 'notice', severity: 'info', title: 'Task stopped by user', description: './server.sh.' }, chunk('said by the model', 'm'),
      { id: 'stop', result: { stopped: true } }, { sessionUpdate: 'agent_message_chunk' },
    ]);
  });

  test('a notice takes in no prompt', () => {
    const wires = connected();
    wires.client.sends({ jsonrpc: '2.0', id: 'stop', method: '_session/async_task/stop', params: { sessionId: 's', asyncTaskId: 't' } });
    wires.asked();
    wires.prompts();
    wires.updates(chunk('**Task stopped by user:** x'));
    expect(wires.told()).toMatchObject([{ sessionUpdate: 'notice' }]);
    wires.updates(chunk('word', 'm'));
    expect(wires.told()).toMatchObject([{ sessionUpdate: 'user_message' }, {}, state('running'), chunk('word', 'm')]);
  });
});
