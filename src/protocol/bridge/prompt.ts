/**
 * `session/prompt`: v1 answers it when its turn ends, v2 when its message is inserted, and tells the
 * turn's end as a state (ACP "Prompt Turn"). Here are the shapes; when what is said is
 * `state/turns`' business.
 */
import { arrayOf, at, idOf, integerOf, objectOf, stringOf, typeName, type JsonObject } from '../shape.js';
import { invalidParams, type Translated } from '../errors.js';
import type { RpcError } from '../../wire/jsonrpc.js';
import { toV1ContentBlocks } from './content.js';
import { integer, shape } from './fields.js';
import type { V1AgentFacts } from './initialize.js';
import { toV2Meta, type MetaRules } from './meta.js';

/** v2 requires at least one block; v1 takes the blocks that the agent has advertised. */
export function toV1PromptParams(params: JsonObject, agent: V1AgentFacts): Translated<JsonObject> {
  const prompt = arrayOf(params.prompt);
  if (prompt === undefined || prompt.length === 0) return { error: invalidParams('prompt must hold at least one content block.') };
  const blocks = toV1ContentBlocks(prompt, agent.promptBlocks);
  return blocks.error ? blocks : { value: { ...params, prompt: blocks.value } };
}

/** How a piece of foreground work ended, as an `idle` state tells it. */
export interface Ending {
  readonly stopReason: string;
  readonly error?: RpcError;
  readonly usage?: JsonObject;
  readonly meta?: JsonObject;
}

const stopReasons: ReadonlySet<string> = new Set(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled']);

/** What a turn consumed. */
export const tokenUsage = shape(
  { totalTokens: integer(0), inputTokens: integer(0), outputTokens: integer(0) },
  { thoughtTokens: integer(0), cachedReadTokens: integer(0), cachedWriteTokens: integer(0) },
);

const present = <K extends string>(key: K, value: JsonObject | undefined) => (value === undefined ? {} : { [key]: value }) as { [P in K]?: JsonObject };

/** The ending that a v1 prompt's result tells. A reason that v2 does not know becomes an extension's. */
export function endingOfResult(result: unknown, rules: MetaRules): Ending {
  const given = objectOf(result) ?? {};
  const stopReason = stringOf(given.stopReason);
  const counts = given.usage === undefined || given.usage === null ? undefined : tokenUsage(given.usage, []);
  const facts = { ...present('usage', counts), ...present('meta', toV2Meta(given._meta, rules)) };
  if (stopReason === undefined) return { ...endingOfError({ code: -32603, message: `The agent ended the turn without a stop reason (${typeName(given.stopReason)})` }), ...facts };
  return { stopReason: stopReasons.has(stopReason) || stopReason.startsWith('_') ? stopReason : `_${stopReason}`, ...facts };
}

/** That a turn failed, where only the updates before its end say so. */
export interface Failure {
  readonly message: string;
}

const chunkText = (update: JsonObject): string | undefined =>
  update.sessionUpdate === 'agent_message_chunk' && idOf(update.messageId) === undefined ? stringOf(at(update, 'content', 'text')) : undefined;

/**
 * What is known of a failure after an update. Codex ends a failed turn in v1 like any other: its
 * thread's status tells the failure, and the words for the user, which belong to no message, come behind it.
 */
export function failureAfter(before: Failure | undefined, update: JsonObject): Failure | undefined {
  const status = update.sessionUpdate === 'session_info_update' ? stringOf(at(update, '_meta', 'codex', 'threadStatus', 'type')) : undefined;
  if (status !== undefined) return status === 'systemError' ? { message: '' } : undefined;
  const text = before && chunkText(update);
  return text === undefined ? before : { message: `${before?.message ?? ""}${text}` };
}

/** The ending of a turn that failed in this way. An ending of another kind tells more. */
export const endingOfFailure = (ending: Ending, failure: Failure | undefined): Ending =>
  failure === undefined || ending.stopReason !== 'end_turn' ? ending : { ...ending, ...endingOfError({ code: -32603, message: failure.message.trim() || 'The agent reports a system error.' }) };

/** The ending that a v1 prompt's error tells. */
export const endingOfError = ({ code, message, data }: RpcError): Ending => ({
  stopReason: 'error',
  error: { code: integerOf(code) ?? -32603, message: stringOf(message) ?? 'The agent failed', ...(data === undefined ? {} : { data }) },
});
