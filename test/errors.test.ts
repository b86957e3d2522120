import { describe, expect, it } from 'vitest';
import { errorTable, RelayError, relayError, shown } from '../src/errors.js';

describe('the error table', () => {
  it('has a code in capitals, a text and an advice in every row', () => {
    for (const [code, { text, todo }] of Object.entries(errorTable)) {
      expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
      expect(text).toMatch(/expect/);
      expect(text).not.toMatch(/\.$/);
      expect(todo).toMatch(/\.$/);
    }
  });

  it('has these codes, which users and scripts see', () => {
    expect(Object.keys(errorTable)).toEqual([
      'NO_COMMAND', 'COMMAND_WITHOUT_DASHES', 'UNKNOWN_OPTION', 'MISSING_VALUE', 'UNEXPECTED_VALUE', 'BAD_VALUE',
      'UNREADABLE_CONFIG', 'INVALID_CONFIG', 'UNKNOWN_CONFIG_KEY', 'UNWRITABLE_TRACE_FILE',
      'NO_RECORDING', 'UNREADABLE_RECORDING', 'INVALID_RECORDING', 'UNWRITABLE_RECORDING',
      'NO_REPORT_FILE', 'UNREADABLE_REPORT_FILE', 'INVALID_REPORT_FILE', 'UNWRITABLE_REPORT', 'COMMAND_NOT_FOUND', 'COMMAND_NOT_EXECUTABLE',
      'COMMAND_NOT_STARTED', 'PLUGIN_NOT_LOADED', 'PLUGIN_INVALID',
    ]);
  });
});

describe('a RelayError', () => {
  it('says what was expected, what came and what to do', () => {
    const error = relayError('BAD_VALUE', { where: '--source', expected: 'one of a, b', got: '"c"', otherwise: ': the default is a' });
    expect(error).toBeInstanceOf(RelayError);
    expect(error.code).toBe('BAD_VALUE');
    expect(error.message).toBe('--source expects one of a, b, but got "c". Correct the value, or leave it out: the default is a.');
  });

  it('fills slots with texts that look like slots only once', () => {
    expect(relayError('COMMAND_NOT_FOUND', { command: '{command} $& {reason}' }).text).toBe('expected the command of an agent, but {command} $& {reason} was not found');
  });

  it('leaves braces that are no slots alone', () => {
    expect(relayError('INVALID_CONFIG', { path: '/c.json', got: 'got null' }).todo).toBe('Correct the file, for example: {"log-level": "info"}.');
  });
});

describe('a shown value', () => {
  it.each([
    ['a"b', '"a\\"b"'],
    [3, '3'],
    [false, 'false'],
    [null, 'null'],
    [undefined, 'nothing'],
    [['secret'], 'an array'],
    [{ secret: 1 }, 'an object'],
    [() => {}, 'a function'],
  ])('%o is shown as %s', (value, text) => {
    expect(shown(value)).toBe(text);
  });

  it('is cut where it is long', () => {
    expect(shown('x'.repeat(500))).toHaveLength(120);
  });
});
