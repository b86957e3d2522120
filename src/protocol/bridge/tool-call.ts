/**
 * A v1 tool call report as a v2 tool call update (ACP "Tool Calls").
 *
 * v1 starts a call with `tool_call` and changes it with `tool_call_update`; v2 has one update that
 * creates or changes. In v1 `null` leaves a member unchanged, in v2 it clears it. Knows no terminals:
 * what `_meta` says of them is `terminal`'s business.
 */
import { at, idOf, integerOf, isObject, stringOf, typeName, type JsonObject } from '../shape.js';
import type { V2Update } from '../v2.js';
import { toV2ContentBlock } from './content.js';
import { toAbsolutePath, toV2Diff } from './diff.js';
import { filledText, json, list, oneOf, readFields, shape, tagged, text, within, type Faults, type Fields, type Reader } from './fields.js';
import { toV2ToolCallMeta, type MetaRules } from './meta.js';

/** A call as the client knows it: what all updates so far add up to. */
export interface KnownCall {
  readonly fields: JsonObject;
  readonly meta: JsonObject;
}

/** What a report is read by, beside itself. */
export interface CallContext {
  readonly cwd: string | undefined;
  readonly meta: MetaRules;
  /** A `session/cancel` is stopping the work: what fails unfinished was cancelled. */
  readonly cancelling: boolean;
}

export interface CallReport {
  readonly call: KnownCall;
  /** Absent: the report tells the client nothing. */
  readonly update: V2Update | undefined;
}

const statuses = oneOf('pending', 'in_progress', 'completed', 'failed');
const kinds = oneOf('read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other');
const finalStatuses: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

/** Whether the call has ended. */
export const isFinal = (call: KnownCall | undefined): boolean => finalStatuses.has(call?.fields.status);

const contentItem = (cwd: string | undefined): Reader<JsonObject> =>
  tagged('type', {
    content: shape({ content: toV2ContentBlock }),
    terminal: shape({ terminalId: filledText }),
    diff: (value, faults) => toV2Diff(value, cwd, faults),
  });

const location = (cwd: string | undefined): Reader<JsonObject> => (value, faults) => {
  const path = toAbsolutePath(at(value, 'path'), cwd);
  if (!isObject(value) || path === undefined) {
    faults.push(`path: expected an absolute path, got ${typeName(at(value, 'path'))}`);
    return undefined;
  }
  const line = integerOf(value.line);
  return { path, ...(line !== undefined && line >= 1 ? { line } : {}), ...(isObject(value._meta) ? { _meta: value._meta } : {}) };
};

const newCallFields = (cwd: string | undefined): Fields => ({
  name: text,
  title: text,
  kind: kinds,
  status: statuses,
  content: list(contentItem(cwd)),
  locations: list(location(cwd)),
  rawInput: json,
  rawOutput: json,
});

let made: { readonly cwd: string | undefined; readonly fields: Fields } | undefined;
/** They are the same for the same directory, and cost as much to make as to use. */
const callFields = (cwd: string | undefined): Fields => (made?.cwd === cwd && made !== undefined ? made : (made = { cwd, fields: newCallFields(cwd) })).fields;

/** The tool's name is a member of its own in v2; older agents tell it only in `_meta`. */
const nameOf = (report: JsonObject, known: KnownCall | undefined): string | undefined =>
  known?.fields.name === undefined ? stringOf(at(report, '_meta', 'claudeCode', 'toolName')) : undefined;

/** A started call begins anew: what an earlier one under the same id had, and it does not, is cleared. */
const cleared = (known: KnownCall, fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.keys(known.fields).filter((key) => !(key in fields)).map((key) => [key, null]));

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const noMeta: JsonObject = {};

/** The keys that say something new. The background mark always does: it belongs to the update. */
const changedMeta = (known: KnownCall | undefined, meta: JsonObject): JsonObject =>
  meta === noMeta ? noMeta : Object.fromEntries(Object.entries(meta).filter(([key, value]) => key === 'jetbrains' || !sameJson(known?.meta[key], value)));

function readCall(report: JsonObject, known: KnownCall | undefined, context: CallContext, faults: Faults): { fields: JsonObject; meta: JsonObject } {
  const fields = readFields(report, callFields(context.cwd), faults);
  const name = nameOf(report, known);
  if (fields.name === undefined && name !== undefined) fields.name = name;
  const wasCancelled = known?.fields.status === 'cancelled' || (context.cancelling && !isFinal(known));
  if (fields.status === 'failed' && wasCancelled) fields.status = 'cancelled';
  return { fields, meta: toV2ToolCallMeta(report._meta, context.meta) ?? noMeta };
}

/**
 * Reads one v1 `tool_call` or `tool_call_update`. `undefined`, with `faults`, when it names no call.
 */
export function toV2ToolCall(report: JsonObject, known: KnownCall | undefined, context: CallContext, faults: Faults): CallReport | undefined {
  const toolCallId = idOf(report.toolCallId);
  if (toolCallId === undefined) {
    within('toolCallId', faults, (inner) => filledText(report.toolCallId, inner));
    return undefined;
  }
  const starts = report.sessionUpdate === 'tool_call';
  const before = starts ? undefined : known;
  const { fields, meta } = readCall(report, before, context, faults);
  const reset = starts && known ? cleared(known, fields) : {};
  const news = changedMeta(before, meta);
  const call = { fields: { ...before?.fields, ...fields }, meta: meta === noMeta ? (before?.meta ?? noMeta) : { ...before?.meta, ...meta } };
  const hasMeta = Object.keys(news).length > 0;
  if (!starts && !hasMeta && Object.keys(fields).length === 0) return { call, update: undefined };
  const update = { sessionUpdate: 'tool_call_update', toolCallId, ...reset, ...fields };
  return { call, update: hasMeta ? { ...update, _meta: news } : update };
}

/** A permission request's call: after the request, as the request shows it, and the update that tells what is news of it, if anything is. */
export interface PermissionCall {
  readonly call: KnownCall;
  readonly shown: JsonObject;
  readonly update: V2Update | undefined;
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/**
 * The call as a v2 permission request shows it: all that is known, changed by what the request says. A
 * client takes that as an update of the call. How far the call has come the request does not know
 * better. `adds`: it describes the call in words of its own, so that only what is not known yet is
 * taken from it.
 */
export function toV2PermissionCall(toolCall: JsonObject, known: KnownCall | undefined, context: CallContext, faults: Faults, adds = false): PermissionCall | undefined {
  const kept = (key: string): boolean => (!adds && key !== 'status') || known === undefined || key === 'toolCallId' || isEmpty(known.fields[key]);
  const given = Object.fromEntries(Object.entries(toolCall).filter(([key]) => kept(key)));
  const report = toV2ToolCall({ ...given, sessionUpdate: 'tool_call_update' }, known, context, faults);
  if (report === undefined) return undefined;
  const { status: _, ...lasting } = { ...known?.fields };
  const news = Object.fromEntries(Object.entries({ ...report.update }).filter(([key]) => key in report.call.fields));
  const { jetbrains: __, ...meta } = report.call.meta;
  const shown = { toolCallId: toolCall.toolCallId, ...lasting, ...news, ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}) };
  const fresh = Object.entries(news).filter(([key, value]) => !sameJson(known?.fields[key], value));
  const update = known !== undefined && fresh.length === 0 ? undefined : report.update;
  return { call: report.call, shown, update };
}
