/**
 * What a span is about, and how it ended: one row a kind. Reads the names of `state/trace-names`, and
 * takes any other span for what it says of itself.
 */
import { Attribute, Operation, PERMISSION_METHOD } from '../state/trace-names.js';
import type { Kind, State } from './model.js';
import type { Span, Values } from './otlp.js';

/** How something ended: the state, and what else is known of the end. */
export interface Ending {
  readonly state: State;
  readonly outcome: string;
}

export interface KindRow {
  readonly kind: Kind;
  readonly is: (span: Span) => boolean;
  readonly nameOf: (span: Span) => string;
  readonly endingOf: (span: Span) => Ending;
}

/** A value as text; a list with commas. */
export const textOf = (values: Values, name: string): string | undefined => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value === undefined ? undefined : Array.isArray(value) ? value.map(String).join(', ') : String(value);
};

const joined = (...parts: readonly (string | undefined)[]): string => parts.filter((part) => part !== undefined && part !== '').join(', ');

/** The target of a span's name: `background shell` is `shell`. */
const targetOf = ({ name }: Span, fallback: string): string => name.slice(name.indexOf(' ') + 1 || name.length) || fallback;

/** Why nobody told the end: the values of `acp.end_reason`, and that of a recording. */
const reasons: Readonly<Record<string, string>> = {
  session_closed: 'the session was closed',
  agent_exited: 'the agent ended',
  proxy_ended: 'the proxy ended',
  recording_ended: 'the recording ends before it',
};

/** What is told of work whose end nobody reported, and `undefined` for other work. */
function unfinished({ values }: Span): Ending | undefined {
  if (values[Attribute.unfinished] !== true && values[Attribute.backgroundUnfinished] !== true) return undefined;
  const reason = textOf(values, Attribute.endReason) ?? '';
  return { state: 'running', outcome: Object.hasOwn(reasons, reason) ? (reasons[reason] ?? '') : reason };
}

const errorOf = ({ values, isError }: Span): string | undefined => (isError ? textOf(values, Attribute.errorType) : undefined);
const plainState = ({ isError }: Span): State => (isError ? 'failed' : 'completed');

const statesByWord: Readonly<Record<string, State>> = { completed: 'completed', failed: 'failed', cancelled: 'cancelled', unknown: 'unknown' };
const stateOf = (span: Span, word: string | undefined): State => (word !== undefined && Object.hasOwn(statesByWord, word) ? (statesByWord[word] as State) : plainState(span));

/** An error that only repeats the state says nothing more. */
const furtherError = (span: Span, state: State): string | undefined => (errorOf(span) === state ? undefined : errorOf(span));

function endedAs(span: Span, word: string | undefined, ...more: readonly (string | undefined)[]): Ending {
  const state = stateOf(span, word);
  return { state, outcome: joined(...more, furtherError(span, state)) };
}

const exitText = ({ values }: Span): string | undefined => (values[Attribute.exitCode] === undefined ? undefined : `exit code ${textOf(values, Attribute.exitCode)}`);

function turnEnding(span: Span): Ending {
  const reason = textOf(span.values, Attribute.finishReasons);
  if (span.isError) return { state: 'failed', outcome: joined(reason, errorOf(span)) };
  return reason === 'cancelled' ? { state: 'cancelled', outcome: '' } : { state: 'completed', outcome: reason ?? '' };
}

const permissionEnding = (span: Span): Ending =>
  textOf(span.values, Attribute.permissionOutcome) === 'cancelled' ? { state: 'cancelled', outcome: '' } : endedAs(span, undefined, textOf(span.values, Attribute.permissionOption));

const operation = (name: string) => ({ values }: Span): boolean => values[Attribute.operation] === name;

const rows: readonly KindRow[] = [
  {
    kind: 'background',
    is: ({ values }) => values[Attribute.backgroundId] !== undefined,
    nameOf: (span) => textOf(span.values, Attribute.taskType) ?? textOf(span.values, Attribute.backgroundType) ?? targetOf(span, ''),
    endingOf: (span) => endedAs(span, textOf(span.values, Attribute.outcome), exitText(span)),
  },
  {
    kind: 'turn',
    is: operation(Operation.invokeAgent),
    nameOf: ({ values }) => (values[Attribute.startedBy] === 'agent' ? 'started by the agent' : 'prompt'),
    endingOf: turnEnding,
  },
  {
    kind: 'call',
    is: operation(Operation.executeTool),
    nameOf: (span) => textOf(span.values, Attribute.toolName) ?? targetOf(span, ''),
    endingOf: (span) => endedAs(span, textOf(span.values, Attribute.callStatus)),
  },
  {
    kind: 'permission',
    is: ({ values }) => values[Attribute.rpcMethod] === PERMISSION_METHOD,
    nameOf: () => 'wait',
    endingOf: permissionEnding,
  },
];

const other: KindRow = { kind: 'other', is: () => true, nameOf: ({ name }) => name, endingOf: (span) => endedAs(span, undefined) };

export const rowOf = (span: Span): KindRow => rows.find(({ is }) => is(span)) ?? other;

export const endingOf = (span: Span): Ending => unfinished(span) ?? rowOf(span).endingOf(span);
