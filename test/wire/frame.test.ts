import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { Peek } from '../../src/wire/peek.js';
import { Frame, NotAMessage, type Head } from '../../src/wire/frame.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const textOf = (frame: Frame): string => Buffer.from(frame.raw).toString();
const call = (line: string, head: Partial<Head> = {}, plain = false): Frame => Frame.ofLine(bytes(line), { kind: 'notification', method: 'x', idText: undefined, ...head }, plain);

describe('a message as it came', () => {
  test('keeps its bytes and is parsed when it is read', () => {
    const line = bytes('{"method":"x", "params":{"a":1}}\r\n');
    const frame = Frame.ofLine(line, { kind: 'notification', method: 'x', idText: undefined }, true);
    expect(frame.raw).toBe(line);
    expect(frame.params).toEqual({ a: 1 });
    expect(frame.params).toBe(frame.params);
    expect(frame.id).toBeUndefined();
  });

  test('its id is the value of its text', () => {
    expect(call('{}', { kind: 'request', idText: '"a\\u0062"' }).id).toBe('ab');
    expect(call('{}', { kind: 'request', idText: '0' }).id).toBe(0);
    expect(call('{}', { kind: 'request', idText: 'null' }).id).toBeNull();
  });

  test('a line that is no JSON object says so when it is read, without showing it', () => {
    for (const line of ['{"secret"', '[1]', 'null', '"a"']) {
      expect(() => call(line).params).toThrow(NotAMessage);
      expect(() => call(line).changed({ params: 1 })).toThrow(/^expected a JSON object, got (?!.*secret)/);
    }
  });
});

describe('the error of a response', () => {
  const errorIn = (error: string): unknown => Frame.ofLine(Buffer.from(`{"jsonrpc":"2.0","id":1,"error":${error}}\n`), { kind: 'reply', method: '', idText: '1' }, true).error;

  test('is as it came', () => {
    expect(errorIn('{"code":-32000,"message":"m","data":[1]}')).toEqual({ code: -32000, message: 'm', data: [1] });
  });

  test('is none where it is `null`', () => {
    expect(errorIn('null')).toBeUndefined();
  });

  test.each([
    ['"x"', 'string with undefined and undefined'], ['5', 'number with undefined and undefined'], ['{}', 'object with undefined and undefined'],
    ['{"code":"x","message":"secret"}', 'object with string and string'], ['{"code":1}', 'object with number and undefined'], ['{"code":1.5,"message":"m"}', 'object with number and string'],
  ])('%s says what is wrong, without showing it', (error, came) => {
    expect(errorIn(error)).toEqual({ code: -32603, message: `expected an error with a code that is an integer and a message that is a string, got ${came}` });
  });
});

