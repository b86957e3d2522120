/**
 * Messages of a v2 session as v1 chunks (ACP "Prompt Turn"). v2 replaces the content of a message with
 * an upsert, v1 can only append: what goes on from the text that was told is told as its rest; what
 * does not is told whole, as a message with an id of its own.
 */
import type { Faults } from '../bridge/fields.js';
import { idOf, isObject, stringOf, type JsonObject } from '../shape.js';
import { toV1Blocks } from './content.js';
import { goesOn, nothingTold, toldAfter, type Told } from './told.js';

/** A message as the client knows it. */
export interface ToldMessage {
  readonly told: Told;
  /** How often its text was taken back and told anew. */
  readonly retold: number;
}

export interface ToldChunks {
  readonly message: ToldMessage;
  readonly updates: readonly JsonObject[];
}

const chunkKinds: ReadonlyMap<string, string> = new Map([
  ['user_message', 'user_message_chunk'],
  ['agent_message', 'agent_message_chunk'],
  ['agent_thought', 'agent_thought_chunk'],
]);

/** The kind of chunk that an update of a message becomes; `undefined`: it is none. */
export const chunkKindOf = (kind: string): string | undefined => chunkKinds.get(kind) ?? ([...chunkKinds.values()].includes(kind) ? kind : undefined);

export const untold: ToldMessage = { told: nothingTold, retold: 0 };

/** A block as a part of a message's text: text as it is, others between marks that no text holds. */
const textOf = (block: JsonObject): string => (block.type === 'text' && block.annotations === undefined ? (stringOf(block.text) ?? '') : `\u0000${JSON.stringify(block)}\u0000`);

/** What is left of the blocks behind the first `length` units of their text. */
function restOf(blocks: readonly JsonObject[], length: number): JsonObject[] {
  let before = length;
  return blocks.flatMap((block) => {
    const text = textOf(block);
    const told = Math.min(before, text.length);
    before -= told;
    if (told === 0) return [block];
    return told === text.length ? [] : [{ ...block, text: text.slice(told) }];
  });
}

function chunks(kind: string, messageId: string, blocks: readonly JsonObject[], message: ToldMessage, meta: unknown): ToldChunks {
  const id = message.retold === 0 ? messageId : `${messageId}:${message.retold + 1}`;
  const updates = blocks.map((content) => ({ sessionUpdate: kind, content, messageId: id, ...(isObject(meta) ? { _meta: meta } : {}) }));
  return { message: { ...message, told: blocks.reduce((told, block) => toldAfter(told, textOf(block)), message.told) }, updates };
}

/** An update of a message: an upsert, or a chunk. `undefined` when it names no message. */
export function toV1Chunks(update: JsonObject & { readonly sessionUpdate: string }, before: ToldMessage, faults: Faults): ToldChunks | undefined {
  const messageId = idOf(update.messageId);
  const kind = chunkKindOf(update.sessionUpdate);
  if (messageId === undefined || kind === undefined) return undefined;
  if (kind === update.sessionUpdate) return chunks(kind, messageId, toV1Blocks([update.content], faults), before, update._meta);
  if (update.content === undefined) return { message: before, updates: [] };
  const blocks = toV1Blocks(update.content ?? [], faults);
  const whole = blocks.map(textOf).join('');
  if (goesOn(before.told, whole)) return chunks(kind, messageId, restOf(blocks, before.told.length), before, update._meta);
  return chunks(kind, messageId, blocks, { told: nothingTold, retold: before.retold + 1 }, update._meta);
}
