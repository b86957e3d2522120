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

describe('by the profile of the agent', () => {
  const CLAUDE = '@agentclientprotocol/claude-agent-acp';
  const air = { _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } };
  /** What the agent is asked in v1, in v2 or in both. */
  const shapeOf = (params: Record<string, unknown>): string => `${params.protocolVersion as number}${'clientCapabilities' in params ? ' v1' : ''}${'capabilities' in params ? ' v2' : ''}`;
  const connecting = (command: string, wiring: { onlyOnce?: boolean } = {}) => {
    const choices: string[] = [];
    const wires = unconnected({ agentProtocol: 'auto', onChoice: ({ offer, because }) => choices.push(`${offer} because ${because}`) }, { agentCommand: command.split(' '), ...wiring });
    const id = wires.client.requests('initialize', v2Params);
    const next = (): { shape: string; own: string } => {
      const [message] = wires.agent.received() as [{ params: Record<string, unknown>; id: string }];
      return { shape: shapeOf(message.params), own: message.id };
    };
    return { wires, id, next, choices };
  };

  test('an agent that is known for v1 is offered nothing else', () => {
    const { next, choices } = connecting('npx @agentclientprotocol/codex-acp');
    expect([next().shape, choices]).toEqual(['1 v1', ['v1 because command']]);
  });

  test('an agent that is known for v2 gets the request as it came', () => {
    const { wires, next, id } = connecting(`npx ${CLAUDE}@0.101.0`);
    const { shape, own } = next();
    expect(shape).toBe('2 v2');
    wires.agent.answers(own, v2Answer);
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, result: v2Answer }]);
  });

  test('v2 of an agent that is to be spoken to in v1: it is started again before the client gets an answer', () => {
    const { wires, next, id, choices } = connecting(`npx ${CLAUDE}`);
    const first = next();
    wires.client.requests('session/new', { cwd: '/w', mcpServers: [] });
    wires.agent.answers(first.own, { ...v2Answer, info: { name: CLAUDE, version: '0.95.0' } });
    expect([first.shape, wires.restarts(), wires.client.received()]).toEqual(['2 v1 v2', 1, []]);
    const second = next();
    expect(second.shape).toBe('1 v1');
    wires.agent.answers(second.own, { ...fullAgent, agentInfo: { name: CLAUDE, version: '0.95.0' } });
    expect(wires.told()).toMatchObject([{ id, result: { protocolVersion: 2, info: { version: '0.95.0' } } }]);
    expect(wires.asked()).toEqual([['session/new', { cwd: '/w', mcpServers: [] }, expect.any(String)]]);
    expect(choices).toEqual(['both because command', 'v1 because answer']);
  });

  test('it is started again once at most', () => {
    const { wires, next, id } = connecting('agent');
    const codex = { ...v2Answer, info: { name: 'codex-acp', version: '9.0.0' } };
    wires.agent.answers(next().own, codex);
    wires.agent.answers(next().own, codex);
    expect([wires.restarts(), wires.told()]).toEqual([1, [{ jsonrpc: '2.0', id, result: codex }]]);
  });

  test('where it cannot be started again its answer is taken as it is', () => {
    const { wires, next, id } = connecting('agent', { onlyOnce: true });
    const codex = { ...v2Answer, info: { name: 'codex-acp', version: '2.6.0' } };
    wires.agent.answers(next().own, codex);
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, result: codex }]);
    expect(bridges(wires)).toBe(false);
  });

  test('an error of the new process is the answer', () => {
    const { wires, next, id } = connecting('agent');
    wires.agent.answers(next().own, { ...v2Answer, info: { name: 'codex-acp', version: '2.6.0' } });
    wires.agent.refuses(next().own, { code: -32603, message: 'broken' });
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', id, error: { code: -32603, message: 'broken' } }]);
  });

  test('v1 that acknowledges the extension was read as v1, and is not asked again', () => {
    const { wires, next, id } = connecting(`npx ${CLAUDE}`);
    wires.agent.answers(next().own, { ...fullAgent, ...air });
    expect(wires.agent.received()).toEqual([]);
    expect(wires.told()).toMatchObject([{ id, result: { protocolVersion: 2 } }]);
  });
});

describe('what the client says before it has its answer', () => {
  test('waits, and is bridged', () => {
    const wires = unconnected({ agentProtocol: 'v1' });
    const id = wires.client.requests('initialize', v2Params);
    const [[, , own]] = wires.asked() as [[string, unknown, string]];
    wires.client.requests('session/new', { cwd: '/w', mcpServers: [{ type: 'stdio', name: 'm', command: 'm', args: [] }] });
    expect(wires.asked()).toEqual([]);
    wires.agent.answers(own, fullAgent);
    expect(wires.told()).toMatchObject([{ id }]);
    expect(wires.asked()).toEqual([['session/new', { cwd: '/w', mcpServers: [{ name: 'm', command: 'm', args: [], env: [] }] }, expect.any(String)]]);
  });

  test('waits, and passes to an agent that speaks v2', () => {
    const wires = unconnected({ agentProtocol: 'auto' });
    wires.client.requests('initialize', v2Params);
    const [{ id: own }] = wires.agent.received() as [{ id: string }];
    const line = '{"id":7.0, "jsonrpc":"2.0","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}';
    wires.client.sends(line);
    wires.agent.answers(own, v2Answer);
    expect(wires.agent.receivedLines()).toEqual([line]);
  });

  test('an agent that is gone before it answers: the client is told', async () => {
    const wires = unconnected({ agentProtocol: 'auto' });
    const id = wires.client.requests('initialize', v2Params);
    wires.client.requests('session/new', { cwd: '/w', mcpServers: [] });
    wires.agent.received();
    await wires.agentExits(1);
    expect(wires.client.received()).toMatchObject([{ id, error: { message: 'the agent is gone and has not answered' } }]);
  });
});
