/**
 * v2 session updates that need no memory, in v1 form: one row a kind. What the client has not said that
 * it takes is told as a message of the agent, or not at all.
 */
import type { Faults } from '../bridge/fields.js';
import { v1PrivateUpdate } from '../private-updates.js';
import { isObject, stringOf, type JsonObject } from '../shape.js';
import { toV1Commands } from './config.js';
import { toV1Blocks } from './content.js';
import type { V1ClientFacts } from './initialize.js';
import { toV1Association, toV1SessionMessage } from './subagents.js';

type Row = (update: JsonObject, client: V1ClientFacts, faults: Faults) => readonly JsonObject[];

/** Words of the agent that belong to no message. */
const said = (text: string, meta: unknown): JsonObject => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...(isObject(meta) ? { _meta: meta } : {}) });

function notice(update: JsonObject, client: V1ClientFacts): readonly JsonObject[] {
  if (client.notices) return [update];
  const words = [stringOf(update.title), stringOf(update.description)].filter((part) => part !== undefined && part !== '');
  return [said(words.join('\n\n'), update._meta)];
}

const compaction: Row = (update, client, faults) => {
  if (!client.compaction) return update.status === 'failed' ? [said(`Compaction failed${stringOf(update.error) === undefined ? '' : `: ${stringOf(update.error) ?? ''}`}`, update._meta)] : [];
  return [Array.isArray(update.summary) ? { ...update, summary: toV1Blocks(update.summary, faults) } : update];
};

const compactionChunk: Row = (update, client, faults) =>
  client.compaction ? toV1Blocks([update.content], faults).map((content) => ({ ...update, content })) : [];

const asItIs: Row = (update) => [update];

const rows: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['available_commands_update', (update) => [{ ...update, availableCommands: toV1Commands(update.availableCommands) }]],
  ['session_info_update', asItIs],
  ['usage_update', asItIs],
  ['notice', notice],
  ['compaction_update', compaction],
  ['compaction_summary_chunk', compactionChunk],
  ['subagent_update', (update, client) => (client.subagents ? [toV1Association(update)] : [])],
  ['session_message', (update, client, faults) => (client.subagents ? toV1SessionMessage(update, faults) : [])],
  ['session_message_chunk', (update, client, faults) => (client.subagents ? toV1SessionMessage(update, faults) : [])],
]);

/** The v1 form of an update of such a kind, or `undefined` for any other kind. */
export const toV1PlainUpdates = (update: JsonObject & { readonly sessionUpdate: string }, client: V1ClientFacts, faults: Faults): readonly JsonObject[] | undefined =>
  rows.get(update.sessionUpdate)?.(update, client, faults);

/** Extensions pass, the private one under its v1 names. A kind that v1 does not have is none that a v1 client knows. */
export const toV1OtherUpdate = (update: JsonObject & { readonly sessionUpdate: string }): JsonObject | undefined =>
  v1PrivateUpdate(update) ?? (update.sessionUpdate.startsWith('_') ? update : undefined);
