import { describe, expect, test } from 'vitest';
import { chunk, connected, fullAgent, initialized, state, type Connected } from './connected.js';

const usage = (meta: Record<string, unknown> = {}) => ({ sessionUpdate: 'usage_update', used: 1, size: 2, _meta: meta });
const origin = usage({ '_claude/origin': { kind: 'task-notification' } });
const feed = (wires: Connected, word: string) => wires.agent.notifies('_claude/sdkMessage', { sessionId: 's', message: { type: 'system', subtype: 'session_state_changed', state: word } });
const turnSpawned = { sessionUpdate: 'async_task_spawned', asyncTaskId: 'turn-1', name: 'Working', taskType: 'turn', description: 'exit code 0' };
const turnEnded = (word: string) => ({ sessionUpdate: 'async_task_state_update', asyncTaskId: 'turn-1', state: word });
const states = (told: readonly { sessionUpdate?: string; state?: string; stopReason?: string }[]) =>
  told.filter(({ sessionUpdate }) => sessionUpdate === 'state_update').map(({ state: word, stopReason }) => (stopReason === undefined ? word : `${word} ${stopReason}`));

test('a tool call with a terminal: the terminal is announced before it is referenced, and exits before the call ends', () => {
  const wires = connected();
  wires.updates(
    { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Terminal', kind: 'execute', status: 'pending', name: 'Bash', content: [{ type: 'terminal', terminalId: 'c' }], _meta: { claudeCode: { toolName: 'Bash' }, terminal_info: { terminal_id: 'c' } } },
    { sessionUpdate: 'tool_call_update', toolCallId: 'c', title: './fail.sh' },
    { sessionUpdate: 'tool_call_update', toolCallId: 'c', _meta: { terminal_output: { terminal_id: 'c', data: 'Exit code 3\noops' } } },
    { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed', _meta: { terminal_exit: { terminal_id: 'c', exit_code: 1, signal: null } } },
  );
  expect(wires.told()).toEqual([
    { sessionUpdate: 'terminal_update', terminalId: 'c' },
    { sessionUpdate: 'tool_call_update', toolCallId: 'c', name: 'Bash', title: 'Terminal', kind: 'execute', status: 'pending', content: [{ type: 'terminal', terminalId: 'c' }] },
    { sessionUpdate: 'terminal_update', terminalId: 'c', command: './fail.sh' },
    { sessionUpdate: 'tool_call_update', toolCallId: 'c', title: './fail.sh' },
    { sessionUpdate: 'terminal_update', terminalId: 'c', output: { data: Buffer.from('Exit code 3\noops').toString('base64') } },
    { sessionUpdate: 'terminal_update', terminalId: 'c', exitStatus: { exitCode: 3 } },
    { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed' },
  ]);
});

test('a launch acknowledgement keeps its mark and its exit', () => {
  const wires = connected();
  wires.updates(
    { sessionUpdate: 'tool_call_update', toolCallId: 'c', _meta: { terminal_output: { terminal_id: 'c', data: 'in background' }, jetbrains: { air: { asyncTasks: { backgrounded: true } } } } },
    { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed', _meta: { terminal_exit: { terminal_id: 'c', exit_code: 0, signal: null } } },
  );
  expect(wires.told()).toMatchObject([
    { terminalId: 'c', output: {} }, { toolCallId: 'c', _meta: { jetbrains: { air: { asyncTasks: { backgrounded: true } } } } }, { terminalId: 'c', exitStatus: { exitCode: 0 } }, { toolCallId: 'c', status: 'completed' },
  ]);
});

test('messages without an id are one message until something comes in between', () => {
  const wires = connected();
  wires.updates(chunk('a'), chunk('b'), { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x' }, chunk('c'));
  const ids = wires.told().filter(({ messageId }) => messageId).map(({ messageId }) => messageId as string);
  expect([ids[0] === ids[1], ids[1] === ids[2]]).toEqual([true, false]);
});

test('the session in an update’s envelope keeps its _meta', () => {
  const wires = connected();
  wires.agent.notifies('session/update', { sessionId: 's', update: chunk('a', 'm'), _meta: { traceparent: 't' } });
  expect(wires.client.received()).toMatchObject([{ params: { sessionId: 's', _meta: { traceparent: 't' } } }]);
});

test('a kind that nobody knows passes unchanged, and so does what is no ACP', () => {
  const wires = connected();
  wires.agent.notifies('session/update', { sessionId: 's', update: { sessionUpdate: '_new', a: [1] } });
  wires.agent.notifies('_auth/status_update', { a: 1 });
  expect(wires.told()).toEqual([{ sessionUpdate: '_new', a: [1] }, { jsonrpc: '2.0', method: '_auth/status_update', params: { a: 1 } }]);
});

describe('modes', () => {
  const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }, { id: 'code', name: 'Code' }] };

  test('a change is a change of the option, once', () => {
    const wires = connected(fullAgent, { modes });
    const update = { sessionUpdate: 'current_mode_update', currentModeId: 'code' };
    wires.updates(update, update);
    expect(wires.told()).toMatchObject([{ sessionUpdate: 'config_option_update', configOptions: [{ configId: 'mode', currentValue: 'code' }] }]);
  });

  test('a change that no option shows is nothing', () => {
    const wires = connected();
    wires.updates({ sessionUpdate: 'current_mode_update', currentModeId: 'code' });
    expect(wires.told()).toEqual([]);
  });

  test('options that the agent tells anew keep the one made from modes', () => {
    const wires = connected(fullAgent, { modes });
    wires.updates({ sessionUpdate: 'config_option_update', configOptions: [{ id: 'fast', name: 'Fast', type: 'boolean', currentValue: true }] });
    expect(wires.told()).toMatchObject([{ configOptions: [{ configId: 'mode' }, { configId: 'fast' }] }]);
  });
});

describe("the agent's own turns", () => {
  test('from their task: the spawn, running, the last usage, idle', () => {
    const wires = connected();
    wires.updates(usage({ '_claude/origin': { kind: 'human' } }));
    wires.told();
    wires.updates(turnSpawned, chunk('a', 'm'), turnEnded('completed'), origin);
    expect(wires.told()).toEqual([
      { ...turnSpawned, sessionUpdate: '_async_task_spawned' }, state('running'), chunk('a', 'm'), { ...turnEnded('completed'), sessionUpdate: '_async_task_state_update' }, origin, state('idle', { stopReason: 'end_turn' }),
    ]);
  });

  test.each([['completed', 'end_turn'], ['failed', 'error'], ['stopped', 'cancelled']])('%s ends as %s', (word, stopReason) => {
    const wires = connected();
    wires.updates(turnSpawned, turnEnded(word));
    expect(states(wires.told())).toEqual(['running', `idle ${stopReason}`]);
  });

  test('one that is stopped cancels what it was doing', () => {
    const wires = connected();
    wires.updates(origin, turnSpawned, { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x', status: 'in_progress' }, turnEnded('stopped'), { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed' }, origin);
    expect(wires.told().slice(-3)).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'cancelled' }, origin, state('idle', { stopReason: 'cancelled' })]);
  });

  test('from the raw feed, also when a turn follows a prompt without a break', () => {
    const wires = connected();
    const own = wires.prompts();
    feed(wires, 'running');
    wires.updates(chunk('a', 'm'));
    wires.agent.answers(own as string, { stopReason: 'end_turn' });
    wires.updates(chunk('b', 'n'));
    feed(wires, 'idle');
    feed(wires, 'running');
    feed(wires, 'idle');
    expect(states(wires.told())).toEqual(['running', 'idle end_turn', 'running', 'idle end_turn', 'running', 'idle end_turn']);
  });

  test('task and feed of one turn are one turn', () => {
    const wires = connected();
    feed(wires, 'running');
    wires.updates(turnSpawned, chunk('a', 'm'), turnEnded('completed'));
    feed(wires, 'idle');
    expect(states(wires.told())).toEqual(['running', 'idle end_turn']);
    feed(wires, 'running');
    expect(states(wires.told())).toEqual([]);
  });

  test('from content, where the agent is known to close its turns', () => {
    const wires = connected();
    wires.updates(chunk('a', 'm'));
    expect(states(wires.told())).toEqual([]);
    wires.updates(origin, chunk('b', 'n'), { ...usage(), cost: { amount: 1, currency: 'USD' } });
    expect(states(wires.told())).toEqual(['running', 'idle end_turn']);
  });

  test('an agent that tells its turns as tasks says nothing by its content', () => {
    const wires = connected();
    wires.updates(turnSpawned, turnEnded('completed'), origin);
    wires.told();
    wires.updates(chunk('late', 'm'));
    expect(states(wires.told())).toEqual([]);
  });
});

