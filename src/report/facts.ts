/** What a span's attributes say of it, for a person. One row an attribute; the others keep their names. */
import { Attribute } from '../state/trace-names.js';
import type { Fact } from './model.js';
import { textOf, rowOf } from './kinds.js';
import type { Span } from './otlp.js';

/** A longer value is cut: a file of others can hold texts of any length. */
const LONGEST = 400;
/** So many attributes are shown. */
const MOST = 60;

const labels: Readonly<Record<string, string>> = {
  [Attribute.taskType]: 'Task type',
  [Attribute.backgroundType]: 'Listed as',
  [Attribute.exitCode]: 'Exit code',
  [Attribute.errorType]: 'Error',
  [Attribute.finishReasons]: 'Stop reason',
  [Attribute.startedBy]: 'Started by',
  [Attribute.permissionOption]: 'Answered with',
  [Attribute.inputTokens]: 'Input tokens',
  [Attribute.outputTokens]: 'Output tokens',
  [Attribute.cacheReadTokens]: 'Tokens read from the cache',
  [Attribute.cacheWriteTokens]: 'Tokens written to the cache',
  [Attribute.canStop]: 'Can be stopped',
  [Attribute.toolName]: 'Tool',
  [Attribute.toolCallId]: 'Tool call',
  [Attribute.backgroundId]: 'Background item',
  [Attribute.subagent]: 'Session of the subagent',
  [Attribute.requestId]: 'Request',
  [Attribute.agentName]: 'Agent',
  [Attribute.agentVersion]: 'Agent version',
};

/** What the state, the kind and the session say already. */
const told: ReadonlySet<string> = new Set([
  Attribute.operation, Attribute.conversation, Attribute.session, Attribute.outcome, Attribute.callStatus, Attribute.permissionOutcome, Attribute.unfinished,
  Attribute.backgroundUnfinished, Attribute.endReason, Attribute.rpcSystem, Attribute.rpcMethod, Attribute.transport, Attribute.provider,
  Attribute.pending, Attribute.pendingParent,
]);

export const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/** Labelled attributes first, in the order of the table. */
export function factsOf(span: Span): Fact[] {
  const shows = rowOf(span).kind === 'other' ? Object.keys(span.values) : Object.keys(span.values).filter((name) => !told.has(name));
  const order = Object.keys(labels);
  const placeOf = (name: string): number => (Object.hasOwn(labels, name) ? order.indexOf(name) : order.length);
  return shows
    .sort((one, another) => placeOf(one) - placeOf(another))
    .slice(0, MOST)
    .map((name) => [Object.hasOwn(labels, name) ? (labels[name] ?? name) : name, cut(textOf(span.values, name) ?? '')]);
}
