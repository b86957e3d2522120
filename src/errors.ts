/**
 * Our own failures: one table of codes, what each says, and what to do about it. Local only; what
 * goes on the wire is an `RpcError`. Knows neither where a failure arises nor how it is shown.
 *
 * Texts may hold values of options, but of payloads only type and key names: they can hold secrets.
 */

/** Code, text (with `{slots}`) and what to do. A code that is retired is never used again. */
export const errorTable = {
  NO_COMMAND: {
    text: 'expected the command of an agent after "--", but none came',
    todo: 'Run: {command} [options] -- AGENT_COMMAND [ARGS...]. See {command} --help.',
  },
  COMMAND_WITHOUT_DASHES: {
    text: 'expected "--" before the command of the agent, but got {got}',
    todo: 'Run: {command} [options] -- {agent}. Whatever follows "--" is left to the agent.',
  },
  UNKNOWN_OPTION: {
    text: 'expected an option of {command}, but got {option}',
    todo: 'See {command} --help. Options of the agent go after "--", behind its command.',
  },
  MISSING_VALUE: {
    text: '{option} expects {expected}, but no value came',
    todo: 'Run: {option} {value}.',
  },
  UNEXPECTED_VALUE: {
    text: '{option} expects no value, but got {got}',
    todo: 'Leave the value out.',
  },
  BAD_VALUE: {
    text: '{where} expects {expected}, but got {got}',
    todo: 'Correct the value, or leave it out{otherwise}.',
  },
  UNREADABLE_CONFIG: {
    text: 'expected a readable configuration file, but {path} could not be read: {reason}',
    todo: 'Check the path and its permissions.',
  },
  INVALID_CONFIG: {
    text: 'expected a JSON object in {path}, but {got}',
    todo: 'Correct the file, for example: {"log-level": "info"}.',
  },
  UNKNOWN_CONFIG_KEY: {
    text: 'expected only names of options as keys in {path}, but got {key}',
    todo: 'Use one of: {known}.',
  },
  UNWRITABLE_TRACE_FILE: {
    text: 'expected --trace-file {path} to be a file that can be written, but {reason}',
    todo: 'Check the path, its folder and its permissions.',
  },
  NO_RECORDING: {
    text: 'expected {expected}, but got {got}',
    todo: 'Run "{usage}".',
  },
  UNREADABLE_RECORDING: {
    text: 'expected a recording that can be read, but {path} could not be: {reason}',
    todo: 'Check the path and its permissions.',
  },
  INVALID_RECORDING: {
    text: 'expected a recording, but in {path} {problem}',
    todo: 'A recording has one JSON object a line: what --record writes, or {"t": milliseconds, "dir": "c2a" or "a2c", "msg": message}.',
  },
  UNWRITABLE_RECORDING: {
    text: 'expected --record {path} to be a file that can be written, but {reason}',
    todo: 'Check the path, its folder and its permissions.',
  },
  NO_REPORT_FILE: {
    text: 'expected at least one trace file or recording, but got none',
    todo: 'Run "{usage}".',
  },
  UNREADABLE_REPORT_FILE: {
    text: 'expected a trace file or a recording that can be read, but {path} could not be: {reason}',
    todo: 'Check the path and its permissions.',
  },
  INVALID_REPORT_FILE: {
    text: 'expected a trace file or a recording, but in {path} {problem}',
    todo: 'A trace file has one OTLP JSON export a line, as --trace-file writes it; a recording is what --record writes, or has one JSON object a line: {"t": milliseconds, "dir": "c2a" or "a2c", "msg": message}.',
  },
  UNWRITABLE_REPORT: {
    text: 'expected --html {path} to be a file that can be written, but {reason}',
    todo: 'Check the path, its folder and its permissions.',
  },
  COMMAND_NOT_FOUND: {
    text: 'expected the command of an agent, but {command} was not found',
    todo: 'Check its spelling, the PATH, and for a script the interpreter that its first line names.',
  },
  COMMAND_NOT_EXECUTABLE: {
    text: 'expected an executable command, but {command} may not be executed',
    todo: 'Make it executable (chmod +x), or put its interpreter before it.',
  },
  COMMAND_NOT_STARTED: {
    text: 'expected {command} to start, but the system refused: {reason}',
    todo: 'Try to run the command by itself.',
  },
  PLUGIN_NOT_LOADED: {
    text: 'expected --plugin {module} to be a module that can be loaded, but {reason}',
    todo: 'Give the path of a JavaScript module (./name.mjs) or the name of an installed package.',
  },
  PLUGIN_INVALID: {
    text: 'expected --plugin {module} to export a plugin or a factory of one, but {reason}',
    todo: 'Export it as the default or under the name "plugin": { name, toAgent?, toClient? }.',
  },
} as const;

export type ErrorCode = keyof typeof errorTable;

type SlotsOf<T extends string> = T extends `${string}{${infer Slot}}${infer Rest}`
  ? (Slot extends `${'"' | ' '}${string}` ? never : Slot) | SlotsOf<Rest>
  : never;
type Slots<C extends ErrorCode> = SlotsOf<(typeof errorTable)[C]['text'] | (typeof errorTable)[C]['todo']>;

function filled(template: string, slots: Readonly<Record<string, string>>): string {
  return template.replace(/\{([a-z]+)\}/g, (whole, name: string) => slots[name] ?? whole);
}

/** A failure of our own. `message` is text and advice in one line, without the code. */
export class RelayError extends Error {
  override readonly name = 'RelayError';
  readonly code: ErrorCode;
  /** What was expected and what came. */
  readonly text: string;
  /** What to do. */
  readonly todo: string;

  constructor(code: ErrorCode, slots: Readonly<Record<string, string>>) {
    const text = filled(errorTable[code].text, slots);
    const todo = filled(errorTable[code].todo, slots);
    super(`${text}. ${todo}`);
    this.code = code;
    this.text = text;
    this.todo = todo;
  }
}

/** Whether it is a failure of our own. Not by its class: each script of the command has its own copy of that. */
export const isRelayError = (error: unknown): error is RelayError => error instanceof Error && error.name === 'RelayError';

/** A `RelayError` whose slots are all filled, checked by the compiler. */
export function relayError<C extends ErrorCode>(code: C, ...slots: [Slots<C>] extends [never] ? [] : [Readonly<Record<Slots<C>, string>>]): RelayError {
  return new RelayError(code, slots[0] ?? {});
}

/** How a value is shown in an error: as JSON, cut where it is long. */
export function shown(value: unknown): string {
  const text = ['string', 'number', 'boolean'].includes(typeof value) ? JSON.stringify(value) : kindOf(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value === undefined) return 'nothing';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
