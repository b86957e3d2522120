import { describe, expect, test } from 'vitest';
import { connected, state } from './connected.js';

const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }];
const toolCall = { toolCallId: 'c', title: 'ls -l', rawInput: { command: 'ls -l' } };
const allowed = { outcome: { outcome: 'selected', optionId: 'yes' } };
const cancelled = { outcome: { outcome: 'cancelled' } };

/** A running prompt whose call `c` asks for permission. */
function asking() {
  const wires = connected();
  const own = wires.runs();
  wires.updates({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Terminal', kind: 'execute', status: 'pending', name: 'Bash', content: [{ type: 'terminal', terminalId: 't' }], _meta: { terminal_info: { terminal_id: 't' } } });
  wires.told();
  wires.agent.sends({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params: { sessionId: 's', toolCall, options } });
  const told = wires.told();
  return { wires, own: own as string, told, request: told.at(-1) as { id: string; params: unknown } };
}

describe('a permission request', () => {
  test('shows the whole call, and the session waits for the user meanwhile', () => {
    const { told, request } = asking();
    expect(told.slice(0, -1)).toEqual([{ sessionUpdate: 'terminal_update', terminalId: 't', command: 'ls -l' }, state('requires_action')]);
    expect(request.params).toEqual({
      sessionId: 's', title: 'ls -l', options,
      subject: { type: 'tool_call', toolCall: { toolCallId: 'c', name: 'Bash', title: 'ls -l', kind: 'execute', rawInput: { command: 'ls -l' }, content: [{ type: 'terminal', terminalId: 't' }] } },
    });
  });

  test.each([[allowed, allowed], [cancelled, cancelled], [{ outcome: { outcome: '_later' } }, cancelled]])('its answer %j goes back as %j', (answer, expected) => {
    const { wires, request } = asking();
    wires.client.answers(request.id, answer);
    expect(wires.asked()).toEqual([[expected]]);
    expect(wires.told()).toEqual([state('running')]);
  });

  test('its refusal goes back as it is', () => {
    const { wires, request } = asking();
    wires.client.refuses(request.id, { code: -32800, message: 'Request cancelled' });
    expect(wires.asked()).toEqual([[{ code: -32800, message: 'Request cancelled' }]]);
  });

  test('takes in a prompt that waits', () => {
    const wires = connected();
    wires.prompts();
    wires.agent.sends({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params: { sessionId: 's', toolCall, options } });
    expect(wires.told()).toMatchObject([
      { sessionUpdate: 'user_message' }, { result: {} }, state('running'), { sessionUpdate: 'tool_call_update', toolCallId: 'c' }, state('requires_action'), { method: 'session/request_permission' },
    ]);
  });

  test('while idle is no state, where the agent tells its own turns', () => {
    const wires = connected();
    wires.agent.sends({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params: { sessionId: 's', toolCall, options } });
    const [, request] = wires.told() as [unknown, { id: string }];
    wires.client.answers(request.id, allowed);
    expect([wires.told(), wires.asked()]).toEqual([[], [[allowed]]]);
  });

  test('of a call that was never announced announces it first, once', () => {
    const wires = connected();
    wires.runs();
    const asks = (id: number, toolCallId: string): void =>
      wires.agent.sends({ jsonrpc: '2.0', id, method: 'session/request_permission', params: { sessionId: 's', toolCall: { ...toolCall, toolCallId, kind: 'execute', status: 'pending' }, options } });
    asks(0, 'fresh');
    expect(wires.told()).toMatchObject([
      { sessionUpdate: 'tool_call_update', toolCallId: 'fresh', title: 'ls -l', kind: 'execute', status: 'pending', rawInput: { command: 'ls -l' } },
      state('requires_action'),
      { method: 'session/request_permission', params: { subject: { toolCall: { toolCallId: 'fresh', title: 'ls -l' } } } },
    ]);
    asks(1, 'fresh');
    expect(wires.told()).toMatchObject([{ method: 'session/request_permission' }]);
  });

  test.each([{}, { sessionId: 's', options }, { sessionId: 's', toolCall: {}, options }, { sessionId: 's', toolCall, options: [] }])('%j is refused', (params) => {
    const wires = connected();
    wires.agent.sends({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params });
    expect(wires.told()).toEqual([]);
    expect(wires.asked()).toMatchObject([[{ code: -32602 }]]);
  });
});

describe('session/cancel while a permission request is open', () => {
  test('the agent gets its answer behind the cancel; the client, which answers too, is told nothing', () => {
    const { wires, own, request } = asking();
    wires.client.notifies('session/cancel', { sessionId: 's' });
    expect(wires.asked()).toEqual([['session/cancel', { sessionId: 's' }], [cancelled]]);
    wires.client.answers(request.id, cancelled);
    wires.clock.advance(1000);
    expect(wires.asked()).toEqual([]);
    expect(wires.told()).toEqual([state('running')]);
    wires.agent.answers(own, { stopReason: 'cancelled' });
    expect(wires.told()).toEqual([state('idle', { stopReason: 'cancelled' })]);
  });

  test('a client that does not answer is told that nobody waits; what it answers then is dropped', () => {
    const { wires, request } = asking();
    wires.client.notifies('session/cancel', { sessionId: 's' });
    wires.asked();
    wires.clock.advance(250);
    expect(wires.told()).toEqual([state('running'), { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: request.id } }]);
    wires.client.answers(request.id, allowed);
    expect(wires.asked()).toEqual([]);
  });

  test("the agent's own cancellation goes to the client once", () => {
    const { wires, request } = asking();
    wires.client.notifies('session/cancel', { sessionId: 's' });
    wires.agent.notifies('$/cancel_request', { requestId: 0 });
    wires.agent.notifies('$/cancel_request', { requestId: 0 });
    wires.clock.advance(1000);
    expect(wires.told()).toEqual([state('running'), { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: request.id } }]);
  });

  test('one that comes after the answer reaches nobody', () => {
    const { wires, request } = asking();
    wires.client.answers(request.id, allowed);
    wires.agent.notifies('$/cancel_request', { requestId: 0 });
    expect(wires.told()).toEqual([state('running')]);
  });
});

