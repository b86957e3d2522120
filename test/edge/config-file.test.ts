import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { jsonConfigOf } from '../../src/edge/config-file.js';

const folder = mkdtempSync(join(tmpdir(), 'afterturn-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'config.json');
const read = (text: string) => {
  writeFileSync(path, text);
  return jsonConfigOf(path);
};

describe('a configuration file', () => {
  it('is a JSON object of option names; a byte order mark is allowed', () => {
    expect(read('\uFEFF{"source":"none"}')).toEqual({ values: { source: 'none' }, base: folder });
    expect(read('{}').values).toEqual({});
  });

  it.each([
    ['', 'its text is no JSON'],
    ['{"source":"none",}', 'its text is no JSON'],
    ['null', 'got null'],
    ['["source"]', 'got an array'],
    ['"secret"', 'got "secret"'],
    ['{"config":"x"}', 'got "config"'],
    ['{"toString":1}', 'got "toString"'],
    ['{"__proto__":1}', 'got "__proto__"'],
  ])('%j fails with the reason', (text, reason) => {
    expect(() => read(text)).toThrow(reason);
    expect(() => read(text)).toThrow(path);
  });

  it('that is a folder or is not there fails with the reason', () => {
    expect(() => jsonConfigOf(folder)).toThrow(/EISDIR/);
    expect(() => jsonConfigOf(join(folder, 'none.json'))).toThrow(/ENOENT/);
  });
});
