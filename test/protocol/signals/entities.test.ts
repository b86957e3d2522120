import { describe, expect, it } from 'vitest';
import { readUpdate, type JsonObject, type Reading } from 'afterturn/protocol';

const read = (sessionUpdate: string, members: JsonObject): Reading => readUpdate({ sessionUpdate, ...members });

describe('a tool call', () => {
  it('is told by either version', () => {
    const call = { toolCallId: 'c', title: './build.sh', kind: 'execute', status: 'pending', content: [{ type: 'terminal', terminalId: 'c' }] };
    const facts = { status: 'pending', title: './build.sh', kind: 'execute', terminals: ['c'] };
    expect(read('tool_call', call).signals).toEqual([{ type: 'toolCall', call: 'c', facts: { start: true, ...facts } }]);
    expect(read('tool_call_update', call).signals).toEqual([{ type: 'toolCall', call: 'c', facts }]);
  });

  it('has its name in a member of its own, or in _meta', () => {
    expect(read('tool_call_update', { toolCallId: 'c', name: 'Bash' }).signals[0]).toMatchObject({ facts: { name: 'Bash' } });
    expect(read('tool_call_update', { toolCallId: 'c', _meta: { claudeCode: { toolName: 'Monitor' } } }).signals[0]).toMatchObject({ facts: { name: 'Monitor' } });
  });

  it('loses its terminals when its content is replaced or cleared, not when it is left out', () => {
    expect(read('tool_call_update', { toolCallId: 'c', content: [] }).signals[0]).toMatchObject({ facts: { terminals: [] } });
    expect(read('tool_call_update', { toolCallId: 'c', content: null }).signals[0]).toMatchObject({ facts: { terminals: [] } });
    expect(read('tool_call_update', { toolCallId: 'c' }).signals).toEqual([{ type: 'toolCall', call: 'c', facts: {} }]);
  });

  it('carries the mark of a command that went to the background', () => {
    const marked = { toolCallId: 'c', _meta: { jetbrains: { air: { asyncTasks: { backgrounded: true } } } } };
    expect(read('tool_call_update', marked).signals).toEqual([{ type: 'toolCall', call: 'c', facts: { backgrounded: true } }]);
    const other = { toolCallId: 'c', _meta: { jetbrains: { air: { asyncTasks: { backgrounded: 'yes' } } } } };
    expect(read('tool_call_update', other).signals).toEqual([{ type: 'toolCall', call: 'c', facts: {} }]);
  });

  it('can tell the exit code of its command', () => {
    expect(read('tool_call_update', { toolCallId: 'c', rawOutput: { exit_code: 3 } }).signals[0]).toMatchObject({ facts: { exitCode: 3 } });
    expect(read('tool_call_update', { toolCallId: 'c', rawOutput: { exit_code: '3' } }).signals).toEqual([{ type: 'toolCall', call: 'c', facts: {} }]);
    expect(read('tool_call_update', { toolCallId: 'c', rawOutput: 'exit_code 3' }).signals).toEqual([{ type: 'toolCall', call: 'c', facts: {} }]);
  });

  it('tells its terminals before itself, in the v1 extension', () => {
    const _meta = {
      terminal_info: { terminal_id: 't', cwd: '/w' }, terminal_output: { terminal_id: 't', data: 'x' }, terminal_exit: { terminal_id: 't', exit_code: null, signal: 'SIGTERM' },
    };
    expect(read('tool_call_update', { toolCallId: 'c', status: 'failed', _meta }).signals).toEqual([
      { type: 'terminal', terminal: 't', facts: { cwd: '/w' } },
      { type: 'terminal', terminal: 't', facts: { output: true } },
      { type: 'terminal', terminal: 't', facts: { exit: { signal: 'SIGTERM' } } },
      { type: 'toolCall', call: 'c', facts: { status: 'failed' } },
    ]);
  });

  it.each([[undefined], [''], [3], [null]])('is malformed with the id %o', (toolCallId) => {
    expect(read('tool_call_update', { toolCallId }).signals).toEqual([]);
    expect(read('tool_call_update', { toolCallId }).problem).toMatch(/^toolCallId is (undefined|string|number|null), expected a non-empty string$/);
  });

  it('survives members of any type', () => {
    const odd = { toolCallId: 'c', status: 3, title: {}, kind: [], content: 'x', _meta: 'm', rawOutput: [1] };
    expect(read('tool_call_update', odd)).toEqual({ signals: [{ type: 'toolCall', call: 'c', facts: {} }] });
    const content = [null, 'x', { type: 'terminal' }, { type: 'terminal', terminalId: 5 }, { type: 'terminal', terminalId: 't' }];
    expect(read('tool_call_update', { toolCallId: 'c', content }).signals[0]).toMatchObject({ facts: { terminals: ['t'] } });
    const _meta = { terminal_info: 1, terminal_output: { terminal_id: 2 }, terminal_exit: [] };
    expect(read('tool_call_update', { toolCallId: 'c', _meta }).signals).toEqual([{ type: 'toolCall', call: 'c', facts: {} }]);
  });
});

describe('a terminal of v2', () => {
  it('tells command, output and exit', () => {
    expect(read('terminal_update', { terminalId: 't', command: 'ls', cwd: '/w', output: { data: '' } }).signals).toEqual([
      { type: 'terminal', terminal: 't', facts: { command: 'ls', cwd: '/w', output: true } },
    ]);
    expect(read('terminal_update', { terminalId: 't', exitStatus: { exitCode: 0, signal: null } }).signals).toEqual([{ type: 'terminal', terminal: 't', facts: { exit: { exitCode: 0 } } }]);
    expect(read('terminal_update', { terminalId: 't', exitStatus: {} }).signals).toEqual([{ type: 'terminal', terminal: 't', facts: { exit: {} } }]);
    expect(read('terminal_update', { terminalId: 't', exitStatus: null }).signals).toEqual([{ type: 'terminal', terminal: 't', facts: { reopened: true } }]);
    expect(read('terminal_output_chunk', { terminalId: 't', data: 'eA==' }).signals).toEqual([{ type: 'terminal', terminal: 't', facts: { output: true } }]);
  });

  it('is malformed without an id', () => {
    expect(read('terminal_update', { command: 'ls' })).toMatchObject({ signals: [], problem: 'terminalId is undefined, expected a non-empty string' });
    expect(read('terminal_output_chunk', { terminalId: 1 })).toMatchObject({ signals: [], problem: 'terminalId is number, expected a non-empty string' });
  });
});

describe('a state of v2', () => {
  it('tells the foreground', () => {
    expect(read('state_update', { state: 'running' }).signals).toEqual([{ type: 'foreground', state: 'running' }]);
    expect(read('state_update', { state: 'idle', stopReason: 'end_turn' }).signals).toEqual([{ type: 'foreground', state: 'idle', stopReason: 'end_turn' }]);
    expect(read('state_update', { state: '_compacting' }).signals).toEqual([{ type: 'foreground', state: '_compacting' }]);
  });

  it('is malformed without one', () => {
    expect(read('state_update', {})).toMatchObject({ signals: [], problem: 'state is undefined, expected string' });
  });
});
