/** The tracing plugin at its place: behind the bridge and the background plugin of a v2 client. */
import { expect, test } from 'vitest';
import { builtInPlugins } from '../../../plugins/index.js';
import { eventsOf, traced, type Traced } from './traced.js';

const exitCodes: { tell: Traced['exitCode'] } = { tell: () => {} };

/** A v2 client around an agent that speaks v1 with the extension, with a session that has a background shell. */
function conversation(): Traced {
  const before = builtInPlugins({
    agentProtocol: 'v1', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: ['agent'],
    onExitCode: (session, task, code) => exitCodes.tell(session, task, code),
  });
  const it = traced({ before });
  exitCodes.tell = it.exitCode;
  const { client, agent, clock } = it;
  const idOf = (method: string): string => (agent.received() as { id: string; method: string }[]).filter((message) => message.method === method).at(-1)?.id ?? 'none';
  const asked = client.requests('initialize', { protocolVersion: 2, info: { name: 'test', version: '1' }, capabilities: {} });
  expect(asked).toBe(1);
  agent.answers(idOf('initialize'), { protocolVersion: 1, agentInfo: { name: 'agent-x', version: '1' }, agentCapabilities: {}, _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } });
  client.requests('session/new', { cwd: '/project', mcpServers: [] });
  agent.answers(idOf('session/new'), { sessionId: 's' });
  clock.advance(100);
  client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'go' }], _meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } });
  it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c1', name: 'Bash', kind: 'execute', title: 't', status: 'pending', content: [{ type: 'terminal', terminalId: 'c1' }], _meta: { terminal_info: { terminal_id: 'c1' } } });
  it.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 't1', taskType: 'shell', canStop: true, toolCallId: 'c1', description: 'd', outputFilePath: '/out' });
  it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
  agent.answers(idOf('session/prompt'), { stopReason: 'end_turn' });
  clock.advance(500);
  return it;
}

test('the client\'s trace context comes through the bridge', () => {
  const it = conversation();
  expect(it.tree()).toEqual(['invoke_agent agent-x 100..100 [end_turn]', '  execute_tool Bash 100..100 [completed]']);
  expect(it.span('invoke_agent agent-x').parentSpanContext).toMatchObject({ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' });
});

test('a cancel of the client is an event on the item', () => {
  const it = conversation();
  it.client.requests('terminal/cancel', { sessionId: 's', terminalId: 'c1' });
  it.clock.advance(10);
  it.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: 't1', state: 'stopped' });
  it.clock.advance(250);
  expect(eventsOf(it.span('background shell'))).toEqual(['cancel_requested@600']);
  expect(it.span('background shell').attributes['acp.background.outcome']).toBe('cancelled');
});

test('the code that the output file tells arrives in time', () => {
  const it = conversation();
  it.files.write('/out', 'working\n[exited with code 3]\n');
  it.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: 't1', state: 'failed' });
  it.clock.advance(250);
  expect(it.tree().at(-1)).toBe('    background shell 100..600 [failed] [code 3] [ERROR failed]');
});

test('also when its last line is written after the end', () => {
  const it = conversation();
  it.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: 't1', state: 'failed' });
  it.clock.advance(100);
  it.files.write('/out', 'working\n[exited with code 3]\n');
  it.clock.advance(150);
  expect(it.span('background shell').attributes['process.exit.code']).toBe(3);
});
