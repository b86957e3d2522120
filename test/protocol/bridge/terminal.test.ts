import { describe, expect, test } from 'vitest';
import { bridgeHabitsOf } from '../../../src/protocol/bridge/habits.js';
import { terminalsIn, toV2Terminals, type KnownTerminal } from '../../../src/protocol/bridge/terminal.js';
import { toV2ToolCall, type KnownCall } from '../../../src/protocol/bridge/tool-call.js';

const claude = bridgeHabitsOf('@agentclientprotocol/claude-agent-acp');
const other = bridgeHabitsOf('some-agent');
const text = (data: string): string => Buffer.from(data).toString('base64');

/** Reads reports one after the other; the updates of each. */
function terminals(reports: readonly Record<string, unknown>[], habits = claude, faults: string[] = []) {
  let call: KnownCall = { fields: {}, meta: {} };
  const known = new Map<string, KnownTerminal>();
  return reports.map((report) => {
    const full = { sessionUpdate: 'tool_call_update', toolCallId: 't', ...report };
    call = toV2ToolCall(full, call, { cwd: '/project', meta: { full: false }, cancelling: false }, [])?.call ?? call;
    const { terminals: after, updates } = toV2Terminals(full, call, known, { cwd: '/project', habits }, faults);
    for (const [id, terminal] of after) known.set(id, terminal);
    return updates.map(({ sessionUpdate, terminalId, ...fields }) => ({ [`${String(sessionUpdate).replace('terminal_', '')} ${String(terminalId)}`]: fields }));
  });
}
const start = { sessionUpdate: 'tool_call', title: 'Terminal', kind: 'execute', status: 'pending', content: [{ type: 'terminal', terminalId: 't' }], _meta: { terminal_info: { terminal_id: 't' } } };
const output = (data: unknown, key = 'terminal_output') => ({ _meta: { [key]: { terminal_id: 't', data } } });
const exit = (exit_code: unknown, more: Record<string, unknown> = {}) => ({ status: 'completed', _meta: { terminal_exit: { terminal_id: 't', exit_code, signal: null } }, ...more });

test('a command from its announcement to its exit', () => {
  expect(terminals([start, { title: './build.sh' }, { rawInput: { command: './build.sh' } }, output('hi'), exit(0)])).toEqual([
    [{ 'update t': {} }], [{ 'update t': { command: './build.sh' } }], [], [{ 'update t': { output: { data: text('hi') } } }], [{ 'update t': { exitStatus: { exitCode: 0 } } }],
  ]);
});

describe('the command', () => {
  test('is that of the input, where the title may be anything', () => {
    expect(terminals([start, { title: 'Run the build' }, { rawInput: { command: 'make' } }], other)).toEqual([[{ 'update t': {} }], [], [{ 'update t': { command: 'make' } }]]);
  });

  test('is told again when it changes', () => {
    expect(terminals([start, { rawInput: { command: 'a' } }, { rawInput: { command: 'ab' } }])[2]).toEqual([{ 'update t': { command: 'ab' } }]);
  });

  test('is not known for a call with two terminals', () => {
    expect(terminals([{ content: [{ type: 'terminal', terminalId: 't' }, { type: 'terminal', terminalId: 'u' }], rawInput: { command: 'a' } }])).toEqual([[{ 'update t': {} }, { 'update u': {} }]]);
  });
});

test('a directory is told where it is known', () => {
  expect(terminals([{ ...start, _meta: { terminal_info: { terminal_id: 't', cwd: 'src' } } }])).toEqual([[{ 'update t': { cwd: '/project/src' } }]]);
});

test('a terminal is announced before a call references it, whoever mentions it first', () => {
  expect(terminals([{ content: [{ type: 'terminal', terminalId: 'u' }] }, { content: [{ type: 'terminal', terminalId: 'u' }] }])).toEqual([[{ 'update u': {} }], []]);
});

