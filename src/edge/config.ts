/**
 * Command line, environment and configuration file to one frozen, validated `Config`. The command
 * line wins over the variable, the variable over the file, the file over the default. Knows the
 * rules of precedence, not what an option is for.
 */
import { relayError, shown } from '../errors.js';
import { givenByEnvironment, type Given } from './command-line.js';
import { defaultText, optionNames, optionRow, variableOf, type OptionName, type OptionValues } from './options.js';

export interface Config {
  /** The agent's command line, as it came. */
  readonly agentCommand: readonly string[];
  readonly options: OptionValues;
}

/** One place that values come from. */
interface Source {
  has(name: OptionName): boolean;
  /** Throws a `RelayError` that says where the value stands. */
  read(name: OptionName): unknown;
}

export interface ConfigInput {
  readonly given: Given;
  readonly agentCommand: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** The configuration. Throws a `RelayError` for a bad value or a file that cannot be used. */
export async function configOf({ given, agentCommand, env, cwd }: ConfigInput): Promise<Config> {
  const direct = [
    textSource(given, cwd, (name) => `--${name}`),
    textSource(givenByEnvironment(env), cwd, variableOf),
  ];
  const file = valueFrom(direct, 'config') as OptionValues['config'];
  const sources = file === undefined ? direct : [...direct, await fileSource(file)];
  const options = Object.fromEntries(optionNames.map((name) => [name, valueFrom(sources, name)])) as unknown as OptionValues;
  return Object.freeze({ agentCommand: Object.freeze([...agentCommand]), options: Object.freeze(options) });
}

function valueFrom(sources: readonly Source[], name: OptionName): unknown {
  const source = sources.find((each) => each.has(name));
  return source === undefined ? optionRow(name).default : source.read(name);
}

function textSource(given: Given, base: string, placeOf: (name: OptionName) => string): Source {
  return {
    has: (name) => given.has(name),
    read(name) {
      const { kind, repeatable } = optionRow(name);
      const values = (given.get(name) ?? []).map((text) => checked(name, placeOf(name), text, kind.fromText(text, base)));
      return repeatable ? values.flat() : values.at(-1);
    },
  };
}

/** Loaded only when a file is named: it is off the start path. */
async function fileSource(file: string): Promise<Source> {
  const { jsonConfigOf } = await import('./config-file.js');
  const { values, base } = jsonConfigOf(file);
  return {
    has: (name) => Object.hasOwn(values, name),
    read: (name) => checked(name, `"${name}" in ${file}`, values[name], optionRow(name).kind.fromJson(values[name], base)),
  };
}

function checked(name: OptionName, where: string, came: unknown, value: unknown): unknown {
  if (value !== undefined) return value;
  const row = optionRow(name);
  const otherwise = row.default === undefined || (Array.isArray(row.default) && row.default.length === 0) ? ': it has no default' : `: the default is ${defaultText(row)}`;
  throw relayError('BAD_VALUE', { where, expected: row.kind.expected, got: shown(came), otherwise });
}
