/**
 * The options of the proxy: one row each drives the command line, the environment, the
 * configuration file and the help. Knows what a value means, not where it came from.
 */
import { isAbsolute, resolve } from 'node:path';
import { GAPS, type Gap } from '../state/index.js';

/** How a value is read. `undefined` from a reader: it is not what was expected. */
export interface Kind<T> {
  /** Completes "expects ...". */
  readonly expected: string;
  /** Text of the command line or the environment; `base` is what relative paths start from. */
  fromText(text: string, base: string): T | undefined;
  /** A value of the configuration file. */
  fromJson(value: unknown, base: string): T | undefined;
}

export interface OptionRow<T> {
  readonly kind: Kind<T>;
  /** Stands for the value in the help. */
  readonly value: string;
  readonly default: T;
  /** The default as it is written, where that is not its plain text. */
  readonly defaultName?: string;
  /** Takes no value: naming it means yes. */
  readonly flag?: boolean;
  /** May come several times; the environment separates with commas. */
  readonly repeatable?: boolean;
  readonly help: string;
}

/** A kind whose values in the configuration file are strings read like those of the command line. */
function textKind<T>(expected: string, fromText: Kind<T>['fromText']): Kind<T> {
  return { expected, fromText, fromJson: (value, base) => (typeof value === 'string' ? fromText(value, base) : undefined) };
}

function choice<const C extends string>(choices: readonly C[], fallback: NoInfer<C>, help: string): OptionRow<C> {
  const kind = textKind(`one of ${choices.join(', ')}`, (text) => choices.find((each) => each === text));
  return { kind, value: choices.join('|'), default: fallback, help };
}

/** The longest timer that Node has. */
const longestTimer = 2 ** 31 - 1;

function millisecondsOf(text: string): number | undefined {
  return /^\d+$/.test(text) && Number(text) <= longestTimer ? Number(text) : undefined;
}

const milliseconds: Kind<number> = {
  expected: `a whole number of milliseconds from 0 to ${longestTimer}`,
  fromText: millisecondsOf,
  fromJson: (value) => (typeof value === 'number' || typeof value === 'string' ? millisecondsOf(String(value)) : undefined),
};

/** `all`, `none`, or some of the gaps. */
function gapsOf(names: readonly unknown[]): readonly Gap[] | undefined {
  if (names.length === 1 && (names[0] === 'all' || names[0] === 'none')) return names[0] === 'all' ? GAPS : [];
  const gaps = names.map((name) => GAPS.find((gap) => gap === name));
  return gaps.every((gap) => gap !== undefined) ? gaps : undefined;
}

const gaps: Kind<readonly Gap[]> = {
  expected: `all, none, or some of ${GAPS.join(', ')}, with commas between`,
  fromText: (text) => gapsOf(text.split(',')),
  fromJson: (value) => gapsOf(Array.isArray(value) ? value : String(value).split(',')),
};

const yesOrNo: Kind<boolean> = {
  expected: 'true or false',
  fromText: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  fromJson: (value) => (typeof value === 'boolean' ? value : undefined),
};

const units: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

function bytesOf(text: string): number | undefined {
  const [, digits, unit = ''] = /^([1-9]\d{0,11})([KMG]?)$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (units[unit] ?? 1);
}

const bytes: Kind<number | undefined> = {
  expected: 'a size in bytes, or with K, M or G behind it',
  fromText: bytesOf,
  fromJson: (value) => (typeof value === 'number' || typeof value === 'string' ? bytesOf(String(value)) : undefined),
};

const path = textKind<string | undefined>('the path of a file', (text, base) => (text === '' ? undefined : resolve(base, text)));

const url = textKind<string | undefined>('an http:// or https:// URL', (text) =>
  /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined);

/** A path stays a path, made absolute; anything else is the name of a package. */
function moduleOf(text: string, base: string): string | undefined {
  if (text === '') return undefined;
  return /^\.{1,2}([/\\]|$)/.test(text) || isAbsolute(text) || /^[^:]*\.[cm]?js$/.test(text) ? resolve(base, text) : text;
}

/** All items, or `undefined` as soon as one is not what was expected. */
function listOf(values: readonly unknown[], base: string): readonly string[] | undefined {
  const modules = values.map((value) => (typeof value === 'string' ? moduleOf(value, base) : undefined));
  return modules.every((module) => module !== undefined) ? modules : undefined;
}

