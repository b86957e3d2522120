import { describe, expect, test } from 'vitest';
import { chunk, connected, fullAgent, initialized, state, type Connected } from './connected.js';

const plainAgent = { protocolVersion: 1 };
const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }, { id: 'code', name: 'Code' }] };
const fast = { id: 'fast', name: 'Fast', type: 'boolean', currentValue: false };
const v2Fast = { configId: 'fast', name: 'Fast', type: 'boolean', currentValue: false };

describe('session/new and session/fork', () => {
  test.each([['session/new', { cwd: '/project' }], ['session/fork', { sessionId: 's', cwd: '/project' }]])('%s', (method, params) => {
    const wires = initialized();
    const id = wires.client.requests(method, params);
    const [[sent, sentParams, own]] = wires.asked() as [[string, unknown, string]];
    expect([sent, sentParams]).toEqual([method, { ...params, mcpServers: [] }]);
    wires.agent.answers(own, { sessionId: 'n', modes, configOptions: [fast] });
    expect(wires.told()).toMatchObject([{ id, result: { sessionId: 'n', configOptions: [{ configId: 'mode', currentValue: 'ask' }, v2Fast] } }]);
  });

  test('an error is the answer', () => {
    const wires = initialized();
    wires.client.requests('session/new', { cwd: '/project' });
    wires.agent.refuses(wires.asked()[0][2], { code: -32000, message: 'Authentication required' });
    expect(wires.told()).toMatchObject([{ error: { code: -32000 } }]);
  });

  test('an answer without a session is an error', () => {
    const wires = initialized();
    wires.client.requests('session/new', { cwd: '/project' });
    wires.agent.answers(wires.asked()[0][2], {});
    expect(wires.told()).toMatchObject([{ error: { code: -32603, message: 'Internal error: the agent answered session/new without a sessionId.' } }]);
  });

  test('what the agent cannot do is refused without asking it', () => {
    const wires = initialized(plainAgent);
    wires.client.requests('session/fork', { sessionId: 's', cwd: '/project' });
    wires.client.requests('session/delete', { sessionId: 's' });
    wires.client.requests('session/resume', { sessionId: 's', cwd: '/project' });
    wires.client.requests('auth/logout', {});
    wires.client.requests('session/new', { cwd: '/project', mcpServers: [{ type: 'http', name: 'x', url: 'http://x' }] });
    expect(wires.asked()).toEqual([]);
    expect(wires.told().map(({ error }) => error.code as number)).toEqual([-32601, -32601, -32601, -32601, -32602]);
  });
});

describe('session/list', () => {
  test('is the agent’s', () => {
    const wires = initialized();
    wires.client.requests('session/list', { cwd: '/project' });
    wires.agent.answers(wires.asked()[0][2], { sessions: [{ sessionId: 'a', cwd: '/project' }, { cwd: '/project' }] });
    expect(wires.told()).toMatchObject([{ result: { sessions: [{ sessionId: 'a', cwd: '/project' }] } }]);
  });

  test('is that of the connection, where the agent has none', () => {
    const wires = connected(plainAgent);
    wires.client.requests('session/list', {});
    expect(wires.told()).toMatchObject([{ result: { sessions: [{ sessionId: 's', cwd: '/project' }] } }]);
    wires.client.requests('session/close', { sessionId: 's' });
    wires.client.requests('session/list', {});
    expect(wires.told().at(-1)).toMatchObject({ result: { sessions: [] } });
  });
});

describe.each(['session/close', 'session/delete'])('%s', (method) => {
  test('ends the work and what is open, then is answered; nothing follows', () => {
    const wires = connected();
    const first = wires.runs('one');
    wires.prompts('two');
    wires.agent.sends({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params: { sessionId: 's', toolCall: { toolCallId: 'c' }, options: [{ optionId: 'y', name: 'Y', kind: 'allow_once' }] } });
    const request = wires.told().at(-1) as { id: string };
    const id = wires.client.requests(method, { sessionId: 's' });
    wires.agent.answers(wires.asked().at(-1)[2], {});
    expect(wires.asked()).toEqual([[{ outcome: { outcome: 'cancelled' } }]]);
    expect(wires.told()).toMatchObject([
      state('running'), { method: '$/cancel_request', params: { requestId: request.id } }, { error: { code: -32800 } }, state('idle', { stopReason: 'cancelled' }), { id, result: {} },
    ]);
    wires.updates(chunk('late', 'm'));
    wires.agent.answers(first as string, { stopReason: 'cancelled' });
    wires.clock.advance(1000);
    expect(wires.told()).toEqual([]);
  });

  test('an idle session has no state to tell', () => {
    const wires = connected();
    wires.client.requests(method, { sessionId: 's' });
    wires.agent.answers(wires.asked()[0][2], null);
    expect(wires.told()).toMatchObject([{ result: {} }]);
  });

  test('that fails closes nothing, unless the session is not there', () => {
    const wires = connected();
    wires.runs();
    wires.client.requests(method, { sessionId: 's' });
    wires.agent.refuses(wires.asked()[0][2], { code: -32603, message: 'busy' });
    expect(wires.told()).toMatchObject([{ error: { code: -32603 } }]);
    wires.client.requests(method, { sessionId: 's' });
    wires.agent.refuses(wires.asked()[0][2], { code: -32002, message: 'not found' });
    expect(wires.told()).toMatchObject([state('idle', { stopReason: 'cancelled' }), { error: { code: -32002 } }]);
  });
});

test('an agent without a close is told to stop working', () => {
  const wires = connected(plainAgent);
  wires.runs();
  const id = wires.client.requests('session/close', { sessionId: 's' });
  expect(wires.asked()).toEqual([['session/cancel', { sessionId: 's' }]]);
  expect(wires.told()).toEqual([state('idle', { stopReason: 'cancelled' }), { jsonrpc: '2.0', id, result: {} }]);
});

