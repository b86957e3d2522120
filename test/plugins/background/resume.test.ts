import { describe, expect, it } from 'vitest';
import { connected, SESSION, type Connected, type ConnectedOptions } from './connected.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The client asks to resume the session, with a replay or without. */
function resumes(on: Connected, replays = true, members: object = {}): (accepted?: boolean) => void {
  const id = on.client.requests('session/resume', { sessionId: SESSION, cwd: '/project', ...(replays ? { replayFrom: { type: 'start' } } : {}), ...members });
  on.asked();
  return (accepted = true) => (accepted ? on.agent.answers(id, {}) : on.agent.refuses(id, { code: -32603, message: 'no' }));
}

/** What Claude replays of a background command: as if it had ended. */
function history(on: Connected): void {
  on.says('terminal_update', { terminalId: 'c', command: './run.sh', output: null, exitStatus: null, capabilities: null });
  on.says('tool_call_update', { toolCallId: 'c', title: './run.sh', status: 'pending', content: [{ type: 'terminal', terminalId: 'c' }], locations: null });
  on.says('terminal_update', { terminalId: 'c', output: { data: base64('Command running in background') } });
  on.says('terminal_update', { terminalId: 'c', exitStatus: { exitCode: 0 } });
  on.says('tool_call_update', { toolCallId: 'c', status: 'completed' });
}

function runningShell(options: ConnectedOptions = {}): Connected {
  const on = connected(options);
  on.runsShell({ outputFilePath: '/tmp/b' });
  on.files.write('/tmp/b', 'listening\n');
  on.client.received();
  return on;
}

const told = (on: Connected): (readonly [string, unknown])[] =>
  on.client.received().filter(({ method }) => method === 'session/update').map(({ params: { update: { sessionUpdate, ...rest } } }) => [sessionUpdate, rest] as const);

