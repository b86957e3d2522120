/**
 * Elicitations of a v1 agent in v2 form (ACP "Elicitation"). The two are nearly the same: v2 requires
 * what v1 implies in a form's schema, and takes no empty choice, no pattern that is no regular
 * expression and no address that is no URL. The answers are the same in both versions.
 */
import { arrayOf, idOf, isObject, objectOf, stringOf, typeName, type JsonObject } from '../shape.js';
import { invalidParams, type Translated } from '../errors.js';

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

const isFilled = (value: unknown): boolean => (arrayOf(value)?.length ?? 0) > 0;

/** The members of a property's schema that v2 checks. What does not pass is left out: it only narrows what may be entered. */
const checks: Readonly<Record<string, (value: unknown) => boolean>> = { pattern: isPattern, enum: isFilled, oneOf: isFilled };

const toV2Property = (property: unknown): unknown =>
  isObject(property) ? Object.fromEntries(Object.entries(property).filter(([key, value]) => value === null || !Object.hasOwn(checks, key) || checks[key]?.(value))) : property;

function toV2Form(schema: unknown): JsonObject {
  const given = objectOf(schema) ?? {};
  const properties = Object.entries(objectOf(given.properties) ?? {}).map(([name, property]): [string, unknown] => [name, toV2Property(property)]);
  return { ...given, type: 'object', properties: Object.fromEntries(properties) };
}

type Mode = (params: JsonObject) => Translated<JsonObject>;

const modes: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ['form', (params) => ({ value: { ...params, requestedSchema: toV2Form(params.requestedSchema) } })],
  ['url', (params) => (URL.canParse(stringOf(params.url) ?? '') ? { value: params } : { error: invalidParams('an elicitation of mode url needs a url.', { url: typeName(params.url) }) })],
]);

/** The v2 params. A mode that is none of these passes as it is: clients refuse what they do not know. */
export function toV2ElicitationParams(params: JsonObject): Translated<JsonObject> {
  const hasScope = idOf(params.sessionId) !== undefined || (params.requestId !== undefined && params.requestId !== null);
  if (!hasScope) return { error: invalidParams('an elicitation needs a sessionId or a requestId.', { sessionId: typeName(params.sessionId), requestId: typeName(params.requestId) }) };
  return modes.get(stringOf(params.mode) ?? '')?.(params) ?? { value: params };
}
