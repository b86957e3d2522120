import { describe, expect, test } from 'vitest';
import { after, before, changed, saying, sessionOf, update, without } from './edits.js';
import { compareFacts, unexplained, type Difference } from './compare-facts.js';
import { factsOf } from './facts.js';
import { loadRecording, recordingNames, type RecordedMessage } from './recording.js';
import type { Json } from './updates.js';

const SHELL = 'toolu_01BashBackground000001';
const MONITOR = 'toolu_01MonitorWatch0000001';
const build = loadRecording('b_background_exit0.v2');
const watch = loadRecording('d_monitor.v2');
const asked = loadRecording('l_permission.v2');
const files = loadRecording('m_file_changes.v2');
const failing = loadRecording('a2_foreground_bash_fails.v2');
const reporting = loadRecording('n_error_400.v2');

const differences = (native: readonly RecordedMessage[], ours: readonly RecordedMessage[]): Difference[] => compareFacts(factsOf(native), factsOf(ours));
const reasons = (found: readonly Difference[]): string[] => found.map(({ path, reason }) => `${path.split('/').slice(1).join('/')}: ${String(reason)}`).sort();
const state = (records: readonly RecordedMessage[], members: Json) => saying(sessionOf(records), { sessionUpdate: 'state_update', ...members });
const list = (id: string): Json[] => [{ type: 'terminal', terminalId: id }];
const isRemoval = update({ sessionUpdate: 'state_update', state: 'idle', background: [], stopReason: undefined });

describe('the table', () => {
  test('of a background command', () => {
    const facts = factsOf(build);
    const at = (path: string) => facts.get(`session/${path}`);
    expect(at('lists')).toEqual([[], [`terminal:${SHELL}`], []]);
    expect(at('states')).toEqual(['running', 'idle end_turn', 'running', 'idle end_turn']);
    expect(at(`items/terminal:${SHELL}/order`)).toEqual(['announce', 'list with cancel', 'settle', 'remove']);
    expect(at(`items/terminal:${SHELL}/listedIn`)).toEqual(['running']);
    expect(at(`items/terminal:${SHELL}/removedIn`)).toEqual(['idle, then running']);
    expect(at(`terminals/${SHELL}/command`)).toBe('./build.sh');
    expect(at(`terminals/${SHELL}/output`)).toBe('step 1\nstep 2\nstep 3\nstep 4\ndone\n\n[exited with code 0]\n');
    expect(at(`calls/${SHELL}/status`)).toBe('completed');
    expect(at('answers')).toEqual(['after its message']);
    expect([0, 1].map((turn) => [at(`turns/${turn}/stopReason`), at(`turns/${turn}/own`)])).toEqual([['end_turn', false], ['end_turn', true]]);
    expect(at('messages')).toEqual([
      ['user', 'Run the build in the background'],
      ['agent', 'Starting the build.'],
      ['agent', 'The build is running in the background.'],
      ['agent', 'The build finished successfully.'],
    ]);
  });

  test('of permissions, plans, errors and thoughts', () => {
    const facts = factsOf(asked);
    expect(facts.get('permissions/0/answer')).toEqual({ outcome: 'selected', optionId: 'allow-once' });
    expect(facts.get('permissions/0/subject')).toEqual(['tool_call', 'toolu_01ForegroundBash000001']);
    expect(factsOf(loadRecording('m3_todo.v2')).get('session/plan')).toMatchObject({ type: 'items' });
    expect(factsOf(loadRecording('f_stop_server.v2')).get('errors/1')).toEqual(['terminal/cancel', -32602]);
    expect(factsOf(reporting).get('session/turns/0/error')).toMatchObject({ code: -32603 });
    expect(factsOf(files).get('session/messages')).toContainEqual(['thought', 'I should write the notes first, then edit the app.']);
  });

  test('of a child session that is listed twice', () => {
    const facts = factsOf(loadRecording('e3_agent_with_background_bash.v2'));
    expect(facts.get('session/items/subagent:child1/order')).toEqual(['announce', 'list', 'settle', 'remove', 'list', 'settle', 'remove']);
  });

  test.each(recordingNames('v2'))('is the same for the same recording: %s', (name) => {
    expect(differences(loadRecording(name), loadRecording(name))).toEqual([]);
  });
});