describe('a session whose work runs', () => {
  it('without a replay: the launching call, the terminal with its output, the state, the response', () => {
    const on = runningShell();
    const answers = resumes(on, false);
    on.says('state_update', { state: 'idle' });
    answers();
    const messages = on.client.received();
    expect(messages.slice(0, -1).map(({ params }) => params.update)).toEqual([
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed', content: [{ type: 'terminal', terminalId: 'c' }] },
      { sessionUpdate: 'terminal_update', terminalId: 'c', command: './run.sh', capabilities: { cancel: {} }, output: { data: base64('listening\n') } },
      { sessionUpdate: 'state_update', state: 'idle', background: [{ type: 'terminal', terminalId: 'c' }] },
    ]);
    expect(messages.at(-1)).toMatchObject({ result: {} });
  });

  it('survives its replay, and is told with what it prints, not with what the replay showed', () => {
    const on = runningShell();
    const answers = resumes(on);
    history(on);
    on.files.write('/tmp/b', 'more\n');
    on.says('state_update', { state: 'idle' });
    expect(on.saw()).toEqual([
      'terminal c "./run.sh" output exited null', 'call c "./run.sh" pending content', 'terminal c output', 'call c completed', 'terminal_output_chunk',
      'call c "./run.sh" completed content', 'terminal c "./run.sh" output cancellable', 'idle [terminal c]',
    ]);
    answers();
    on.client.received();
    on.client.sends({ jsonrpc: '2.0', id: 'stop', method: 'terminal/cancel', params: { sessionId: SESSION, terminalId: 'c' } });
    expect(on.asked()).toEqual([`stop b of ${SESSION}`]);
    on.files.write('/tmp/b', 'on\n');
    expect(told(on)).toEqual([['terminal_output_chunk', { terminalId: 'c', data: base64('on\n') }]]);
  });

  it('has the kept output of all lives of it told', () => {
    const on = runningShell();
    const answers = resumes(on);
    history(on);
    on.files.write('/tmp/b', 'more\n');
    on.says('state_update', { state: 'idle' });
    answers();
    const last = told(on).filter(([kind]) => kind === 'terminal_update').at(-1)?.[1];
    expect(last).toMatchObject({ output: { data: base64('listening\nmore\n') } });
  });

  it('announced again by the agent, before or after the response, nothing changes', () => {
    const on = runningShell();
    const again = (): void => {
      on.says('tool_call_update', { toolCallId: 'c', _meta: { jetbrains: { air: { asyncTasks: { backgrounded: true } } } } });
      on.says('_async_task_spawned', { asyncTaskId: 'b', name: 'x', taskType: 'shell', canStop: true, toolCallId: 'c' });
    };
    const answers = resumes(on);
    again();
    on.says('state_update', { state: 'idle' });
    expect(on.saw()).toEqual(['call c completed content', 'terminal c "./run.sh" output cancellable', 'idle [terminal c]']);
    answers();
    on.saw();
    again();
    expect(on.saw()).toEqual([]);
  });

  it('that ends meanwhile is settled after the response', () => {
    const on = connected({ name: 'other-agent' });
    on.runsShell();
    const answers = resumes(on);
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'completed' });
    on.says('state_update', { state: 'idle' });
    expect(on.saw()).toEqual(['call c completed content', 'terminal c "./run.sh" cancellable', 'idle [terminal c]']);
    answers();
    on.clock.advance(1000);
    expect(on.saw()).toEqual(['ok 1 {}', 'terminal c exited {} not cancellable', 'idle []']);
  });

  it('the raw feed’s word on its end waits, too', () => {
    const on = connected({ acknowledged: [], asksForRawFeed: () => true });
    on.says('state_update', { state: 'running' });
    on.says('terminal_update', { terminalId: 'c', command: './run.sh' });
    on.says('tool_call_update', { toolCallId: 'c', status: 'pending', content: [{ type: 'terminal', terminalId: 'c' }] });
    on.raw('background_tasks_changed', { tasks: [{ task_id: 'b', task_type: 'local_bash', description: 'x' }] });
    on.raw('task_started', { task_id: 'b', tool_use_id: 'c', task_type: 'local_bash' });
    on.says('tool_call_update', { toolCallId: 'c', status: 'completed' });
    on.says('state_update', { state: 'idle', stopReason: 'end_turn' });
    on.saw();
    const answers = resumes(on);
    on.raw('task_updated', { task_id: 'b', patch: { status: 'completed' } });
    on.says('state_update', { state: 'idle' });
    answers();
    on.clock.advance(1000);
    expect(on.saw().filter((line) => !line.startsWith('_claude'))).toEqual([
      'call c completed content', 'terminal c "./run.sh" not cancellable', 'idle [terminal c]', 'ok 1 {}', 'terminal c exited {} not cancellable', 'idle []',
    ]);
  });

  it('a removal that falls due meanwhile waits for what is still listed, or for the refusal', () => {
    for (const accepted of [true, false]) {
      const on = connected({ name: 'other-agent' });
      on.runsShell();
      on.runsWorkflow();
      on.says('_async_task_state_update', { asyncTaskId: 'w', state: 'completed' });
      expect(on.saw()).toEqual(['call w1 completed not cancellable']);
      const answers = resumes(on, false);
      on.clock.advance(5000);
      expect(on.saw()).toEqual([]);
      if (accepted) on.says('state_update', { state: 'idle' });
      answers(accepted);
      expect(on.saw()).toEqual(accepted ? ['call c completed content', 'terminal c "./run.sh" cancellable', 'idle [terminal c]', 'ok 1 {}'] : ['error 1 -32603', 'idle [terminal c]']);
    }
  });

  it('is listed with the response where its launch is acknowledged meanwhile, live or by the history', () => {
    for (const replays of [true, false]) {
      const on = connected();
      on.says('state_update', { state: 'running' });
      on.says('tool_call_update', { toolCallId: 'w1', status: 'pending' });
      on.says('_async_task_spawned', { asyncTaskId: 'w', taskType: 'workflow', canStop: true, toolCallId: 'w1' });
      on.says('terminal_update', { terminalId: 'c', command: './run.sh' });
      on.says('tool_call_update', { toolCallId: 'c', status: 'pending', content: [{ type: 'terminal', terminalId: 'c' }] });
      on.says('_async_task_spawned', { asyncTaskId: 'b', taskType: 'shell', canStop: true, toolCallId: 'c' });
      on.saw();
      const answers = resumes(on, replays);
      for (const toolCallId of ['w1', 'c']) on.says('tool_call_update', { toolCallId, status: 'completed' });
      on.says('state_update', { state: 'running' });
      answers();
      const saw = on.saw();
      expect(saw.slice(-2), String(replays)).toEqual(['running [tool_call w1, terminal c]', 'ok 1 {}']);
      expect(saw.filter((line) => line.startsWith('call w1') && /completed|in_progress/.test(line)).at(-1), String(replays)).toContain('in_progress');
    }
  });

  it('a listed call is told as a whole', () => {
    const on = connected();
    on.runsWorkflow();
    const answers = resumes(on);
    on.says('tool_call_update', { toolCallId: 'w1', title: 'Survey', kind: 'other', rawInput: { x: 1 }, status: 'pending', capabilities: null });
    on.says('tool_call_update', { toolCallId: 'w1', status: 'completed' });
    on.says('state_update', { state: 'idle' });
    answers();
    expect(told(on)).toEqual([
      ['tool_call_update', { toolCallId: 'w1', title: 'Survey', kind: 'other', rawInput: { x: 1 } }],
      ['tool_call_update', { toolCallId: 'w1', title: 'Survey', kind: 'other', rawInput: { x: 1 }, status: 'in_progress', capabilities: { cancel: {} } }],
      ['state_update', { state: 'idle', background: [{ type: 'tool_call', toolCallId: 'w1' }] }],
    ]);
  });

  it('a resume that is refused has it told anew, if a replay had begun', () => {
    const on = runningShell();
    resumes(on, false)(false);
    expect(on.saw()).toEqual(['error 1 -32603']);
    const answers = resumes(on);
    history(on);
    on.saw();
    answers(false);
    expect(on.saw()).toEqual(['call c "./run.sh" completed content', 'terminal c "./run.sh" output cancellable', 'idle [terminal c]', 'error 2 -32603']);
  });

  it('two resumes at once: what waits comes with the last response', () => {
    const on = connected({ name: 'other-agent' });
    on.runsShell();
    const first = resumes(on);
    const second = resumes(on);
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'completed' });
    first();
    on.clock.advance(1000);
    expect(on.saw()).toEqual(['ok 1 {}']);
    on.says('state_update', { state: 'idle' });
    second();
    on.clock.advance(1000);
    expect(on.saw().slice(-3)).toEqual(['ok 2 {}', 'terminal c exited {} not cancellable', 'idle []']);
  });
});