describe('a changed message', () => {
  test('keeps its other members, their order and their digits', () => {
    const frame = call('{"id":1.0,"method":"x","extra":1e3,"params":{"a":12345678901234567890,"b":2},"jsonrpc":"2.0"}\n', { kind: 'request', idText: '1.0' });
    const changed = frame.changed({ params: { ...(frame.params as object), b: 3 } });
    expect(textOf(changed)).toBe('{"id":1.0,"method":"x","extra":1e3,"params":{"a":12345678901234567890,"b":3},"jsonrpc":"2.0"}\n');
  });

  test('keeps the text of its id', () => {
    for (const idText of ['12345678901234567890', '"\\u0061"', '1E2', 'null', '"a"', '0']) {
      expect(textOf(call(`{"id":${idText},"method":"x"}\n`, { kind: 'request', idText }, true).changed({ method: 'y' }))).toBe(`{"id":${idText},"method":"y"}\n`);
    }
  });

  test.each([['\n'], ['\r\n'], ['']])('keeps its line ending %j, also when it is changed again', (ending) => {
    const once = call(`{"method":"x","params":1}${ending}`).changed({ params: 2 });
    expect(textOf(once.changed({ params: 3 }))).toBe(`{"method":"x","params":3}${ending}`);
  });

  test('is a new frame; the old one is as before', () => {
    const before = call('{"method":"x","params":1}\n');
    const after = before.changed({ method: 'y', params: 2 });
    expect([before.method, before.params, textOf(before)]).toEqual(['x', 1, '{"method":"x","params":1}\n']);
    expect([after.method, after.params]).toEqual(['y', 2]);
  });

  test('a response has a result or an error, not both', () => {
    const reply = call('{"jsonrpc":"2.0","id":1,"result":{}}\n', { kind: 'reply', method: '', idText: '1' });
    const error = { code: -32603, message: 'no' };
    expect(textOf(reply.changed({ error }))).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}\n');
    expect(textOf(reply.changed({ error }).changed({ result: 1 }))).toBe('{"jsonrpc":"2.0","id":1,"result":1}\n');
    expect(textOf(reply.changed({ result: undefined }))).toBe('{"jsonrpc":"2.0","id":1,"result":null}\n');
  });

  test('params can be taken away', () => {
    expect(textOf(call('{"method":"x","params":1}\n').changed({ params: undefined }))).toBe('{"method":"x"}\n');
  });

  test('what has no JSON is refused at once', () => {
    expect(() => call('{"method":"x"}\n').changed({ params: 1n })).toThrow(TypeError);
  });
});

describe('a message made here', () => {
  test('ends with LF and has the order of JSON-RPC', () => {
    expect(textOf(Frame.ofCall('x', { a: 1 }))).toBe('{"jsonrpc":"2.0","method":"x","params":{"a":1}}\n');
    expect(textOf(Frame.ofCall('x', undefined))).toBe('{"jsonrpc":"2.0","method":"x"}\n');
    expect(textOf(Frame.ofCall('x', [], '"i-1"'))).toBe('{"jsonrpc":"2.0","id":"i-1","method":"x","params":[]}\n');
    expect(textOf(Frame.ofReply('1.0', { result: undefined }))).toBe('{"jsonrpc":"2.0","id":1.0,"result":null}\n');
    expect(textOf(Frame.ofReply('"a"', { error: { code: 1, message: 'm' } }))).toBe('{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"m"}}\n');
  });

  test('takes its params as they are now', () => {
    const params = { a: 1 };
    const frame = Frame.ofCall('x', params);
    params.a = 2;
    expect(textOf(frame)).toContain('{"a":1}');
  });

  test('carries exact numbers of other messages', () => {
    const { params } = call('{"method":"x","params":1.0}\n');
    expect(textOf(Frame.ofCall('y', { params }))).toContain('{"params":1.0}');
  });

  test('needs a method', () => {
    expect(() => Frame.ofCall(undefined as unknown as string, {})).toThrow('expected a method that is a string, got undefined');
  });
});

describe('the outline', () => {
  const long = 'é"\\'.repeat(400);
  const text = JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { before: 1, long, list: [{ long, after: true }], short: 'y"' } });
  const looked = (line: string): Frame => {
    const peek = new Peek({ method: 'x', path: [] });
    const bytes = Buffer.from(line);
    peek.look(bytes, 0, bytes.length);
    return Frame.ofLine(bytes, { kind: 'notification', method: 'x', idText: undefined }, true, peek.longStrings);
  };

  test('has all but the long strings, which are empty', () => {
    const frame = looked(text);
    expect(frame.outline).toEqual({ before: 1, long: '', list: [{ long: '', after: true }], short: 'y"' });
    expect(frame.params).toMatchObject({ long });
    expect(frame.raw.toString()).toBe(text);
  });

  test('is the params where nothing is long, and where the message is of our own', () => {
    expect(looked('{"method":"x","params":{"a":"b"}}').outline).toEqual({ a: 'b' });
    expect(Frame.ofCall('x', { long }).outline).toEqual({ long });
  });
});
