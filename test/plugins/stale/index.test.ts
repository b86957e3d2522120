/** When the plugin is at work at all, and what it does not touch. */
import { describe, expect, test } from 'vitest';
import { ReportBoard } from '../../../plugins/stale/report-board.js';
import { ENDED, talk, type Talk, type TalkOptions } from './conversation.js';

/** A call that its turn left open, three seconds later. */
function leftOpen(options: TalkOptions): Talk {
  const conversation = talk(options);
  const prompt = conversation.prompts();
  conversation.call('c', 'in_progress');
  conversation.turnEnds(prompt);
  conversation.clock.advance(3000);
  return conversation;
}

describe('ACP v1', () => {
  test('auto: an agent of which nothing is known is left alone, and the plugin leaves', () => {
    const { settles, clock } = leftOpen({ agent: 'some-agent' });
    expect(settles()).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  test.each(['gemini-cli', 'OpenCode', 'opencode'])('auto: the calls of %s end with their turn', (agent) => {
    expect(leftOpen({ agent }).settles()).toEqual([['c', 'completed', ENDED]]);
  });

  test.each([['gemini', '--acp'], ['/opt/x/opencode', 'acp'], ['node', '/opt/gemini-cli/gemini.js', '--acp']])('auto: the command line tells where the agent does not name itself: %s', (...agentCommand) => {
    expect(leftOpen({ agentCommand }).settles()).toEqual([['c', 'completed', ENDED]]);
  });

  test('auto: where the agent acknowledges the async task extension', () => {
    expect(leftOpen({ acknowledges: ['asyncTasks'] }).settles()).toEqual([['c', 'completed', ENDED]]);
    expect(leftOpen({ acknowledges: ['goal'] }).settles()).toEqual([]);
  });

  test('auto: codex-acp keeps the call of a background terminal open, and reports it only with its subagents', () => {
    const agent = '@agentclientprotocol/codex-acp';
    expect(leftOpen({ agent }).settles()).toEqual([]);
    expect(leftOpen({ agent, acknowledges: ['asyncTasks'] }).settles()).toEqual([]);
    expect(leftOpen({ agent, acknowledges: ['asyncTasks', 'nativeSubagentSessions'] }).settles()).toEqual([['c', 'completed', ENDED]]);
  });

  test('auto: the sessions for which a source of our own reports, and no others', () => {
    const reporting = new ReportBoard();
    expect(leftOpen({ reporting }).clock.pending()).toBe(0);
    reporting.expect();
    expect(leftOpen({ reporting }).settles()).toEqual([]);
    reporting.note('s', true);
    expect(leftOpen({ reporting }).settles()).toEqual([['c', 'completed', ENDED]]);
    reporting.note('s', false);
    expect(leftOpen({ reporting }).settles()).toEqual([]);
  });

  test('always: every agent', () => {
    expect(leftOpen({ mode: 'always', agent: 'codex-acp' }).settles()).toEqual([['c', 'completed', ENDED]]);
  });

  test('off: none', () => {
    expect(leftOpen({ mode: 'off', agent: 'gemini-cli' }).settles()).toEqual([]);
  });
});

describe('ACP v2', () => {
  test('auto: nothing without a list', () => {
    const { settles, agentExits } = leftOpen({ version: 2 });
    expect(settles()).toEqual([]);
    void agentExits();
    expect(settles()).toEqual([]);
  });

  test('auto: the calls of gemini-cli end with their turn, list or not', () => {
    expect(leftOpen({ version: 2, agent: 'gemini-cli' }).settles()).toEqual([['c', 'cancelled', ENDED]]);
  });

  test('auto: where a list is reported', () => {
    const { prompts, call, state, clock, settles } = talk({ version: 2 });
    prompts();
    call('c', 'pending');
    state('idle', { stopReason: 'end_turn', background: [] });
    clock.advance(2000);
    expect(settles()).toEqual([['c', 'cancelled', ENDED]]);
  });

  test('always: without a list, but not after one got lost', () => {
    const { prompts, call, state, clock, settles } = talk({ version: 2, mode: 'always' });
    prompts();
    call('c', 'in_progress');
    state('idle', { stopReason: 'end_turn' });
    clock.advance(2000);
    expect(settles()).toEqual([['c', 'cancelled', ENDED]]);
    prompts();
    call('d', 'in_progress');
    state('running', { background: [] });
    state('idle', { stopReason: 'end_turn' });
    clock.advance(9000);
    expect(settles()).toEqual([]);
  });
});

test('an answer without a version, or an error, leaves everything as it is', () => {
  const { client, agent } = talk({ mode: 'always' });
  client.sends({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
  agent.answers(1, {});
  expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
});

test('messages without what they need pass, and start nothing', () => {
  const { client, agent, clock, log } = talk({ mode: 'always' });
  const odd: object[] = [
    { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'tool_call' } } },
    { jsonrpc: '2.0', method: 'session/update', params: { update: { sessionUpdate: 'tool_call', toolCallId: 'c' } } },
    { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'tool_call_update', toolCallId: 7 } } },
    { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'async_task_spawned' } } },
    { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'state_update' } } },
    { jsonrpc: '2.0', id: 5, method: 'session/request_permission', params: { sessionId: 's' } },
    { jsonrpc: '2.0', id: 6, method: 'session/request_permission', params: null },
    { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 77 } },
  ];
  agent.sends(...odd);
  expect(client.received()).toEqual(odd);
  const fromClient: object[] = [
    { jsonrpc: '2.0', id: 1, method: 'session/prompt', params: {} },
    { jsonrpc: '2.0', method: 'session/cancel' },
    { jsonrpc: '2.0', id: 2, method: 'session/load', params: [] },
    { jsonrpc: '2.0', id: 3, method: 'session/close' },
    { jsonrpc: '2.0', id: 5, result: 'what' },
  ];
  agent.received();
  client.sends(...fromClient);
  expect(agent.received()).toEqual(fromClient);
  expect(clock.pending()).toBe(0);
  expect(log).toEqual([]);
});
