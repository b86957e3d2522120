import { describe, expect, it } from 'vitest';
import { connected, SESSION } from './connected.js';

describe('what a list names', () => {
  it('is a task: marked on its call, then told with what is known of it', () => {
    const on = connected();
    on.prompts();
    on.state('running', []);
    on.says('terminal_update', { terminalId: 'c', command: './run.sh' });
    on.says('tool_call_update', { toolCallId: 'c', status: 'pending', title: './run.sh', rawInput: { description: 'Run it' }, content: [{ type: 'terminal', terminalId: 'c' }] });
    on.says('terminal_update', { terminalId: 'c', capabilities: { cancel: {} } });
    on.saw();
    on.state('running', ['terminal:c']);
    expect(on.saw()).toEqual([
      'tool_call_update c backgrounded',
      'c spawned shell {"name":"Run it","description":"./run.sh","showInTranscript":false,"canStop":true,"toolCallId":"c"}',
      'state_update running',
    ]);
    on.state('idle', ['terminal:c'], { stopReason: 'end_turn' });
    expect(on.saw()).toEqual(['state_update idle']);
  });

  it.each([
    ['Monitor', 'monitor'],
    ['Workflow', 'workflow'],
    ['Bash', 'task'],
  ])('is a task of the tool: %s is a %s', (name, taskType) => {
    const on = connected();
    on.prompts();
    on.says('tool_call_update', { toolCallId: 'w', name, status: 'in_progress', title: 'Watch the log' });
    on.saw();
    on.state('running', ['tool_call:w']);
    expect(on.saw()[0]).toBe(`w spawned ${taskType} {"name":"Watch the log","description":"Watch the log","showInTranscript":false,"canStop":false,"toolCallId":"w"}`);
  });

  it('is a subagent, with its title, and whether its session can be cancelled', () => {
    const on = connected();
    on.prompts();
    on.says('subagent_update', { sessionId: 'child', title: 'Search', description: 'general-purpose', capabilities: { cancel: {} }, state: { state: 'running' } });
    on.saw();
    on.state('running', ['subagent:child']);
    expect(on.saw()[0]).toBe('child spawned subagent {"name":"Search","description":"general-purpose","showInTranscript":false,"canStop":true}');
  });

  it('has an id of its own where a terminal and a tool call share theirs', () => {
    const on = connected();
    on.prompts();
    on.state('running', ['terminal:c', 'tool_call:c']);
    expect(on.saw().map((line) => line.split(' ').slice(0, 3).join(' '))).toContain('tool_call:c spawned task');
  });

  it('has its changes told: a title, a cancel, a call that comes late, a pause', () => {
    const on = connected();
    on.prompts();
    on.state('running', ['terminal:t', 'tool_call:w']);
    on.saw();
    on.says('terminal_update', { terminalId: 't', command: 'make', capabilities: { cancel: {} } });
    on.says('tool_call_update', { toolCallId: 'c', status: 'pending', content: [{ type: 'terminal', terminalId: 't' }] });
    on.says('tool_call_update', { toolCallId: 'w', title: 'Watch', status: 'paused' });
    on.says('tool_call_update', { toolCallId: 'w', status: 'in_progress' });
    on.says('tool_call_update', { toolCallId: 'w', status: 'in_progress' });
    expect(on.saw()).toEqual([
      'terminal_update t',
      't progress {"description":"make","canStop":true}',
      'tool_call_update c',
      't progress {"toolCallId":"c"}',
      'tool_call_update w',
      'w progress {"description":"Watch"}',
      'w is paused',
      'tool_call_update w',
      'w is running',
      'tool_call_update w',
    ]);
  });

  it('is told once, however often it is listed', () => {
    const on = connected();
    on.runsShell();
    on.state('idle', ['terminal:c']);
    on.state('running', ['terminal:c']);
    expect(on.saw().filter((line) => line.startsWith('c '))).toEqual([]);
  });
});

