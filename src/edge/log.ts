/**
 * Diagnostics as lines for stderr. A level that is off is a function that does nothing. Knows
 * neither where the lines go nor what they are about.
 */
import type { Log } from '../plugin.js';
import { printable } from '../printable.js';

export { printable } from '../printable.js';

export type LogLevel = keyof Log;

const levels: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

const silent = (): void => {};

/** One line, but for the places in a stack, each on its own. */
const linesOf = (text: string): string => text.split(/\n(?= +at )/).map(printable).join('\n');

/** A log that writes whole lines up to `level`. */
export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const enabled = levels.slice(0, levels.indexOf(level) + 1);
  const logger = (name: LogLevel) =>
    enabled.includes(name) ? (text: string) => write(`afterturn: ${name}: ${linesOf(text)}\n`) : silent;
  return { error: logger('error'), warn: logger('warn'), info: logger('info'), debug: logger('debug') };
}
