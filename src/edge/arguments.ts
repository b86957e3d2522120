/**
 * The arguments of the subcommands that work on files: options from a table, the rest are files. Knows
 * how they are spelled and what is wrong with them, not what they are for.
 */
import { parseArgs } from 'node:util';
import { relayError, shown } from '../errors.js';
import { looksLikeOption } from './command-line.js';

/** An option without `expected` is a flag. */
export interface ArgumentRow {
  /** Completes "expects ...". */
  readonly expected?: string;
  /** Stands for the value. */
  readonly value?: string;
  /** Whether a text is a value of it. Default: any that is not empty. */
  readonly accepts?: (text: string) => boolean;
}

export interface Arguments<N extends string> {
  /** The text of each option that was given; a flag's is empty. */
  readonly given: ReadonlyMap<N, string>;
  readonly files: readonly string[];
}

const isPositive = (text: string): boolean => /^\d+(?:\.\d+)?$/.test(text) && Number(text) > 0;

/** The rows that several subcommands share. */
export const flag: ArgumentRow = {};
export const positiveNumber: ArgumentRow = { expected: 'a number above 0', value: 'N', accepts: isPositive };
export const filePath: ArgumentRow = { expected: 'the path of a file', value: 'FILE' };
export const choiceOf = (...choices: readonly string[]): ArgumentRow => ({ expected: `one of ${choices.join(', ')}`, value: choices.join('|'), accepts: (text) => choices.includes(text) });

/** What `args` say. Throws a `RelayError` on an option that is not in the table and on a bad value. */
export function argumentsOf<const T extends Readonly<Record<string, ArgumentRow>>>(command: string, args: readonly string[], table: T): Arguments<keyof T & string> {
  const options = Object.fromEntries(Object.entries(table).map(([name, { expected }]) => [name, { type: expected === undefined ? ('boolean' as const) : ('string' as const) }]));
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<keyof T & string, string>();
  const files: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') files.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (row === undefined) throw relayError('UNKNOWN_OPTION', { command: `afterturn ${command}`, option: rawName });
    given.set(name, valueOf(row, rawName, value, inlineValue === true));
  }
  return { given, files };
}

function valueOf({ expected, value: stand = 'VALUE', accepts = (text) => text !== '' }: ArgumentRow, option: string, value: string | undefined, isInline: boolean): string {
  if (expected === undefined) {
    if (value !== undefined) throw relayError('UNEXPECTED_VALUE', { option, got: shown(value) });
    return '';
  }
  if (value === undefined || (!isInline && looksLikeOption(value) && value !== '-')) throw relayError('MISSING_VALUE', { option, expected, value: stand });
  if (!accepts(value)) throw relayError('BAD_VALUE', { where: option, expected, got: shown(value), otherwise: '' });
  return value;
}
