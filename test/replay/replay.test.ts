import { describe, expect, test } from 'vitest';
import { createReplay, type ReplayOptions } from '../../src/replay/index.js';
import type { RecordedJson, RecordedMessage } from '../../src/check/record.js';
import { createClock } from '../tools/clock.js';

const c2a = (t: number, msg: RecordedJson): RecordedMessage => ({ t, dir: 'c2a', msg: { jsonrpc: '2.0', ...msg } });
const a2c = (t: number, msg: RecordedJson): RecordedMessage => ({ t, dir: 'a2c', msg: { jsonrpc: '2.0', ...msg } });
const says = (t: number, update: Record<string, unknown>): RecordedMessage => a2c(t, { method: 'session/update', params: { sessionId: 's', update } });

/** A replay on a fake clock; `sent()` gives what came since the last call, as `[time, message]`. */
function played(recording: readonly RecordedMessage[], options: ReplayOptions = {}) {
  const clock = createClock();
  const written: [number, string, string][] = [];
  let messages: [number, RecordedJson][] = [];
  const replay = createReplay(recording, options, {
    ...clock,
    send: (message) => messages.push([clock.now(), message]),
    write: (path, data) => written.push([clock.now(), path, Buffer.from(data, 'base64').toString()]),
  });
  return {
    clock,
    replay,
    written,
    receives: (msg: RecordedJson) => replay.receive({ jsonrpc: '2.0', ...msg }),
    sent() {
      const now = messages;
      messages = [];
      return now.map(([t, { jsonrpc: _, ...message }]) => [t, message]);
    },
  };
}

const turn: readonly RecordedMessage[] = [
  c2a(0, { id: 0, method: 'initialize', params: {} }),
  a2c(100, { id: 0, result: { protocolVersion: 1 } }),
  c2a(150, { id: 1, method: 'session/prompt', params: {} }),
  says(250, { sessionUpdate: 'one' }),
  says(1250, { sessionUpdate: 'two' }),
  a2c(1300, { id: 1, result: { stopReason: 'end_turn' } }),
];

const NOTHING: unknown[] = [];
const one = { method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'one' } } };
const two = { method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'two' } } };

describe('pace', () => {
  test('each message that is awaited sets the clock anew', () => {
    const { receives, clock, sent } = played(turn);
    clock.advance(5000);
    receives({ id: 'a', method: 'initialize' });
    clock.advance(99);
    expect(sent()).toEqual(NOTHING);
    clock.advance(1);
    expect(sent()).toEqual([[5100, { id: 'a', result: { protocolVersion: 1 } }]]);
    clock.advance(900);
    receives({ id: 'b', method: 'session/prompt' });
    clock.runOut();
    expect(sent()).toEqual([[6100, one], [7100, two], [7150, { id: 'b', result: { stopReason: 'end_turn' } }]]);
  });

  test('speed and the longest wait', () => {
    const { receives, clock, sent } = played(turn, { speed: 10, longestWait: 500 });
    receives({ id: 0, method: 'initialize' });
    receives({ id: 1, method: 'session/prompt' });
    clock.runOut();
    expect(sent().map(([t]) => t)).toEqual([10, 20, 70, 75]);
  });

  test('a message that comes early waits for its place', () => {
    const { receives, clock, sent, replay } = played(turn);
    receives({ id: 1, method: 'session/prompt' });
    clock.runOut();
    expect(sent()).toEqual(NOTHING);
    receives({ id: 0, method: 'initialize' });
    clock.runOut();
    expect(sent().map(([t]) => t)).toEqual([100, 200, 1200, 1250]);
    expect(replay.finished).toBe(true);
  });

  test('closed, it sends nothing more', () => {
    const { receives, clock, sent, replay } = played(turn);
    receives({ id: 0, method: 'initialize' });
    replay.close();
    clock.runOut();
    expect(sent()).toEqual(NOTHING);
  });
});

