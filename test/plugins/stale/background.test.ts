/** What is reported to be at work in the background is never stale, and the clock starts when it leaves. */
import { describe, expect, test } from 'vitest';
import { ReportBoard } from '../../../plugins/stale/report-board.js';
import { ENDED, talk, type Talk } from './conversation.js';

const WORK = 'its work in the background ended without ending it';
const terminal = (terminalId: string): object => ({ type: 'terminal', terminalId });

describe('ACP v2: the list', () => {
  const idle = (background: unknown): object => ({ stopReason: 'end_turn', background });
  const started = (): Talk => {
    const conversation = talk({ version: 2 });
    conversation.prompts();
    return conversation;
  };

  test('a listed call is alive, and settled a grace period after it left the list', () => {
    const { call, state, clock, settles } = started();
    call('c', 'in_progress');
    state('idle', idle([{ type: 'tool_call', toolCallId: 'c' }]));
    clock.advance(60_000);
    expect(settles()).toEqual([]);
    state('idle', { background: [] });
    clock.advance(1999);
    expect(settles()).toEqual([]);
    clock.advance(1);
    expect(settles()).toEqual([['c', 'cancelled', ENDED]]);
  });

  test.each(['pending', 'paused'])('also one that is %s', (status) => {
    const { call, state, clock, settles } = started();
    call('c', status);
    state('idle', idle([{ type: 'tool_call', toolCallId: 'c' }]));
    clock.advance(60_000);
    expect(settles()).toEqual([]);
  });

  test('a call that references a listed terminal is alive until that leaves the list', () => {
    const { call, says, state, clock, settles } = started();
    call('whole', 'in_progress', { content: [terminal('t')] });
    call('chunk', 'in_progress');
    says({ sessionUpdate: 'tool_call_content_chunk', toolCallId: 'chunk', content: terminal('t') });
    call('other', 'in_progress', { content: [terminal('u')] });
    state('idle', idle([terminal('t')]));
    clock.advance(60_000);
    expect(settles().map(([id]) => id)).toEqual(['other']);
    state('idle', { background: [] });
    clock.advance(2000);
    expect(settles().map(([id]) => id)).toEqual(['whole', 'chunk']);
  });

  test('a reference that is cleared keeps nothing', () => {
    const { call, state, clock, settles } = started();
    call('c', 'in_progress', { content: [terminal('t')] });
    state('idle', idle([terminal('t')]));
    call('c', undefined, { content: null });
    clock.advance(2000);
    expect(settles().map(([id]) => id)).toEqual(['c']);
  });

  test('a list of unknown items is a list', () => {
    const { call, state, clock, settles } = started();
    call('c', 'in_progress');
    state('idle', idle([{ type: '_timer', timerId: 'x' }]));
    clock.advance(2000);
    expect(settles().map(([id]) => id)).toEqual(['c']);
  });

  test.each([['left out', undefined], ['null', null], ['broken', [{ type: 'tool_call', toolCallId: 'c' }, { type: 'terminal' }]], ['no list', 'all']])(
    'a list that is %s stops everything until the next one', (_name, background) => {
      const { call, state, clock, settles } = started();
      state('running', { background: [] });
      call('c', 'in_progress');
      state('idle', { stopReason: 'end_turn', ...(background === undefined ? {} : { background }) });
      clock.advance(60_000);
      expect(settles()).toEqual([]);
      state('idle', { background: [] });
      clock.advance(2000);
      expect(settles().map(([id]) => id)).toEqual(['c']);
    });

  test('a list that gets lost during the grace period stops it', () => {
    const { call, state, clock, settles } = started();
    call('c', 'in_progress');
    state('idle', idle([]));
    clock.advance(1000);
    state('idle', {});
    clock.advance(60_000);
    expect(settles()).toEqual([]);
  });

  test('closing settles listed calls too', () => {
    const { agent, requests, call, state, settles } = started();
    call('c', 'in_progress');
    state('idle', idle([{ type: 'tool_call', toolCallId: 'c' }]));
    agent.answers(requests('session/close'), {});
    expect(settles()).toEqual([['c', 'cancelled', 'the session was closed']]);
  });

  test("the end of input leaves what is listed to the agent's exit", async () => {
    const { client, call, state, settles, agentExits } = started();
    call('listed', 'in_progress');
    call('open', 'in_progress');
    state('idle', idle([{ type: 'tool_call', toolCallId: 'listed' }]));
    await client.ends();
    expect(settles().map(([id]) => id)).toEqual(['open']);
    await agentExits();
    expect(settles().map(([id]) => id)).toEqual(['listed']);
  });

  test('what was settled at the end of input and is listed then is told alive before the list', async () => {
    const { client, call, state, agentExits } = started();
    state('running', { background: [] });
    call('c', 'in_progress', { capabilities: { cancel: {} } });
    await client.ends();
    client.received();
    state('running', { background: [{ type: 'tool_call', toolCallId: 'c' }] });
    state('idle', idle([{ type: 'tool_call', toolCallId: 'c' }]));
    const told = client.received().map(({ params: { update } }) => [update.sessionUpdate, update.status ?? update.state, update.capabilities]);
    expect(told).toEqual([['tool_call_update', 'in_progress', { cancel: {} }], ['state_update', 'running', undefined], ['state_update', 'idle', undefined]]);
    await agentExits();
    expect(client.received().map(({ params: { update } }) => [update.toolCallId, update.status, update.capabilities])).toEqual([['c', 'cancelled', null]]);
  });
});

