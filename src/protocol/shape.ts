/**
 * Reads untrusted JSON without throwing: each reader gives the value when it has the asked-for type,
 * else `undefined`.
 */

export type JsonObject = { readonly [key: string]: unknown };

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined);
export const arrayOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);
/** A long string that was not read (`LongText` of the plugin API). It can be moved as it is. */
export interface UnreadText {
  toString(): string;
  start(units: number): string;
  base64(): UnreadText;
  keep(): UnreadText;
}

const TEXT = Symbol.for('afterturn.text');
export const isUnreadText = (value: unknown): value is UnreadText => typeof value === 'object' && value !== null && TEXT in value;

/** The string, also one that was not read yet. */
export const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : isUnreadText(value) ? String(value) : undefined);

/** The string as it is. */
export const textOf = (value: unknown): string | UnreadText | undefined => (typeof value === 'string' || isUnreadText(value) ? value : undefined);

/** The first units of a string. */
export const startOf = (text: string | UnreadText, units: number): string => (typeof text === 'string' ? text.slice(0, units) : text.start(units));

/** The same value, which may outlive its message: unread texts hold nothing but their own bytes. */
export function kept<T>(value: T): T {
  if (isUnreadText(value)) value.keep();
  else if (Array.isArray(value)) value.forEach(kept);
  else if (isObject(value)) Object.values(value).forEach(kept);
  return value;
}
export const booleanOf = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

/** A string that can serve as an id. */
export const idOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** What an object stands for: a number can be kept as one, with its digits. A member called `valueOf` is none of that. */
function primitiveOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.hasOwn(value, 'valueOf')) return value;
  return typeof value.valueOf === 'function' ? value.valueOf() : value;
}

/** A number, also one that is kept with its digits. */
export const isNumber = (value: unknown): boolean => typeof primitiveOf(value) === 'number';

/** An integer, also one that is kept with its digits. */
export function integerOf(value: unknown): number | undefined {
  const number = primitiveOf(value);
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined;
}

/** The value at a path of keys, or `undefined`. Own keys only. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (let i = 0; i < path.length; i++) {
    const key = path[i] as string;
    if (!isObject(here) || !Object.hasOwn(here, key)) return undefined;
    here = here[key];
  }
  return here;
}

/** A copy without the members that are `undefined`. */
export function defined<T extends object>(value: T): T {
  const members = value as Readonly<Record<string, unknown>>;
  const copy: Record<string, unknown> = {};
  // `fromEntries` would be the same, and takes several times as long.
  for (const key of Object.keys(members)) if (members[key] !== undefined) copy[key] = members[key];
  return copy as T;
}

/** What a value is, for messages that must not show it. */
export function typeName(value: unknown): string {
  if (isUnreadText(value)) return 'string';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}