test('a closed session lives again when it is resumed', () => {
  const wires = connected();
  wires.client.requests('session/close', { sessionId: 's' });
  wires.agent.answers(wires.asked()[0][2], {});
  wires.client.requests('session/resume', { sessionId: 's', cwd: '/project' });
  wires.agent.answers(wires.asked()[0][2], {});
  wires.told();
  wires.updates(chunk('a', 'm'));
  expect(wires.told()).toEqual([chunk('a', 'm')]);
});

describe('a close and a resume that are on their way together', () => {
  const both = (...methods: readonly string[]) => {
    const wires = connected();
    for (const method of methods) wires.client.requests(method, { sessionId: 's', ...(method === 'session/resume' ? { cwd: '/project' } : {}) });
    const ids = new Map<string, string>(wires.asked().map(([method, , id]) => [method, id]));
    const idOf = (method: string): string => ids.get(method) ?? 'none';
    return { ...wires, answers: (method: string) => wires.agent.answers(idOf(method), {}), refuses: (method: string, code: number) => wires.agent.refuses(idOf(method), { code, message: 'no' }) };
  };
  const heard = (wires: Pick<Connected, 'updates' | 'told'>) => {
    wires.told();
    wires.updates(chunk('a', 'm'));
    return wires.told();
  };

  test.each(['session/close', 'session/delete'])('%s first: the session lives again with the resume', (method) => {
    const wires = both(method, 'session/resume');
    wires.answers(method);
    wires.answers('session/resume');
    expect(wires.told()).toMatchObject([{ result: {} }, state('idle'), { result: {} }]);
    expect(heard(wires)).toEqual([chunk('a', 'm')]);
  });

  test('the close first, and the resume is refused: the session stays closed', () => {
    const wires = both('session/close', 'session/resume');
    wires.answers('session/close');
    wires.refuses('session/resume', -32002);
    expect(heard(wires)).toEqual([]);
  });

  test('the close first, and it is refused', () => {
    const wires = both('session/close', 'session/resume');
    wires.refuses('session/close', -32603);
    wires.answers('session/resume');
    expect(heard(wires)).toEqual([chunk('a', 'm')]);
  });

  test('the close last: the session stays closed, also when the agent answers it first', () => {
    const wires = both('session/resume', 'session/close');
    wires.answers('session/close');
    wires.answers('session/resume');
    expect(heard(wires)).toEqual([]);
  });
});

describe('session/set_config_option', () => {
  test('is told as an update, too, before it is answered', () => {
    const wires = connected(fullAgent, { configOptions: [fast] });
    const id = wires.client.requests('session/set_config_option', { sessionId: 's', configId: 'fast', type: 'boolean', value: true });
    const [[method, params, own]] = wires.asked() as [[string, unknown, string]];
    expect([method, params]).toEqual(['session/set_config_option', { sessionId: 's', configId: 'fast', type: 'boolean', value: true }]);
    wires.agent.answers(own, { configOptions: [{ ...fast, currentValue: true }] });
    const configOptions = [{ ...v2Fast, currentValue: true }];
    expect(wires.told()).toEqual([{ sessionUpdate: 'config_option_update', configOptions }, { jsonrpc: '2.0', id, result: { configOptions } }]);
  });

  test('an id has no tag in v1; other values are refused', () => {
    const wires = connected(fullAgent, { configOptions: [fast] });
    wires.client.requests('session/set_config_option', { sessionId: 's', configId: 'model', type: 'id', value: 'a' });
    expect(wires.asked()[0].slice(0, 2)).toEqual(['session/set_config_option', { sessionId: 's', configId: 'model', value: 'a' }]);
    wires.client.requests('session/set_config_option', { sessionId: 's', configId: 'model', type: '_n', value: 1 });
    expect(wires.told()).toMatchObject([{ error: { code: -32602 } }]);
  });

  test('the mode of an agent with modes is set as its mode', () => {
    const wires = connected(fullAgent, { modes });
    wires.client.requests('session/set_config_option', { sessionId: 's', configId: 'mode', type: 'id', value: 'code' });
    const [[method, params, own]] = wires.asked() as [[string, unknown, string]];
    expect([method, params]).toEqual(['session/set_mode', { sessionId: 's', modeId: 'code' }]);
    wires.agent.answers(own, {});
    expect(wires.told()).toMatchObject([{ configOptions: [{ configId: 'mode', currentValue: 'code' }] }, { result: { configOptions: [{ currentValue: 'code' }] } }]);
  });

  test('an error changes nothing', () => {
    const wires = connected(fullAgent, { modes });
    wires.client.requests('session/set_config_option', { sessionId: 's', configId: 'mode', type: 'id', value: 'x' });
    wires.agent.refuses(wires.asked()[0][2], { code: -32602, message: 'no such mode' });
    expect(wires.told()).toMatchObject([{ error: { code: -32602 } }]);
  });
});

test('signing in and out', () => {
  const wires = initialized();
  wires.client.requests('auth/login', { methodId: 'key' });
  wires.client.requests('auth/logout', {});
  const [[login, loginParams, first], [logout, , second]] = wires.asked() as [[string, unknown, string], [string, unknown, string]];
  expect([login, loginParams, logout]).toEqual(['authenticate', { methodId: 'key' }, 'logout']);
  wires.agent.answers(first, null);
  wires.agent.answers(second, { _meta: { k: 1 } });
  expect(wires.told()).toMatchObject([{ result: {} }, { result: { _meta: { k: 1 } } }]);
});
