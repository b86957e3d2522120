import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRecording } from '../../src/check/index.js';
import { openRecorder, type RecorderSettings } from '../../src/edge/recorder.js';

let folder: string;
let path: string;
let said: string[];
let now: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'afterturn-recorder-'));
  path = join(folder, 'a.ndjson');
  said = [];
  now = 1000;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const say = (text: string): void => void said.push(text);
const opened = (settings: Partial<RecorderSettings> = {}) =>
  openRecorder({ path, size: undefined, redact: false, log: { error: say, warn: say, info: say, debug: say }, now: () => now, ...settings });
const written = (file = path): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');
const ask = '{ "jsonrpc":"2.0", "id":12345678901234567890, "method":"x/y","params":{"text":"né 日本"} }';

test('a message is in the file when `seen` returns, as it came, with its time and its way', () => {
  const recorder = opened();
  now = 1012.6;
  recorder.seen('client', 'c2a', Buffer.from(`${ask}\r\n`));
  expect(written()[1]).toBe(`{"t":13,"at":"client","dir":"c2a","msg":${ask}}`);
  expect(JSON.parse(written()[0] ?? '')).toMatchObject({ recorder: { name: 'afterturn' } });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  recorder.close();
  expect(said).toEqual([]);
});

test('a line in pieces is one line; the sides do not mix; a last one without its end is written at the close', () => {
  const recorder = opened();
  for (const byte of Buffer.from(`${ask}\n`)) recorder.seen('agent', 'a2c', Buffer.of(byte));
  recorder.seen('client', 'a2c', Buffer.from('{"method":"half"'));
  recorder.seen('agent', 'c2a', Buffer.from('{"method":"whole"}\n\n'));
  recorder.seen('client', 'a2c', Buffer.from('}'));
  recorder.close();
  expect(written().slice(1)).toEqual([
    `{"t":0,"at":"agent","dir":"a2c","msg":${ask}}`,
    '{"t":0,"at":"agent","dir":"c2a","msg":{"method":"whole"}}',
    '{"t":0,"at":"client","dir":"a2c","msg":{"method":"half"}}',
  ]);
});

test('what is no message is kept as text, and a reader passes it over', () => {
  const recorder = opened();
  recorder.seen('agent', 'a2c', Buffer.from('Listening on 80\n[{"method":"a"}]\n{"id":1}\n{"method":"b"}\n'));
  recorder.close();
  expect(written().slice(1, 4).map((line) => (JSON.parse(line) as { raw: string }).raw)).toEqual(['Listening on 80', '[{"method":"a"}]', '{"id":1}']);
  expect(readRecording(readFileSync(path, 'utf8')).connections).toMatchObject([{ side: 'agent', continues: false, messages: [{ msg: { method: 'b' } }] }]);
});

test('--redact masks before anything is written', () => {
  const recorder = opened({ redact: true });
  recorder.seen('client', 'c2a', Buffer.from('{"jsonrpc":"2.0","method":"_x","params":{"text":"hush"}}\nhush\n'));
  recorder.close();
  expect(written().slice(1)).toEqual(['{"t":0,"at":"client","dir":"c2a","msg":{"jsonrpc":"2.0","method":"_x","params":{"text":"xxxx"}}}', '{"t":0,"at":"client","dir":"c2a","raw":"xxxx"}']);
});

test('a run follows what the file holds, also behind a line that a kill cut off', () => {
  opened().close();
  writeFileSync(path, `${readFileSync(path, 'utf8')}{"t":1,"at":"client","dir":"c2a","msg":{"method":"a"}}\n{"t":2,"at":"cli`);
  const second = opened();
  second.seen('client', 'c2a', Buffer.from('{"method":"b"}\n'));
  second.close();
  const { connections, isCut } = readRecording(readFileSync(path, 'utf8'));
  expect(isCut).toBe(true);
  expect(connections.map(({ messages }) => messages.map(({ msg }) => msg.method))).toEqual([['a'], ['b']]);
});

test('a file that would grow too large goes on in a new one; both in their order are one recording', () => {
  const recorder = opened({ size: 1000 });
  for (let n = 0; n < 10; n += 1) recorder.seen('client', 'c2a', Buffer.from(`{"method":"m${n}","params":"${'x'.repeat(60)}"}\n`));
  recorder.close();
  for (const file of [path, `${path}.1`]) expect(statSync(file).size).toBeLessThanOrEqual(1000);
  const [older, newer] = [readFileSync(`${path}.1`, 'utf8'), readFileSync(path, 'utf8')];
  expect(readRecording(newer).connections[0]?.continues).toBe(true);
  const { connections } = readRecording(older + newer);
  expect(connections).toHaveLength(1);
  expect(connections[0]?.messages.map(({ msg }) => msg.method)).toEqual(Array.from({ length: 10 }, (_, n) => `m${n}`));
});

