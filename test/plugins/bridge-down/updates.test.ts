import { describe, expect, test } from 'vitest';
import { call, chunk, connected, fullAgent, richClient, state, terminalClient } from './connected.js';

const text = (value: string) => ({ type: 'text', text: value });
const item = (value: string) => ({ type: 'content', content: text(value) });
const message = (...texts: string[]) => ({ sessionUpdate: 'agent_message', messageId: 'm', content: texts.map(text) });
const base64 = (value: string | Uint8Array) => Buffer.from(value as string).toString('base64');

describe('messages', () => {
  test('what a message goes on with is told as its rest', () => {
    const on = connected();
    on.updates(chunk('Hel'), message('Hello'), message('Hello', ' you'), message('Hello you'));
    expect(on.told()).toEqual([chunk('Hel'), chunk('lo'), chunk(' you')]);
  });

  test('what is changed in it is told whole, as another message', () => {
    const on = connected();
    on.updates(chunk('Hello'), message('Good day'), chunk('!'), message());
    expect(on.told()).toEqual([chunk('Hello'), chunk('Good day', 'm:2'), chunk('!', 'm:2')]);
  });

  test('a message that was cleared before it was told begins as itself', () => {
    const on = connected();
    on.updates(message(), chunk('Hello'), { sessionUpdate: 'agent_message', messageId: 'm' });
    expect(on.told()).toEqual([chunk('Hello')]);
  });

  test('thoughts and other blocks', () => {
    const on = connected();
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
    on.updates({ sessionUpdate: 'agent_thought', messageId: 't', content: [text('hm'), image] }, { sessionUpdate: 'agent_thought', messageId: 't', content: [text('hm'), image, text('so')] });
    const told = on.told();
    expect(told.map(({ content }) => content)).toEqual([text('hm'), image, text('so')]);
    expect(new Set(told.map(({ sessionUpdate }) => sessionUpdate))).toEqual(new Set(['agent_thought_chunk']));
  });

  test('icons and unknown audiences are left out, unknown blocks named in the log', () => {
    const on = connected();
    on.updates({ sessionUpdate: 'agent_message', messageId: 'm', content: [{ type: 'resource_link', name: 'a', uri: 'file:///a', icons: [{ src: 'https://x/i.png' }], annotations: { audience: ['user', '_robot'] } }, { type: '_chart', points: [1] }] });
    expect(on.told().map(({ content }) => content)).toEqual([{ type: 'resource_link', name: 'a', uri: 'file:///a', annotations: { audience: ['user'] } }]);
    expect(on.log).toEqual([expect.stringContaining('malformed agent_message of session s: [1].type')]);
  });

  test('what the client said is not told back; what it did not say is', () => {
    const on = connected();
    on.runs('u');
    on.updates({ sessionUpdate: 'user_message', messageId: 'u', content: [text('do it')] }, { sessionUpdate: 'user_message', messageId: 'other', content: [text('steer')] });
    expect(on.told()).toEqual([{ sessionUpdate: 'user_message_chunk', messageId: 'other', content: text('steer') }]);
  });

  test('a prompt that is taken in as chunks is not told back either', () => {
    const on = connected();
    on.client.requests('session/prompt', { sessionId: 's', prompt: [text('a'), text('b')] });
    const own = on.asked()[0][2];
    on.updates({ sessionUpdate: 'user_message_chunk', messageId: 'u', content: text('a') });
    on.agent.answers(own, { messageId: 'u' });
    on.updates({ sessionUpdate: 'user_message_chunk', messageId: 'u', content: text('b') });
    expect(on.told()).toEqual([]);
  });
});

