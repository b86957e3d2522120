import { describe, expect, test } from 'vitest';
import { call, chunk, connected, fullAgent, initialized, modeOption, richClient, state, terminalClient, unconnected } from './connected.js';
import type { Message } from '../../pipeline/harness.js';

const answered = (id: unknown, result: unknown) => ({ jsonrpc: '2.0', id, result });
const v1Mode = (currentValue: string) => ({ id: 'mode', name: 'Mode', category: 'mode', type: 'select', currentValue, options: [{ value: 'ask', name: 'Ask' }, { value: 'code', name: 'Code', description: 'Writes' }] });

describe('initialize', () => {
  test('asks for v2 in the client’s name, with what v2 has of its capabilities', () => {
    const on = unconnected();
    on.client.requests('initialize', {
      protocolVersion: 1, clientInfo: { name: 'editor', version: '2' },
      clientCapabilities: { fs: { readTextFile: true }, terminal: true, auth: { terminal: true }, elicitation: { form: {} }, _meta: { terminal_output: true, mine: 1 } },
    });
    const [[method, params]] = on.asked();
    expect([method, params]).toEqual(['initialize', { protocolVersion: 2, info: { name: 'editor', version: '2' }, capabilities: { auth: { terminal: {} }, elicitation: { form: {} }, _meta: { mine: 1 } } }]);
  });

  test('the answer has v1’s capabilities and sign-in methods', () => {
    const on = unconnected();
    const id = on.client.requests('initialize', { protocolVersion: 1 });
    on.agent.answers(on.asked()[0][2], {
      ...fullAgent,
      authMethods: [
        { type: 'agent', methodId: 'login', name: 'Log in' },
        { type: 'terminal', methodId: 'cli', name: 'CLI', args: ['--login'], env: [{ name: 'A', value: 'b' }] },
        { type: '_sso', methodId: 'sso', name: 'SSO' },
      ],
      _meta: { more: true },
    });
    expect(on.told()).toEqual([answered(id, {
      protocolVersion: 1,
      agentInfo: { name: 'agent', version: '1.0.0' },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
        auth: { logout: {} },
      },
      authMethods: [{ id: 'login', name: 'Log in' }, { id: 'cli', name: 'CLI', type: 'terminal', args: ['--login'], env: { A: 'b' } }],
      _meta: { more: true },
    })]);
  });

  test('what only the unstable schema has goes to a client that reads it', () => {
    const on = unconnected('v1-unstable');
    on.client.requests('initialize', { protocolVersion: 1, clientCapabilities: richClient });
    on.agent.answers(on.asked()[0][2], fullAgent);
    expect(on.told()[0].result.agentCapabilities.sessionCapabilities).toMatchObject({ fork: {} });
  });

  test('an agent that speaks v1 only is asked once more, as the client did, and is its own', () => {
    const on = unconnected();
    const params = { protocolVersion: 1, clientCapabilities: { terminal: true } };
    const id = on.client.requests('initialize', params);
    on.client.requests('session/new', { cwd: '/p', mcpServers: [] });
    const first = on.asked();
    expect(first).toHaveLength(1);
    on.agent.answers(first[0][2], { protocolVersion: 1, agentCapabilities: {} });
    const again = on.agent.received();
    expect(again).toMatchObject([{ method: 'initialize', params }]);
    on.agent.answers(again[0].id, { protocolVersion: 1, agentCapabilities: { loadSession: true } });
    expect(on.told()).toEqual([answered(id, { protocolVersion: 1, agentCapabilities: { loadSession: true } })]);
    expect(on.agent.received()).toMatchObject([{ method: 'session/new', params: { cwd: '/p', mcpServers: [] } }]);
    expect(on.log).toEqual(['warn: --agent-protocol v2: the agent does not speak ACP v2, so nothing is bridged.']);
  });
});

