import { describe, expect, test } from 'vitest';
import { check, rules as all, type RecordedMessage } from '../../src/check/index.js';

const rules = all.filter(({ number }) => !number.startsWith('5.'));

type Line = readonly [t: number, dir: 'c2a' | 'a2c', msg: Omit<RecordedMessage['msg'], 'jsonrpc'>];
const recording = (...lines: readonly Line[]): RecordedMessage[] => lines.map(([t, dir, msg]) => ({ t, dir, msg: { jsonrpc: '2.0', ...msg } }));
const asks = (t: number, id: number | string, method: string, params: object = { sessionId: 's' }): Line => [t, 'c2a', { id, method, params }];
const answers = (t: number, id: number | string, result: object = {}): Line => [t, 'a2c', { id, result }];
const update = (t: number, kind: string, members: object = {}): Line => [t, 'a2c', { method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: kind, ...members } } }];
const call = (t: number, status: string): Line => update(t, 'tool_call', { toolCallId: 'c', title: 'x', status });
const change = (t: number, status: string): Line => update(t, 'tool_call_update', { toolCallId: 'c', status });
const asksLeave = (t: number): Line => [t, 'a2c', { id: 'p', method: 'session/request_permission', params: { sessionId: 's', toolCall: { toolCallId: 'c' }, options: [] } }];
const leave = (t: number): Line => [t, 'c2a', { id: 'p', result: { outcome: { outcome: 'cancelled' } } }];
const cancel = (t: number): Line => [t, 'c2a', { method: 'session/cancel', params: { sessionId: 's' } }];
const later = (t: number): Line => update(t, 'agent_message_chunk', { content: { type: 'text', text: 'x' } });

const opening = [asks(0, 0, 'initialize', { protocolVersion: 1 }), answers(1, 0, { protocolVersion: 1 }), asks(2, 1, 'session/new', {}), answers(3, 1, { sessionId: 's' })];
const turn = (...lines: readonly Line[]): RecordedMessage[] => recording(...opening, asks(10, 2, 'session/prompt'), ...lines);
const done = (t: number, stopReason = 'end_turn'): Line => answers(t, 2, { stopReason });

