import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/edge/cli.js';
import { packageVersion } from '../../src/edge/version.js';

async function ran(...argv: string[]) {
  let out = '';
  let err = '';
  const end = await runCommand(argv, { out: (text) => (out += text), err: (text) => (err += text) });
  return { ...end, out, err };
}

describe('the command', () => {
  it('answers --help and --version on stdout', async () => {
    expect(await ran('--version')).toEqual({ code: 0, signal: null, out: `${packageVersion()}\n`, err: '' });
    expect((await ran('--help')).out).toContain('afterturn [options] -- AGENT_COMMAND [ARGS...]');
    expect((await ran('demo', '--help')).out).toMatch(/^afterturn demo\n/);
  });

  it('shows an error of its own as one line with its code, and ends with 2', async () => {
    expect(await ran('--sou\u001brce')).toEqual({
      code: 2,
      signal: null,
      out: '',
      err: 'afterturn: UNKNOWN_OPTION: expected an option of afterturn, but got --sou\\u001brce. See afterturn --help. Options of the agent go after "--", behind its command.\n',
    });
  });
});
