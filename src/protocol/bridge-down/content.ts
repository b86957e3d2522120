/** Content blocks of a v2 agent in v1 form (ACP "Content"), and those of a v1 client in v2 form. */
import { toV1ContentBlocks, toV2ContentBlock } from '../bridge/content.js';
import { within, type Faults } from '../bridge/fields.js';
import { arrayOf, isObject, typeName, stringOf, type JsonObject } from '../shape.js';

/** The blocks that v1 has; the type of each other one goes to `faults`. */
export function toV1Blocks(blocks: unknown, faults: Faults): JsonObject[] {
  return (arrayOf(blocks) ?? []).flatMap((block, index) => {
    const { value } = toV1ContentBlocks([block]);
    if (value === undefined) faults.push(`[${index}].type: expected one that v1 has, got ${isObject(block) ? (stringOf(block.type) ?? typeName(block.type)) : typeName(block)}`);
    return value ?? [];
  });
}

/** v2 is stricter about addresses and media: what can be read is written as v2 wants it, the rest stays as it is, for the agent to refuse. */
export const toV2Blocks = (blocks: unknown): unknown => arrayOf(blocks)?.map((block) => within('', [], (inner) => toV2ContentBlock(block, inner)) ?? block) ?? blocks;