describe('setting a session up', () => {
  test('session/new: servers, modes, options, and commands in an update', () => {
    const on = initialized();
    const id = on.client.requests('session/new', { cwd: '/p', mcpServers: [{ name: 'a', command: '/bin/a', args: [], env: [] }, { type: 'http', name: 'b', url: 'http://b', headers: [] }] });
    const [[method, params, own]] = on.asked();
    expect([method, params]).toEqual(['session/new', { cwd: '/p', mcpServers: [{ type: 'stdio', name: 'a', command: '/bin/a', args: [], env: [] }, { type: 'http', name: 'b', url: 'http://b', headers: [] }] }]);
    const grouped = { configId: 'model', name: 'Model', category: 'model', type: 'select', currentValue: 'x', options: [{ groupId: 'g', name: 'G', options: [{ value: 'x', name: 'X' }] }] };
    const flag = { configId: 'fast', name: 'Fast', type: 'boolean', currentValue: true };
    on.agent.answers(own, { sessionId: 's', configOptions: [modeOption(), grouped, flag], availableCommands: [{ type: 'command', name: 'init', description: 'Inits', input: { type: 'text', hint: 'what' } }, { type: '_x', name: 'x', description: 'x' }] });
    expect(on.told()).toEqual([
      answered(id, {
        sessionId: 's',
        modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }, { id: 'code', name: 'Code', description: 'Writes' }] },
        configOptions: [v1Mode('ask'), { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: 'x', options: [{ group: 'g', name: 'G', options: [{ value: 'x', name: 'X' }] }] }],
      }),
      { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'init', description: 'Inits', input: { hint: 'what' } }] },
    ]);
  });

  test('a server over sse is refused by name', () => {
    const on = initialized();
    on.client.requests('session/new', { cwd: '/p', mcpServers: [{ type: 'sse', name: 'old', url: 'http://x', headers: [] }] });
    expect(on.told()).toMatchObject([{ error: { code: -32602, data: { name: 'old' } } }]);
    expect(on.asked()).toEqual([]);
  });

  test('session/load is a resume that replays: the history comes before the answer, with what the user said', () => {
    const on = initialized();
    const id = on.client.requests('session/load', { sessionId: 's', cwd: '/p', mcpServers: [] });
    const [[method, params, own]] = on.asked();
    expect([method, params]).toEqual(['session/resume', { sessionId: 's', cwd: '/p', mcpServers: [], replayFrom: { type: 'start' } }]);
    const text = (value: string) => [{ type: 'text', text: value }];
    on.updates({ sessionUpdate: 'user_message', messageId: 'u', content: [] }, { sessionUpdate: 'user_message_chunk', messageId: 'u', content: text('hello')[0] });
    on.updates({ sessionUpdate: 'agent_message', messageId: 'm', content: text('hi') }, state('idle'));
    on.agent.answers(own, { configOptions: [modeOption('code')] });
    expect(on.told()).toMatchObject([
      { sessionUpdate: 'user_message_chunk', messageId: 'u', content: { text: 'hello' } },
      { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { text: 'hi' } },
      { id, result: { modes: { currentModeId: 'code' } } },
    ]);
  });

  test('a second load tells the history anew; a failed one changes nothing', () => {
    const on = connected();
    on.updates(chunk('hi'));
    on.told();
    on.client.requests('session/load', { sessionId: 's', cwd: '/p', mcpServers: [] });
    on.updates({ sessionUpdate: 'agent_message', messageId: 'm', content: [{ type: 'text', text: 'hi' }] });
    expect(on.told()).toEqual([chunk('hi')]);
    on.agent.refuses(on.asked()[0][2], { code: -32603, message: 'no' });
    on.told();
    on.updates({ sessionUpdate: 'agent_message', messageId: 'm', content: [{ type: 'text', text: 'hi there' }] });
    expect(on.told()).toEqual([chunk(' there')]);
  });

  test('an exit that the history tells of a listed terminal is not told, and any other is, before the answer', () => {
    const on = connected(terminalClient);
    const shows = (id: string) => call(id, { title: id, status: 'completed', content: [{ type: 'terminal', terminalId: id }] });
    const exits = (terminalId: string, exitStatus: unknown) => ({ sessionUpdate: 'terminal_update', terminalId, exitStatus });
    const id = on.client.requests('session/load', { sessionId: 's', cwd: '/p', mcpServers: [] });
    on.updates(shows('live'), exits('live', { exitCode: 0 }), shows('past'), exits('past', { exitCode: 3 }), state('idle', { background: [{ type: 'terminal', terminalId: 'live' }] }));
    on.agent.answers(on.asked()[0][2], {});
    const exitsIn = (told: Message[]): Message[] => told.flatMap((one) => one._meta?.terminal_exit ?? (one.id === id ? [id] : []));
    expect(exitsIn(on.told())).toEqual([{ terminal_id: 'past', exit_code: 3, signal: null }, id]);
    on.updates(exits('live', { exitCode: 1 }));
    expect(exitsIn(on.told())).toEqual([{ terminal_id: 'live', exit_code: 1, signal: null }]);
  });

  test('a call that goes on and that the history does not hold is told anew before the answer', () => {
    const on = connected(terminalClient);
    on.updates({ sessionUpdate: 'terminal_update', terminalId: 't', output: { data: 'b25l' } }, call('c', { title: 'Run', status: 'in_progress', content: [{ type: 'terminal', terminalId: 't' }] }));
    on.updates(call('d', { title: 'Search', status: 'in_progress' }), call('e', { title: 'Past', status: 'completed' }), call('f', { title: 'Known', status: 'in_progress' }));
    const before = on.told();
    const id = on.client.requests('session/load', { sessionId: 's', cwd: '/p', mcpServers: [] });
    on.updates(call('d', { status: 'completed' }), call('f', { title: 'Known', status: 'in_progress' }));
    expect(on.told()).toEqual([{ ...before[1], status: 'completed' }, before[3]]);
    on.agent.answers(on.asked()[0][2], {});
    expect(on.told()).toEqual([before[0], { jsonrpc: '2.0', id, result: {} }]);
    on.updates(call('c', { status: 'completed' }), { sessionUpdate: 'terminal_update', terminalId: 't', exitStatus: {} });
    expect(on.told().map(({ sessionUpdate }) => sessionUpdate)).toEqual(['tool_call_update']);
  });

  test('session/resume does not replay', () => {
    const on = initialized();
    const id = on.client.requests('session/resume', { sessionId: 's', cwd: '/p' });
    const [[method, params, own]] = on.asked();
    expect([method, params]).toEqual(['session/resume', { sessionId: 's', cwd: '/p' }]);
    on.agent.answers(own, {});
    expect(on.told()).toEqual([answered(id, {})]);
  });

  test('list, delete, close, sign-in and sign-out', () => {
    const on = connected();
    const asks = (method: string, params: unknown, theirs: string, given: unknown, got: unknown): void => {
      const id = on.client.requests(method, params);
      const [[name, sent, own]] = on.asked();
      expect([name, sent]).toEqual([theirs, params]);
      on.agent.answers(own, given);
      expect(on.told()).toEqual([answered(id, got)]);
    };
    asks('session/list', { cwd: '/p' }, 'session/list', { sessions: [{ sessionId: 's', cwd: '/p', archived: true, title: 'T' }], nextCursor: 'n' }, { sessions: [{ sessionId: 's', cwd: '/p', title: 'T' }], nextCursor: 'n' });
    asks('authenticate', { methodId: 'login' }, 'auth/login', {}, {});
    asks('logout', {}, 'auth/logout', {}, {});
    asks('session/close', { sessionId: 's' }, 'session/close', {}, {});
    asks('session/delete', { sessionId: 's' }, 'session/delete', {}, {});
  });

  test('nothing is said of a session that was closed', () => {
    const on = connected();
    on.client.requests('session/close', { sessionId: 's' });
    on.agent.answers(on.asked()[0][2], {});
    on.told();
    on.updates(chunk('late'), state('idle'));
    expect(on.told()).toEqual([]);
  });
});

