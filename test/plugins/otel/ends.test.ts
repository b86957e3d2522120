import { describe, expect, test } from 'vitest';
import { msOf, traced } from './traced.js';
import { ends, launches, prompts } from './talk.js';

describe('ends that nobody reports', () => {
  test('the agent is gone: everything open ends, marked, children first', async () => {
    const it = traced();
    it.opens();
    prompts(it);
    launches(it);
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c2', name: 'Edit', status: 'pending' });
    it.agent.requests('session/request_permission', { sessionId: 's', toolCall: { toolCallId: 'c2' }, options: [] });
    it.clock.advance(100);
    await it.agentExits(137, null);
    await it.relay.close();
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 100..300 [unfinished: agent_exited]',
      '  execute_tool Bash 100..200 [completed]',
      '    background shell 150..300 [unknown] [unfinished: agent_exited]',
      '  execute_tool Edit 200..300 [unfinished: agent_exited]',
      '    session/request_permission 200..300 [unfinished: agent_exited]',
    ]);
    expect(it.clock.pending()).toBe(0);
  });

  test('an item whose end is known keeps it when the agent goes', async () => {
    const it = traced();
    it.opens();
    prompts(it);
    launches(it);
    ends(it, 'failed');
    it.clock.advance(10);
    await it.agentExits();
    expect(it.tree()[2]).toBe('    background shell 150..200 [failed] [ERROR failed]');
  });

  test('a closed session ends its spans at the answer; what comes later makes none', () => {
    const it = traced();
    it.opens();
    const id = prompts(it);
    launches(it);
    it.agent.answers(id, { stopReason: 'end_turn' });
    const refused = it.client.requests('session/close', { sessionId: 's' });
    it.agent.refuses(refused, { code: -32603, message: 'x' });
    expect(it.spans()).toHaveLength(2);
    it.clock.advance(100);
    const close = it.client.requests('session/close', { sessionId: 's' });
    it.agent.answers(close, {});
    ends(it, 'completed');
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c9', name: 'Late', status: 'completed' });
    it.clock.advance(300);
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 100..200 [end_turn]',
      '  execute_tool Bash 100..200 [completed]',
      '    background shell 150..300 [unknown] [unfinished: session_closed]',
    ]);
  });

  test('a closed session that is resumed is traced again', () => {
    const it = traced();
    it.opens();
    it.agent.answers(it.client.requests('session/close', { sessionId: 's' }), {});
    it.agent.answers(it.client.requests('session/resume', { sessionId: 's', cwd: '/project' }), {});
    it.agent.answers(prompts(it), { stopReason: 'end_turn' });
    expect(it.tree()).toEqual(['invoke_agent agent-x 100..100 [end_turn]']);
  });
});

describe('replays', () => {
  test('history makes no spans', () => {
    const it = traced();
    it.opens();
    const load = it.client.requests('session/load', { sessionId: 'old', cwd: '/project', mcpServers: [] });
    const history = [
      { sessionUpdate: 'tool_call', toolCallId: 'c1', name: 'Bash', status: 'pending' },
      { sessionUpdate: 'async_task_spawned', asyncTaskId: 't1', taskType: 'shell', toolCallId: 'c1' },
      { sessionUpdate: 'async_task_state_update', asyncTaskId: 't1', state: 'stopped' },
      { sessionUpdate: 'state_update', state: 'running' },
    ];
    for (const update of history) it.updates(update, 'old');
    it.agent.answers(load, {});
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' }, 'old');
    it.clock.advance(300);
    expect(it.tree()).toEqual([]);
  });

  test('a live item survives the replay of its session and ends by its own word', () => {
    const it = traced();
    it.opens();
    const id = prompts(it);
    launches(it);
    it.agent.answers(id, { stopReason: 'end_turn' });
    const load = it.client.requests('session/load', { sessionId: 's', cwd: '/project', mcpServers: [] });
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c1', name: 'Bash', status: 'completed', _meta: { terminal_exit: { terminal_id: 'c1', exit_code: 0 } } });
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c0', name: 'Read', status: 'completed' });
    it.agent.answers(load, {});
    it.clock.advance(500);
    ends(it, 'completed');
    it.clock.advance(250);
    expect(it.tree()).toEqual([
      'invoke_agent agent-x 100..200 [end_turn]',
      '  execute_tool Bash 100..200 [completed]',
      '    background shell 150..700 [completed]',
    ]);
  });

  test('an item that ends while its session is replayed has ended', () => {
    const it = traced();
    it.opens();
    prompts(it);
    launches(it);
    const load = it.client.requests('session/load', { sessionId: 's', cwd: '/project', mcpServers: [] });
    ends(it, 'completed');
    it.clock.advance(300);
    it.agent.answers(load, {});
    expect(it.tree().at(-1)).toBe('  background shell 150..200 [completed]');
  });
});