test('what only a client of the private extension asks for reaches such a client', () => {
  const suggestions = { sessionUpdate: 'session_info_update', _meta: { promptSuggestions: { suggestions: [] } } };
  const standard = connected();
  standard.updates(suggestions);
  expect(standard.told()).toEqual([]);
  const own = initialized(fullAgent, {}, { _meta: { jetbrains: { air: { version: 1 } } } });
  own.updates(suggestions);
  expect(own.told()).toEqual([suggestions]);
});

describe('malformed updates', () => {
  test('are left out, and named once per kind and session', async () => {
    const wires = connected();
    wires.updates({ sessionUpdate: 'tool_call', title: 'x' }, { sessionUpdate: 'tool_call', toolCallId: 7 }, { sessionUpdate: 'usage_update', used: 'all' });
    wires.agent.notifies('session/update', { update: chunk('a') });
    wires.agent.notifies('session/update', null);
    wires.agent.notifies('session/update', { sessionId: 's', update: 'x' });
    expect(wires.told()).toEqual([]);
    expect(wires.log.filter((line) => line.startsWith('warn'))).toHaveLength(4);
    expect(wires.log.join('\n')).toContain('tool_call of session s: toolCallId: expected a non-empty string, got undefined');
    await wires.relay.close();
    expect(wires.log.at(-3)).toContain('malformed tool_call: 2 in all');
  });

  test('keep what can be said', () => {
    const wires = connected();
    wires.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'done', title: 'x' });
    expect(wires.told()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'x' }]);
  });

  test('kinds that only v2 has are not believed', () => {
    const wires = connected();
    wires.updates(state('running'), { sessionUpdate: 'terminal_update', terminalId: 't' });
    expect(wires.told()).toEqual([]);
  });
});
