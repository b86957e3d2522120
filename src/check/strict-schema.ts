/**
 * Makes a published ACP JSON Schema strict: an open `other` arm of a union takes only names that
 * start with `_` (ACP "Extensibility"), a member of a union is chosen by its tag so that errors name
 * the field at fault, objects take no member that the schema does not name, base64 and absolute
 * paths are checked. Knows JSON Schema and the habits of these files, no protocol rules.
 */

export type Schema = { [keyword: string]: unknown };

type Union = { tag: string; known: Map<string, Schema>; open: Schema | undefined; optional: boolean };

const BASE64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';
const ABSOLUTE_PATH = '^(?:/|[A-Za-z]:[\\\\/]|\\\\\\\\)';

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** `known` names, and, if the union is open, every name that starts with `_`. */
const namePattern = (known: Iterable<string>, open: boolean): string =>
  `^(?:${[...[...known].map(escaped), ...(open ? ['_.*'] : [])].join('|')})$`;

function constOf(arm: Schema): [tag: string, value: string] | undefined {
  if (!isSchema(arm.properties)) return undefined;
  for (const [name, value] of Object.entries(arm.properties))
    if (isSchema(value) && typeof value.const === 'string') return [name, value.const];
  return undefined;
}

/** The arms of a tagged union by the value of their tag; `undefined` for any other union. */
function taggedUnion(arms: readonly Schema[]): Union | undefined {
  const known = new Map<string, Schema>();
  let tag: string | undefined;
  const rest: Schema[] = [];
  for (const arm of arms) {
    const found = constOf(arm);
    if (!found) rest.push(arm);
    else if (tag !== undefined && tag !== found[0]) return undefined;
    else [tag] = [found[0], known.set(found[1], arm)];
  }
  if (tag === undefined) return undefined;
  const open = rest.find((arm) => arm.title === 'other' && isSchema(arm.not));
  const none = rest.find((arm) => arm.title === 'none');
  return rest.every((arm) => arm === open || arm === none) ? { tag, known, open, optional: none !== undefined } : undefined;
}

function taggedUnionSchema({ tag, known, open, optional }: Union): Schema {
  const chosen = [...known].map(([value, arm]) => ({
    if: { type: 'object', properties: { [tag]: { const: value } }, required: [tag] },
    then: strict(arm),
  }));
  const extension = open && {
    if: { type: 'object', properties: { [tag]: { type: 'string', pattern: '^_' } }, required: [tag] },
    then: strict(open),
  };
  const name = { type: optional ? ['string', 'null'] : 'string', pattern: namePattern(known.keys(), open !== undefined) };
  return {
    type: 'object',
    properties: { [tag]: name },
    ...(optional ? {} : { required: [tag] }),
    allOf: extension ? [...chosen, extension] : chosen,
  };
}

/** A union of string constants, with or without an open arm. */
function nameUnionSchema(arms: readonly Schema[]): Schema | undefined {
  const known = arms.map((arm) => arm.const).filter((value) => typeof value === 'string');
  const open = arms.filter((arm) => arm.type === 'string' && arm.const === undefined && /^(?:other|unknown)$/.test(String(arm.title)));
  if (known.length === 0 || known.length + open.length !== arms.length) return undefined;
  return { type: 'string', pattern: namePattern(known, open.length > 0) };
}

function unionSchema(arms: readonly Schema[]): Schema | undefined {
  const tagged = taggedUnion(arms);
  return tagged ? taggedUnionSchema(tagged) : nameUnionSchema(arms);
}

/** An arm without any constraint takes every value, with every member. */
const isUnconstrained = (schema: Schema): boolean => Object.keys(schema).every((keyword) => keyword === 'title' || keyword === 'description');

/** The strict form of one schema. References stay references. */
function strict(schema: Schema): Schema {
  if (isUnconstrained(schema)) return { additionalProperties: true };
  const { anyOf, oneOf, properties, items, allOf, description: _, discriminator: __, ...plain } = schema;
  const result: Schema = { ...plain };
  if (schema.contentEncoding === 'base64') result.pattern = BASE64;
  if (isSchema(properties))
    result.properties = Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, strictValue(value)]));
  if (items !== undefined) result.items = strictValue(items);
  const all = list(allOf).map((part) => strict(part as Schema));
  const arms = list(anyOf ?? oneOf) as readonly Schema[];
  const union = arms.length > 0 ? unionSchema(arms) : undefined;
  if (union) all.push(union);
  else if (arms.length > 0) result[anyOf ? 'anyOf' : 'oneOf'] = arms.map(strict);
  if (all.length > 0) result.allOf = all;
  return result;
}

/** Whether a schema names members, itself or through a part or a reference. */
const namesMembers = (schema: Schema): boolean =>
  schema.$ref !== undefined ||
  schema.properties !== undefined ||
  [schema.allOf, schema.anyOf, schema.oneOf].some((parts) => list(parts).some((part) => isSchema(part) && namesMembers(part)));

/** The schema of a member's or an item's value: here an object ends, so what is left over is unknown. */
const strictValue = (schema: unknown): unknown =>
  isSchema(schema) ? { ...strict(schema), ...(namesMembers(schema) ? { unevaluatedProperties: false } : {}) } : schema;

/** The `$defs` of a schema file, strict. */
export function strictDefinitions(file: Schema): Record<string, Schema> {
  const definitions = file.$defs as Record<string, Schema>;
  const result = Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, strict(schema)]));
  if (result.AbsolutePath) result.AbsolutePath.pattern = ABSOLUTE_PATH;
  return result;
}
