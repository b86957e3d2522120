import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { afterMark, afterMessages, hasMessageShape, isStray, startsAsMessage } from '../../src/wire/shape.js';

const whole = (check: (line: Buffer, start: number, end: number) => boolean, text: string): boolean => {
  const line = Buffer.from(`{"jsonrpc"${text}}\n`);
  return check(line, 10, line.length - 2);
};

test('a message is accepted by its first and last bytes', () => {
  for (const text of ['{"jsonrpc":"2.0","method":"x"}\n', '{"jsonrpc": "2.0"}\r\n', '{"jsonrpc":"2.0"}']) expect([text, whole(hasMessageShape, text)]).toEqual([text, true]);
  for (const text of ['{"jsonrpc":"2.0"\n', '{"jsonrpc"', '}', '\n', '', 'x{"jsonrpc":1}\n', '{"jsonrp":1}\n', '{"id":1,"jsonrpc":"2.0"}\n']) expect([text, whole(hasMessageShape, text)]).toEqual([text, false]);
});

test('a run of messages ends before the first line that is none, and before a line that has no end', () => {
  const [message, noise] = ['{"jsonrpc":"2.0"}\n', '{}\n'];
  const after = (text: string, from = 0): number => afterMessages(Buffer.from(text), from);
  expect(after(message + message)).toBe(2 * message.length);
  expect(after(message + noise + message)).toBe(message.length);
  expect(after(noise + message + message.slice(0, 5), noise.length)).toBe(noise.length + message.length);
  expect([after(noise), after(''), after(message.slice(0, -1))]).toEqual([0, 0, 0]);
});

test('a beginning is known by its first bytes', () => {
  expect(whole(startsAsMessage, '{"jsonrpc":"2.')).toBe(true);
  expect(whole(startsAsMessage, '{"jsonrp')).toBe(false);
});

test.each([
  ['{"jsonrpc":"2.0"}\n', false],
  [' {"id":1}\n', false],
  ['{"method":1}', false],
  ['{"result":null}\n', false],
  ['{"error":{}}\r\n', false],
  ['[{"jsonrpc":"2.0","method":"x"}]\n', false],
  ['[]\n', false],
  ['\n', false],
  [' \r\n', false],
  ['', false],
  ['hello\n', true],
  ['[info] started\n', true],
  ['{"level":"info","msg":"id"}\n', true],
  ['{}\n', true],
  ['{"jsonrpc":"2.0"\n', true],
  ['"method"\n', true],
  ['42\n', true],
  ['null\n', true],
])('%j is stray: %s', (text, stray) => {
  expect(whole(isStray, text)).toBe(stray);
});

test('a text begins behind a byte order mark, if there is a whole one', () => {
  const line = Buffer.from('x\ufeff{}\n');
  expect([afterMark(line, 1, line.length), afterMark(line, 0, line.length), afterMark(line, 4, line.length), afterMark(line, 1, 3)]).toEqual([4, 0, 4, 1]);
});
