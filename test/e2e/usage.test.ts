import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lean, agent, run } from './session.js';

const folder = mkdtempSync(join(tmpdir(), 'afterturn-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string, mode = 0o644): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode });
  return path;
}

describe('a usage error', () => {
  it.each([
    ['no command', [], 'NO_COMMAND'],
    ['nothing behind --', ['--'], 'NO_COMMAND'],
    ['a command without --', ['claude-agent-acp', '--flag'], 'COMMAND_WITHOUT_DASHES'],
    ['an unknown option', ['--sorce', 'none', '--', 'x'], 'UNKNOWN_OPTION'],
    ['an unknown short option', ['-x', '--', 'x'], 'UNKNOWN_OPTION'],
    ['a missing value', ['--source', '--', 'x'], 'MISSING_VALUE'],
    ['a value where none belongs', ['--help=yes'], 'UNEXPECTED_VALUE'],
    ['a bad choice', ['--source', 'elsewhere', '--', 'x'], 'BAD_VALUE'],
    ['a bad number', ['--follow-up-window=1s', '--', 'x'], 'BAD_VALUE'],
    ['a bad URL', ['--otlp', 'collector:4318', '--', 'x'], 'BAD_VALUE'],
    ['a command that is not there', ['--', 'no-such-agent-anywhere'], 'COMMAND_NOT_FOUND'],
    ['a configuration that is not there', ['--config', join(folder, 'none.json'), '--', 'x'], 'UNREADABLE_CONFIG'],
    ['a plugin that is not there', ['--plugin', './none.mjs', '--', 'x'], 'PLUGIN_NOT_LOADED'],
  ])('of %s is one line on stderr and exit code 2', async (_, args, code) => {
    const { stderr, stdout, code: exit } = await run(args);
    expect(stderr).toMatch(new RegExp(`^afterturn: ${code}: expected|^afterturn: ${code}: \\S+ expects`));
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stdout).toHaveLength(0);
    expect(exit).toBe(2);
  });

  it('of a command without -- shows the form that works', async () => {
    const { stderr } = await run(['claude-agent-acp', "it's"]);
    expect(stderr).toContain(`Run: afterturn [options] -- claude-agent-acp 'it'\\''s'.`);
  });

  it('of a file that may not be executed says so', async () => {
    const { stderr, code } = await run(['--', file('agent.sh', '#!/bin/sh\n')]);
    expect(stderr).toContain('COMMAND_NOT_EXECUTABLE');
    expect(code).toBe(2);
  });

  it.each([
    ['no JSON', '{log-level', 'INVALID_CONFIG'],
    ['no object', '[]', 'INVALID_CONFIG'],
    ['an unknown key', '{"log_level":"info"}', 'UNKNOWN_CONFIG_KEY'],
    ['a file in a file', '{"config":"x"}', 'UNKNOWN_CONFIG_KEY'],
    ['a wrong type', '{"log-level":3}', 'BAD_VALUE'],
  ])('of a configuration with %s names the file', async (name, text, code) => {
    const path = file(`${name.replaceAll(' ', '-')}.json`, text);
    const { stderr, code: exit } = await run(['--config', path, '--', ...agent('echo')]);
    expect(stderr).toContain(code);
    expect(stderr).toContain(path);
    expect(exit).toBe(2);
  });
});

describe('precedence', () => {
  const debug = /afterturn: debug: started/;

  it('the command line wins over the variable, the variable over the file', async () => {
    const config = file('debug.json', '{"log-level":"debug"}');
    const env = { AFTERTURN_CONFIG: config };
    expect((await run(['--', ...agent('echo')], { env })).stderr).toMatch(debug);
    expect((await run(['--', ...agent('echo')], { env: { ...env, AFTERTURN_LOG_LEVEL: 'error' } })).stderr).toBe('');
    expect((await run(['--log-level=debug', '--', ...agent('echo')], { env: { AFTERTURN_LOG_LEVEL: 'error' } })).stderr).toMatch(debug);
  });
});

describe('what belongs to the agent', () => {
  it('is everything behind --, and its environment is ours, unchanged', async () => {
    const args = ['--help', '--', '--source', '', 'a b', '-x'];
    const env = { AFTERTURN_LOG_LEVEL: 'error', OTEL_SERVICE_NAME: 'agent' };
    const { stdout } = await run(['--', ...agent('environment', ...args)], { env });
    const said = JSON.parse(stdout.toString()) as { params: { argv: string[]; env: Record<string, string> } };
    expect(said.params.argv).toEqual(args);
    expect(said.params.env).toEqual(JSON.parse(JSON.stringify({ ...process.env, ...lean, ...env })));
  });
});

describe('help and version', () => {
  it('--help goes to stdout and names every option with its variable', async () => {
    const { stdout, stderr, code } = await run(['--help']);
    for (const name of ['agent-protocol', 'source', 'follow-up-window', 'stale', 'stale-after', 'stray-output', 'plugin', 'config', 'trace-file', 'otlp', 'log-level']) {
      expect(stdout.toString()).toContain(`--${name}`);
      expect(stdout.toString()).toContain(`AFTERTURN_${name.toUpperCase().replaceAll('-', '_')}`);
    }
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  it('--version is that of the package', async () => {
    const { stdout, code } = await run(['--version']);
    expect(stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(code).toBe(0);
  });

  it('each subcommand has its own --help', async () => {
    const { stdout, code } = await run(['demo', '--help']);
    expect(stdout.toString()).toMatch(/^afterturn demo/);
    expect(code).toBe(0);
  });
});
