import { describe, expect, it } from 'vitest';
import { connected, SESSION, STOP, type Connected } from './connected.js';

const stops = (on: Connected, asyncTaskId: unknown, id = 1, sessionId: unknown = SESSION): void =>
  on.client.sends({ jsonrpc: '2.0', id, method: STOP, params: { sessionId, asyncTaskId } });
const lastId = (on: Connected): number => on.asked().at(-1)?.id;

describe('a stop', () => {
  it('of a command is a terminal/cancel; its end is a stop, whatever its exit says', () => {
    const on = connected();
    on.runsShell();
    stops(on, 'c');
    const [asked] = on.asked();
    expect(asked).toMatchObject({ method: 'terminal/cancel', params: { sessionId: SESSION, terminalId: 'c' } });
    on.says('terminal_update', { terminalId: 'c', exitStatus: { exitCode: 143 }, capabilities: null });
    on.state('idle', []);
    on.agent.answers(asked.id, {});
    expect(on.saw()).toEqual(['terminal_update c', 'c is stopped {"toolCallId":"c"}', 'state_update idle', 'ok 1 {"stopped":true}']);
  });

  it('of other work is a tool_call/cancel', () => {
    const on = connected();
    on.prompts();
    on.says('tool_call_update', { toolCallId: 'w', status: 'in_progress', capabilities: { cancel: {} } });
    on.state('running', ['tool_call:w']);
    on.asked();
    stops(on, 'w');
    expect(on.asked()[0]).toMatchObject({ method: 'tool_call/cancel', params: { sessionId: SESSION, toolCallId: 'w' } });
  });

  it('of a subagent, and of a turn of the agent\'s own, is a session/cancel', () => {
    const on = connected();
    on.says('subagent_update', { sessionId: 'child', capabilities: { cancel: {} }, state: { state: 'running' } });
    on.state('running', ['subagent:child']);
    on.saw();
    stops(on, 'child');
    stops(on, 'afterturn:turn:1', 2);
    expect(on.asked().map(({ method, params }) => [method, params])).toEqual([['session/cancel', { sessionId: 'child' }], ['session/cancel', { sessionId: SESSION }]]);
    expect(on.saw()).toEqual(['ok 1 {"stopped":true}', 'ok 2 {"stopped":true}']);
    on.state('idle', [], { stopReason: 'end_turn' });
    expect(on.saw()).toEqual(['child is stopped', 'afterturn:turn:1 is stopped', 'state_update idle']);
  });

  it.each([-32602, -32601])('that the agent refuses with %i is not stopped, and its own end counts', (code) => {
    const on = connected();
    on.runsShell();
    stops(on, 'c');
    on.agent.refuses(lastId(on), { code, message: 'gone' });
    on.says('terminal_update', { terminalId: 'c', exitStatus: { exitCode: 0 } });
    expect(on.saw()).toEqual(['ok 1 {"stopped":false}', 'terminal_update c', 'c is completed {"toolCallId":"c"}']);
  });

  it('that fails otherwise is answered with that error', () => {
    const on = connected();
    on.runsShell();
    stops(on, 'c');
    on.agent.refuses(lastId(on), { code: -32603, message: 'broken' });
    expect(on.saw()).toEqual(['error 1 -32603']);
  });

  it('of what is unknown, has ended or cannot be stopped is refused here', () => {
    const on = connected();
    on.runsShell();
    on.prompts();
    on.state('running', ['terminal:c', 'tool_call:w']);
    on.says('terminal_update', { terminalId: 'c', exitStatus: {} });
    on.saw();
    on.asked();
    stops(on, 'c', 1);
    stops(on, 'w', 2);
    stops(on, 'nosuch', 3);
    stops(on, 'c', 4, 'nosuch');
    expect(on.saw()).toEqual([1, 2, 3, 4].map((id) => `ok ${id} {"stopped":false}`));
    expect(on.asked()).toEqual([]);
  });

  it('names the session of the root or that of the subagent that runs the work', () => {
    const on = connected();
    on.prompts();
    on.says('subagent_update', { sessionId: 'child', state: { state: 'running' } });
    on.says('terminal_update', { terminalId: 't', capabilities: { cancel: {} } }, 'child');
    on.state('running', ['terminal:t'], {}, 'child');
    on.asked();
    stops(on, 't', 1, SESSION);
    expect(on.asked()[0]).toMatchObject({ method: 'terminal/cancel', params: { sessionId: 'child', terminalId: 't' } });
  });

  it('without a session or a task is an error that names what came', () => {
    const on = connected();
    stops(on, 7);
    expect(on.saw()).toEqual(['error 1 -32602']);
  });
});