describe('a session of another process', () => {
  const spawned = (on: Connected): void => on.says('_async_task_spawned', { asyncTaskId: 'b', name: './run.sh', taskType: 'shell', canStop: true, showInTranscript: true, toolCallId: 'c', outputFilePath: '/tmp/b' });

  it('dead work is history: never listed, and the client is told of no end', () => {
    const facts: string[] = [];
    const on = connected({ onFact: ({ type }) => facts.push(type) });
    const answers = resumes(on);
    history(on);
    spawned(on);
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'stopped', summary: 'did not finish' });
    on.says('state_update', { state: 'idle' });
    answers();
    on.clock.advance(1000);
    expect(on.saw()).toEqual([
      'terminal c "./run.sh" output exited null not cancellable', 'call c "./run.sh" pending content', 'terminal c output', 'terminal c exited {"exitCode":0}', 'call c completed', 'idle []', 'ok 1 {}',
    ]);
    expect([facts, on.files.followed()]).toEqual([[], []]);
  });

  it('work that still lives is listed in the state before the response', () => {
    const on = connected({ name: 'other-agent' });
    const answers = resumes(on);
    on.says('terminal_update', { terminalId: 'c', command: './run.sh' });
    on.says('tool_call_update', { toolCallId: 'c', status: 'in_progress', content: [{ type: 'terminal', terminalId: 'c' }] });
    spawned(on);
    expect(on.saw()).toEqual(['terminal c "./run.sh"', 'call c in_progress content']);
    on.says('state_update', { state: 'idle' });
    answers();
    expect(on.saw()).toEqual(['terminal c "./run.sh" cancellable', 'call c in_progress content', 'terminal c "./run.sh" cancellable', 'idle [terminal c]', 'ok 1 {}']);
  });

  it('told only after the state, it is listed before the response all the same', () => {
    const on = connected({ name: 'other-agent' });
    const answers = resumes(on, false);
    on.says('state_update', { state: 'idle' });
    spawned(on);
    expect(on.saw()).toEqual(['idle []']);
    answers();
    expect(on.saw()).toEqual(['terminal afterturn:b "./run.sh" cancellable', 'idle [terminal afterturn:b]', 'ok 1 {}']);
  });
});

