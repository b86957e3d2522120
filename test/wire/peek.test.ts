import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kindIn, Peek, type KindPath } from '../../src/wire/peek.js';
import { hasInexactNumber } from '../../src/wire/json.js';
import { messageText, objectText, valueText } from './json-text.js';

const kinds: KindPath = { method: 'session/update', path: ['params', 'update', 'sessionUpdate'] };

interface Answers {
  readonly sure: boolean;
  readonly method?: string | undefined;
  readonly kind?: string | undefined;
  readonly id?: string | undefined;
  readonly answers?: boolean;
  readonly isMessage?: boolean;
}

/** What `peek` says of a line that has other lines before and behind it. */
function look(text: string, peek = new Peek(kinds), before = '{"id":9}\n'): Answers {
  const line = Buffer.from(`${before}${text}\n:"method":"behind"}\n`);
  const start = Buffer.byteLength(before);
  peek.look(line, start, start + Buffer.byteLength(text) + 1);
  const { sure, method, kind, idStart, idEnd, answers, isMessage } = peek;
  if (!sure) return { sure };
  return { sure, method, kind, id: idStart === -1 ? undefined : line.toString('utf8', idStart, idEnd), answers, isMessage };
}

/** The same from a parsed message. */
function parsed(text: string): Answers {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { sure: false };
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return { sure: false };
  const members = message as Record<string, unknown>;
  const method = typeof members.method === 'string' ? members.method : undefined;
  return {
    sure: true,
    method,
    kind: method === kinds.method ? kindIn(members, kinds) : undefined,
    id: Object.hasOwn(members, 'id') ? JSON.stringify(members.id) : undefined,
    answers: ['result', 'error'].some((name) => Object.hasOwn(members, name)),
    isMessage: ['jsonrpc', 'method', 'id', 'result', 'error'].some((name) => Object.hasOwn(members, name)),
  };
}

const withIdValue = (answers: Answers): Answers => (answers.id === undefined ? answers : { ...answers, id: JSON.stringify(JSON.parse(answers.id)) });

function expectExact(text: string, peek?: Peek): void {
  expect(withIdValue(look(text, peek))).toEqual(parsed(text));
}