describe('ACP v1: launching calls that are kept open', () => {
  const armed = { _meta: { claudeCode: { backgroundTask: { taskId: 'b1', taskType: 'local_bash', description: 'x' } } } };
  const started = (): Talk => {
    const reporting = new ReportBoard();
    reporting.expect();
    reporting.note('s', true);
    return talk({ reporting, agent: '@agentclientprotocol/claude-agent-acp' });
  };

  test('one is alive until its end', () => {
    const { call, prompts, turnEnds, clock, settles } = started();
    const prompt = prompts();
    call('kept', 'in_progress', armed);
    call('left', 'in_progress');
    turnEnds(prompt);
    clock.advance(60_000);
    expect(settles()).toEqual([['left', 'completed', ENDED]]);
    call('kept', undefined, { title: 'x' });
    clock.advance(60_000);
    call('kept', 'failed', { _meta: { claudeCode: { backgroundTask: { taskId: 'b1', status: 'failed' } } } });
    clock.advance(60_000);
    expect(settles()).toEqual([]);
  });

  test('so is a call of the subagent that it launched', () => {
    const { call, prompts, turnEnds, clock, settles } = started();
    const prompt = prompts();
    call('agent', 'in_progress', armed);
    call('child', 'in_progress', { _meta: { claudeCode: { parentToolUseId: 'agent' } } });
    call('grandchild', 'in_progress', { _meta: { claudeCode: { parentToolUseId: 'child' } } });
    turnEnds(prompt);
    clock.advance(60_000);
    expect(settles()).toEqual([]);
    call('agent', 'completed');
    clock.advance(2000);
    expect(settles().map(([id]) => id)).toEqual(['child', 'grandchild']);
  });

  test('calls that name each other as parents are settled all the same', () => {
    const { call, prompts, turnEnds, clock, settles } = started();
    const prompt = prompts();
    call('a', 'in_progress', { _meta: { claudeCode: { parentToolUseId: 'b' } } });
    call('b', 'in_progress', { _meta: { claudeCode: { parentToolUseId: 'a' } } });
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles()).toHaveLength(2);
  });

  test('its end of input is the business of whoever keeps it open', async () => {
    const { client, call, prompts, settles } = started();
    prompts();
    call('kept', 'in_progress', armed);
    await client.ends();
    expect(settles()).toEqual([]);
  });
});

