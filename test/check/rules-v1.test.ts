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

/** For each rule a recording that breaks it, and the sound one beside it. */
const CASES: Readonly<Record<string, readonly [broken: RecordedMessage[], sound: RecordedMessage[]]>> = {
  'answered-once': [turn(done(20), done(21)), turn(done(20), asks(21, 2, 'session/prompt'), done(22))],
  'own-id': [turn(asks(11, 2, 'session/list', {}), done(12), done(13)), turn([11, 'a2c', { id: 2, method: '_x/ask' }], [12, 'c2a', { id: 2, result: {} }], done(13))],
  'v1-kinds': [turn(update(11, 'state_update', { state: 'idle' }), done(20)), turn(update(11, '_own'), later(12), done(20))],
  'v1-statuses': [turn(call(11, 'in_progress'), change(12, 'cancelled'), done(20)), turn(call(11, 'in_progress'), change(12, 'failed'), done(20))],
  'v1-call-begins-once': [turn(call(11, 'pending'), call(12, 'in_progress'), done(20)), turn(change(11, 'pending'), call(12, 'in_progress'), done(20))],
  'v1-call-ends-once': [turn(call(11, 'pending'), change(12, 'failed'), change(13, 'completed'), done(20)), turn(call(11, 'pending'), change(12, 'completed'), update(13, 'tool_call_update', { toolCallId: 'c', title: 'y' }), done(20))],
  'v1-prompt-answered': [turn(cancel(20), later(9000)), turn(cancel(20), later(4000))],
  'v1-cancelled-told': [turn(cancel(20), done(200)), turn(cancel(20), done(200, 'cancelled'))],
  'v1-permission-answered': [turn(asksLeave(15), cancel(20), done(30, 'cancelled'), later(9000)), turn(asksLeave(15), cancel(20), leave(25), done(30, 'cancelled'), later(9000))],
  'v1-permission-in-turn': [turn(call(11, 'pending'), asksLeave(15), done(20)), turn(call(11, 'pending'), asksLeave(15), leave(18), done(20))],
  'v1-close-is-last': [turn(done(20), asks(21, 3, 'session/close'), answers(22, 3), later(23)), turn(done(20), asks(21, 3, 'session/close'), later(22), answers(23, 3))],
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
      expect(number).toMatch(/^(?:J|V1)\.\d+$/);
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
    const told = (capabilities: readonly string[]) => recording(asks(0, 0, 'initialize', ask(capabilities)), answers(1, 0, { protocolVersion: 1 }), update(3, 'async_task_spawned'));
    expect(namesOf(told(['asyncTasks']))).toEqual([]);
    expect(namesOf(told(['planFile']))).toEqual(['v1-kinds']);
  });

  test('an agent that was started again has ids of its own', () => {
    expect(namesOf(recording(asks(0, 0, 'initialize', {}), asks(5, 0, 'initialize', {}), answers(6, 0, { protocolVersion: 1 })))).toEqual([]);
  });

  test('the middle of a connection can answer what it does not show', () => {
    expect(namesOf(recording(answers(1, 7, { stopReason: 'end_turn' }), later(2)))).toEqual([]);
  });
});
