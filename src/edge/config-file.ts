/**
 * Reads the configuration file: a JSON object whose keys are names of options. Paths in it are
 * relative to the file. Knows which keys there are, not what their values mean.
 */
import { dirname } from 'node:path';
import { relayError, shown } from '../errors.js';
import { isOptionName, optionNames } from './options.js';
import { textOfFile } from './text-file.js';

export interface JsonConfig {
  readonly values: Readonly<Record<string, unknown>>;
  /** What relative paths in the file start from. */
  readonly base: string;
}

/** A file cannot name another file. */
const isKey = (key: string): boolean => isOptionName(key) && key !== 'config';

/** The file's keys and values. Throws a `RelayError` if it is unreadable, no JSON object or has unknown keys. */
export function jsonConfigOf(path: string): JsonConfig {
  const values = parsed(path, textOf(path));
  const unknown = Object.keys(values).find((key) => !isKey(key));
  if (unknown !== undefined) {
    throw relayError('UNKNOWN_CONFIG_KEY', { path, key: shown(unknown), known: optionNames.filter(isKey).join(', ') });
  }
  return { values, base: dirname(path) };
}

function textOf(path: string): string {
  try {
    return textOfFile(path);
  } catch (error) {
    throw relayError('UNREADABLE_CONFIG', { path, reason: error instanceof Error ? error.message : String(error) });
  }
}

function parsed(path: string, text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw relayError('INVALID_CONFIG', { path, got: 'its text is no JSON' });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw relayError('INVALID_CONFIG', { path, got: `got ${shown(value)}` });
  }
  return value as Readonly<Record<string, unknown>>;
}
