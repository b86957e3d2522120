/**
 * Message chunks and the ids of their messages (ACP "Prompt Turn"). v2 requires the id of the
 * message that a chunk belongs to; v1 allows none.
 */
import { idOf, type JsonObject } from '../shape.js';
import type { V2Update } from '../v2.js';
import { toV2ContentBlock } from './content.js';
import { shape, type Faults } from './fields.js';
import { withV2Meta, type MetaRules } from './meta.js';

/** The message that chunks without an id belong to, until something else comes in between. */
export interface MessageRun {
  readonly kind: string;
  readonly messageId: string;
}

const chunk = shape({ content: toV2ContentBlock });

export const messageKinds: ReadonlySet<string> = new Set(['user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk']);

/** A chunk in v2 form, and the run that the next one may belong to; `undefined` when it has no content that v2 takes. */
export function toV2Chunk(update: JsonObject & { sessionUpdate: string }, run: MessageRun | undefined, freshId: () => string, rules: MetaRules, faults: Faults): { run: MessageRun; update: V2Update } | undefined {
  const read = chunk(update, faults);
  if (read === undefined) return undefined;
  const kind = update.sessionUpdate;
  const messageId = idOf(update.messageId) ?? (run?.kind === kind ? run.messageId : freshId());
  return { run: { kind, messageId }, update: { sessionUpdate: kind, messageId, ...withV2Meta(read, rules) } };
}
