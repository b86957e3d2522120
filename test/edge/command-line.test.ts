import { describe, expect, it } from 'vitest';
import { givenByEnvironment, invocationOf } from '../../src/edge/command-line.js';
import { RelayError } from '../../src/errors.js';

const invocation = (...argv: string[]) => invocationOf(argv, ['demo']);
const codeOf = (...argv: string[]): string | undefined => {
  try {
    invocation(...argv);
  } catch (error) {
    return error instanceof RelayError ? error.code : String(error);
  }
  return undefined;
};

describe('a command line', () => {
  it('gives everything behind the first -- to the agent', () => {
    const asked = invocation('--source', 'none', '--', 'agent', '--source', 'x', '--', '--help');
    expect(asked).toEqual({ kind: 'proxy', given: new Map([['source', ['none']]]), agentCommand: ['agent', '--source', 'x', '--', '--help'] });
  });

  it('keeps every value of a repeatable option, the last of another', () => {
    const asked = invocation('--plugin', 'a', '--source=none', '--plugin=b', '--source', 'auto', '--', 'x');
    expect(asked).toMatchObject({ given: new Map([['plugin', ['a', 'b']], ['source', ['auto']]]) });
  });

  it.each([['--help'], ['-h']])('%s asks for help, also before a command', (flag) => {
    expect(invocation(flag, '--', 'agent')).toEqual({ kind: 'help' });
  });

  it.each([['--version'], ['-V']])('%s asks for the version', (flag) => {
    expect(invocation(flag)).toEqual({ kind: 'version' });
  });

  it('names a subcommand in the first place only', () => {
    expect(invocation('demo', '--fast', '--', 'x')).toEqual({ kind: 'subcommand', name: 'demo', args: ['--fast', '--', 'x'] });
    expect(codeOf('--source', 'none', 'demo')).toBe('COMMAND_WITHOUT_DASHES');
    expect(invocation('--', 'demo')).toMatchObject({ kind: 'proxy', agentCommand: ['demo'] });
  });

  it.each([
    [[], 'NO_COMMAND'],
    [['--source', 'none'], 'NO_COMMAND'],
    [['--source', 'none', '--'], 'NO_COMMAND'],
    [['agent'], 'COMMAND_WITHOUT_DASHES'],
    [['--nope', '--', 'x'], 'UNKNOWN_OPTION'],
    [['--toString', '--', 'x'], 'UNKNOWN_OPTION'],
    [['--no-source', '--', 'x'], 'UNKNOWN_OPTION'],
    [['-s', '--', 'x'], 'UNKNOWN_OPTION'],
    [['--source', '--', 'x'], 'MISSING_VALUE'],
    [['--source', '--plugin', 'x', '--', 'x'], 'MISSING_VALUE'],
    [['--version=1'], 'UNEXPECTED_VALUE'],
  ])('%j fails with %s', (argv, code) => {
    expect(codeOf(...argv)).toBe(code);
  });

  it('takes a flag without a value', () => {
    expect(invocation('--redact', '--record', 'f', '--', 'x')).toMatchObject({ given: new Map([['redact', ['true']], ['record', ['f']]]) });
    expect(invocation('--redact=false', '--', 'x')).toMatchObject({ given: new Map([['redact', ['false']]]) });
    expect(codeOf('--redact', 'f', '--', 'x')).toBe('COMMAND_WITHOUT_DASHES');
  });

  it('takes a number below 0 for a value, which is then refused as one', () => {
    expect(invocation('--follow-up-window', '-5', '--', 'x')).toMatchObject({ given: new Map([['follow-up-window', ['-5']]]) });
  });

  it('names the command that was called', () => {
    expect(() => invocationOf([], [], 'afterturn doctor')).toThrow('Run: afterturn doctor [options] -- AGENT_COMMAND [ARGS...]. See afterturn doctor --help.');
    expect(() => invocationOf(['my agent', 'x'], [], 'afterturn doctor')).toThrow("Run: afterturn doctor [options] -- 'my agent' x.");
  });

  it('takes a value that starts with a dash behind "="', () => {
    expect(invocation('--trace-file=-', '--', 'x')).toMatchObject({ given: new Map([['trace-file', ['-']]]) });
  });
});

describe('the environment', () => {
  it('gives values by the names of options; an empty one is unset', () => {
    const given = givenByEnvironment({ AFTERTURN_SOURCE: 'none', AFTERTURN_OTLP: '', AFTERTURN_PLUGIN: 'a, ./b.mjs', SOURCE: 'x' });
    expect(given).toEqual(new Map([['source', ['none']], ['plugin', ['a', './b.mjs']]]));
  });
});