describe.each([['v1', { version: 1 }, ''], ['v2', { version: 2 }, '_']] as const)('ACP %s: a client that negotiated the async task extension itself', (_name, { version }, prefix) => {
  const spawned = (more: object = {}): object => ({ sessionUpdate: `${prefix}async_task_spawned`, asyncTaskId: 't1', name: 'x', taskType: 'shell', ...more });
  const state = (word: string): object => ({ sessionUpdate: `${prefix}async_task_state_update`, asyncTaskId: 't1', state: word });
  const started = (): Talk => talk({ version, acknowledges: ['asyncTasks'] });
  const v1 = version === 1;

  test.each([['completed', 'completed'], ['failed', 'failed'], ['stopped', 'failed']])('the call that a live task names is alive; the task ends as %s', (word, status) => {
    const { call, says, prompts, turnEnds, clock, settles } = started();
    const prompt = prompts();
    call('c', 'in_progress');
    turnEnds(prompt);
    says(spawned({ toolCallId: 'c' }));
    clock.advance(60_000);
    says(state('paused'));
    clock.advance(60_000);
    expect(settles()).toEqual([]);
    says(state(word));
    clock.advance(2000);
    expect(settles()).toEqual([['c', v1 ? status : 'cancelled', WORK]]);
  });

  test('the name of the call may come later', () => {
    const { call, says, prompts, turnEnds, clock, settles } = started();
    const prompt = prompts();
    call('c', 'in_progress');
    says(spawned());
    says({ sessionUpdate: `${prefix}async_task_progress`, asyncTaskId: 't1', toolCallId: 'c' });
    turnEnds(prompt);
    clock.advance(60_000);
    expect(settles()).toEqual([]);
  });

  test('a word about a task that never started keeps nothing, nor does a turn of the agent', () => {
    const { call, says, prompts, turnEnds, clock, settles } = started();
    const prompt = prompts();
    call('c', 'in_progress');
    call('d', 'in_progress');
    says({ sessionUpdate: `${prefix}async_task_progress`, asyncTaskId: 't1', toolCallId: 'c' });
    says(spawned({ asyncTaskId: 't2', taskType: 'turn', toolCallId: 'd' }));
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles()).toHaveLength(2);
  });

  test('a correction of the end counts, and so does a second life', () => {
    const { call, says, prompts, turnEnds, clock, settles } = started();
    const prompt = prompts();
    call('c', 'in_progress');
    says(spawned({ toolCallId: 'c' }));
    turnEnds(prompt);
    says(state('stopped'));
    says(state('completed'));
    clock.advance(1000);
    says(spawned());
    clock.advance(60_000);
    expect(settles()).toEqual([]);
    says(state('completed'));
    clock.advance(2000);
    expect(settles()).toEqual([['c', v1 ? 'completed' : 'cancelled', WORK]]);
  });

  test('closing cuts it short', () => {
    const { agent, requests, call, says, prompts, turnEnds, settles } = started();
    const prompt = prompts();
    call('c', 'in_progress');
    says(spawned({ toolCallId: 'c' }));
    turnEnds(prompt);
    agent.answers(requests('session/close'), {});
    expect(settles()).toEqual([['c', v1 ? 'failed' : 'cancelled', 'the session was closed']]);
  });
});

describe("ACP v1: the client's terminals", () => {
  const opened = (): Talk => {
    const conversation = talk({ agent: 'gemini-cli' });
    const prompt = conversation.prompts();
    conversation.agent.sends({ jsonrpc: '2.0', id: 1, method: 'terminal/create', params: { sessionId: 's', command: 'x' } });
    conversation.client.answers(1, { terminalId: 't' });
    conversation.call('c', 'in_progress', { content: [terminal('t')] });
    conversation.turnEnds(prompt);
    conversation.clock.advance(60_000);
    return conversation;
  };

  test.each(['terminal/wait_for_exit', 'terminal/release'])('a call that shows one is alive until %s is answered', (method) => {
    const { client, agent, clock, settles } = opened();
    agent.sends({ jsonrpc: '2.0', id: 2, method, params: { sessionId: 's', terminalId: 't' } });
    clock.advance(60_000);
    expect(settles()).toEqual([]);
    client.answers(2, method === 'terminal/release' ? {} : { exitCode: 0 });
    clock.advance(2000);
    expect(settles()).toEqual([['c', 'completed', ENDED]]);
  });

  test('an error says nothing about the end', () => {
    const { client, agent, clock, settles } = opened();
    agent.sends({ jsonrpc: '2.0', id: 2, method: 'terminal/wait_for_exit', params: { sessionId: 's', terminalId: 't' } });
    client.refuses(2, { code: -32603, message: 'no' });
    clock.advance(60_000);
    expect(settles()).toEqual([]);
  });

  test('one that could not be made keeps nothing', () => {
    const { client, agent, call, prompts, turnEnds, clock, settles } = talk({ agent: 'gemini-cli' });
    const prompt = prompts();
    agent.sends({ jsonrpc: '2.0', id: 1, method: 'terminal/create', params: { sessionId: 's', command: 'x' } });
    client.refuses(1, { code: -32603, message: 'no' });
    call('c', 'in_progress', { content: [terminal('t')] });
    turnEnds(prompt);
    clock.advance(2000);
    expect(settles()).toHaveLength(1);
  });
});
