/** What leaves with `captureContent`, and what never does. The fields without it: `privacy.test.ts`. */
import { describe, expect, test } from 'vitest';
import { callContent, promptContent } from '../../../plugins/otel/content.js';
import { boundedContent, LONGEST_CONTENT } from '../../../src/state/trace-content.js';
import { traced, type Traced } from './traced.js';

function launched(captureContent: boolean): Traced {
  const it = traced({ captureContent });
  it.opens();
  const id = it.client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'start the server', _meta: { key: 'secret' } }, { type: 'resource_link', uri: 'file:///project/a.ts', name: 'a' }], _meta: { key: 'secret' } });
  it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c1', name: 'Bash', title: './server.sh', status: 'pending', rawInput: {}, locations: [{ path: '/project/a.ts' }], _meta: { key: 'secret' } });
  it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', rawInput: { command: './server.sh', deep: { _meta: { key: 'secret' }, n: 1 } } });
  it.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 't1', taskType: 'shell', canStop: true, toolCallId: 'c1', name: 'Start the server', outputFilePath: '/tmp/out' });
  it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed', rawOutput: 'started' });
  it.agent.answers(id, { stopReason: 'end_turn' });
  it.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: 't1', state: 'completed', summary: 'it ended' });
  it.clock.advance(300);
  return it;
}

test('contents are attributes where they are asked for', () => {
  const it = launched(true);
  expect(it.span('invoke_agent agent-x').attributes).toMatchObject({
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"start the server"},{"type":"resource_link","uri":"file:///project/a.ts"}]}]',
  });
  expect(it.span('execute_tool Bash').attributes).toMatchObject({
    'gen_ai.tool.call.arguments': '{"command":"./server.sh","deep":{"n":1}}',
    'gen_ai.tool.call.result': 'started',
    'acp.tool_call.title': './server.sh',
    'acp.tool_call.locations': ['/project/a.ts'],
  });
  expect(it.span('background shell').attributes).toMatchObject({
    'acp.background.title': 'Start the server',
    'acp.background.summary': 'it ended',
    'acp.background.output_file': '/tmp/out',
    'process.command_line': './server.sh',
  });
  expect(JSON.stringify(it.spans().map(({ attributes }) => attributes))).not.toContain('secret');
});

test('and not otherwise, nor in the start record', () => {
  const texts = [false, true].map((captureContent) => {
    const it = launched(captureContent);
    return [JSON.stringify(it.spans().map(({ attributes }) => attributes)), JSON.stringify(it.logs.map(({ attributes }) => attributes))] as const;
  });
  for (const word of ['server', '/project', '/tmp', 'started"', 'it ended']) {
    expect(texts[0]?.[0]).not.toContain(word);
    expect(texts.map(([, records]) => records).join()).not.toContain(word);
  }
});

test('a command of ACP v2 has the command line and folder of its terminal', () => {
  const it = traced({ captureContent: true });
  it.opens({ protocol: 2, extension: false });
  it.updates({ sessionUpdate: 'terminal_update', terminalId: 'x', command: './build.sh', cwd: '/project' });
  it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', name: 'Bash', status: 'completed', content: [{ type: 'terminal', terminalId: 'x' }] });
  it.updates({ sessionUpdate: 'state_update', state: 'running', background: [{ type: 'terminal', terminalId: 'x' }] });
  it.updates({ sessionUpdate: 'state_update', state: 'running', background: [] });
  it.clock.advance(300);
  expect(it.span('background shell').attributes).toMatchObject({ 'process.command_line': './build.sh', 'process.working_directory': '/project' });
});

describe('what a call holds', () => {
  test('is its content where it has no output, but for pointers to terminals', () => {
    const content = [{ type: 'terminal', terminalId: 't' }, { type: 'content', content: { type: 'text', text: 'done' } }];
    expect(callContent({ content }).attributes).toEqual({ 'gen_ai.tool.call.result': '[{"type":"content","content":{"type":"text","text":"done"}}]' });
    expect(callContent({ content: content.slice(0, 1), rawInput: {}, rawOutput: null })).toEqual({ attributes: {} });
  });

  test('a command can be told as its words', () => {
    expect(callContent({ rawInput: { command: ['npm', 'test'] } }).command).toBe('npm test');
    for (const command of [7, ['npm', 7], null]) expect(callContent({ rawInput: { command } }).command).toBeUndefined();
  });
});

test.each([undefined, null, {}, { prompt: 'text' }, { prompt: [] }])('a prompt that is %j holds nothing', (params) => expect(promptContent(params)).toEqual({}));

test('every text has a bound, and no half of a character', () => {
  const long = boundedContent('x'.repeat(LONGEST_CONTENT + 1));
  expect(long).toHaveLength(LONGEST_CONTENT);
  expect(long.endsWith('x…')).toBe(true);
  expect(boundedContent('x'.repeat(LONGEST_CONTENT))).not.toContain('…');
  expect(boundedContent(`${'x'.repeat(LONGEST_CONTENT - 2)}😀😀`).at(-2)).toBe('x');
  expect((callContent({ rawInput: { a: 'y'.repeat(100_000) } }).attributes['gen_ai.tool.call.arguments'] as string).length).toBe(LONGEST_CONTENT);
});
