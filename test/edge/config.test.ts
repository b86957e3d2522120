import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { configOf, type ConfigInput } from '../../src/edge/config.js';
import type { OptionName } from '../../src/edge/options.js';

const folder = mkdtempSync(join(tmpdir(), 'afterturn-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(value: unknown): string {
  const path = join(folder, `${Math.random().toString(36).slice(2)}.json`);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

const given = (values: Partial<Record<OptionName, string[]>>): ConfigInput['given'] => new Map(Object.entries(values) as [OptionName, string[]][]);
const config = (input: Partial<ConfigInput>) => configOf({ given: new Map(), agentCommand: ['agent'], env: {}, cwd: '/cwd', ...input });

describe('a configuration', () => {
  it('is all defaults when nothing is given', async () => {
    expect(await config({})).toEqual({
      agentCommand: ['agent'],
      options: {
        'agent-protocol': 'auto',
        source: 'auto',
        'follow-up-window': 250,
        fill: ['removals', 'monitors', 'replays', 'ends'],
        stale: 'auto',
        'stale-after': 2000,
        'stray-output': 'divert',
        plugin: [],
        config: undefined,
        'trace-file': undefined,
        record: undefined,
        'record-size': undefined,
        redact: false,
        otlp: undefined,
        'pending-spans': false,
        'no-propagate': false,
        'link-client-trace': false,
        'capture-content': false,
        'log-level': 'warn',
      },
    });
  });

  it('takes the command line before the variable, the variable before the file', async () => {
    const path = file({ source: 'none', 'follow-up-window': 1, 'log-level': 'error' });
    const { options } = await config({
      given: given({ source: ['claude-raw'], config: [path] }),
      env: { AFTERTURN_SOURCE: 'async-tasks', AFTERTURN_FOLLOW_UP_WINDOW: '2' },
    });
    expect(options).toMatchObject({ source: 'claude-raw', 'follow-up-window': 2, 'log-level': 'error' });
  });

  it('takes a list as a whole from one place', async () => {
    const path = file({ plugin: ['./f.mjs'] });
    expect((await config({ given: given({ plugin: ['a', 'b'] }), env: { AFTERTURN_CONFIG: path } })).options.plugin).toEqual(['a', 'b']);
    expect((await config({ env: { AFTERTURN_CONFIG: path, AFTERTURN_PLUGIN: 'e' } })).options.plugin).toEqual(['e']);
    expect((await config({ env: { AFTERTURN_CONFIG: path } })).options.plugin).toEqual([join(folder, 'f.mjs')]);
  });

  it('starts relative paths where they stand', async () => {
    const path = file({ 'trace-file': 'spans.jsonl' });
    expect((await config({ given: given({ config: [path] }) })).options['trace-file']).toBe(join(folder, 'spans.jsonl'));
    expect((await config({ given: given({ 'trace-file': ['spans.jsonl'] }) })).options['trace-file']).toBe('/cwd/spans.jsonl');
  });

  it('cannot be changed', async () => {
    const frozen = await config({});
    expect(Object.isFrozen(frozen) && Object.isFrozen(frozen.options) && Object.isFrozen(frozen.agentCommand)).toBe(true);
  });
});

describe('a bad value', () => {
  it.each([
    [{ given: given({ source: ['x'] }) }, '--source expects one of auto, async-tasks, claude-raw, none, but got "x". Correct the value, or leave it out: the default is auto.'],
    [{ env: { AFTERTURN_OTLP: 'x' } }, 'AFTERTURN_OTLP expects an http:// or https:// URL, but got "x". Correct the value, or leave it out: it has no default.'],
  ])('is shown with its place', async (input, message) => {
    await expect(config(input)).rejects.toThrow(message);
  });

  it('of a file is shown with the file', async () => {
    const path = file({ 'follow-up-window': true });
    await expect(config({ given: given({ config: [path] }) })).rejects.toThrow(`"follow-up-window" in ${path} expects a whole number of milliseconds from 0 to 2147483647, but got true.`);
  });

  it('that another place overrides is not looked at', async () => {
    expect((await config({ given: given({ source: ['none'] }), env: { AFTERTURN_SOURCE: 'x' } })).options.source).toBe('none');
  });
});