describe('how it ended', () => {
  const ends = (said: (on: ReturnType<typeof connected>) => void, options = {}): string[] => {
    const on = connected(options);
    on.runsShell();
    said(on);
    return on.saw().filter((line) => line.startsWith('c '));
  };

  it.each([
    [{ exitCode: 0 }, 'completed'],
    [{ exitCode: 3 }, 'failed'],
    [{ signal: 'SIGTERM' }, 'stopped'],
    [{ exitCode: null, signal: 'SIGSEGV' }, 'failed'],
  ])('a terminal that exits with %j: %s, and only once', (exitStatus, word) => {
    expect(
      ends((on) => {
        on.says('terminal_update', { terminalId: 'c', exitStatus, capabilities: null });
        on.state('idle', ['terminal:c']);
        on.state('idle', []);
      }),
    ).toEqual([`c is ${word} {"toolCallId":"c"}`]);
  });

  it('an exit that says nothing is stopped, with the reason', () => {
    expect(ends((on) => on.says('terminal_update', { terminalId: 'c', exitStatus: {} }))).toEqual(['c is stopped {"toolCallId":"c","_meta":{"afterturn":{"reason":"the agent did not tell how it ended"}}}']);
  });

  it.each([
    ['done\n\n[exited with code 0]\n', 'completed'],
    ['[exited with code 3]\n', 'failed'],
  ])('the last line %j of an agent whose harness writes it: %s', (output, word) => {
    const said = ends(
      (on) => {
        on.says('terminal_update', { terminalId: 'c', output: { data: Buffer.from(output.slice(0, 4)).toString('base64') } });
        on.says('terminal_output_chunk', { terminalId: 'c', data: Buffer.from(output.slice(4)).toString('base64') });
        on.says('terminal_update', { terminalId: 'c', exitStatus: {} });
      },
      { name: '@agentclientprotocol/claude-agent-acp' },
    );
    expect(said).toEqual([`c is ${word} {"toolCallId":"c"}`]);
  });

  it.each([
    ['completed', 'completed'],
    ['failed', 'failed'],
    ['killed', 'stopped'],
  ])('the raw feed tells the end of a command whose exit says nothing, %s, and what caused the next turn', (status, word) => {
    const on = connected();
    const feed = (message: object): void => on.agent.notifies('_claude/sdkMessage', { sessionId: SESSION, message: { type: 'system', task_id: 'b', ...message } });
    on.runsShell();
    feed({ subtype: 'task_started', tool_use_id: 'c', task_type: 'local_bash' });
    feed({ subtype: 'task_updated', patch: { status } });
    on.says('terminal_update', { terminalId: 'c', exitStatus: {} });
    feed({ subtype: 'task_notification', status: status === 'killed' ? 'stopped' : status, summary: 'It ended' });
    on.state('running', []);
    expect(on.saw().filter((line) => !line.startsWith('_claude') && !line.startsWith('terminal_'))).toEqual([
      `c is ${word} {"toolCallId":"c"}`,
      'afterturn:turn:1 spawned turn {"name":"Some Agent is working","description":"It ended","showInTranscript":false,"canStop":true}',
      'state_update running',
    ]);
  });

  it.each([
    ['completed', 'completed'],
    ['failed', 'failed'],
    ['cancelled', 'stopped'],
  ])('a tool call that is %s: %s', (status, word) => {
    const on = connected();
    on.prompts();
    on.state('running', ['tool_call:w']);
    on.saw();
    on.says('tool_call_update', { toolCallId: 'w', status });
    on.state('idle', [], { stopReason: 'end_turn' });
    expect(on.saw()).toEqual(['tool_call_update w', `w is ${word} {"toolCallId":"w"}`, 'state_update idle']);
  });

  it.each([
    ['end_turn', 'child is completed'],
    ['cancelled', 'child is stopped'],
    ['error', 'child is failed'],
  ])('a subagent that is idle with %s when its list drops it: %s', (stopReason, word) => {
    const on = connected();
    on.prompts();
    on.says('subagent_update', { sessionId: 'child', state: { state: 'running' } });
    on.state('running', ['subagent:child']);
    on.says('subagent_update', { sessionId: 'child', state: { state: 'idle', stopReason } });
    on.saw();
    on.state('idle', []);
    expect(on.saw()).toEqual([word, 'state_update idle']);
  });

  it('what is dropped without a word is stopped, with the reason, and lives anew when it is listed again', () => {
    expect(
      ends((on) => {
        on.state('idle', []);
        on.state('idle', ['terminal:c']);
      }).map((line) => line.slice(0, 14)),
    ).toEqual(['c is stopped {', 'c spawned shel']);
  });

  it.each([[undefined], [{ background: null }], [{ background: 'all' }], [{ background: [{ type: 'terminal' }] }]])('a state that lists nothing that can be read ends nothing: %j', (members) => {
    const on = connected();
    on.runsShell();
    on.state('running', undefined, members);
    on.state('idle', undefined, members);
    expect(on.saw().filter((line) => line.startsWith('c '))).toEqual([]);
    on.state('idle', []);
    expect(on.saw()[0]).toContain('c is stopped');
  });

  it('what a session/close leaves is stopped before the response; nothing is said of a close that fails', () => {
    const on = connected();
    on.runsShell();
    on.client.sends({ jsonrpc: '2.0', id: 1, method: 'session/close', params: { sessionId: SESSION } });
    on.agent.refuses(1, { code: -32000, message: 'no' });
    expect(on.saw()).toEqual(['error 1 -32000']);
    on.client.sends({ jsonrpc: '2.0', id: 2, method: 'session/close', params: { sessionId: SESSION } });
    on.agent.answers(2, {});
    expect(on.saw()).toEqual(['c is stopped {"toolCallId":"c","_meta":{"afterturn":{"reason":"the session was closed before the work ended"}}}', 'ok 2 {}']);
  });

  it('what an agent leaves that exits is stopped, too', async () => {
    const on = connected();
    on.runsShell();
    await on.agentExits(1);
    expect(on.saw()).toEqual(['c is stopped {"toolCallId":"c","_meta":{"afterturn":{"reason":"the agent exited before the work ended"}}}']);
  });
});

