import { describe, expect, test } from 'vitest';
import { check, readRecording, versionOf } from '../../src/check/index.js';

const message = { jsonrpc: '2.0', id: 1, method: 'session/prompt', params: {} };
const read = (...lines: readonly unknown[]) => readRecording(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));

describe('a line of a recording', () => {
  test('has a time, a direction and a message', () => {
    expect(read({ t: 5, dir: 'c2a', msg: message }).connections).toEqual([{ continues: false, side: undefined, messages: [{ t: 5, line: 1, dir: 'c2a', msg: message }] }]);
  });

  test('can be a bare message with a direction, whose time is not known', () => {
    const both = read({ dir: 'c2a', ...message }, '', { dir: 'a2c', msg: { jsonrpc: '2.0', id: 1, result: {} } }).connections[0]?.messages;
    expect(both).toEqual([{ t: NaN, line: 1, dir: 'c2a', msg: message }, { t: NaN, line: 3, dir: 'a2c', msg: { jsonrpc: '2.0', id: 1, result: {} } }]);
  });

  test('belongs to the side that it names; what was no message is left out', () => {
    const { connections } = read({ t: 1, at: 'client', dir: 'c2a', msg: message }, { t: 2, at: 'agent', dir: 'c2a', msg: message }, { t: 3, at: 'agent', dir: 'a2c', raw: 'Listening' });
    expect(connections.map(({ side, messages }) => [side, messages.length])).toEqual([['client', 1], ['agent', 1]]);
  });

  test.each([
    ['no JSON', '{"t":1', 'line 1: expected one JSON object a line, but it cannot be parsed'],
    ['an array', '[]', 'line 1: expected a JSON object, but got array'],
    ['no direction', { t: 1, msg: message }, 'line 1: expected "dir" to be "c2a" or "a2c", but got undefined'],
    ['another side', { t: 1, at: 'proxy', dir: 'c2a', msg: message }, 'line 1: expected "at" to be "client" or "agent", but got "proxy"'],
    ['a time that is text', { t: '1', dir: 'c2a', msg: message }, 'line 1: expected "t" to be a number of milliseconds, but got string'],
    ['a batch', { t: 1, dir: 'c2a', msg: [message] }, 'line 1: expected a JSON-RPC message as an object, but got array'],
    ['no message', { t: 1, dir: 'c2a', msg: { id: 1, secret: 'x' } }, 'line 1: expected a JSON-RPC message with "method", or with "id" and "result" or "error", but it has id, secret'],
  ])('%s is named', (_, line, problem) => {
    expect(() => read(line)).toThrow(problem);
  });

  test('a last line that was cut off is left out', () => {
    const whole = JSON.stringify({ t: 1, dir: 'c2a', msg: message });
    expect(readRecording(`${whole}\n${whole.slice(0, 20)}`)).toMatchObject({ isCut: true, connections: [{ messages: [{}] }] });
    expect(readRecording(`${whole}\n${whole}`)).toMatchObject({ isCut: false, connections: [{ messages: [{}, {}] }] });
    expect(() => readRecording(`${whole.slice(0, 20)}\n${whole}\n`)).toThrow('line 1');
  });
});

test('the version is what initialize settled on, else what the updates are written in', () => {
  const of = (...lines: readonly unknown[]) => versionOf(read(...lines).connections[0]?.messages ?? []);
  const asked = { dir: 'c2a', id: 0, method: 'initialize', params: { protocolVersion: 2 } };
  const state = { dir: 'a2c', method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'state_update', state: 'idle' } } };
  expect(of(asked, { dir: 'a2c', id: 0, result: { protocolVersion: 1 } }, state)).toBe(1);
  expect(of(asked, { dir: 'a2c', id: 0, result: { protocolVersion: 2 } })).toBe(2);
  expect(of(state)).toBe(2);
  expect(of({ dir: 'c2a', method: 'session/prompt', id: 1 })).toBe(1);
});

test('without times, rules that need them find nothing, and the others go on', () => {
  const update = (update: object) => ({ dir: 'a2c', method: 'session/update', params: { sessionId: 's', update } });
  const { connections } = read(
    update({ sessionUpdate: 'state_update', state: 'running', background: [{ type: 'terminal', terminalId: 't' }] }),
    update({ sessionUpdate: 'terminal_update', terminalId: 't', exitStatus: {} }),
    update({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn', background: [] }),
    update({ sessionUpdate: 'state_update', state: 'running', background: [] }),
  );
  expect(check(connections[0]?.messages ?? []).map(({ name, line }) => `${line} ${name}`)).toEqual(['1 announce-before-list']);
});
