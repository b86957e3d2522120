/**
 * v1 session updates that need no memory, in v2 form: one row a kind. Chunks, tool calls, modes and
 * the agent's own tasks are read elsewhere.
 */
import { isObject, stringOf, type JsonObject } from '../shape.js';
import type { V2Update } from '../v2.js';
import { toV2ContentBlock } from './content.js';
import { toV2Commands } from './config.js';
import { isAbsolutePath } from './diff.js';
import { dateTime, filledText, integer, list, number, oneOf, patch, shape, tagged, text, uri, within, type Faults, type Reader } from './fields.js';
import { toV2Meta, withV2Meta, type MetaRules } from './meta.js';
import { tokenUsage } from './prompt.js';

/** v1 has one plan per session, which each update replaces as a whole; v2 keeps plans by id. */
const SESSION_PLAN_ID = 'plan';

const blocks = list(toV2ContentBlock);
const planEntry = shape({ content: text, priority: oneOf('high', 'medium', 'low'), status: oneOf('pending', 'in_progress', 'completed', 'cancelled') });
const planContent = tagged('type', {
  items: shape({ planId: filledText, entries: list(planEntry) }),
  file: shape({ planId: filledText, uri }),
  markdown: shape({ planId: filledText, content: text }),
});

const usage = shape({ used: integer(0), size: integer(0) }, { cost: shape({ amount: number, currency: text }) });
const notice = shape({ severity: oneOf('info', 'warning', 'error'), title: filledText }, { description: text });
const compaction = patch({ compactionId: filledText, status: oneOf('in_progress', 'completed', 'failed', 'cancelled') }, { summary: blocks, error: text });

/** Where a message between sessions came from and went. */
const betweenSessions = { senderSessionId: filledText, recipientSessionId: filledText, senderMessageId: filledText, recipientMessageId: filledText };
const childState = shape(
  { state: oneOf('running', 'idle', 'requires_action', 'unknown') },
  { stopReason: oneOf('end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled', 'error'), usage: tokenUsage },
);
const directory: Reader<string> = (value, faults) => (isAbsolutePath(stringOf(value) ?? '') ? text(value, faults) : undefined);
const subagent = patch(
  { sessionId: filledText },
  { title: text, description: text, capabilities: shape({}, { cancel: shape({}) }), state: childState, cwd: directory, additionalDirectories: list(directory) },
);

type Row = (update: JsonObject, faults: Faults, rules: MetaRules) => JsonObject | undefined;

const read = (reader: Reader<JsonObject>): Row => (update, faults, rules) => {
  const result = reader(update, faults);
  return result && withV2Meta(result, rules);
};

function plan(update: JsonObject, faults: Faults, rules: MetaRules): JsonObject | undefined {
  const entries = within('entries', faults, (inner) => list(planEntry)(update.entries, inner));
  const meta = toV2Meta(update._meta, rules);
  return entries && { sessionUpdate: 'plan_update', plan: { type: 'items', planId: SESSION_PLAN_ID, entries }, ...(meta === undefined ? {} : { _meta: meta }) };
}

function commands(update: JsonObject, faults: Faults, rules: MetaRules): JsonObject | undefined {
  const availableCommands = within('availableCommands', faults, (inner) => toV2Commands(update.availableCommands, inner));
  const meta = toV2Meta(update._meta, rules);
  return availableCommands && { availableCommands, ...(meta === undefined ? {} : { _meta: meta }) };
}

/** `null` is news here in both versions: it clears the title. */
function sessionInfo(update: JsonObject, faults: Faults, rules: MetaRules): JsonObject | undefined {
  const cleared = Object.fromEntries(['title', 'updatedAt'].filter((key) => update[key] === null).map((key) => [key, null]));
  const result = shape({}, { title: text, updatedAt: dateTime })(update, faults);
  const info = result && { ...cleared, ...withV2Meta(result, rules) };
  return info && Object.keys(info).length > 0 ? info : undefined;
}

const rows: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['plan', plan],
  ['plan_update', read(shape({ plan: planContent }))],
  ['plan_removed', read(shape({ planId: filledText }))],
  ['available_commands_update', commands],
  ['session_info_update', sessionInfo],
  ['usage_update', read(usage)],
  ['notice', read(notice)],
  ['compaction_update', read(compaction)],
  ['subagent_update', read(subagent)],
  ['session_message', read(patch({ messageId: filledText }, { ...betweenSessions, content: blocks }))],
  ['session_message_chunk', read(shape({ messageId: filledText, content: toV2ContentBlock }))],
  ['compaction_summary_chunk', read(shape({ compactionId: filledText, content: toV2ContentBlock }))],
]);

/** What becomes of an update: `undefined` with faults is malformed, without it says nothing to a v2 client. */
export interface PlainUpdate {
  readonly update: V2Update | undefined;
}

/** The v2 form of an update of such a kind, or `undefined` for any other kind. */
export function toV2PlainUpdate(update: JsonObject & { sessionUpdate: string }, rules: MetaRules, faults: Faults): PlainUpdate | undefined {
  const row = rows.get(update.sessionUpdate);
  if (row === undefined) return undefined;
  const result = row(update, faults, rules);
  return { update: result && { sessionUpdate: update.sessionUpdate, ...result } };
}

/** Kinds that only v2 has: what a v1 agent would mean by them is not known. */
const v2Kinds: ReadonlySet<string> = new Set([
  'state_update', 'user_message', 'agent_message', 'agent_thought', 'terminal_update', 'terminal_output_chunk', 'tool_call_content_chunk',
]);

/** Any other update as it is, under its v2 kind; `undefined` when its kind means something else in v2. */
export function toV2UnknownUpdate(update: JsonObject & { sessionUpdate: string }, faults: Faults): V2Update | undefined {
  if (!v2Kinds.has(update.sessionUpdate)) return { ...update, sessionUpdate: toV2UpdateKind(update.sessionUpdate) };
  faults.push('expected a kind of ACP v1, got one of ACP v2');
  return undefined;
}

const taskKinds: ReadonlySet<string> = new Set(['async_task_spawned', 'async_task_progress', 'async_task_state_update']);

/** The private async task extension has the same payload in both versions, and a v2 extension's name in v2. */
export const toV2UpdateKind = (kind: string): string => (taskKinds.has(kind) ? `_${kind}` : kind);

/** A `session/update`'s `update` as far as it can be read at all. */
export const isUpdate = (value: unknown): value is JsonObject & { sessionUpdate: string } => isObject(value) && typeof value.sessionUpdate === 'string';