const chooses = (t: number, optionId: string): Line => [t, 'c2a', { id: 'p', result: { outcome: { outcome: 'selected', optionId } } }];
const offers = (t: number): Line => [t, 'a2c', { id: 'p', method: 'session/request_permission', params: { sessionId: 's', toolCall: { toolCallId: 'c' }, options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] } }];
const elsewhere = (t: number, session: string): Line => [t, 'a2c', { method: 'session/update', params: { sessionId: session, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x' } } } }];
/** A session with a client that runs terminals, and reads files. */
const terminals = (...lines: readonly Line[]): RecordedMessage[] =>
  recording(asks(0, 0, 'initialize', { protocolVersion: 1, clientCapabilities: { terminal: true, fs: { readTextFile: true } } }), ...opening.slice(1), asks(10, 2, 'session/prompt'), ...lines, done(90));
const wants = (t: number, id: string, method: string, params: object = { terminalId: 't' }): Line => [t, 'a2c', { id, method, params: { sessionId: 's', ...params } }];
const gives = (t: number, id: string, result: object = {}): Line => [t, 'c2a', { id, result }];
const made = [wants(11, 'a', 'terminal/create', { command: 'ls' }), gives(12, 'a', { terminalId: 't' })];
const shows = (t: number, terminalId: string, meta: object = {}): Line => update(t, 'tool_call_update', { toolCallId: 'c', content: [{ type: 'terminal', terminalId }], _meta: meta });
const tells = (t: number, meta: object): Line => update(t, 'tool_call_update', { toolCallId: 'c', _meta: meta });
const info = { terminal_info: { terminal_id: 't' } };
const output = { terminal_output: { terminal_id: 't', data: 'x' } };
const exit = { terminal_exit: { terminal_id: 't', exit_code: 0 } };

/** For each rule a recording that breaks it, and the sound one beside it. */
const CASES: Readonly<Record<string, readonly [broken: RecordedMessage[], sound: RecordedMessage[]]>> = {
  'answered-once': [turn(done(20), done(21)), turn(done(20), asks(21, 2, 'session/prompt'), done(22))],
  'own-id': [turn(asks(11, 2, 'session/list', {}), done(12), done(13)), turn([11, 'a2c', { id: 2, method: '_x/ask' }], [12, 'c2a', { id: 2, result: {} }], done(13))],
  'v1-kinds': [turn(update(11, 'state_update', { state: 'idle' }), done(20)), turn(update(11, '_own'), later(12), done(20))],
  'v1-statuses': [turn(call(11, 'in_progress'), change(12, 'cancelled'), done(20)), turn(call(11, 'in_progress'), change(12, 'failed'), done(20))],
  'v1-call-begins-once': [turn(call(11, 'pending'), call(12, 'in_progress'), done(20)), turn(change(11, 'pending'), call(12, 'in_progress'), done(20))],
  'v1-call-ends-once': [turn(call(11, 'pending'), change(12, 'failed'), change(13, 'completed'), done(20)), turn(call(11, 'pending'), change(12, 'completed'), update(13, 'tool_call_update', { toolCallId: 'c', title: 'y' }), change(14, 'completed'), done(20))],
  'v1-prompt-answered': [turn(cancel(20), later(9000)), turn(cancel(20), later(4000))],
  'v1-cancelled-told': [turn(cancel(20), done(200)), turn(cancel(20), done(200, 'cancelled'))],
  'v1-permission-answered': [turn(asksLeave(15), cancel(20), done(30, 'cancelled'), later(9000)), turn(asksLeave(15), cancel(20), leave(25), done(30, 'cancelled'), later(9000))],
  'v1-permission-in-turn': [turn(call(11, 'pending'), asksLeave(15), done(20)), turn(call(11, 'pending'), asksLeave(15), leave(18), done(20))],
  'v1-close-is-last': [turn(done(20), asks(21, 3, 'session/close'), answers(22, 3), later(23)), turn(done(20), asks(21, 3, 'session/close'), later(22), answers(23, 3))],
  'v1-permission-cancelled': [turn(offers(15), cancel(20), chooses(100, 'yes'), done(110, 'cancelled')), turn(offers(15), cancel(20), leave(100), done(110, 'cancelled'))],
  'known-session': [turn(elsewhere(11, 'other'), done(20)), turn(asks(11, 3, 'session/new', {}), elsewhere(12, 'other'), answers(13, 3, { sessionId: 'other' }), elsewhere(14, 'other'), done(20))],
  'unknown-session-refused': [turn(done(20), asks(21, 3, 'session/prompt', { sessionId: 'x' }), answers(22, 3, { stopReason: 'end_turn' })), turn(done(20), asks(21, 3, 'session/prompt', { sessionId: 'x' }), [22, 'a2c', { id: 3, error: { code: -32602, message: 'No' } }])],
  'option-offered': [turn(offers(15), chooses(16, 'maybe'), done(20)), turn(offers(15), chooses(16, 'yes'), done(20))],
  'v1-client-offers': [turn(wants(11, 'a', 'terminal/create', { command: 'ls' }), [12, 'c2a', { id: 'a', error: { code: -32601, message: 'No' } }], done(20)), terminals(...made, wants(13, 'b', 'fs/read_text_file', { path: '/x' }), gives(14, 'b', { content: '' }))],
  'v1-terminal-known': [terminals(...made, wants(13, 'b', 'terminal/output', { terminalId: 'u' })), terminals(...made, wants(13, 'b', 'terminal/output'), wants(14, 'c', 'terminal/wait_for_exit'), wants(15, 'd', 'terminal/kill'))],
  'v1-terminal-released': [terminals(...made, wants(13, 'b', 'terminal/release'), gives(14, 'b'), wants(15, 'c', 'terminal/output')), terminals(...made, shows(13, 't'), wants(14, 'b', 'terminal/release'), gives(15, 'b'), shows(16, 't'))],
  'v1-terminal-shown': [terminals(...made, shows(13, 'u')), terminals(...made, shows(13, 't'), shows(14, 'u', { terminal_info: { terminal_id: 'u' } }), shows(15, 'u'))],
  'v1-terminal-info-first': [turn(tells(11, output), tells(12, info), done(20)), turn(tells(11, { ...info, ...output, ...exit }), done(20))],
  'v1-terminal-exits-once': [turn(tells(11, info), tells(12, exit), tells(13, output), done(20)), turn(tells(11, info), tells(12, { ...output, ...exit }), tells(13, info), tells(14, exit), done(20))],
};

const namesOf = (records: readonly RecordedMessage[]): string[] => check(records).map(({ name }) => name);

describe('each rule of v1 and of JSON-RPC catches what breaks it, and passes what does not', () => {
  test.each(rules.map(({ number, name, title }) => [`${number} ${name}: ${title}`, name] as const))('%s', (_, name) => {
    const [broken, sound] = CASES[name] ?? [[], []];
    expect(namesOf(broken)).toEqual([name]);
    expect(namesOf(sound)).toEqual([]);
  });

  test('every case belongs to a rule, and every rule says what it follows', () => {
    expect(Object.keys(CASES).sort()).toEqual(rules.map(({ name }) => name).sort());
    for (const { number, section, versions } of rules) {
      expect(number).toMatch(/^(?:A|J|V1)\.\d+$/);
      expect(section).not.toBe('');
      expect(versions).toContain(1);
    }
  });

  test('a prompt that is open when its session is closed', () => {
    expect(namesOf(turn(asks(20, 3, 'session/close'), answers(21, 3)))).toEqual(['v1-prompt-answered']);
  });

  test('a prompt that was sent after the cancel is not cancelled', () => {
    expect(namesOf(turn(cancel(20), asks(21, 3, 'session/prompt'), done(200, 'cancelled'), answers(400, 3, { stopReason: 'end_turn' })))).toEqual([]);
  });

  test('an answer that crossed the cancel', () => {
    expect(namesOf(turn(cancel(20), done(60)))).toEqual([]);
  });

  test('history that is told again', () => {
    const records = turn(call(11, 'pending'), change(12, 'completed'), done(20), asks(30, 3, 'session/load'), call(31, 'pending'), change(32, 'completed'), answers(40, 3));
    expect(namesOf(records)).toEqual([]);
  });

  test('an extension that the client asked for', () => {
    const ask = (capabilities: readonly string[]) => ({ protocolVersion: 1, clientCapabilities: { _meta: { jetbrains: { air: { version: 1, capabilities } } } } });
    const told = (capabilities: readonly string[]) => recording(asks(0, 0, 'initialize', ask(capabilities)), answers(1, 0, { protocolVersion: 1 }), asks(2, 1, 'session/new', {}), update(3, 'async_task_spawned'));
    expect(namesOf(told(['asyncTasks']))).toEqual([]);
    expect(namesOf(told(['planFile']))).toEqual(['v1-kinds']);
  });

  test('an agent that was started again has ids of its own', () => {
    expect(namesOf(recording(asks(0, 0, 'initialize', {}), asks(5, 0, 'initialize', {}), answers(6, 0, { protocolVersion: 1 })))).toEqual([]);
  });

  test('the second exit of a terminal is found as its output is', () => {
    expect(namesOf(turn(tells(11, info), tells(12, exit), tells(13, exit), done(20)))).toEqual(['v1-terminal-exits-once']);
  });

  test('history shows terminals that are gone, and a session that is loaded is there', () => {
    expect(namesOf(recording(...opening, asks(5, 3, 'session/load', { sessionId: 'old' }), [6, 'a2c', { method: 'session/update', params: { sessionId: 'old', update: { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x', content: [{ type: 'terminal', terminalId: 'gone' }], _meta: exit } } }], answers(7, 3)))).toEqual([]);
  });

  test("a subagent's session is there once it is told", () => {
    const told = (kind: string, members: object) => turn(update(11, kind, members), elsewhere(12, 'child'), done(20));
    expect(namesOf(told('subagent_update', { sessionId: 'child' }))).toEqual([]);
    expect(namesOf(told('_other', { sessionId: 'child' }))).toEqual(['known-session']);
  });

  test('the middle of a connection can answer what it does not show', () => {
    expect(namesOf(recording(answers(1, 7, { stopReason: 'end_turn' }), later(2)))).toEqual([]);
  });
});
