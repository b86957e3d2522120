/**
 * The tool calls of a v2 session in v1 form (ACP "Tool Calls"). v2 has one update that creates or
 * changes, v1 begins a call with `tool_call`. The call is kept as v2 tells it and as the client was
 * told, and what differs is told: so `null`, chunks and changed terminals need no rules of their own.
 */
import type { Faults } from '../bridge/fields.js';
import { arrayOf, idOf, isObject, objectOf, stringOf, type JsonObject } from '../shape.js';
import { toV1Blocks } from './content.js';
import { toV1DiffContent } from './diff.js';

/** A call as v2 tells it, and the v1 members that the client was told of it. */
export interface DownCall {
  readonly fields: JsonObject;
  readonly told: JsonObject | undefined;
}

export interface DownCallContext {
  /** The tool's name belongs into `_meta.claudeCode` too. */
  readonly claudeMeta: boolean;
  /** The content items that show a terminal. */
  terminal(terminalId: string): readonly JsonObject[];
}

export const newCall: DownCall = { fields: {}, told: undefined };

const members = ['name', 'title', 'kind', 'status', 'content', 'locations', 'rawInput', 'rawOutput'] as const;
const kinds: ReadonlySet<unknown> = new Set(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other']);

/** v1 has no word for a call that was cancelled, and none for one that pauses. */
const statuses: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [undefined, 'pending'], ['pending', 'pending'], ['in_progress', 'in_progress'], ['completed', 'completed'], ['failed', 'failed'], ['cancelled', 'failed'], ['paused', 'in_progress'],
]);

/** The fields after a v2 update: `null` resets a member, a chunk is one more piece of content. */
export function fieldsAfter(fields: JsonObject, update: JsonObject): JsonObject {
  if (update.sessionUpdate === 'tool_call_content_chunk') return { ...fields, content: [...(arrayOf(fields.content) ?? []), update.content] };
  const changed = members.filter((member) => update[member] !== undefined).map((member): [string, unknown] => [member, update[member] ?? undefined]);
  return Object.fromEntries(Object.entries({ ...fields, ...Object.fromEntries(changed) }).filter(([, value]) => value !== undefined));
}

function toV1Item(item: unknown, context: DownCallContext, faults: Faults): readonly JsonObject[] {
  if (!isObject(item)) return [];
  if (item.type === 'diff') return toV1DiffContent(item);
  const terminal = item.type === 'terminal' ? idOf(item.terminalId) : undefined;
  if (terminal !== undefined) return context.terminal(terminal);
  if (item.type !== 'content') {
    faults.push(`content.type: expected one that v1 has, got ${stringOf(item.type) ?? 'none'}`);
    return [];
  }
  return toV1Blocks([item.content], faults).map((content) => ({ ...item, content }));
}

/** The members that v1 has, as the client should know them. */
function toV1Fields(fields: JsonObject, context: DownCallContext, faults: Faults): JsonObject {
  const { name, title, kind, status, content, locations, rawInput, rawOutput } = fields;
  return {
    ...(name === undefined ? {} : { name }),
    title: stringOf(title) ?? stringOf(name) ?? '',
    kind: kinds.has(kind) ? kind : 'other',
    status: statuses.get(status) ?? 'in_progress',
    content: (arrayOf(content) ?? []).flatMap((item) => toV1Item(item, context, faults)),
    locations: (arrayOf(locations) ?? []).filter(isObject),
    ...(rawInput === undefined ? {} : { rawInput }),
    ...(rawOutput === undefined ? {} : { rawOutput }),
  };
}

/** The status in v2's own word, where v1's says less, and when it no longer does. */
function statusMeta(before: unknown, now: unknown): JsonObject {
  const saysLess = (status: unknown): boolean => status !== undefined && statuses.get(status) !== status;
  return before !== now && (saysLess(now) || saysLess(before)) ? { afterturn: { status: now ?? 'pending' } } : {};
}

/** `null` deletes a key of v2's `_meta`; in v1 it says nothing. */
const given = (meta: unknown): JsonObject => Object.fromEntries(Object.entries(objectOf(meta) ?? {}).filter(([, value]) => value !== null));

function metaOf(before: DownCall, call: DownCall, update: JsonObject, context: DownCallContext): JsonObject {
  const meta = given(update._meta);
  const isNamed = context.claudeMeta && (before.told === undefined || before.fields.name !== call.fields.name);
  const name = isNamed ? stringOf(call.fields.name) : undefined;
  return {
    ...meta,
    ...(name === undefined ? {} : { claudeCode: { toolName: name, ...objectOf(meta.claudeCode) } }),
    ...statusMeta(before.fields.status, call.fields.status),
  };
}

/** An empty or ordinary member needs no word when a call begins. */
const isDefault = (key: string, value: unknown): boolean => (key === 'content' || key === 'locations') && arrayOf(value)?.length === 0;

/**
 * The v1 update after a v2 update of the call, if it says anything new. `extra`: more `_meta`, such as
 * news of a terminal.
 */
export function toV1CallUpdate(toolCallId: string, before: DownCall, update: JsonObject, context: DownCallContext, faults: Faults, extra: JsonObject = {}): { call: DownCall; update: JsonObject | undefined } {
  const call = { ...before, fields: fieldsAfter(before.fields, update) };
  const now = toV1Fields(call.fields, context, faults);
  const changes = Object.fromEntries(Object.entries(now).filter(([key, value]) => (before.told === undefined ? !isDefault(key, value) : JSON.stringify(before.told[key]) !== JSON.stringify(value))));
  const meta = { ...metaOf(before, call, update, context), ...extra };
  const after = { ...call, told: now };
  const says = before.told === undefined || Object.keys(changes).length > 0 || Object.keys(meta).length > 0;
  if (!says) return { call: after, update: undefined };
  const sessionUpdate = before.told === undefined ? 'tool_call' : 'tool_call_update';
  return { call: after, update: { sessionUpdate, toolCallId, ...changes, ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}) } };
}

/** Whether v2 calls it ended. */
export const hasEnded = ({ fields }: DownCall): boolean => ['completed', 'failed', 'cancelled'].includes(stringOf(fields.status) ?? '');
