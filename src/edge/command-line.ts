/**
 * argv to what was asked for. Options count before the first `--` only; everything after it is the
 * agent's. Knows the names of options, not their values.
 */
import { parseArgs } from 'node:util';
import { relayError, shown } from '../errors.js';
import { isOptionName, optionNames, optionRow, variableOf, type OptionName } from './options.js';

/** The texts given for each option, in order. */
export type Given = ReadonlyMap<OptionName, readonly string[]>;

export type Invocation =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'subcommand'; readonly name: string; readonly args: readonly string[] }
  | { readonly kind: 'proxy'; readonly given: Given; readonly agentCommand: readonly string[] };

const flags = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'V' } } as const;
const spelled = Object.fromEntries(optionNames.map((name) => [name, { type: optionRow(name).flag === true ? 'boolean' : 'string', multiple: true } as const]));

/** What the command line asks for. `command`: what was called, for the advice. Throws a `RelayError` on what it does not know. */
export function invocationOf(argv: readonly string[], subcommands: readonly string[], command = 'afterturn'): Invocation {
  const [first, ...rest] = argv;
  if (first !== undefined && subcommands.includes(first)) return { kind: 'subcommand', name: first, args: rest };
  const dashes = argv.indexOf('--');
  const own = dashes < 0 ? argv : argv.slice(0, dashes);
  const agentCommand = dashes < 0 ? [] : argv.slice(dashes + 1);
  const { tokens } = own.length === 0 ? { tokens: [] } : parseArgs({ args: [...own], options: { ...flags, ...spelled }, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<OptionName, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') throw withoutDashes(own, token.index, command);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (Object.hasOwn(flags, name)) {
      if (value !== undefined) throw relayError('UNEXPECTED_VALUE', { option: rawName, got: shown(value) });
      return { kind: name as keyof typeof flags };
    }
    if (!isOptionName(name)) throw relayError('UNKNOWN_OPTION', { command, option: rawName });
    const row = optionRow(name);
    if (row.flag === true) {
      given.set(name, [value ?? 'true']);
      continue;
    }
    if (value === undefined || (!inlineValue && looksLikeOption(value))) {
      throw relayError('MISSING_VALUE', { option: rawName, expected: row.kind.expected, value: row.value });
    }
    given.set(name, [...(row.repeatable ? (given.get(name) ?? []) : []), value]);
  }
  if (agentCommand.length === 0) throw relayError('NO_COMMAND', { command });
  return { kind: 'proxy', given, agentCommand };
}

function withoutDashes(own: readonly string[], index: number, command: string): Error {
  return relayError('COMMAND_WITHOUT_DASHES', { got: shown(own[index]), command, agent: own.slice(index).map(quoted).join(' ') });
}

/** A word that stands where a value should, but is none. A number below 0 is one, if a bad one. */
export const looksLikeOption = (word: string): boolean => /^-(?!\.?\d)/.test(word);

/** Quoted for a shell where it must be, so that the advice can be pasted. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The texts that the environment gives. An empty variable counts as unset. */
export function givenByEnvironment(env: Readonly<Record<string, string | undefined>>): Given {
  const given = new Map<OptionName, readonly string[]>();
  for (const name of optionNames) {
    const text = env[variableOf(name)];
    if (text) given.set(name, optionRow(name).repeatable ? text.split(',').map((each) => each.trim()) : [text]);
  }
  return given;
}
