import { describe, expect, test } from 'vitest';
import { fullAgent, initialized, unconnected } from './connected.js';

const v2Params = { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: {} };
const v1Answer = { protocolVersion: 1, agentInfo: { name: 'a', version: '1' } };
const v2Answer = { protocolVersion: 2, info: { name: 'a', version: '2' }, capabilities: { session: {} }, authMethods: [] };
const bridgedAnswer = { protocolVersion: 2, info: { name: 'a', version: '1' }, capabilities: { session: { prompt: {}, mcp: { stdio: {} } } }, authMethods: [] };

/** Whether a session update is translated, which only happens while the bridge is at work. */
function bridges(wires: ReturnType<typeof unconnected>): boolean {
  wires.agent.notifies('session/update', { sessionId: 's', update: { sessionUpdate: 'plan', entries: [] } });
  return (wires.client.received()[0] as { params: { update: { sessionUpdate: string } } }).params.update.sessionUpdate === 'plan_update';
}

describe('a v2 client and an agent that is spoken to in v1', () => {
  test('offers v1 only, and answers in v2', () => {
    const wires = unconnected({ agentProtocol: 'v1' });
    const id = wires.client.requests('initialize', v2Params);
    const [[method, params, own]] = wires.asked() as [[string, Record<string, unknown>, string]];
    expect([method, params.protocolVersion, 'capabilities' in params]).toEqual(['initialize', 1, false]);
    wires.agent.answers(own, v1Answer);
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, result: bridgedAnswer }]);
    expect(bridges(wires)).toBe(true);
  });

  test('an error is the answer', () => {
    const wires = unconnected({ agentProtocol: 'v1' });
    const id = wires.client.requests('initialize', v2Params);
    wires.agent.refuses(wires.asked()[0][2], { code: -32603, message: 'broken' });
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, error: { code: -32603, message: 'broken' } }]);
  });

  test('a malformed answer is named', () => {
    const wires = initialized({ protocolVersion: 1, authMethods: [{ name: 'x' }] });
    expect(wires.log.join('\n')).toContain('authMethods.id: expected a value, got undefined');
  });
});

describe('an agent that is offered both versions', () => {
  const offered = () => {
    const wires = unconnected({ agentProtocol: 'auto' });
    const id = wires.client.requests('initialize', v2Params);
    const [, params, own] = wires.agent.received().map(({ method, params: sent, id: sentId }) => [method, sent, sentId])[0] as [string, Record<string, unknown>, string];
    return { wires, id, params, own };
  };

  test('reads its own half of one request', () => {
    const { params } = offered();
    expect(params).toMatchObject({ ...v2Params, clientInfo: v2Params.info, clientCapabilities: { terminal: false } });
  });

  test('v2: its answer passes, and the bridge is gone', () => {
    const { wires, id, own } = offered();
    wires.agent.answers(own, v2Answer);
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, result: v2Answer }]);
    expect(bridges(wires)).toBe(false);
  });

  test('v1: it is initialised once more, in pure v1 shape', () => {
    const { wires, id, own } = offered();
    wires.agent.answers(own, { ...v1Answer, agentInfo: { name: 'first', version: '1' } });
    expect(wires.told()).toEqual([]);
    const [[method, params, again]] = wires.asked() as [[string, Record<string, unknown>, string]];
    expect([method, params.protocolVersion]).toEqual(['initialize', 1]);
    wires.agent.answers(again, v1Answer);
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, result: bridgedAnswer }]);
    expect(bridges(wires)).toBe(true);
  });

  test('v1: when that fails, the first answer stands', () => {
    const { wires, id, own } = offered();
    wires.agent.answers(own, v1Answer);
    wires.agent.refuses(wires.asked()[0][2], { code: -32600, message: 'initialised already' });
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, result: bridgedAnswer }]);
  });

  test('an agent that refuses the version is offered v1 alone', () => {
    const { wires, id, own } = offered();
    wires.agent.refuses(own, { code: -32602, message: 'unsupported' });
    wires.agent.answers(wires.asked()[0][2], v1Answer);
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, result: bridgedAnswer }]);
  });
});

describe('byte for byte, and out of the way', () => {
  test.each<[string, 'auto' | 'v1' | 'v2', Record<string, unknown>]>([
    ['a v1 client', 'auto', { protocolVersion: 1, clientCapabilities: {} }],
    ['a v2 client, whose agent is to be spoken to in v2', 'v2', v2Params],
    ['no version at all', 'v1', {}],
  ])('%s', (_, agentProtocol, params) => {
    const wires = unconnected({ agentProtocol });
    const line = JSON.stringify({ id: 7, jsonrpc: '2.0', method: 'initialize', params });
    wires.client.sends(line);
    expect(wires.agent.receivedLines()).toEqual([line]);
    expect(bridges(wires)).toBe(false);
  });
});

test('an agent without a name has that of its command', () => {
  const wires = unconnected({}, { agentCommand: ['/opt/bin/my-agent', '--acp'] });
  wires.client.requests('initialize', v2Params);
  wires.agent.answers(wires.asked()[0][2], { protocolVersion: 1 });
  expect(wires.told()[0].result.info).toEqual({ name: 'my-agent', version: 'unknown' });
});

test('what the agent says of extensions reaches the client', () => {
  const wires = unconnected();
  wires.client.requests('initialize', v2Params);
  wires.agent.answers(wires.asked()[0][2], { ...fullAgent, _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } });
  expect(wires.told()[0].result._meta).toEqual({ jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } });
});
