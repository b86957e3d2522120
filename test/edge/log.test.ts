import { describe, expect, it } from 'vitest';
import { createLog, printable, type LogLevel } from '../../src/edge/log.js';

const levels: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

function linesAt(level: LogLevel): string[] {
  const lines: string[] = [];
  const log = createLog(level, (line) => lines.push(line));
  for (const each of levels) log[each](`a ${each}`);
  return lines;
}

describe('a log', () => {
  it.each([
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug']],
  ] as const)('at %s writes %j', (level, written) => {
    expect(linesAt(level)).toEqual(written.map((each) => `afterturn: ${each}: a ${each}\n`));
  });

  it('shares one function for all levels that are off', () => {
    const log = createLog('error', () => {});
    expect(log.warn).toBe(log.debug);
  });

  it('writes one line whatever the text holds', () => {
    const lines: string[] = [];
    createLog('warn', (line) => lines.push(line)).warn('a\nb\r\u001b[31m\u2028\u0000');
    expect(lines).toEqual(['afterturn: warn: a\\nb\\r\\u001b[31m\\u2028\\u0000\n']);
  });

  it('gives each place in a stack a line, and only those', () => {
    const lines: string[] = [];
    createLog('warn', (line) => lines.push(line)).error('plugin "p" failed: Error: a\nb\n    at run (file.js:1:2)\n    at \u001b[31m');
    expect(lines).toEqual(['afterturn: error: plugin "p" failed: Error: a\\nb\n    at run (file.js:1:2)\n    at \\u001b[31m\n']);
  });
});

describe('printable text', () => {
  it('makes visible what moves, colours or reorders', () => {
    expect(printable('\t\u0007\u009b\u202e\u2066')).toBe('\\t\\u0007\\u009b\\u202e\\u2066');
  });
  it('leaves the rest as it is', () => {
    expect(printable('né 日本 👩‍👧 \\n "x"')).toBe('né 日本 👩‍👧 \\n "x"');
  });
});
