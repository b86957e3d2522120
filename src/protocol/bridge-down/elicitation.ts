/** Elicitations of a v2 agent in v1 form (ACP "Elicitation"): the same, but for formats that v1 does not have, which only narrow what may be entered. */
import { isObject, objectOf, type JsonObject } from '../shape.js';

const formats: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time']);

function toV1Property(property: unknown): unknown {
  if (!isObject(property) || property.format === undefined || property.format === null || formats.has(property.format)) return property;
  const { format: _, ...rest } = property;
  return rest;
}

export function toV1ElicitationParams(params: JsonObject): JsonObject {
  const schema = objectOf(params.requestedSchema);
  const properties = objectOf(schema?.properties);
  if (schema === undefined || properties === undefined) return params;
  return { ...params, requestedSchema: { ...schema, properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, toV1Property(property)])) } };
}