test('the agent takes a request back: the client is told, and its answer is the answer', () => {
  const { wires, request } = asking();
  wires.agent.notifies('$/cancel_request', { requestId: 0 });
  expect(wires.told()).toEqual([{ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: request.id } }]);
  wires.client.refuses(request.id, { code: -32800, message: 'Request cancelled' });
  expect(wires.asked()).toEqual([[{ code: -32800, message: 'Request cancelled' }]]);
});

test('work that ends while it asks takes the question back first', () => {
  const { wires, own, request } = asking();
  wires.agent.answers(own, { stopReason: 'end_turn' });
  expect(wires.told()).toEqual([{ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: request.id } }, state('idle', { stopReason: 'end_turn' })]);
});

test('in a closed session nobody is asked', () => {
  const wires = connected();
  wires.client.requests('session/close', { sessionId: 's' });
  wires.agent.answers(wires.asked()[0][2], {});
  wires.told();
  wires.agent.sends({ jsonrpc: '2.0', id: 5, method: 'session/request_permission', params: { sessionId: 's', toolCall, options } });
  wires.agent.sends({ jsonrpc: '2.0', id: 6, method: 'elicitation/create', params: { sessionId: 's', mode: 'form', message: 'Which?', requestedSchema: { type: 'object', properties: {} } } });
  expect([wires.told(), wires.asked()]).toEqual([[], [[cancelled], [{ action: 'cancel' }]]]);
});