describe('a client that is not the recorded one', () => {
  test('ids of any form', () => {
    const { receives, clock, sent } = played(turn);
    receives({ id: null, method: 'initialize' });
    clock.runOut();
    receives({ id: '0', method: 'session/prompt' });
    clock.runOut();
    expect(sent().map(([, message]) => (message as RecordedJson).id)).toEqual([null, undefined, undefined, '0']);
  });

  test('a second initialize gets the answer again', () => {
    const { receives, clock, sent } = played(turn);
    receives({ id: 0, method: 'initialize' });
    clock.runOut();
    receives({ id: 7, method: 'initialize' });
    expect(sent()).toEqual([[100, { id: 0, result: { protocolVersion: 1 } }], [100, { id: 7, result: { protocolVersion: 1 } }]]);
  });

  test('a request that was not recorded is refused, a notification ignored', () => {
    const { receives, sent } = played(turn);
    receives({ id: 5, method: 'session/fork', params: {} });
    receives({ method: 'session/cancel', params: {} });
    receives({ id: 'unknown', result: {} });
    expect(sent()).toEqual([[0, { id: 5, error: { code: -32601, message: 'the recording has no further session/fork' } }]]);
  });

  test('a load for a resume', () => {
    const { receives, clock, sent } = played([c2a(0, { id: 0, method: 'session/resume', params: {} }), a2c(1, { id: 0, result: {} })]);
    receives({ id: 1, method: 'session/load' });
    clock.runOut();
    expect(sent()).toEqual([[1, { id: 1, result: {} }]]);
  });

  const cancelled = [
    c2a(0, { id: 0, method: 'initialize', params: {} }),
    c2a(10, { method: 'session/cancel', params: {} }),
    c2a(20, { id: 3, method: '_session/async_task/stop', params: { asyncTaskId: 'x' } }),
    a2c(30, { id: 3, result: { stopped: true } }),
    says(40, { sessionUpdate: 'one' }),
  ];

  test('notifications and stops that do not come are passed over, with their answer', () => {
    const { receives, clock, sent, replay } = played(cancelled, { patience: 1000 });
    receives({ id: 0, method: 'initialize' });
    clock.runOut();
    expect(sent()).toEqual([[2040, one]]);
    expect(replay.finished).toBe(true);
  });

  test('a stop at another time is the next recorded stop', () => {
    const { receives, clock, sent } = played(cancelled, { patience: 1000 });
    receives({ id: 0, method: 'initialize' });
    receives({ id: 9, method: '_session/async_task/stop', params: { asyncTaskId: 'y' } });
    clock.runOut();
    expect(sent().map(([, message]) => message)).toEqual([{ id: 9, result: { stopped: true } }, one]);
    receives({ id: 10, method: '_session/async_task/stop', params: { asyncTaskId: 'y' } });
    expect(sent().map(([, message]) => (message as RecordedJson).error?.code)).toEqual([-32601]);
  });

  const stoppedTurn = [
    says(0, { sessionUpdate: 'async_task_spawned', asyncTaskId: 'turn-1', taskType: 'turn' }),
    c2a(0, { id: 3, method: '_session/async_task/stop', params: { asyncTaskId: 'turn-1' } }),
    says(5, { sessionUpdate: 'async_task_state_update', asyncTaskId: 'turn-1', state: 'stopped' }),
    says(5, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'stopped' } }),
    a2c(6, { id: 3, result: { stopped: true } }),
  ];
  const kinds = (sent: unknown[][]): unknown[] => sent.map(([, message]) => {
    const { params, id } = message as { params?: { update: { sessionUpdate: string } }; id?: unknown };
    return params?.update.sessionUpdate ?? `answer ${String(id)}`;
  });

  test("session/cancel for the stop of a turn of the agent's own: no answer, and no remark on the stop", () => {
    const { receives, clock, sent } = played(stoppedTurn);
    receives({ method: 'session/cancel', params: {} });
    clock.runOut();
    expect(kinds(sent())).toEqual(['async_task_spawned', 'async_task_state_update']);
  });

  test('its stop by name has both', () => {
    const { receives, clock, sent } = played(stoppedTurn);
    receives({ id: 8, method: '_session/async_task/stop', params: { asyncTaskId: 'turn-1' } });
    clock.runOut();
    expect(kinds(sent())).toEqual(['async_task_spawned', 'async_task_state_update', 'agent_message_chunk', 'answer 8']);
  });

  test("answers to the agent's requests are matched by id", () => {
    const { receives, clock, sent } = played([
      c2a(0, { id: 0, method: 'session/prompt', params: {} }),
      a2c(1, { id: 0, method: 'session/request_permission', params: {} }),
      a2c(2, { id: 1, method: 'session/request_permission', params: {} }),
      c2a(3, { id: 1, result: {} }),
      c2a(4, { id: 0, result: {} }),
      a2c(5, { id: 0, result: { stopReason: 'end_turn' } }),
    ]);
    receives({ id: 'p', method: 'session/prompt' });
    clock.runOut();
    expect(sent().length).toBe(2);
    receives({ id: 0, result: { outcome: 'other' } });
    clock.runOut();
    expect(sent()).toEqual(NOTHING);
    receives({ id: 1, error: { code: 1, message: 'x' } });
    clock.runOut();
    expect(sent().map(([, message]) => message)).toEqual([{ id: 'p', result: { stopReason: 'end_turn' } }]);
  });
});