describe('a replay', () => {
  it('ends nothing that its list still names', () => {
    const on = connected();
    on.runsShell();
    on.client.sends({ jsonrpc: '2.0', id: 1, method: 'session/resume', params: { sessionId: SESSION, replayFrom: { type: 'start' } } });
    on.says('terminal_update', { terminalId: 'c', exitStatus: { exitCode: 0 } });
    on.says('tool_call_update', { toolCallId: 'c', status: 'completed' });
    on.state('idle', ['terminal:c']);
    on.agent.answers(1, {});
    expect(on.saw().filter((line) => line.startsWith('c '))).toEqual([]);
    on.says('terminal_update', { terminalId: 'c', exitStatus: { exitCode: 4 } });
    expect(on.saw().at(-1)).toBe('c is failed {"toolCallId":"c"}');
  });

  it('ends what its list no longer names, as the history says', () => {
    const on = connected();
    on.runsShell();
    on.client.sends({ jsonrpc: '2.0', id: 1, method: 'session/resume', params: { sessionId: SESSION } });
    on.says('terminal_update', { terminalId: 'c', exitStatus: { exitCode: 0 } });
    on.state('idle', []);
    expect(on.saw()).toEqual(['terminal_update c', 'c is completed {"toolCallId":"c"}', 'state_update idle']);
  });

  it('tells a client that comes new what runs', () => {
    const on = connected();
    on.client.sends({ jsonrpc: '2.0', id: 1, method: 'session/resume', params: { sessionId: SESSION } });
    on.says('terminal_update', { terminalId: 'c', command: 'make', exitStatus: { exitCode: 0 } });
    on.says('terminal_update', { terminalId: 'c', capabilities: { cancel: {} } });
    on.state('idle', ['terminal:c']);
    on.agent.answers(1, {});
    expect(on.saw().slice(2)).toEqual(['c spawned shell {"name":"make","description":"make","showInTranscript":false,"canStop":true}', 'state_update idle', 'ok 1 {}']);
  });
});