describe('an elicitation', () => {
  const form = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };

  test('is the same in both versions, and waits for the user', () => {
    const wires = connected();
    wires.runs();
    wires.agent.sends({ jsonrpc: '2.0', id: 5, method: 'elicitation/create', params: { sessionId: 's', ...form } });
    const [waiting, request] = wires.told() as [unknown, { id: string; params: unknown }];
    expect([waiting, request.params]).toEqual([state('requires_action'), { sessionId: 's', ...form }]);
    wires.client.answers(request.id, { action: 'accept', content: { name: 'x' } });
    expect(wires.asked()).toEqual([[{ action: 'accept', content: { name: 'x' } }]]);
    expect(wires.told()).toEqual([state('running')]);
  });

  test('that belongs to a request names it as the client knows it', () => {
    const wires = connected();
    const id = wires.client.requests('session/new', { cwd: '/other' });
    const own = wires.asked()[0][2] as string;
    wires.agent.sends({ jsonrpc: '2.0', id: 5, method: 'elicitation/create', params: { requestId: own, ...form } });
    expect(wires.told()).toMatchObject([{ method: 'elicitation/create', params: { requestId: id } }]);
  });

  test('is cancelled with the work that asks; the client is told if it does not answer itself', () => {
    const wires = connected();
    wires.runs();
    wires.agent.sends({ jsonrpc: '2.0', id: 5, method: 'elicitation/create', params: { sessionId: 's', ...form } });
    const request = wires.told().at(-1) as { id: string };
    wires.client.notifies('session/cancel', { sessionId: 's' });
    expect(wires.asked()).toEqual([['session/cancel', { sessionId: 's' }], [{ action: 'cancel' }]]);
    wires.clock.advance(1000);
    expect(wires.told()).toEqual([state('running'), { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: request.id } }]);
    wires.client.answers(request.id, { action: 'accept', content: { name: 'late' } });
    expect(wires.asked()).toEqual([]);
  });

  test('that belongs to no session is none of its business', () => {
    const wires = connected();
    wires.runs();
    wires.client.requests('session/new', { cwd: '/other' });
    const own = wires.asked()[0][2] as string;
    wires.agent.sends({ jsonrpc: '2.0', id: 5, method: 'elicitation/create', params: { requestId: own, ...form } });
    wires.client.notifies('session/cancel', { sessionId: 's' });
    expect(wires.asked()).toEqual([['session/cancel', { sessionId: 's' }]]);
  });

  test('of a page; its completion passes', () => {
    const wires = connected();
    const page = { mode: 'url', message: 'Sign in', elicitationId: 'e', url: 'https://x.example/login' };
    wires.agent.sends({ jsonrpc: '2.0', id: 5, method: 'elicitation/create', params: { sessionId: 's', ...page } });
    const [request] = wires.told() as [{ id: string; params: unknown }];
    expect(request.params).toEqual({ sessionId: 's', ...page });
    wires.client.answers(request.id, { action: 'decline' });
    wires.agent.notifies('elicitation/complete', { elicitationId: 'e' });
    expect(wires.told()).toEqual([{ jsonrpc: '2.0', method: 'elicitation/complete', params: { elicitationId: 'e' } }]);
    expect(wires.asked()).toEqual([[{ action: 'decline' }]]);
  });

  test('that cannot be said in v2 is refused', () => {
    const wires = connected();
    wires.agent.sends({ jsonrpc: '2.0', id: 5, method: 'elicitation/create', params: { ...form } });
    expect([wires.told(), wires.asked()]).toMatchObject([[], [[{ code: -32602 }]]]);
  });
});

describe('what a subagent asks', () => {
  /** The subagent `c` of the running prompt asks for permission. */
  function childAsking() {
    const wires = connected();
    wires.runs();
    wires.updates({ sessionUpdate: 'subagent_spawned', subagentSessionId: 'c', name: 'Search', task: 'find it', prompt: 'find it', capabilities: {} });
    wires.told();
    return { wires, asks: () => wires.agent.sends({ jsonrpc: '2.0', id: 7, method: 'session/request_permission', params: { sessionId: 'c', toolCall, options } }) };
  }

  test('is asked in its own session, which waits for it', () => {
    const { wires, asks } = childAsking();
    asks();
    const told = wires.told() as { method?: string; params: { sessionId: string; update?: { state?: string } } }[];
    expect(told.at(-1)).toMatchObject({ method: 'session/request_permission', params: { sessionId: 'c' } });
    expect(told.filter(({ params }) => params?.update?.state === 'requires_action').map(({ params }) => params.sessionId)).toEqual(['c']);
  });

  test('ends with a session/cancel of its parent, whose work it is', () => {
    const { wires, asks } = childAsking();
    asks();
    wires.client.notifies('session/cancel', { sessionId: 's' });
    expect(wires.asked()).toEqual([['session/cancel', { sessionId: 's' }], [cancelled]]);
  });

  test('stays open where it runs in the background', () => {
    const { wires, asks } = childAsking();
    wires.agent.notifies('_claude/sdkMessage', { sessionId: 's', message: { type: 'system', subtype: 'background_tasks_changed', tasks: [{ task_id: 'c', task_type: 'local_agent' }] } });
    asks();
    const { id } = wires.told().at(-1) as { id: string };
    wires.client.notifies('session/cancel', { sessionId: 's' });
    expect(wires.asked()).toEqual([['session/cancel', { sessionId: 's' }]]);
    wires.client.answers(id, allowed);
    expect(wires.asked()).toEqual([[allowed]]);
  });
});
