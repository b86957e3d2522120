/**
 * Content blocks, both ways (ACP "Content"). The v1 blocks are a part of the v2 blocks; v2 is
 * stricter about URIs, base64 and annotations, and has icons.
 */
import { isObject, stringOf, textOf, typeName, type JsonObject } from '../shape.js';
import { invalidParams, type Translated } from '../errors.js';
import { anyText, base64, integer, list, number, oneOf, shape, tagged, text, uri, type Reader } from './fields.js';

const priority: Reader = (value, faults) => (Number(value) >= 0 && Number(value) <= 1 ? number(value, faults) : undefined);
const annotations = shape({}, { audience: list(oneOf('assistant', 'user')), lastModified: text, priority });

const resource: Reader = (value, faults) => {
  if (isObject(value) && value.blob !== undefined) return shape({ blob: base64, uri }, { mimeType: text })(value, faults);
  return shape({ text, uri }, { mimeType: text })(value, faults);
};

/** One v1 content block in v2 form. */
export const toV2ContentBlock = tagged('type', {
  text: shape({ text: anyText }, { annotations }),
  image: shape({ data: base64, mimeType: text }, { uri, annotations }),
  audio: shape({ data: base64, mimeType: text }, { annotations }),
  resource_link: shape({ name: text, uri }, { title: text, description: text, mimeType: text, size: integer(0), annotations }),
  resource: shape({ resource }, { annotations }),
});

/** Whether it is a block that v2 takes. */
export const isContentBlock = (value: unknown): boolean => (isObject(value) && value.type === 'text' ? textOf(value.text) !== undefined : toV2ContentBlock(value, []) !== undefined);

/** The blocks that v1 has. */
const v1Blocks: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'resource_link', 'resource']);

/** v1 knows the audiences `user` and `assistant`; a list of only others is left out, not narrowed to nobody. */
function toV1Annotations(value: JsonObject): JsonObject {
  if (!Array.isArray(value.audience)) return value;
  const { audience: _, ...rest } = value;
  const known = value.audience.filter((role) => role === 'user' || role === 'assistant');
  return known.length > 0 || value.audience.length === 0 ? { ...rest, audience: known } : rest;
}

function toV1ContentBlock(block: unknown, takes: ReadonlySet<string>): Translated<JsonObject> {
  const type = isObject(block) ? stringOf(block.type) : undefined;
  if (!isObject(block) || type === undefined || !v1Blocks.has(type)) {
    return { error: invalidParams('this agent speaks ACP v1, which has no such content block.', { type: type ?? typeName(block) }) };
  }
  if (!takes.has(type)) return { error: invalidParams(`this agent takes content of the types ${[...takes].join(', ')} here.`, { type }) };
  const { icons: _, ...known } = block;
  return { value: isObject(block.annotations) ? { ...known, annotations: toV1Annotations(block.annotations) } : known };
}

/** v2 content blocks in v1 form, or the error that names the first one that v1 does not have, or that is not among what is taken. */
export function toV1ContentBlocks(blocks: readonly unknown[], takes: ReadonlySet<string> = v1Blocks): Translated<JsonObject[]> {
  const result: JsonObject[] = [];
  for (const block of blocks) {
    const translated = toV1ContentBlock(block, takes);
    if (translated.error) return translated;
    result.push(translated.value);
  }
  return { value: result };
}