describe('a request that asks claude-agent-acp for another session', () => {
  const other = { mcpServers: [{ type: 'stdio', name: 'x', command: 'x' }] };

  function shellOf(name?: string): Connected {
    const on = connected(name === undefined ? {} : { name });
    const id = on.client.requests('session/new', { cwd: '/project' });
    on.agent.answers(id, { sessionId: SESSION });
    on.asked();
    on.runsShell();
    return on;
  }

  it('ends what lived in it as unknown, before the state', () => {
    const on = shellOf();
    const answers = resumes(on, false, other);
    on.says('state_update', { state: 'idle' });
    answers();
    expect(on.saw()).toEqual(['terminal c exited {} not cancellable because the session was built anew', 'idle []', 'ok 2 {}']);
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'completed' });
    on.clock.advance(1000);
    expect(on.saw()).toEqual([]);
  });

  it('nothing is lost when it is refused, says the same, or goes to another agent', () => {
    const refused = shellOf();
    resumes(refused, false, other)(false);
    expect(refused.saw()).toEqual(['error 2 -32603']);
    for (const [on, members] of [[shellOf(), { mcpServers: [] }], [shellOf('other-agent'), other]] as const) {
      const answers = resumes(on, false, members);
      on.says('state_update', { state: 'idle' });
      answers();
      expect(on.saw()).toContain('idle [terminal c]');
    }
  });
});

it('output that a terminal prints during a replay that does not begin it is kept', () => {
  const on = connected({ name: 'other-agent' });
  on.runsShell();
  on.says('terminal_output_chunk', { terminalId: 'c', data: base64('a') });
  const answers = resumes(on);
  on.says('terminal_output_chunk', { terminalId: 'c', data: base64('b') });
  on.says('state_update', { state: 'idle' });
  answers();
  expect(told(on).filter(([kind]) => kind === 'terminal_update').at(-1)?.[1]).toMatchObject({ output: { data: base64('ab') } });
});

describe('a session whose subagent runs', () => {
  const child = (members: object): object => ({ sessionId: 'child', ...members });

  it('has the child told, with what it lists itself, before its own state', () => {
    const on = connected({ acknowledged: ['asyncTasks'], asksForRawFeed: () => true });
    on.says('state_update', { state: 'running' });
    on.raw('background_tasks_changed', { tasks: [{ task_id: 'child', task_type: 'local_agent', description: 'Search' }] });
    on.says('subagent_update', child({ title: 'Search', capabilities: {}, state: { state: 'running' } }));
    on.says('state_update', { state: 'running' }, 'child');
    on.says('terminal_update', { terminalId: 'c', command: './run.sh' }, 'child');
    on.says('tool_call_update', { toolCallId: 'c', status: 'pending', content: [{ type: 'terminal', terminalId: 'c' }] }, 'child');
    on.says('_async_task_spawned', { asyncTaskId: 'b', taskType: 'shell', canStop: true, toolCallId: 'c' }, 'child');
    on.says('tool_call_update', { toolCallId: 'c', status: 'completed' }, 'child');
    on.says('state_update', { state: 'idle', stopReason: 'end_turn' }, 'child');
    on.says('state_update', { state: 'idle', stopReason: 'end_turn' });
    on.client.received();
    const answers = resumes(on, false);
    on.says('state_update', { state: 'idle' });
    answers();
    const background = [{ type: 'terminal', terminalId: 'c' }];
    expect(on.client.received().filter(({ method }) => method !== undefined).map(({ params: { sessionId, update } }) => [sessionId, update])).toEqual([
      [SESSION, { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Search', capabilities: {} }],
      ['child', { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed', content: [{ type: 'terminal', terminalId: 'c' }] }],
      ['child', { sessionUpdate: 'terminal_update', terminalId: 'c', command: './run.sh', capabilities: { cancel: {} } }],
      [SESSION, { sessionUpdate: 'subagent_update', sessionId: 'child', state: { state: 'idle', background } }],
      ['child', { sessionUpdate: 'state_update', state: 'idle', background }],
      [SESSION, { sessionUpdate: 'state_update', state: 'idle', background: [{ type: 'subagent', sessionId: 'child' }] }],
    ]);
  });
});