test('half a line of an agent that is started again is forgotten', () => {
  const recorder = opened();
  recorder.seen('agent', 'a2c', Buffer.from('{"method":"ol'));
  recorder.restarted();
  recorder.seen('agent', 'a2c', Buffer.from('{"method":"new"}\n'));
  recorder.close();
  expect(written().slice(1)).toEqual(['{"t":0,"at":"agent","dir":"a2c","msg":{"method":"new"}}']);
});

test('a file that cannot be opened is an error of the call', () => {
  expect(() => opened({ path: join(folder, 'none', 'a') })).toThrow(/expected --record .* to be a file that can be written/);
});

test.runIf(process.platform === 'linux')('a full disk is named once, and nothing is thrown', () => {
  const recorder = opened({ path: '/dev/full' });
  recorder.seen('client', 'c2a', Buffer.from('{"method":"a"}\n'));
  recorder.seen('client', 'c2a', Buffer.from('{"method":"b"}\n'));
  recorder.close();
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^--record \/dev\/full cannot be written, the recording ends here and the session goes on: ENOSPC/);
});

/** A proxy of two plugins: what comes is passed line by line, and says what happens to it. */
function passing(recorder: ReturnType<typeof opened>, run: (line: string) => void) {
  return (text: string) => recorder.came('agent', 'a2c', Buffer.from(text), (bytes) => (run(Buffer.from(bytes).toString()), true));
}
const shortly = (): unknown[] => written().slice(1).map((line) => {
  const { at, by, droppedBy, msg, of } = JSON.parse(line) as { at: string; by?: unknown; droppedBy?: unknown; msg?: { method?: string }; of?: unknown };
  return [at, msg?.method ?? of, by ?? droppedBy].filter((part) => part !== undefined);
});

test('a line names who made or changed it, and the one that came names who let it go no further', () => {
  const recorder = opened();
  const pass = passing(recorder, (line) => {
    if (line.includes('swallowed')) recorder.origin.dropped('toClient', { method: 'swallowed', id: undefined }, ['hides: rule']);
    else {
      if (line.includes('changed')) recorder.origin.made('toClient', ['changes', 'adds: rule']);
      recorder.seen('client', 'a2c', Buffer.from(line));
    }
  });
  pass('{"method":"plain"}\n{"method":"changed"}\n{"method":"swallowed"}\n{"method":"half"');
  pass('}\n');
  recorder.close();
  expect(shortly()).toEqual([
    ['agent', 'plain'], ['client', 'plain'],
    ['agent', 'changed'], ['client', 'changed', ['changes', 'adds: rule']],
    ['agent', 'swallowed', ['hides: rule']],
    ['agent', 'half'], ['client', 'half'],
  ]);
});

test('a line that leaves in several writes names who made it, and the next one does not', () => {
  const recorder = opened();
  recorder.origin.made('toClient', ['plain']);
  for (const piece of ['{"method":"a",', '"params":{', '}}\n', '{"method":"b"}\n']) recorder.seen('client', 'a2c', Buffer.from(piece));
  recorder.close();
  expect(written().slice(1)).toEqual(['{"t":0,"at":"client","dir":"a2c","by":["plain"],"msg":{"method":"a","params":{}}}', '{"t":0,"at":"client","dir":"a2c","msg":{"method":"b"}}']);
});

test('what is dropped after its line was written has a line of its own, which a reader passes over', () => {
  const recorder = opened();
  passing(recorder, () => recorder.seen('agent', 'c2a', Buffer.from('{"method":"meanwhile"}\n')))('{"id":12345678901234567890,"method":"held"}\n');
  recorder.origin.dropped('toClient', { method: 'held', id: '12345678901234567890' }, ['hides']);
  recorder.close();
  expect(shortly()).toEqual([['agent', 'held'], ['agent', 'meanwhile'], ['agent', { method: 'held', id: Number('12345678901234567890') }, ['hides']]]);
  expect(written().at(-1)).toBe('{"t":0,"at":"agent","dir":"a2c","of":{"method":"held","id":12345678901234567890},"droppedBy":["hides"]}');
  expect(readRecording(readFileSync(path, 'utf8')).connections[0]?.messages).toHaveLength(2);
});

test('the answer to the last line of a chunk is the answer to the chunk', () => {
  const recorder = opened();
  const answers = [false, true];
  expect(recorder.came('agent', 'a2c', Buffer.from('{"method":"a"}\n{"method":"b"}\n'), () => answers.shift() ?? false)).toBe(true);
  recorder.close();
});
