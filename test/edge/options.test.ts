import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isOptionName, optionNames, optionRow, optionTable, variableOf } from '../../src/edge/options.js';

const base = '/base';

describe('each option', () => {
  it('has a variable, help in one sentence and a default that is a value of its kind', () => {
    for (const name of optionNames) {
      const row = optionRow(name);
      expect(variableOf(name)).toMatch(/^AFTERTURN_[A-Z_]+$/);
      expect(row.help).toMatch(/^[A-Z].*\.$|\)\.$/);
      if (row.default !== undefined) expect(row.kind.fromJson(row.default, base)).toEqual(row.default);
    }
  });

  it('is found by its own name only', () => {
    expect(isOptionName('source')).toBe(true);
    for (const name of ['toString', 'agentProtocol', '__proto__', '']) expect(isOptionName(name)).toBe(false);
  });
});

describe('a choice', () => {
  const { kind } = optionTable.source;
  it('is one of its names, exactly', () => {
    expect(kind.fromText('claude-raw', base)).toBe('claude-raw');
    for (const text of ['', 'Claude-Raw', 'claude', 'auto ']) expect(kind.fromText(text, base)).toBeUndefined();
    for (const value of [1, null, ['auto'], true]) expect(kind.fromJson(value, base)).toBeUndefined();
  });
});

describe('milliseconds', () => {
  const { kind } = optionTable['follow-up-window'];
  it.each([['0', 0], ['250', 250], ['2147483647', 2147483647]])('%s is %i', (text, value) => {
    expect(kind.fromText(text, base)).toBe(value);
    expect(kind.fromJson(value, base)).toBe(value);
  });
  it.each(['', '-1', '1.5', '1e3', '250ms', ' 1', '2147483648', 'NaN'])('%o is none', (text) => {
    expect(kind.fromText(text, base)).toBeUndefined();
  });
  it.each([-1, 1.5, NaN, Infinity, null, {}])('%o of a file is none', (value) => {
    expect(kind.fromJson(value, base)).toBeUndefined();
  });
});

describe('a path', () => {
  const { kind } = optionTable['trace-file'];
  it('starts from where it stands', () => {
    expect(kind.fromText('spans.jsonl', base)).toBe(resolve(base, 'spans.jsonl'));
    expect(kind.fromText('/abs/spans.jsonl', base)).toBe(resolve('/abs/spans.jsonl'));
    expect(kind.fromText('', base)).toBeUndefined();
  });
});

describe('a size', () => {
  const { kind } = optionTable['record-size'];
  it.each([['1', 1], ['64K', 65_536], ['10M', 10_485_760], ['2G', 2_147_483_648]])('%s is %i bytes', (text, value) => {
    expect(kind.fromText(text, base)).toBe(value);
    expect(kind.fromJson(text, base)).toBe(value);
  });
  it.each(['', '0', '-1', '1.5M', '1k', 'M', '1MB'])('%o is none', (text) => {
    expect(kind.fromText(text, base)).toBeUndefined();
  });
});

describe('the gaps to fill', () => {
  const { kind } = optionTable.fill;
  it('are all, none, or some of them', () => {
    expect(kind.fromText('all', base)).toEqual(['removals', 'monitors', 'replays', 'ends']);
    expect(kind.fromText('none', base)).toEqual([]);
    expect(kind.fromText('monitors,replays', base)).toEqual(['monitors', 'replays']);
    expect(kind.fromJson('removals', base)).toEqual(['removals']);
    expect(kind.fromJson(['replays', 'removals'], base)).toEqual(['replays', 'removals']);
    for (const text of ['', 'all,none', 'all,monitors', 'Monitors', 'monitors,']) expect(kind.fromText(text, base)).toBeUndefined();
    for (const value of [1, null, {}, ['all', 'none'], [1]]) expect(kind.fromJson(value, base)).toBeUndefined();
  });
});

describe('a flag', () => {
  const { kind } = optionTable.redact;
  it('is true or false', () => {
    expect(kind.fromText('true', base)).toBe(true);
    expect(kind.fromJson(false, base)).toBe(false);
    for (const value of ['', 'yes', '1']) expect(kind.fromText(value, base)).toBeUndefined();
    for (const value of ['true', 1, null]) expect(kind.fromJson(value, base)).toBeUndefined();
  });
});

describe('a URL', () => {
  const { kind } = optionTable.otlp;
  it('is http or https', () => {
    expect(kind.fromText('http://localhost:4318', base)).toBe('http://localhost:4318');
    for (const text of ['', 'localhost:4318', 'file:///x', 'http://', 'https//x']) expect(kind.fromText(text, base)).toBeUndefined();
  });
});

describe('a module', () => {
  const { kind } = optionTable.plugin;
  it.each([
    ['./a.mjs', resolve(base, 'a.mjs')],
    ['../a', resolve('/a')],
    ['a.js', resolve(base, 'a.js')],
    ['sub/a.cjs', resolve(base, 'sub/a.cjs')],
    ['/abs/a', resolve('/abs/a')],
    ['some-package', 'some-package'],
    ['@scope/some-package', '@scope/some-package'],
  ])('%s is %s', (text, module) => {
    expect(kind.fromText(text, base)).toEqual([module]);
  });
  it('may be one or many in a file', () => {
    expect(kind.fromJson('pkg', base)).toEqual(['pkg']);
    expect(kind.fromJson(['pkg', './b.mjs'], base)).toEqual(['pkg', resolve(base, 'b.mjs')]);
    for (const value of [[1], [''], {}, null]) expect(kind.fromJson(value, base)).toBeUndefined();
  });
});