describe('a close and a load that are on their way together', () => {
  const both = (...methods: readonly string[]) => {
    const on = connected();
    for (const method of methods) on.client.requests(method, { sessionId: 's', ...(method === 'session/load' ? { cwd: '/p', mcpServers: [] } : {}) });
    const ids = new Map<string, string>(on.asked().map(([method, , id]) => [method, id]));
    const idOf = (method: string): string => ids.get(method) ?? 'none';
    return { ...on, answers: (method: string) => on.agent.answers(idOf(method), {}), refuses: (method: string) => on.agent.refuses(idOf(method), { code: -32603, message: 'no' }) };
  };
  const said = { sessionUpdate: 'user_message', messageId: 'u', content: [{ type: 'text', text: 'hi' }] };
  const heard = (on: Pick<ReturnType<typeof both>, 'updates' | 'told'>) => {
    on.told();
    on.updates(chunk('a'));
    return on.told().length;
  };

  test('the close first: the history of the load is told, and the session lives', () => {
    const on = both('session/close', 'session/load');
    on.answers('session/close');
    on.updates(said);
    on.answers('session/resume');
    expect(on.told()).toMatchObject([{ result: {} }, { sessionUpdate: 'user_message_chunk', content: { text: 'hi' } }, { result: {} }]);
    expect(heard(on)).toBe(1);
  });

  test('the close first, and the load is refused: the session stays closed', () => {
    const on = both('session/close', 'session/load');
    on.answers('session/close');
    on.refuses('session/resume');
    expect(heard(on)).toBe(0);
  });

  test('the close last: the session stays closed', () => {
    const on = both('session/load', 'session/close');
    on.answers('session/close');
    on.updates(said);
    expect(on.told()).toMatchObject([{ result: {} }]);
    on.answers('session/resume');
    expect(heard(on)).toBe(0);
  });
});