const modules: Kind<readonly string[]> = {
  expected: 'a module: a path or the name of a package',
  fromText: (text, base) => listOf([text], base),
  fromJson: (value, base) => (Array.isArray(value) ? listOf(value, base) : listOf([value], base)),
};

/** In the order of the help. A name is an option, `AFTERTURN_` and its capitals, and a key of the file. */
export const optionTable = {
  'agent-protocol': choice(['auto', 'v1', 'v2'], 'auto', 'ACP version to speak to the agent.'),
  source: choice(['auto', 'async-tasks', 'claude-raw', 'none'], 'auto', 'Where news about background work comes from.'),
  'follow-up-window': {
    kind: milliseconds,
    value: 'MS',
    default: 250,
    help: 'How long the end of background work waits for the turn that the agent starts because of it.',
  },
  fill: { kind: gaps, value: 'GAPS', default: GAPS, defaultName: 'all', help: `Gaps that are filled in what an agent reports of its background work itself: all, none, or some of ${GAPS.join(', ')}.` },
  stale: choice(['off', 'auto', 'always'], 'auto', 'Tool calls that the agent left unfinished are settled; auto: where it is known which ones still live.'),
  'stale-after': { kind: milliseconds, value: 'MS', default: 2000, help: 'How long nothing may have spoken for such a call before it is settled.' },
  'stray-output': choice(['divert', 'forward'], 'divert', "Lines of the agent's stdout that are no JSON-RPC message: to stderr, or passed on."),
  plugin: {
    kind: modules,
    value: 'MODULE',
    default: [],
    repeatable: true,
    help: 'A plugin of your own, between the client and the built-in ones. May be given several times; the order counts.',
  },
  config: { kind: path, value: 'FILE', default: undefined, help: 'JSON file with these options as keys (but this one).' },
  'trace-file': { kind: path, value: 'FILE', default: undefined, help: 'Append spans to this file: OTLP JSON, one export a line.' },
  otlp: { kind: url, value: 'URL', default: undefined, help: 'Send spans, metrics and log records to this OTLP/HTTP endpoint.' },
  'pending-spans': { kind: yesOrNo, value: '', flag: true, default: false, help: 'Show each turn, call and background item when it starts, by a span without length below its own.' },
  'capture-content': { kind: yesOrNo, value: '', flag: true, default: false, help: 'Prompts, tool input and output, command lines and paths become attributes of the spans, bounded in size.' },
  'no-propagate': { kind: yesOrNo, value: '', flag: true, default: false, help: "Do not write the turn's trace context into the prompts that the agent gets." },
  'link-client-trace': { kind: yesOrNo, value: '', flag: true, default: false, help: "Make each turn a trace of its own that links to the client's span, in place of a part of the client's trace." },
  record: { kind: path, value: 'FILE', default: undefined, help: 'Append what passes on both sides of the proxy to this file, one JSON object a line.' },
  'record-size': { kind: bytes, value: 'SIZE', default: undefined, help: 'A recording that would grow beyond this (bytes, or with K, M or G) goes on in a new file; FILE.1 holds the older part.' },
  redact: { kind: yesOrNo, value: '', flag: true, default: false, help: 'Mask contents and secrets in the recording; shapes, names and lengths stay.' },
  'log-level': choice(['error', 'warn', 'info', 'debug'], 'warn', 'How much to say on stderr.'),
} as const satisfies Record<string, OptionRow<string | number | boolean | readonly string[] | undefined>>;

export type OptionName = keyof typeof optionTable;
type Read<R> = R extends { readonly kind: Kind<infer T> } ? T : never;
/** Every option's value by its name. */
export type OptionValues = { readonly [N in OptionName]: Read<(typeof optionTable)[N]> };

export const optionNames = Object.keys(optionTable) as readonly OptionName[];

export const isOptionName = (name: string): name is OptionName => Object.hasOwn(optionTable, name);

/** The row of an option, with the type of its value left open. */
export const optionRow = (name: OptionName): OptionRow<unknown> => optionTable[name];

/** An option's default as a user writes it. */
export const defaultText = (row: OptionRow<unknown>): string => row.defaultName ?? String(row.default);

/** The environment variable of an option. */
export const variableOf = (name: OptionName): string => `AFTERTURN_${name.toUpperCase().replaceAll('-', '_')}`;
