/**
 * Diagnostics as lines for stderr. A level that is off is a function that does nothing. Knows
 * neither where the lines go nor what they are about.
 */
import type { Log } from '../plugin.js';
import { printableLines } from '../printable.js';

export { printable } from '../printable.js';

export type LogLevel = keyof Log;

const levels: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

const silent = (): void => {};

/** A log that writes whole lines up to `level`. */
export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const enabled = levels.slice(0, levels.indexOf(level) + 1);
  const logger = (name: LogLevel) =>
    enabled.includes(name) ? (text: string) => write(`afterturn: ${name}: ${printableLines(text)}\n`) : silent;
  return { error: logger('error'), warn: logger('warn'), info: logger('info'), debug: logger('debug') };
}