describe('output', () => {
  test.each(['terminal_output', 'terminal_output_delta'])('%s is appended', (key) => {
    expect(terminals([start, output('one', key), output('two', key)]).slice(1)).toEqual([[{ 'update t': { output: { data: text('one') } } }], [{ 'output_chunk t': { data: text('two') } }]]);
  });

  test('what is typed into the command stands on lines of its own', () => {
    expect(terminals([start, output('name? '), output('Ada\n', 'terminal_input'), output('hi', 'terminal_output')]).slice(2)).toEqual([
      [{ 'output_chunk t': { data: text('\nAda\n\n') } }], [{ 'output_chunk t': { data: text('hi') } }],
    ]);
  });

  test('with an exit it is the whole output', () => {
    const both = { _meta: { terminal_output: { terminal_id: 't', data: 'all' }, terminal_exit: { terminal_id: 't', exit_code: 0 } } };
    expect(terminals([start, output('on'), both])[2]).toEqual([{ 'update t': { output: { data: text('all') }, exitStatus: { exitCode: 0 } } }]);
  });

  test('is bytes: of any text', () => {
    expect(terminals([start, output('né 日本')])[1]).toEqual([{ 'update t': { output: { data: text('né 日本') } } }]);
  });
});

describe('the exit status', () => {
  test.each<[string, unknown, Record<string, unknown>]>([
    ['a code', { terminal_id: 't', exit_code: 3 }, { exitCode: 3 }],
    ['a signal', { terminal_id: 't', exit_code: null, signal: 'SIGTERM' }, { signal: 'SIGTERM' }],
    ['neither', { terminal_id: 't', exit_code: null, signal: null }, {}],
    ['a code of the wrong type', { terminal_id: 't', exit_code: '3' }, {}],
  ])('%s', (_, terminal_exit, exitStatus) => {
    expect(terminals([start, { _meta: { terminal_exit } }])[1]).toEqual([{ 'update t': { exitStatus } }]);
  });

  const failed = (more: Record<string, unknown> = {}) => exit(1, { status: 'failed', ...more });

  test.each<[string, readonly Record<string, unknown>[], typeof claude, unknown]>([
    ['of an agent that reports 1 for every failure stands in its output', [output('Exit code 3\nbefore\noops'), failed()], claude, { exitCode: 3 }],
    ['also when it is 1', [output('Exit code 1'), failed()], claude, { exitCode: 1 }],
    ['is unknown without that line', [output('oops'), failed()], claude, {}],
    ['is unknown without output', [failed()], claude, {}],
    ['is unknown when the line is not the first', [output('x\nExit code 3'), failed()], claude, {}],
    ['does not exist when the command never ran', [output('Exit code 3'), failed({ _meta: { claudeCode: { nonExecutionKind: 'permission-rule' }, terminal_exit: { terminal_id: 't', exit_code: 1 } } })], claude, {}],
    ['is believed when the call did not fail', [output('Exit code 3'), exit(1)], claude, { exitCode: 1 }],
    ['is believed when it is not 1', [output('Exit code 3'), exit(7, { status: 'failed' })], claude, { exitCode: 7 }],
    ['of any other agent is believed', [output('Exit code 3'), failed()], other, { exitCode: 1 }],
  ])('%s', (_, reports, habits, exitStatus) => {
    expect(terminals([start, ...reports], habits).at(-1)).toEqual([{ 'update t': { exitStatus } }]);
  });
});

test('an id that is used again begins anew', () => {
  expect(terminals([start, { title: 'a' }, output('one'), exit(0), start, output('two')]).slice(4)).toEqual([
    [{ 'update t': { command: null, output: null, exitStatus: null } }], [{ 'update t': { output: { data: text('two') } } }],
  ]);
});

test('what is malformed is named, and invents nothing', () => {
  const faults: string[] = [];
  expect(terminals([{ _meta: { terminal_info: {}, terminal_output: { terminal_id: 7, data: 'x' }, terminal_output_delta: { terminal_id: 't', data: 7 }, terminal_exit: 'gone' } }], claude, faults)).toEqual([[]]);
  expect(faults).toEqual([
    '_meta.terminal_info.terminal_id: expected a non-empty string, got undefined', '_meta.terminal_output.terminal_id: expected a non-empty string, got number',
    '_meta.terminal_output_delta.data: expected a string, got number', '_meta.terminal_exit.terminal_id: expected a non-empty string, got undefined',
  ]);
  expect(terminalsIn('x')).toEqual([]);
});