describe('what leaves', () => {
  test('no content, in names, attributes or events', async () => {
    const it = traced();
    it.opens();
    const id = prompts(it, { apiKey: 'secret' });
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c0', name: 'cat /secret/path', kind: 'a secret kind', title: 'secret', status: 'pending', locations: [{ path: '/secret' }] });
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c0', status: 'failed', rawOutput: 'secret', content: [{ type: 'content', content: { type: 'text', text: 'secret' } }] });
    launches(it);
    it.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 't2', taskType: 'run secret things', description: 'secret', name: 'secret', outputFilePath: '/secret' });
    it.agent.requests('session/request_permission', { sessionId: 's', toolCall: { toolCallId: 'c0', title: 'secret' }, options: [{ optionId: 'secret', kind: 'secret kind' }] });
    it.agent.answers(id, { stopReason: 'end_turn' });
    ends(it, 'failed');
    await it.agentExits();
    expect(it.spans().map(({ name }) => name).sort()).toEqual(['background', 'background shell', 'execute_tool Bash', 'execute_tool other', 'invoke_agent agent-x', 'session/request_permission']);
    const said = it.spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(JSON.stringify(said)).not.toMatch(/secret/);
  });

  test('a tool is renamed when its own name is told after its kind', () => {
    const it = traced();
    it.opens();
    prompts(it);
    it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c1', kind: 'execute', status: 'pending' });
    it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed', _meta: { claudeCode: { toolName: 'Bash' } } });
    expect(it.span('execute_tool Bash').attributes['gen_ai.tool.name']).toBe('Bash');
  });

  test('every byte passes as it came', () => {
    const it = traced();
    const prompt = '{"jsonrpc":"2.0",  "id":1.0,"method":"session/prompt","params":{"sessionId":"s","n":12345678901234567890}}';
    it.client.sends(prompt);
    expect(it.agent.receivedLines()).toEqual([prompt]);
    const update = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","status":"completed","n":1e3}}}';
    const reply = '{"jsonrpc":"2.0","id":1.0,"result":{"stopReason":"end_turn","usage":{"inputTokens":1.0}}}';
    it.agent.sends(update, reply);
    expect(it.client.receivedLines()).toEqual([update, reply]);
    expect(it.spans()).toHaveLength(2);
    expect(msOf([Date.UTC(2025, 0, 1) / 1000, 5e6])).toBe(5);
  });

  test('malformed messages make no spans and no noise', () => {
    const it = traced();
    it.opens();
    for (const params of [undefined, null, 7, {}, { sessionId: 5, prompt: [] }, { sessionId: 's', update: null }, { sessionId: 's', update: { sessionUpdate: 'tool_call' } }, { sessionId: 's', update: { sessionUpdate: 'async_task_spawned', asyncTaskId: {} } }]) {
      it.agent.notifies('session/update', params);
      it.agent.notifies('_claude/sdkMessage', params);
      it.agent.notifies('session/request_permission', params);
      it.client.notifies('session/prompt', params);
      it.client.notifies('_session/async_task/stop', params);
    }
    it.clock.advance(300);
    expect(it.tree()).toEqual([]);
    expect(it.log).toEqual([]);
  });
});
