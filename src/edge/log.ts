/**
 * Diagnostics as lines for stderr. A level that is off is a function that does nothing. Knows
 * neither where the lines go nor what they are about.
 */
import type { Log } from '../plugin.js';

export type LogLevel = keyof Log;

const levels: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

const silent = (): void => {};

// Control and format characters could move the cursor, change colours or reorder what is shown.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const shorthands: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text with its control characters made visible. */
export function printable(text: string): string {
  return text.replace(unprintable, (each) => shorthands[each] ?? `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A log that writes whole lines up to `level`. */
export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const enabled = levels.slice(0, levels.indexOf(level) + 1);
  const logger = (name: LogLevel) =>
    enabled.includes(name) ? (text: string) => write(`afterturn: ${name}: ${printable(text)}\n`) : silent;
  return { error: logger('error'), warn: logger('warn'), info: logger('info'), debug: logger('debug') };
}
