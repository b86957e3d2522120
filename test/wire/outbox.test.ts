import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { Outbox } from '../../src/wire/outbox.js';

function outbox(): { readonly out: Outbox; readonly writes: string[]; sink: { takes: boolean } } {
  const writes: string[] = [];
  const sink = { takes: true };
  const out = new Outbox((bytes) => {
    writes.push(Buffer.from(bytes).toString());
    return sink.takes;
  });
  return { out, writes, sink };
}

test('neighbours leave in one write, with the flush', () => {
  const { out, writes } = outbox();
  const chunk = Buffer.from('one\ntwo\nthree\n');
  out.pass(chunk, 0, 4);
  out.pass(chunk, 4, 8);
  expect(writes).toEqual([]);
  out.flush();
  out.flush();
  expect(writes).toEqual(['one\ntwo\n']);
});

test('views of the same memory are neighbours too', () => {
  const { out, writes } = outbox();
  const chunk = Buffer.from('one\ntwo\n');
  out.pass(chunk.subarray(0, 4), 0, 4);
  out.pass(chunk.subarray(4), 0, 4);
  out.flush();
  expect(writes).toEqual(['one\ntwo\n']);
});

test('a read that goes on as a whole leaves as it is', () => {
  const writes: Uint8Array[] = [];
  const out = new Outbox((bytes) => writes.push(bytes) > 0);
  const chunk = Buffer.from('one\ntwo\n');
  out.pass(chunk, 0, 4);
  out.pass(chunk, 4, 8);
  out.flush();
  out.pass(chunk, 0, 7);
  out.flush();
  expect(writes[0]).toBe(chunk);
  expect(writes.map(String)).toEqual(['one\ntwo\n', 'one\ntwo'].map((text) => String(Buffer.from(text))));
});

test('what is no neighbour has a write of its own, in order', () => {
  const { out, writes } = outbox();
  const chunk = Buffer.from('one\ntwo\nthree\n');
  out.pass(chunk, 0, 4);
  out.pass(chunk, 8, 14);
  out.pass(Buffer.from('other\n'), 0, 6);
  out.send([Buffer.from('mine\n')]);
  out.pass(chunk, 4, 8);
  out.flush();
  expect(writes).toEqual(['one\n', 'three\n', 'other\n', 'mine\n', 'two\n']);
});

test('a message made here starts on a line of its own', () => {
  const { out, writes } = outbox();
  out.pass(Buffer.from('torn'), 0, 4);
  out.send([Buffer.from('mine\n')]);
  out.send([Buffer.from('more\n')]);
  out.flush();
  expect(writes).toEqual(['torn', '\nmine\nmore\n']);
});

test('messages made here leave together, in pieces of text and bytes, and in order with what passes', () => {
  const { out, writes } = outbox();
  out.send(['{"a":"é', Buffer.from('漢'), '"}\n']);
  out.send(['two\n']);
  out.pass(Buffer.from('theirs\n'), 0, 7);
  out.send(['three\n']);
  expect(writes).toEqual(['{"a":"é漢"}\ntwo\n', 'theirs\n']);
  out.flush();
  out.flush();
  expect(writes.slice(2)).toEqual(['three\n']);
});

test('what was written is never written over, whatever the sizes', () => {
  const written: Uint8Array[] = [];
  const out = new Outbox((bytes) => {
    written.push(bytes);
    return true;
  });
  let expected = '';
  for (let round = 0; round < 200; round++) {
    const line = `${String(round).repeat((round * 7919) % 5000)}é\n`;
    out.send([round % 2 === 0 ? line : Buffer.from(line)]);
    if (round % 5 === 0) out.flush();
    expected += line;
  }
  out.send(['x'.repeat(300_000)]);
  out.flush();
  expect(Buffer.concat(written).toString()).toBe(`${expected}${'x'.repeat(300_000)}`);
});

test('it knows that the sink is full, and how much was made here since', () => {
  const { out, sink } = outbox();
  out.send([Buffer.from('a\n')]);
  expect([out.full, out.backlog]).toEqual([false, 0]);
  sink.takes = false;
  out.pass(Buffer.from('theirs\n'), 0, 7);
  out.flush();
  expect([out.full, out.backlog]).toEqual([true, 0]);
  out.send([Buffer.from('mine\n')]);
  expect([out.full, out.backlog]).toEqual([true, 5]);
  out.drained();
  expect([out.full, out.backlog]).toEqual([false, 0]);
});

test('a message may have more pieces than a call has arguments', () => {
  const { out, writes } = outbox();
  const pieces = Array.from({ length: 400_000 }, () => 'x');
  out.send([...pieces, '\n']);
  out.flush();
  expect(writes.join('')).toBe(`${pieces.join('')}\n`);
});