describe('two runs of one agent', () => {
  test('differ in ids, names of files and times of day, not in words', () => {
    const [wakeup, again] = ['11:07:00 (in 65s)', '11:08:00 (in 110s)'];
    const records = loadRecording('j3_schedule_wakeup.v2');
    const later = JSON.parse(JSON.stringify(records).replaceAll(wakeup, again).replaceAll(sessionOf(records), '00000000-0000-4000-8000-000000000000')) as RecordedMessage[];
    expect(JSON.stringify(later)).not.toBe(JSON.stringify(records));
    expect(differences(records, later)).toEqual([]);

    const stopping = loadRecording('f2_model_stops_server.v2');
    const renamed = JSON.parse(JSON.stringify(stopping).replaceAll('brpm01egs', 'bxxxxxxx1')) as RecordedMessage[];
    const placeholder = Buffer.from('Command running in background with ID: bxxxxxxx1. Output').toString('base64');
    expect(differences(stopping, changed(renamed, update({ terminalId: SHELL, exitStatus: undefined }), { output: { data: placeholder } }, 1))).toEqual([]);
  });
});

/** For each reason a recording of ours that differs for this reason only, and the paths it explains. */
describe('what is explained', () => {
  test('the exit code is told', () => {
    const ours = changed(build, update({ exitStatus: {} }), { exitStatus: { exitCode: 0 } });
    expect(reasons(differences(build, ours))).toEqual([`terminals/${SHELL}/exitStatus: exit-code-told`]);
  });

  test('no removal is followed by a running', () => {
    const ours = without(build, isRemoval);
    expect(reasons(differences(build, ours))).toEqual([`items/terminal:${SHELL}/removedIn: no-removal-then-running`]);
  });

  test('a Monitor is listed', () => {
    const item = [{ type: 'tool_call', toolCallId: MONITOR }];
    const completed = update({ toolCallId: MONITOR, status: 'completed' });
    const launched = changed(watch, completed, { status: 'in_progress' });
    const listed = launched.map((record) => (update({ sessionUpdate: 'state_update' })(record) ? (changed([record], () => true, { background: item })[0] as RecordedMessage) : record));
    const settled = before(listed, update({ sessionUpdate: 'state_update', state: 'running' }), [
      saying(sessionOf(watch), { sessionUpdate: 'tool_call_update', toolCallId: MONITOR, status: 'failed' }),
    ], -1);
    const ours = changed(changed(settled, update({ state: 'running' }), { background: [] }, -1), update({ stopReason: 'end_turn' }), { background: [] }, -1);
    expect(reasons(differences(watch, ours))).toEqual([
      `calls/${MONITOR}/status: monitor-listed`,
      `items/tool_call:${MONITOR}/listedIn: monitor-listed`,
      `items/tool_call:${MONITOR}/order: monitor-listed`,
      `items/tool_call:${MONITOR}/removedIn: monitor-listed`,
      'lists: monitor-listed',
    ]);
  });

  test('the extension leaves fields out', () => {
    const read = update({ toolCallId: 'toolu_01FileChange00000002', status: 'completed' });
    const write = update({ toolCallId: 'toolu_01FileChange00000001', rawInput: { file_path: '/workspace/project/notes.md', content: '# Notes\n\nFirst line.\n' } });
    const ours = changed(changed(files, read, { rawOutput: undefined, content: undefined }), write, { rawInput: undefined });
    expect(reasons(differences(files, ours))).toEqual([
      'calls/toolu_01FileChange00000001/rawInput: air-leaves-out',
      'calls/toolu_01FileChange00000002/content: air-leaves-out',
      'calls/toolu_01FileChange00000002/rawOutput: air-leaves-out',
    ]);
    expect(reasons(differences(build, changed(build, update({ stopReason: 'end_turn' }), { usage: undefined }, -1)))).toEqual(['turns/1/usage: air-leaves-out']);
    expect(reasons(differences(failing, changed(failing, update({ exitStatus: { exitCode: 3 } }), { exitStatus: { exitCode: 1 } })))).toEqual(['terminals/toolu_01ForegroundBash000001/exitStatus: air-leaves-out']);
  });
});