describe('tool calls', () => {
  test('the first word of a call begins it, later ones tell what changed', () => {
    const on = connected();
    on.updates(call('c', { title: 'Run', kind: 'execute', rawInput: { a: 1 } }), call('c', { status: 'in_progress', title: 'Run' }), call('c', { status: 'in_progress' }), call('c', { status: 'completed', content: [item('ok')] }));
    expect(on.told()).toEqual([
      { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Run', kind: 'execute', status: 'pending', rawInput: { a: 1 } },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'in_progress' },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed', content: [item('ok')] },
    ]);
  });

  test('null sets back, chunks are appended, and v1 gets the whole content', () => {
    const on = connected();
    on.updates(call('c', { title: 'Run', content: [item('a')], locations: [{ path: '/a', line: 3 }] }));
    on.told();
    on.updates({ sessionUpdate: 'tool_call_content_chunk', toolCallId: 'c', content: item('b') }, call('c', { content: null, locations: null, title: null, kind: null }));
    expect(on.told()).toEqual([
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', content: [item('a'), item('b')] },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', content: [], locations: [], title: '' },
    ]);
  });

  test('cancelled has failed, paused is in progress, and _meta says so', () => {
    const on = connected();
    on.updates(call('c', { title: 'Run', status: 'in_progress' }), call('c', { status: 'paused' }), call('c', { status: 'in_progress' }), call('c', { status: 'cancelled' }));
    expect(on.told().slice(1)).toEqual([
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', _meta: { afterturn: { status: 'paused' } } },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', _meta: { afterturn: { status: 'in_progress' } } },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed', _meta: { afterturn: { status: 'cancelled' } } },
    ]);
  });

  test('words of extensions become the nearest of v1', () => {
    const on = connected();
    on.updates(call('c', { name: 'Tool', kind: '_magic', status: '_waiting', content: [{ type: '_chart' }] }));
    expect(on.told()).toEqual([{ sessionUpdate: 'tool_call', toolCallId: 'c', name: 'Tool', title: 'Tool', kind: 'other', status: 'in_progress', _meta: { afterturn: { status: '_waiting' } } }]);
    expect(on.log).toHaveLength(1);
  });

  test('claude-agent-acp names the tool where its v1 does', () => {
    const on = connected({}, {}, { ...fullAgent, info: { name: '@agentclientprotocol/claude-agent-acp', version: '0.101.0' } });
    on.updates(call('c', { name: 'Read', title: 'Read', _meta: { claudeCode: { x: 1 }, gone: null } }), call('c', { status: 'completed' }));
    expect(on.told()).toMatchObject([{ _meta: { claudeCode: { toolName: 'Read', x: 1 } } }, { status: 'completed' }]);
  });

  test('diffs are told as old and new text', () => {
    const on = connected();
    const patch = (value: string) => ({ format: 'git_patch', text: value });
    on.updates(call('c', { title: 'Edit', content: [{ type: 'diff', changes: [{ operation: 'modify', path: '/a.js', fileType: 'text' }], patch: patch('diff --git /a.js /a.js\n--- /a.js\n+++ /a.js\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n') }] }));
    expect(on.told()[0].content).toEqual([{ type: 'diff', path: '/a.js', oldText: 'a\nb', newText: 'a\nc' }]);
  });
});

