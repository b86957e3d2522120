import { describe, expect, test } from 'vitest';
import { callOfRequest, withCommandSubject } from '../../../plugins/background/permission.js';
import { connected, SESSION } from './connected.js';

const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
const request = (toolCall: object, more: object = {}) => ({ sessionId: SESSION, title: 'Run?', subject: { type: 'tool_call', toolCall }, options, ...more });
const terminal = { terminalId: 't', command: './run.sh', cwd: '/project' };

describe('the command as the subject', () => {
  test('is that of the terminal, in its directory', () => {
    expect(withCommandSubject(request({ toolCallId: 'c', title: 'x' }, { description: 'Why', _meta: { k: 1 } }), terminal)).toEqual({
      sessionId: SESSION, title: 'Run?', description: 'Why', options, _meta: { k: 1 },
      subject: { type: 'command', command: './run.sh', cwd: '/project', terminalId: 't', toolCallId: 'c' },
    });
  });

  test('is that of the request, where the terminal tells none', () => {
    const asked = request({ toolCallId: 'c', rawInput: { command: 'make', cwd: '/elsewhere' } });
    expect(withCommandSubject(asked, { terminalId: 't', command: undefined, cwd: undefined })?.subject).toMatchObject({ command: 'make', cwd: '/elsewhere' });
  });

  test.each([{ ...terminal, command: undefined }, { ...terminal, cwd: undefined }, { ...terminal, cwd: 'relative' }])('needs a command and an absolute directory: %j', (known) => {
    expect(withCommandSubject(request({ toolCallId: 'c' }), known)).toBeUndefined();
  });

  test('the call of a request about something else is none', () => {
    expect(callOfRequest(request({ toolCallId: 'c' }))).toBe('c');
    expect(callOfRequest({ subject: { type: 'command', command: 'x', cwd: '/' } })).toBeUndefined();
    expect(callOfRequest({ title: 'x' })).toBeUndefined();
  });
});

describe('a request of an agent that speaks v2 with the extension', () => {
  const asks = (on: ReturnType<typeof connected>, toolCallId: string): unknown => {
    on.agent.sends({ jsonrpc: '2.0', id: 7, method: 'session/request_permission', params: request({ toolCallId }) });
    return (on.client.received().at(-1) as { params: { subject: unknown } }).params.subject;
  };

  test('about a listed terminal is one about its command', () => {
    const on = connected();
    on.runsShell();
    on.says('terminal_update', { terminalId: 'c', cwd: '/project' });
    on.client.received();
    expect(asks(on, 'c')).toEqual({ type: 'command', command: './run.sh', cwd: '/project', terminalId: 'c', toolCallId: 'c' });
    on.client.sends({ jsonrpc: '2.0', id: 7, result: { outcome: { outcome: 'selected', optionId: 'y' } } });
    expect(on.asked()).toMatchObject([{ id: 7, result: { outcome: { optionId: 'y' } } }]);
  });

  test('about a listed call, or about any other, is about that call', () => {
    const on = connected();
    on.runsWorkflow();
    expect(asks(on, 'w1')).toEqual({ type: 'tool_call', toolCall: { toolCallId: 'w1' } });
    expect(asks(on, 'other')).toEqual({ type: 'tool_call', toolCall: { toolCallId: 'other' } });
  });

  test('about work that is listed as a call of our own is about that call', () => {
    const on = connected();
    on.says('state_update', { state: 'running' });
    on.says('tool_call_update', { toolCallId: 'w1', title: 'Survey', status: 'completed' });
    on.says('_async_task_spawned', { asyncTaskId: 'w', taskType: 'workflow', canStop: true, toolCallId: 'w1' });
    on.says('state_update', { state: 'idle', stopReason: 'end_turn' });
    expect(asks(on, 'w1')).toEqual({ type: 'tool_call', toolCall: { toolCallId: 'afterturn:w' } });
  });

  test('about a terminal that has ended is about its call again', () => {
    const on = connected();
    on.runsShell();
    on.says('terminal_update', { terminalId: 'c', cwd: '/project' });
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'completed' });
    on.clock.advance(1000);
    expect(asks(on, 'c')).toEqual({ type: 'tool_call', toolCall: { toolCallId: 'c' } });
  });
});
