/**
 * What claude-agent-acp builds a session from. A `session/load` or `session/resume` of a live session
 * that says the same leaves it alone; one that differs tears it down, and its background work dies
 * without a word.
 */
import { asksForRaw, withRawMessages, type RawRequest } from './extension.js';
import { arrayOf, at, isNumber, isObject, objectOf, stringOf, type JsonObject } from './shape.js';

/** Options that a live session takes without being built anew, or that the adapter sets itself. */
const PASSING_OPTIONS: ReadonlySet<string> = new Set([
  'agent', 'cwd', 'executable', 'includePartialMessages', 'permissionMode', 'continue', 'forkSession', 'resume', 'resumeDropsTurn',
  'resumeSessionAt', 'sessionId', 'abortController', 'canUseTool', 'hooks', 'onElicitation', 'onUserDialog', 'sessionStore', 'spawnClaudeCodeProcess',
  'stderr', 'loadTimeoutMs', 'title',
]);

/** The value with the keys of its objects in order: key order means nothing to the adapter. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value) || isNumber(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, canonical(value[key])]));
}

const byName = (one: unknown, other: unknown): number => (stringOf(at(one, 'name')) ?? '').localeCompare(stringOf(at(other, 'name')) ?? '');

/** A text that is the same for two set-up requests that ask for the same session. `rawRequest`: what is asked of the raw feed. */
export function sessionOptionsKey(params: unknown, rawRequest: RawRequest | undefined): string {
  const options = objectOf(at(params, '_meta', 'claudeCode', 'options')) ?? {};
  return JSON.stringify(canonical({
    cwd: at(params, 'cwd'),
    mcpServers: [...(arrayOf(at(params, 'mcpServers')) ?? [])].sort(byName),
    additionalDirectories: at(params, 'additionalDirectories'),
    additionalRoots: at(params, '_meta', 'additionalRoots'),
    systemPrompt: [at(params, '_meta', 'systemPrompt'), at(params, 'systemPrompt')],
    disableBuiltInTools: at(params, '_meta', 'disableBuiltInTools'),
    rawRequest,
    options: Object.fromEntries(Object.entries(options).filter(([key]) => !PASSING_OPTIONS.has(key))),
  }));
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));

/** Whether what was asked of the raw feed before brings everything that is asked for now. */
function covers(before: RawRequest, asked: RawRequest): boolean {
  if (before === true || asked === true) return before === true;
  return asked.every((row) => before.some((other) => same(other, row)) || (row.subtype !== undefined && asksForRaw(before, row)));
}

/**
 * What to ask of the raw feed for a session: what its earlier set-up request asked for, byte for byte,
 * as long as that brings all that the client asks for now; else the client's request with what is missing.
 */
export const rawRequestFor = (before: RawRequest | undefined, asked: RawRequest, messages?: readonly JsonObject[]): RawRequest =>
  before !== undefined && covers(before, asked) ? before : withRawMessages(asked, messages);

/** The raw feed is not in 0.25.3 and is in 0.29.2, the first that was seen to send it. */
const RAW_FEED_SINCE = { major: 0, minor: 29 };

/** Whether claude-agent-acp of this version has the raw feed. A version that does not tell counts as a newer one. */
export function hasRawFeed(version: string | undefined): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version ?? '') ?? [];
  if (major === undefined || minor === undefined) return true;
  return Number(major) > RAW_FEED_SINCE.major || Number(minor) >= RAW_FEED_SINCE.minor;
}
