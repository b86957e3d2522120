import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openTraceFile } from '../../src/edge/telemetry-file.js';
import { RelayError } from '../../src/errors.js';

const folder = mkdtempSync(join(tmpdir(), 'trace-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => Buffer.from(text);

test('appends lines, behind what is there and beside others', () => {
  const path = join(folder, 'shared');
  writeFileSync(path, 'old\n');
  const [one, two] = [openTraceFile(path), openTraceFile(path)];
  one.append(bytes('1'));
  two.append(bytes('2'));
  one.append(bytes('3'));
  one.close();
  two.close();
  expect(readFileSync(path, 'utf8')).toBe('old\n1\n2\n3\n');
});

test('that is made for contents is its owner\'s alone', () => {
  const path = join(folder, 'contents');
  openTraceFile(path, true).close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

describe('a file that cannot be written is named before anything starts', () => {
  test.each<[string, () => string, string]>([
    ['a folder', () => folder, 'EISDIR'],
    ['in a folder that is not there', () => join(folder, 'no', 'file'), 'ENOENT'],
    ['a pipe that nobody reads', () => (execFileSync('mkfifo', [join(folder, 'pipe')]), join(folder, 'pipe')), 'ENXIO'],
  ])('%s', (_what, make, reason) => {
    const path = make();
    expect(() => openTraceFile(path)).toThrow(RelayError);
    expect(() => openTraceFile(path)).toThrow(new RegExp(`--trace-file ${path}.*${reason}`));
  });
});

test('a pipe that is not read takes whole lines or fails, and never holds the caller', () => {
  const path = join(folder, 'slow');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, 'r+');
  const file = openTraceFile(path);
  const line = bytes('x'.repeat(50_000));
  const started = performance.now();
  let failed = 0;
  for (let i = 0; i < 10; i++) {
    try {
      file.append(line);
    } catch {
      failed++;
    }
  }
  expect(failed).toBeGreaterThan(0);
  expect(performance.now() - started).toBeLessThan(2000);
  file.close();
  closeSync(reader);
});
