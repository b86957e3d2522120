/** What a v1 agent asks about work that is on the client's list, through the bridge and the lists. */
import { describe, expect, test } from 'vitest';
import { ListedBoard } from '../../plugins/listed-work.js';
import { builtInPlugins } from '../../plugins/index.js';
import { wired, type Message, type Wired } from '../pipeline/harness.js';
import { validateToClient } from '../tools/schema.js';

const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
const cancelled = { outcome: { outcome: 'cancelled' } };

interface Listed extends Wired {
  /** What the client got since the last call, valid in ACP v2: updates without their envelope. */
  told(): Message[];
  updates(...updates: Message[]): void;
  asks(id: number, toolCall: Message): void;
  /** The answers that the agent got since the last call. */
  answers(): Message[];
  prompts(): string;
}

/** A v2 client, a v1 agent with the extension, and a session with a background shell (call and terminal `c`) and a workflow (call `w1`). */
function withListedWork(name = 'codex-acp'): Listed {
  const on = wired(builtInPlugins({ agentProtocol: 'v1', source: 'auto', followUpWindow: 250, stale: 'off', staleAfter: 2000, agentCommand: ['agent'] }));
  const { client, agent } = on;
  let got: Message[] = [];
  const toAgent = (): Message[] => {
    const messages = agent.received();
    got.push(...messages);
    return messages;
  };
  const idOf = (method: string): string => toAgent().filter((message) => message.method === method).at(-1)?.id;
  client.requests('initialize', { protocolVersion: 2, info: { name: 'test', version: '1' }, capabilities: {} });
  const air = { version: 1, capabilities: ['asyncTasks', 'nativeSubagentSessions'] };
  agent.answers(idOf('initialize'), { protocolVersion: 1, agentInfo: { name, version: '9' }, agentCapabilities: { sessionCapabilities: { close: {} } }, _meta: { jetbrains: { air } } });
  client.requests('session/new', { cwd: '/project' });
  agent.answers(idOf('session/new'), { sessionId: 's' });
  client.received();
  const told = (): Message[] => client.received().map((message: Message) => {
    if (message.method !== undefined) expect(validateToClient('v2', message), JSON.stringify(message)).toEqual([]);
    return message.method === 'session/update' ? message.params.update : message;
  });
  const updates = (...all: Message[]): void => all.forEach((update) => agent.notifies('session/update', { sessionId: 's', update }));
  const prompts = (): string => {
    client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'go' }] });
    const id = idOf('session/prompt');
    updates({ sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { type: 'text', text: 'word' } });
    return id;
  };
  const first = prompts();
  updates(
    { sessionUpdate: 'tool_call', toolCallId: 'c', title: './run.sh', kind: 'execute', status: 'in_progress', rawInput: { command: './run.sh' }, content: [{ type: 'terminal', terminalId: 'c' }], _meta: { terminal_info: { terminal_id: 'c', cwd: '/project' } } },
    { sessionUpdate: 'tool_call', toolCallId: 'w1', title: 'Flow', kind: 'other', status: 'in_progress' },
    { sessionUpdate: 'async_task_spawned', asyncTaskId: 'b', taskType: 'shell', canStop: true, toolCallId: 'c' },
    { sessionUpdate: 'async_task_spawned', asyncTaskId: 'w', taskType: 'workflow', canStop: true, toolCallId: 'w1' },
    { sessionUpdate: 'tool_call_update', toolCallId: 'w1', status: 'completed' },
  );
  agent.answers(first, { stopReason: 'end_turn' });
  on.clock.advance(1000);
  client.received();
  got = [];
  return {
    ...on, told, updates, prompts,
    asks: (id, toolCall) => agent.sends({ jsonrpc: '2.0', id, method: 'session/request_permission', params: { sessionId: 's', toolCall, options } }),
    answers: () => {
      toAgent();
      const answers = got.filter((message) => message.method === undefined);
      got = [];
      return answers.map(({ id, result, error }) => [id, result ?? error]);
    },
  };
}

const command = { type: 'command', command: './run.sh', cwd: '/project', terminalId: 'c', toolCallId: 'c' };

test('the work of these tests is listed', () => {
  const on = withListedWork();
  on.prompts();
  expect(on.told()).toContainEqual({ sessionUpdate: 'state_update', state: 'running', background: [{ type: 'tool_call', toolCallId: 'w1' }, { type: 'terminal', terminalId: 'c' }] });
});

describe('a request about a listed terminal', () => {
  test('is one about its command, and no state, idle or not', () => {
    const on = withListedWork();
    on.asks(1, { toolCallId: 'c', title: './run.sh' });
    expect(on.told()).toMatchObject([{ method: 'session/request_permission', params: { title: './run.sh', subject: command } }]);
    on.prompts();
    on.told();
    on.asks(2, { toolCallId: 'c', title: './run.sh' });
    expect(on.told()).toMatchObject([{ method: 'session/request_permission', params: { subject: command } }]);
  });

  test('tells what is new of its call before it', () => {
    const on = withListedWork();
    on.asks(1, { toolCallId: 'c', title: './run.sh --again' });
    expect(on.told()).toMatchObject([{ sessionUpdate: 'tool_call_update', toolCallId: 'c', title: './run.sh --again' }, { params: { subject: command } }]);
  });
});