describe('output files', () => {
  const path = '/tmp/tasks/b1.output';
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const outputs = { call: [{ atMs: 1500, data: base64('one\n') }, { atMs: 1900, data: base64('[exited with code 0]\n') }] };
  const recording = [
    c2a(0, { id: 0, method: 'session/prompt', params: {} }),
    says(1000, { sessionUpdate: 'async_task_spawned', asyncTaskId: 'b1', toolCallId: 'call' }),
    says(1010, { sessionUpdate: 'async_task_progress', asyncTaskId: 'b1', outputFilePath: path }),
    says(1020, { sessionUpdate: 'tool_call_update', _meta: { terminal_output: { data: `written to: ${path}. More` } } }),
    says(2000, { sessionUpdate: 'async_task_state_update', asyncTaskId: 'b1', state: 'completed' }),
  ];

  test('are made when they are named, grow at their pace, and stand in the messages under their new path', () => {
    const { receives, clock, sent, written } = played(recording, { outputs, outputFile: (recorded) => `/out${recorded}` });
    receives({ id: 0, method: 'session/prompt' });
    clock.runOut();
    expect(written).toEqual([
      [1010, `/out${path}`, ''],
      [1500, `/out${path}`, 'one\n'],
      [1900, `/out${path}`, '[exited with code 0]\n'],
    ]);
    const text = JSON.stringify(sent());
    expect(text.split(`/out${path}`).length - 1).toBe(2);
    expect(text.replaceAll(`/out${path}`, '')).not.toContain(path);
  });

  test('by task id, from the raw feed too', () => {
    const raw = [
      c2a(0, { id: 0, method: 'session/prompt', params: {} }),
      a2c(10, { method: '_claude/sdkMessage', params: { message: { subtype: 'task_notification', task_id: 'b1', output_file: path } } }),
    ];
    const { receives, clock, written } = played(raw, { outputs: { b1: [{ atMs: 5, data: base64('x') }] }, outputFile: (recorded) => recorded });
    receives({ id: 0, method: 'session/prompt' });
    clock.runOut();
    expect(written).toEqual([[10, path, ''], [10, path, 'x']]);
  });

  test('without contents nothing is written and the path stays', () => {
    const { receives, clock, sent, written } = played(recording, { outputFile: () => '/elsewhere' });
    receives({ id: 0, method: 'session/prompt' });
    clock.runOut();
    expect(written).toEqual([]);
    expect(JSON.stringify(sent())).toContain(path);
  });
});

test('a port may answer at once', () => {
  const clock = createClock();
  const seen: unknown[] = [];
  const replay = createReplay(turn, {}, {
    ...clock,
    send: (message) => {
      seen.push(message.id ?? message.method);
      if (message.id === 0) replay.receive({ jsonrpc: '2.0', id: 1, method: 'session/prompt' });
    },
  });
  replay.receive({ jsonrpc: '2.0', id: 0, method: 'initialize' });
  clock.runOut();
  expect(seen).toEqual([0, 'session/update', 'session/update', 1]);
});