describe('a look at a line says what parsing it would say', () => {
  test.each([
    ['a chunk', '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}'],
    ['the kind is not first', '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"_meta":{"sessionUpdate":"no"},"toolCallId":"t","sessionUpdate":"tool_call"}}}'],
    ['the update is before the session', '{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"plan"},"sessionId":"s"}}'],
    ['params are before the method', '{"jsonrpc":"2.0","params":{"update":{"sessionUpdate":"plan"}},"method":"session/update"}'],
    ['the id is last', '{"jsonrpc":"2.0","method":"x","params":{"id":1},"id":5}'],
    ['the id is first', '{"id":5,"jsonrpc":"2.0","method":"x"}'],
    ['a method within params', '{"jsonrpc":"2.0","params":{"method":"inner"},"id":1,"result":{"method":"inner"}}'],
    ['a method within a text', '{"jsonrpc":"2.0","method":"x","params":{"text":"\\",\\"method\\":\\"y\\""}}'],
    ['a text that ends with backslashes', '{"jsonrpc":"2.0","method":"x","params":{"text":"a\\\\\\\\"},"id":"\\\\"}'],
    ['a method twice', '{"jsonrpc":"2.0","method":"x","params":{},"method":"y"}'],
    ['params twice', '{"method":"session/update","params":{"update":{"sessionUpdate":"plan"}},"params":{}}'],
    ['an update twice', '{"method":"session/update","params":{"update":{"sessionUpdate":"plan"},"update":1}}'],
    ['a kind twice', '{"method":"session/update","params":{"update":{"sessionUpdate":"plan","sessionUpdate":"tool_call"}}}'],
    ['a kind that is no text', '{"method":"session/update","params":{"update":{"sessionUpdate":"plan","sessionUpdate":null}}}'],
    ['an id twice', '{"id":1,"method":"x","id":2}'],
    ['a method that is no text', '{"method":"x","method":1}'],
    ['escaped keys', '{"m\\u0065thod":"session/update","p\\u0061rams":{"update":{"session\\u0055pdate":"pl\\u0061n"}},"\\u0069d":1}'],
    ['an escaped method', '{"method":"session\\/update","params":{"update":{"sessionUpdate":"plan"}}}'],
    ['a kind of another method', '{"method":"x","params":{"update":{"sessionUpdate":"plan"}}}'],
    ['spaces', ' { "jsonrpc" : "2.0" , "id" : 1 , "method" : "x" } \r'],
    ['an error', '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}'],
    ['no message', '{"level":"info","msg":"method"}'],
    ['nothing', '{}'],
    ['names of the language', '{"__proto__":{"method":"x"},"toString":1,"constructor":{}}'],
  ])('%s', (_name, text) => expectExact(text));

  test('broken lines get no answer', () => {
    for (const text of ['', ' ', 'text', '[]', '1', '"method"', '{', '{"method":"x"', '{"method":"x"}}', '{"method":"x"} {', '{"a":1 "b":2}', '{"a":}', '{"a"}', '{"a":1,}', '{,}', '{"a":"b}', '{"a":[1}', '{method:1}']) {
      expect([text, look(text)]).toEqual([text, { sure: false }]);
    }
  });

  test('any object, with duplicate keys, escapes and spaces', () => {
    fc.assert(fc.property(objectText, (text) => expectExact(text)), { numRuns: 2000 });
  });

  test('any JSON value', () => {
    fc.assert(fc.property(valueText, (text) => expectExact(text)), { numRuns: 500 });
  });

  test('any message, also one after the other', () => {
    const peek = new Peek(kinds);
    fc.assert(fc.property(messageText, (text) => expectExact(text, peek)), { numRuns: 3000 });
  });

  test.each([
    '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"',
    '{"jsonrpc":"2.0","params":{"update":{"sessionUpdate":"plan"',
    '{"id":7,"method":"session/update","params":{"update":{"sessionUpdate":"plan"',
    '{"n":1.0,"method":"session/update","params":{"update":{"sessionUpdate":"plan"',
    '{"result":1,"method":"session/update","params":{"update":{"sessionUpdate":"plan"',
    '{"method":"session/update","method":"x","params":{"update":{"sessionUpdate":"plan"',
  ])('lines that begin with %s and end in many ways', (head) => {
    const peek = new Peek(kinds);
    const ends = ['}}}', '}},"id":1}', '}},"method":"x"}', '}},"method":"session/update"}', '}},"params":{}}', '},"update":{}}}', ',"sessionUpdate":"b"}}}', '_x"}}}', '', '}}', '}},"result":1}', ',"n":1.0}}}'];
    for (const first of ends) {
      for (const second of ends) {
        look(head + first, peek);
        expectExact(head + second, peek);
        expect(peek.plainNumbers).toBe(!`${head}${second}`.includes('1.0'));
      }
    }
  });
});

test('numbers that may need their digits kept are seen outside strings only', () => {
  const plain = (text: string): boolean => {
    const peek = new Peek(kinds);
    peek.look(Buffer.from(text), 0, text.length);
    return peek.plainNumbers;
  };
  for (const text of ['{"a":1}', '{"a":-15,"b":[0,123456789012345]}', '{"a":"1.0 1e3 12345678901234567890 -0"}', '{"1.0":true}']) expect([text, plain(text)]).toEqual([text, true]);
  for (const text of ['{"a":1.0}', '{"a":{"b":[1,2e3]}}', '{"id":12345678901234567890}', '{"a":-0}', '{"a":1E5}']) expect([text, plain(text)]).toEqual([text, false]);
});

test('a line with plain numbers has none that would lose a digit', () => {
  fc.assert(
    fc.property(fc.oneof(objectText, messageText), (text) => {
      const peek = new Peek(kinds);
      const line = Buffer.from(text);
      peek.look(line, 0, line.length);
      expect(peek.plainNumbers && hasInexactNumber(text)).toBe(false);
    }),
    { numRuns: 2000 },
  );
});