test('a request about a listed call is about that call, and no state', () => {
  const on = withListedWork();
  on.prompts();
  on.told();
  on.asks(1, { toolCallId: 'w1', title: 'Flow' });
  expect(on.told()).toMatchObject([{ method: 'session/request_permission', params: { subject: { type: 'tool_call', toolCall: { toolCallId: 'w1' } } } }]);
});

test('a request about anything else is about its own call, and the session waits for it', () => {
  const on = withListedWork();
  on.prompts();
  on.told();
  on.asks(1, { toolCallId: 'x', title: 'rm' });
  expect(on.told()).toMatchObject([{ toolCallId: 'x' }, { state: 'requires_action' }, { params: { subject: { type: 'tool_call', toolCall: { toolCallId: 'x' } } } }]);
});

describe('session/cancel', () => {
  test('answers what the foreground asks, and leaves what listed work asks', () => {
    const on = withListedWork();
    const prompt = on.prompts();
    on.asks(1, { toolCallId: 'c', title: './run.sh' });
    on.asks(2, { toolCallId: 'x', title: 'rm' });
    const requests = on.told().filter((message) => message.method === 'session/request_permission');
    on.client.notifies('session/cancel', { sessionId: 's' });
    expect(on.answers()).toEqual([[2, cancelled]]);
    on.clock.advance(1000);
    expect(on.told().filter((message) => message.method === '$/cancel_request')).toEqual([{ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: requests[1].id } }]);
    on.agent.answers(prompt, { stopReason: 'cancelled' });
    expect(on.told()).toMatchObject([{ state: 'idle', stopReason: 'cancelled' }]);
    on.client.sends({ jsonrpc: '2.0', id: requests[0].id, result: { outcome: { outcome: 'selected', optionId: 'y' } } });
    expect(on.answers()).toEqual([[1, { outcome: { outcome: 'selected', optionId: 'y' } }]]);
  });
});

test('an elicitation about listed work is no state, and stays open at a cancel', () => {
  const on = withListedWork();
  on.prompts();
  on.told();
  const asks = (id: number, toolCallId: string): void => on.agent.sends({ jsonrpc: '2.0', id, method: 'elicitation/create', params: { sessionId: 's', toolCallId, mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } } });
  asks(1, 'w1');
  expect(on.told()).toMatchObject([{ method: 'elicitation/create' }]);
  asks(2, 'other');
  expect(on.told()).toMatchObject([{ state: 'requires_action' }, { method: 'elicitation/create' }]);
  on.client.notifies('session/cancel', { sessionId: 's' });
  expect(on.answers()).toEqual([[2, { action: 'cancel' }]]);
});

test('session/close answers everything', () => {
  const on = withListedWork();
  on.asks(1, { toolCallId: 'c', title: './run.sh' });
  const [request] = on.told() as { id: string }[];
  on.client.requests('session/close', { sessionId: 's' });
  const close = on.agent.received().find((message) => message.method === 'session/close') as { id: string };
  on.agent.answers(close.id, {});
  expect(on.answers()).toEqual([[1, cancelled]]);
  expect(on.told()).toContainEqual({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: request?.id } });
});

test('work that has ended is no longer listed', () => {
  const on = withListedWork();
  on.prompts();
  on.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: 'w', state: 'completed' });
  on.told();
  on.asks(1, { toolCallId: 'w1', title: 'Flow' });
  expect(on.told()).toMatchObject([{ state: 'requires_action' }, { method: 'session/request_permission' }]);
});

test('an idle that waits for late announcements is told, with the list, before a request about listed work', () => {
  const on = withListedWork();
  const prompt = on.prompts();
  const open = (id: string): Message => ({ sessionUpdate: 'tool_call', toolCallId: id, title: id, kind: 'execute', status: 'in_progress', content: [{ type: 'terminal', terminalId: id }], _meta: { terminal_info: { terminal_id: id, cwd: '/project' } } });
  on.updates(open('d'), open('e'));
  on.told();
  on.agent.answers(prompt, { stopReason: 'end_turn' });
  expect(on.told()).toEqual([]);
  on.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 'D', taskType: 'shell', canStop: true, toolCallId: 'd' });
  on.told();
  on.asks(1, { toolCallId: 'd', title: 'd', rawInput: { command: 'd' } });
  const told = on.told();
  expect(told[0]).toMatchObject({ state: 'idle', stopReason: 'end_turn', background: [{ toolCallId: 'w1' }, { terminalId: 'c' }, { terminalId: 'd' }] });
  expect(told.at(-1)).toMatchObject({ method: 'session/request_permission', params: { subject: { type: 'command', terminalId: 'd' } } });
});

test('nothing is listed where nobody makes lists', () => {
  expect(new ListedBoard().covers('s', 'c')).toBe(false);
});
