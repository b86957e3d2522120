import { describe, expect, test } from 'vitest';
import { call, connected } from './connected.js';

const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }, { optionId: 'n', name: 'No', kind: '_maybe' }];
const v1Options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }, { optionId: 'n', name: 'No', kind: 'reject_once' }];
const reason = (text: string) => ({ type: 'content', content: { type: 'text', text } });
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });

describe('permissions', () => {
  test('are asked about the call as it is known with what the request says', () => {
    const on = connected();
    on.updates(call('c', { title: 'Bash', kind: 'execute', status: 'in_progress' }));
    on.told();
    const id = on.agent.requests('session/request_permission', { sessionId: 's', title: 'Run it?', description: 'Outside', subject: { type: 'tool_call', toolCall: { toolCallId: 'c', title: 'ls', rawInput: { command: 'ls' } } }, options });
    const [changed, sent] = on.told();
    expect([changed, sent]).toEqual([
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'ls', rawInput: { command: 'ls' } },
      {
        jsonrpc: '2.0', id: expect.any(String), method: 'session/request_permission',
        params: { sessionId: 's', toolCall: { toolCallId: 'c', title: 'ls', kind: 'execute', status: 'in_progress', content: [reason('Outside')], locations: [], rawInput: { command: 'ls' } }, options: v1Options },
      },
    ]);
    on.client.answers(sent.id, selected('y'));
    expect(on.agent.received()).toEqual([{ jsonrpc: '2.0', id, result: selected('y') }]);
    on.updates(call('c', { status: 'completed' }));
    expect(on.told()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed', content: [] }]);
  });

  test('about a command name the call beside it', () => {
    const on = connected();
    on.updates(call('c', { title: 'server', status: 'in_progress' }));
    on.told();
    on.agent.requests('session/request_permission', { sessionId: 's', title: 'Run?', subject: { type: 'command', command: 'ls', cwd: '/p', toolCallId: 'c', terminalId: 't' }, options });
    expect(on.told()).toMatchObject([{ params: { toolCall: { toolCallId: 'c', title: 'server' } } }]);
  });

  test.each([
    ['a command alone', { type: 'command', command: 'ls', cwd: '/p' }, { title: 'Run?', kind: 'execute', rawInput: { command: 'ls', cwd: '/p' } }],
    ['nothing', null, { title: 'Run?', kind: 'other' }],
    ['a subject of an extension', { type: '_deploy', to: 'x' }, { title: 'Run?', kind: 'other' }],
  ])('about %s have a call that is only there for the question', (_, subject, shown) => {
    const on = connected();
    const agentId = on.agent.requests('session/request_permission', { sessionId: 's', title: 'Run?', subject, options });
    const [begun, asked] = on.told();
    expect(begun).toMatchObject({ sessionUpdate: 'tool_call', ...shown });
    expect(asked).toMatchObject({ method: 'session/request_permission', params: { toolCall: { toolCallId: begun.toolCallId, ...shown } } });
    on.client.answers(asked.id, selected('y'));
    expect(on.told()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: begun.toolCallId, status: 'completed' }]);
    expect(on.agent.received()).toEqual([{ jsonrpc: '2.0', id: agentId, result: selected('y') }]);
  });

  test('what is refused or cancelled has failed', () => {
    const on = connected();
    for (const answer of [selected('n'), { outcome: { outcome: 'cancelled' } }]) {
      on.agent.requests('session/request_permission', { sessionId: 's', title: 'Run?', options });
      const asked = on.told().at(-1);
      on.client.answers(asked.id, answer);
      expect(on.told()).toMatchObject([{ status: 'failed' }]);
      expect(on.asked()).toEqual([[answer]]);
    }
  });

  test('one that the agent takes back is named by the id that the client knows', () => {
    const on = connected();
    const id = on.agent.requests('session/request_permission', { sessionId: 's', title: 'Run?', subject: { type: 'tool_call', toolCall: { toolCallId: 'c', title: 'ls' } }, options });
    const asked = on.told().at(-1);
    on.agent.notifies('$/cancel_request', { requestId: id });
    expect(on.client.received()).toEqual([{ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: asked.id } }]);
    on.agent.notifies('$/cancel_request', { requestId: 'another' });
    expect(on.client.received()).toEqual([{ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 'another' } }]);
  });
});

describe('a permission request that the agent takes back', () => {
  test('is answered as cancelled at once, its call ends, and what the client still says is dropped', () => {
    const on = connected();
    const id = on.agent.requests('session/request_permission', { sessionId: 's', title: 'Run?', options });
    const asked = on.told().at(-1);
    on.agent.notifies('$/cancel_request', { requestId: id });
    expect(on.told()).toMatchObject([{ method: '$/cancel_request', params: { requestId: asked.id } }, { sessionUpdate: 'tool_call_update', status: 'failed' }]);
    expect(on.asked()).toEqual([[{ outcome: { outcome: 'cancelled' } }]]);
    on.client.answers(asked.id, selected('y'));
    expect([on.told(), on.asked()]).toEqual([[], []]);
  });
});

describe('elicitations', () => {
  test('pass, without formats that v1 does not have', () => {
    const on = connected();
    const requestedSchema = (format: string | undefined) => ({ type: 'object', properties: { a: { type: 'string', ...(format === undefined ? {} : { format }) } } });
    const id = on.agent.requests('elicitation/create', { sessionId: 's', mode: 'form', message: 'Who?', requestedSchema: requestedSchema('_phone') });
    expect(on.told()).toEqual([{ jsonrpc: '2.0', id, method: 'elicitation/create', params: { sessionId: 's', mode: 'form', message: 'Who?', requestedSchema: requestedSchema(undefined) } }]);
    on.client.answers(id, { action: 'accept', content: { a: 'b' } });
    expect(on.asked()).toEqual([[{ action: 'accept', content: { a: 'b' } }]]);
  });

  test('about a request of the client name it by the id that the client knows', () => {
    const on = connected();
    const id = on.client.requests('authenticate', { methodId: 'x' });
    const own = on.asked()[0][2];
    on.agent.requests('elicitation/create', { requestId: own, mode: 'url', message: 'Go', url: 'https://x', elicitationId: 'e' });
    expect(on.told()).toMatchObject([{ params: { requestId: id } }]);
  });
});