describe('terminals', () => {
  const shown = (members: Record<string, unknown> = {}) => call('c', { title: 'ls', kind: 'execute', status: 'in_progress', content: [{ type: 'terminal', terminalId: 't' }], ...members });
  const terminal = (members: Record<string, unknown>) => ({ sessionUpdate: 'terminal_update', terminalId: 't', ...members });
  const output = (data: string | Uint8Array) => ({ sessionUpdate: 'terminal_output_chunk', terminalId: 't', data: base64(data) });

  test('are told in the extension to a client that takes it', () => {
    const on = connected(terminalClient);
    on.updates(terminal({ command: 'ls', cwd: '/p' }), shown(), output('a\n'), terminal({ output: { data: base64('a\nb\n') } }), terminal({ exitStatus: { exitCode: 2 } }), call('c', { status: 'failed' }));
    expect(on.told()).toEqual([
      { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'ls', kind: 'execute', status: 'in_progress', content: [{ type: 'terminal', terminalId: 't' }], _meta: { terminal_info: { terminal_id: 't', cwd: '/p' } } },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', _meta: { terminal_output: { terminal_id: 't', data: 'a\n' } } },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', _meta: { terminal_output: { terminal_id: 't', data: 'b\n' } } },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', _meta: { terminal_exit: { terminal_id: 't', exit_code: 2, signal: null } } },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed' },
    ]);
  });

  test('output before the call is told with it, and a replaced one behind what was told', () => {
    const on = connected(terminalClient);
    on.updates(terminal({}), output('early'), shown(), terminal({ output: { data: base64('other') } }));
    expect(on.told().map(({ _meta }) => _meta.terminal_output.data)).toEqual(['early', '\nother']);
  });

  test('a character that comes in two pieces is whole', () => {
    const on = connected(terminalClient);
    const bytes = Buffer.from('é');
    on.updates(terminal({}), shown(), output(bytes.subarray(0, 1)), output(bytes.subarray(1)));
    expect(on.told().slice(1).map(({ _meta }) => _meta.terminal_output.data)).toEqual(['é']);
  });

  test('are text for any other client, some times a second, and whole at the exit', () => {
    const on = connected();
    on.updates(terminal({ command: 'ls' }), shown());
    expect(on.told()).toMatchObject([{ content: [item('```console\n$ ls\n```')] }]);
    on.updates(output('a\n'), output('b\n'));
    expect(on.told()).toEqual([]);
    on.clock.advance(250);
    expect(on.told()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'c', content: [item('```console\n$ ls\na\nb\n```')] }]);
    on.updates(output('c\n'), terminal({ exitStatus: { exitCode: 1 } }));
    expect(on.told()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'c', content: [item('```console\n$ ls\na\nb\nc\n```\n\nExited with code 1')] }]);
  });

  test('the text shows the end of a long output', () => {
    const on = connected();
    on.updates(terminal({}), shown(), output('x'.repeat(100_000)), terminal({ exitStatus: { signal: 'SIGTERM' } }));
    const [shownText] = on.told().at(-1).content;
    expect(shownText.content.text).toMatch(/^```console\n\.\.\.\nx{32768}\n```\n\nEnded by SIGTERM$/);
  });

  test('a completed call whose terminal goes on waits for the list that says so', () => {
    const on = connected(terminalClient);
    on.updates(terminal({}), shown());
    on.told();
    on.updates(call('c', { status: 'completed' }), terminal({ capabilities: { cancel: {} } }), { sessionUpdate: '_async_task_spawned', asyncTaskId: 't', toolCallId: 'c' });
    expect(on.told()).toEqual([{ sessionUpdate: 'async_task_spawned', asyncTaskId: 't', toolCallId: 'c' }]);
    on.updates(state('running', { background: [{ type: 'terminal', terminalId: 't' }] }));
    expect(on.told()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' }]);
  });

  test('but not for long, and nothing overtakes it', () => {
    const on = connected(terminalClient);
    on.updates(terminal({}), shown(), call('c', { status: 'completed' }));
    on.told();
    on.clock.advance(100);
    expect(on.told()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' }]);
    on.updates(call('d', { title: 'D', status: 'completed', content: [{ type: 'terminal', terminalId: 't' }] }), chunk('next'));
    expect(on.told().map(({ status, sessionUpdate }) => status ?? sessionUpdate)).toEqual(['pending', 'completed', 'agent_message_chunk']);
  });
});

describe('plans', () => {
  const entry = (content: string, status = 'pending', priority = 'high') => ({ content, status, priority });
  const items = (planId: string, ...entries: unknown[]) => ({ sessionUpdate: 'plan_update', plan: { type: 'items', planId, entries } });

  test('all plans of the session are one plan of v1', () => {
    const on = connected();
    on.updates(items('a', entry('one'), entry('two', 'cancelled', '_urgent')), { sessionUpdate: 'plan_update', plan: { type: 'markdown', planId: 'b', content: '# Do' } }, { sessionUpdate: 'plan_removed', planId: 'a' }, { sessionUpdate: 'plan_update', plan: { type: 'file', planId: 'b', uri: 'file:///plan.md' } });
    const two = { content: 'two', status: 'completed', priority: 'medium', _meta: { afterturn: { status: 'cancelled' } } };
    expect(on.told().map(({ sessionUpdate, entries }) => [sessionUpdate, entries])).toEqual([
      ['plan', [entry('one'), two]],
      ['plan', [entry('one'), two, entry('# Do', 'pending', 'medium')]],
      ['plan', [entry('# Do', 'pending', 'medium')]],
      ['plan', [entry('file:///plan.md', 'pending', 'medium')]],
    ]);
  });

  test('a client that takes plans by id gets them', () => {
    const on = connected(richClient);
    on.updates(items('a', entry('one')), { sessionUpdate: 'plan_removed', planId: 'a' });
    expect(on.told()).toEqual([items('a', entry('one')), { sessionUpdate: 'plan_removed', planId: 'a' }]);
  });
});