/** Everything else fails. */
const FAULTS: Readonly<Record<string, readonly [native: RecordedMessage[], ours: RecordedMessage[]]>> = {
  'an item that is never listed': [build, build.map((record) => (update({ background: list(SHELL) })(record) ? (changed([record], () => true, { background: [] })[0] as RecordedMessage) : record))],
  'an item that is listed without cancel': [build, changed(build, update({ capabilities: { cancel: {} } }), { capabilities: undefined })],
  'an item that is removed before it is settled': [build, after(without(build, update({ exitStatus: {} })), [saying(sessionOf(build), { sessionUpdate: 'terminal_update', terminalId: SHELL, exitStatus: {} })])],
  'an item that is listed in another state': [build, without(build, update({ sessionUpdate: 'state_update', state: 'running', background: list(SHELL) }))],
  'another item in the list': [build, changed(build, update({ background: list(SHELL) }), { background: [...list(SHELL), { type: 'terminal', terminalId: 'x' }] })],
  'a list that is not told': [build, changed(build, isRemoval, { background: undefined })],
  'a wrong exit code': [failing, changed(failing, update({ exitStatus: { exitCode: 3 } }), { exitStatus: { exitCode: 0 } })],
  'an exit code with a signal': [build, changed(build, update({ exitStatus: {} }), { exitStatus: { exitCode: 0, signal: 'SIGKILL' } })],
  'no exit': [build, changed(build, update({ exitStatus: {} }), { exitStatus: undefined })],
  'another command': [build, changed(build, update({ command: './build.sh', capabilities: { cancel: {} } }), { command: 'Run the build' })],
  'lost output': [build, without(build, update({ sessionUpdate: 'terminal_output_chunk' }))],
  'output twice': [build, before(build, update({ exitStatus: {} }), [saying(sessionOf(build), { sessionUpdate: 'terminal_output_chunk', terminalId: SHELL, data: 'eA==' })])],
  'another stop reason': [build, changed(build, update({ stopReason: 'end_turn' }), { stopReason: 'cancelled' })],
  'a second completion': [build, after(build, [state(build, { state: 'idle', stopReason: 'end_turn', background: [] })])],
  'a running that is missing': [build, without(without(build, isRemoval), update({ sessionUpdate: 'state_update', state: 'running', background: [] }), -1)],
  'lost words': [build, without(build, update({ sessionUpdate: 'agent_message_chunk' }))],
  'a message more': [build, after(build, [saying(sessionOf(build), { sessionUpdate: 'agent_message_chunk', messageId: 'x', content: { type: 'text', text: 'x' } })])],
  'a thought as a message': [files, files.map((record) => (update({ sessionUpdate: 'agent_thought_chunk' })(record) ? (changed([record], () => true, { sessionUpdate: 'agent_message_chunk' })[0] as RecordedMessage) : record))],
  'no user message': [build, without(build, update({ sessionUpdate: 'user_message' }))],
  'another status of a call': [build, changed(build, update({ toolCallId: SHELL, status: 'completed' }), { status: 'failed' })],
  'another title of a call': [build, changed(build, update({ title: './build.sh' }), { title: 'Terminal' })],
  'another kind of a call': [build, changed(build, update({ kind: 'execute' }), { kind: 'other' })],
  'a call that is lost': [files, files.filter((record) => !update({ toolCallId: 'toolu_01FileChange00000003' })(record))],
  'raw input that the agent never told': [build, changed(build, update({ rawInput: { command: './build.sh', description: 'Run the build in background', run_in_background: true } }), { rawInput: { command: 'x' } })],
  'another diff': [files, changed(files, update({ toolCallId: 'toolu_01FileChange00000003', status: undefined, rawInput: undefined, title: undefined, locations: undefined }), { content: [] })],
  'no subject of a permission request': [asked, asked.map((record) => (record.msg.method === 'session/request_permission' ? { ...record, msg: { ...record.msg, params: { ...(record.msg.params as Json), subject: null } } } : record))],
  'other options of a permission request': [asked, asked.map((record) => (record.msg.method === 'session/request_permission' ? { ...record, msg: { ...record.msg, params: { ...(record.msg.params as Json), options: [] } } } : record))],
  'a permission that is not asked for': [asked, asked.filter(({ msg }) => msg.method !== 'session/request_permission')],
  'no requires_action': [asked, without(asked, update({ state: 'requires_action' }))],
  'another error': [reporting, changed(reporting, update({ stopReason: 'error' }), { error: { code: -32000, message: 'x' } })],
  'usage of a prompt that is lost': [build, changed(build, update({ stopReason: 'end_turn' }), { usage: undefined })],
  'a plan that is lost': [loadRecording('m3_todo.v2'), loadRecording('m3_todo.v2').filter((record) => !update({ sessionUpdate: 'plan_update' })(record))],
  'a refused cancel that is accepted': [loadRecording('f_stop_server.v2'), loadRecording('f_stop_server.v2').map((record) => (record.msg.error ? { ...record, msg: { jsonrpc: '2.0', id: record.msg.id ?? null, result: {} } } : record))],
};

describe('what nothing explains', () => {
  test.each(Object.keys(FAULTS))('%s', (name) => {
    const [native, ours] = FAULTS[name] ?? [[], []];
    expect(unexplained(differences(native, ours))).not.toEqual([]);
  });
});