describe('a turn that the agent starts itself', () => {
  const TURN = 'afterturn:turn:1';
  const spawned = `${TURN} spawned turn {"name":"Some Agent is working","description":"The agent started a turn without a prompt.","showInTranscript":false,"canStop":true}`;

  it.each([
    ['end_turn', 'completed'],
    ['cancelled', 'stopped'],
    ['error', 'failed'],
  ])('is a task that ends as it does: %s is %s', (stopReason, word) => {
    const on = connected();
    on.prompts();
    on.state('running', []);
    on.state('idle', [], { stopReason: 'end_turn' });
    on.saw();
    on.state('running', []);
    on.state('idle', [], { stopReason });
    expect(on.saw()).toEqual([spawned, 'state_update running', `${TURN} is ${word}`, 'state_update idle']);
  });

  it('begins after what caused it has ended', () => {
    const on = connected();
    on.runsShell();
    on.state('running', []);
    expect(on.saw().map((line) => line.slice(0, 26))).toEqual(['c is stopped {"toolCallId"', 'afterturn:turn:1 spawned t', 'state_update running']);
  });

  it('is over for the client when a prompt is taken into it', () => {
    const on = connected();
    on.state('running', []);
    on.prompts();
    on.state('idle', [], { stopReason: 'end_turn' });
    expect(on.saw().slice(2)).toEqual([`${TURN} is completed`, 'ok "p" {"messageId":"p"}', 'state_update idle']);
  });

  it('is none where a prompt explains the work, sent or taken in', () => {
    const on = connected();
    on.client.sends({ jsonrpc: '2.0', id: 'p', method: 'session/prompt', params: { sessionId: SESSION, prompt: [] } });
    on.state('running');
    on.state('requires_action');
    on.state('running');
    on.agent.answers('p', { messageId: 'm' });
    on.state('idle', undefined, { stopReason: 'end_turn' });
    expect(on.saw().filter((line) => line.includes('turn:'))).toEqual([]);
  });

  it('is none in the session of a subagent', () => {
    const on = connected();
    on.prompts();
    on.says('subagent_update', { sessionId: 'child', state: { state: 'running' } });
    on.state('running', [], {}, 'child');
    expect(on.saw().filter((line) => line.includes('turn:'))).toEqual([]);
  });
});

describe('the handshake', () => {
  it('acknowledges the extension to a client that declares it', () => {
    expect(connected().handshake.answered._meta.jetbrains.air).toEqual({ version: 1, capabilities: ['asyncTasks'] });
  });

  it('declares it to an agent that can bear it, and not to claude-agent-acp', () => {
    expect(connected().handshake.asked.capabilities._meta.jetbrains.air.capabilities).toEqual(['asyncTasks']);
    expect(connected({ command: ['npx', '@agentclientprotocol/claude-agent-acp'] }).handshake.asked.capabilities).toEqual({});
  });

  it('says nothing of it to a client that did not ask, whose tasks are made all the same', () => {
    const on = connected({ declared: [] });
    expect(on.handshake.answered._meta).toBeUndefined();
    expect(on.makesTasks()).toBe(true);
  });

  it.each([
    ['an agent that speaks the extension itself', { acknowledged: ['asyncTasks'] }],
    ['an agent of ACP v1', { agentVersion: 1 }],
    ['a client of ACP v2, also one that knows the extension', { clientVersion: 2 }],
    ['--source none for a client without the extension', { declared: [], source: 'none' as const }],
  ])('leaves %s alone', (_, options) => {
    const on = connected(options);
    on.state('running', ['terminal:c']);
    on.client.sends({ jsonrpc: '2.0', id: 1, method: '_session/async_task/stop', params: { sessionId: SESSION, asyncTaskId: 'c' } });
    expect(on.saw()).toEqual(['state_update running']);
    expect(on.asked().map(({ method }) => method)).toEqual(['_session/async_task/stop']);
    expect(on.makesTasks()).toBe(false);
  });
});
