import { expect, test } from 'vitest';
import { CountedOutbox } from '../../src/wire/counted-outbox.js';

test('counts the lines that pass, also of a block and of a line in pieces, and the messages that are made', () => {
  const counted = { passed: 0, made: 0 };
  const written: string[] = [];
  const outbox = new CountedOutbox((bytes) => written.push(Buffer.from(bytes).toString()) > 0, { passed: (lines) => void (counted.passed += lines), made: (messages) => void (counted.made += messages) });
  const bytes = Buffer.from('xx{"a":1}\n{"b":2}\n{"c":');
  outbox.pass(bytes, 2, 18);
  expect(counted).toEqual({ passed: 2, made: 0 });
  outbox.pass(bytes, 18, bytes.length);
  outbox.pass(Buffer.from('3}\n'), 0, 3);
  outbox.send([Buffer.from('{"d":4}\n')]);
  outbox.flush();
  expect(counted).toEqual({ passed: 3, made: 1 });
  expect(written.join('')).toBe('{"a":1}\n{"b":2}\n{"c":3}\n{"d":4}\n');
});