describe('the rest', () => {
  const notice = { sessionUpdate: 'notice', severity: 'warning', title: 'Slow', description: 'Very slow' };
  const compacts = [
    { sessionUpdate: 'compaction_update', compactionId: 'k', status: 'in_progress' },
    { sessionUpdate: 'compaction_summary_chunk', compactionId: 'k', content: text('so far') },
    { sessionUpdate: 'compaction_update', compactionId: 'k', status: 'failed', error: 'full' },
  ];

  test('notices and compaction for a client that takes them', () => {
    const on = connected(richClient);
    on.updates(notice, ...compacts);
    expect(on.told()).toEqual([notice, ...compacts]);
  });

  test('and in words, or not at all, for any other', () => {
    const on = connected();
    on.updates(notice, ...compacts);
    expect(on.told()).toEqual([{ sessionUpdate: 'agent_message_chunk', content: text('Slow\n\nVery slow') }, { sessionUpdate: 'agent_message_chunk', content: text('Compaction failed: full') }]);
  });

  test('commands, usage, session info', () => {
    const on = connected();
    const same = [{ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.1, currency: 'USD' } }, { sessionUpdate: 'session_info_update', title: null, updatedAt: '2026-01-01T00:00:00Z' }];
    on.updates(...same, { sessionUpdate: 'available_commands_update', availableCommands: [{ type: 'command', name: 'a', description: 'b' }] });
    expect(on.told()).toEqual([...same, { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'a', description: 'b' }] }]);
  });

  test('states and subagents are no kinds of v1', () => {
    const on = connected();
    on.updates(state('running'), state('requires_action'), state('unknown'), { sessionUpdate: 'subagent_update', sessionId: 'c', state: { state: 'running', background: [] } }, { sessionUpdate: 'session_message', messageId: 'm', content: [] });
    expect(on.told()).toEqual([]);
  });

  test('subagents for a client that knows them', () => {
    const on = connected(richClient);
    on.updates({ sessionUpdate: 'subagent_update', sessionId: 'c', title: 'S', state: { state: 'running', background: [] } }, { sessionUpdate: 'session_message', messageId: 'm', senderSessionId: 's', recipientSessionId: 'c', content: [text('go')] });
    expect(on.told()).toEqual([
      { sessionUpdate: 'subagent_update', sessionId: 'c', title: 'S', state: { state: 'running' } },
      { sessionUpdate: 'session_message', messageId: 'm', senderSessionId: 's', recipientSessionId: 'c', content: [text('go')] },
    ]);
  });

  test('extensions pass, the private one under its v1 names; other kinds do not', () => {
    const on = connected();
    on.updates({ sessionUpdate: '_async_task_state_update', asyncTaskId: 'a', state: 'completed' });
    on.updates({ sessionUpdate: '_async_task_progress', asyncTaskId: 'a' });
    expect(on.told()).toEqual([{ sessionUpdate: 'async_task_state_update', asyncTaskId: 'a', state: 'completed' }, { sessionUpdate: 'async_task_progress', asyncTaskId: 'a' }]);
    on.agent.notifies('session/update', { sessionId: 's', update: { sessionUpdate: 'unheard_of' } });
    on.agent.notifies('session/update', { sessionId: 's', update: 'broken' });
    on.agent.notifies('_x/y', { a: 1 });
    expect(on.client.received()).toEqual([{ jsonrpc: '2.0', method: '_x/y', params: { a: 1 } }]);
  });

  test('auth/status_update is of the unstable schema', () => {
    const on = connected();
    on.agent.notifies('auth/status_update', { state: 'authenticated' });
    expect(on.client.received()).toEqual([]);
    const rich = connected(richClient);
    rich.agent.notifies('auth/status_update', { state: 'authenticated' });
    expect(rich.told()).toHaveLength(1);
  });
});
