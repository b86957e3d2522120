/**
 * Broken updates of every kind that was recorded: none may throw, and whatever reaches the client is
 * valid by the strict schema. `told()` checks that.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadRecording, recordingNames } from '../../tools/recording.js';
import { connected, type Connected } from './connected.js';

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** One update of each shape: a kind, and the members that it has. */
const recorded: readonly Json[] = [...new Map(
  ['legacy', 'legacyrich', 'plain', 'raw'].flatMap(recordingNames).flatMap(loadRecording).flatMap(({ dir, msg }): [string, Json][] => {
    const { update } = (msg.params ?? {}) as { update?: Json };
    return dir === 'a2c' && update ? [[`${String(update.sessionUpdate)} ${Object.keys(update).sort().join()} ${Object.keys((update._meta ?? {})).sort().join()}`, update]] : [];
  }),
).values()];

/** The paths of all members inside of a value. */
const pathsIn = (value: unknown, at: readonly string[] = []): string[][] =>
  isObject(value) ? Object.keys(value).flatMap((key) => [[...at, key], ...pathsIn(value[key], [...at, key])]) : [];

/** `value` with something else at `path`; `undefined` takes the member out. */
function broken(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined || !isObject(value)) return by;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Json;
  copy[key] = broken(copy[key], rest, by);
  return copy;
}

const wrong = fc.constantFrom<unknown>(undefined, null, 7, -1, 1.5, '', 'word', [], {}, [7], { a: 1 }, true, ['x'], [null]);
const brokenUpdate = fc.constantFrom(...recorded).chain((update) => {
  const paths = pathsIn(update).filter(([first]) => first !== 'sessionUpdate');
  return fc.array(fc.tuple(fc.constantFrom(...paths), wrong), { minLength: 1, maxLength: 3 }).map((breaks) => breaks.reduce<unknown>((made, [path, by]) => broken(made, path, by), update));
});

const isQuiet = (wires: Connected): boolean => wires.log.every((line) => line.startsWith('warn: malformed'));

test('every kind of update was recorded', () => {
  expect(new Set(recorded.map(({ sessionUpdate }) => sessionUpdate))).toEqual(new Set([
    'agent_message_chunk', 'agent_thought_chunk', 'async_task_progress', 'async_task_spawned', 'async_task_state_update', 'available_commands_update', 'config_option_update', 'notice', 'plan', 'session_info_update',
    'subagent_spawned', 'subagent_state_update', 'tool_call', 'tool_call_update', 'usage_update', 'user_message_chunk',
  ]));
});

test('broken updates, one after the other', () => {
  fc.assert(fc.property(fc.array(fc.oneof({ weight: 3, arbitrary: brokenUpdate }, fc.constantFrom<unknown>(...recorded)), { minLength: 1, maxLength: 30 }), (updates) => {
    const wires = connected();
    wires.prompts();
    wires.updates(...updates);
    wires.clock.advance(1000);
    wires.told();
    expect(wires.log.filter((line) => !line.startsWith('warn: malformed'))).toEqual([]);
  }), { numRuns: 400 });
});

describe('broken at the top', () => {
  test.each([undefined, null, 7, 'x', [], {}, { sessionId: 's' }, { sessionId: 7, update: {} }, { sessionId: 's', update: null }, { sessionId: 's', update: [] }, { sessionId: 's', update: { sessionUpdate: 7 } }, { update: { sessionUpdate: 'plan', entries: [] } }])('session/update %j', (params) => {
    const wires = connected();
    wires.agent.notifies('session/update', params);
    expect([wires.told(), isQuiet(wires)]).toEqual([[], true]);
  });

  test.each([undefined, null, 7, {}, { sessionId: 's' }, { sessionId: 's', message: 7 }, { sessionId: 's', message: { type: 'system', subtype: 'session_state_changed', state: 7 } }, { sessionId: 's', message: { subtype: 'status', user_message_uuids: 'x' } }])('raw feed %j', (params) => {
    const wires = connected();
    wires.agent.notifies('_claude/sdkMessage', params);
    expect([wires.told().length, isQuiet(wires)]).toEqual([1, true]);
  });

  test.each([undefined, null, 7, {}, { requestId: {} }])('$/cancel_request %j', (params) => {
    const wires = connected();
    wires.agent.notifies('$/cancel_request', params);
    wires.client.notifies('$/cancel_request', params);
    expect(isQuiet(wires)).toBe(true);
  });

  test.each(['session/request_permission', 'elicitation/create', 'fs/read_text_file', 'mcp/message'])('%s of an agent that sends nonsense', (method) => {
    const wires = connected();
    for (const params of [undefined, null, 7, [], {}, { sessionId: 's', toolCall: { toolCallId: 7 }, options: 'x' }]) {
      wires.agent.requests(method, params);
      wires.agent.notifies(method, params);
    }
    for (const { id } of wires.client.received() as { id?: string }[]) if (id !== undefined) wires.client.answers(id, 'nonsense');
    wires.clock.advance(1000);
    expect(wires.log.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  test.each(['session/prompt', 'session/new', 'session/resume', 'session/fork', 'session/list', 'session/close', 'session/delete', 'session/set_config_option', 'session/cancel', 'auth/login', '_session/async_task/stop', 'terminal/cancel', 'no/such'])('%s of a client that sends nonsense', (method) => {
    const wires = connected();
    for (const params of [undefined, null, 7, [], {}, { sessionId: 7, prompt: 'x', mcpServers: 'none' }]) {
      wires.client.requests(method, params);
      wires.client.notifies(method, params);
    }
    for (const { id } of wires.agent.received() as { id?: string }[]) if (id !== undefined) wires.agent.answers(id, 'nonsense');
    wires.clock.advance(1000);
    expect(wires.log.filter((line) => line.startsWith('error'))).toEqual([]);
  });
});