describe('modes and options', () => {
  test('session/set_mode sets the option, whose change is told as both', () => {
    const on = connected({}, { configOptions: [modeOption()] });
    const id = on.client.requests('session/set_mode', { sessionId: 's', modeId: 'code' });
    const [[method, params, own]] = on.asked();
    expect([method, params]).toEqual(['session/set_config_option', { sessionId: 's', configId: 'mode', type: 'id', value: 'code' }]);
    on.updates({ sessionUpdate: 'config_option_update', configOptions: [modeOption('code')] });
    on.agent.answers(own, { configOptions: [modeOption('code')] });
    expect(on.told()).toEqual([
      { sessionUpdate: 'current_mode_update', currentModeId: 'code' },
      { sessionUpdate: 'config_option_update', configOptions: [v1Mode('code')] },
      answered(id, {}),
    ]);
  });

  test('a session without modes refuses it', () => {
    const on = connected();
    on.client.requests('session/set_mode', { sessionId: 's', modeId: 'code' });
    expect(on.told()).toMatchObject([{ error: { code: -32601 } }]);
  });

  test('session/set_config_option tags the value', () => {
    const on = connected({}, { configOptions: [modeOption()] });
    const id = on.client.requests('session/set_config_option', { sessionId: 's', configId: 'mode', value: 'code' });
    const [[, params, own]] = on.asked();
    expect(params).toEqual({ sessionId: 's', configId: 'mode', type: 'id', value: 'code' });
    on.agent.answers(own, { configOptions: [modeOption('code')] });
    expect(on.told()).toEqual([answered(id, { configOptions: [v1Mode('code')] })]);
  });
});

test('extension methods and those with one shape pass; what is the agent’s to refuse, it refuses', () => {
  const on = connected();
  on.client.requests('_x/y', { a: 1 });
  on.client.requests('session/unheard_of', {});
  expect(on.agent.received()).toMatchObject([{ method: '_x/y', params: { a: 1 } }, { method: 'session/unheard_of' }]);
});

test('a batch is refused', () => {
  const on = connected();
  on.client.sends([{ jsonrpc: '2.0', id: 9, method: 'session/list' }]);
  expect(on.client.received()).toMatchObject([{ error: { code: -32600 } }]);
  expect(on.agent.received()).toEqual([]);
});
