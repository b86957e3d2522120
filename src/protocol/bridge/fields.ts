/**
 * Readers that turn untrusted v1 JSON into what the v2 schema allows. A reader gives the v2 value, or
 * `undefined` when the value cannot be said in v2; why is written to `faults`, by type and key names
 * only. Unknown members are left out, `null` counts as absent (ACP v1: no change).
 */
import { integerOf, isNumber, isObject, objectOf, stringOf, textOf, typeName, type JsonObject, type UnreadText } from '../shape.js';

export type Faults = string[];
export type Reader<T = unknown> = (value: unknown, faults: Faults) => T | undefined;
export type Fields = Readonly<Record<string, Reader>>;

const expected = (what: string, value: unknown, faults: Faults): undefined => {
  faults.push(`expected ${what}, got ${typeName(value)}`);
  return undefined;
};

export const text: Reader<string> = (value, faults) => stringOf(value) ?? expected('a string', value, faults);
/** As `text`, for one that is moved and not looked at. */
export const anyText: Reader<string | UnreadText> = (value, faults) => textOf(value) ?? expected('a string', value, faults);
export const flag: Reader<boolean> = (value, faults) => (typeof value === 'boolean' ? value : expected('a boolean', value, faults));
export const jsonObject: Reader<JsonObject> = (value, faults) => objectOf(value) ?? expected('an object', value, faults);
/** Any value at all. */
export const json: Reader = (value) => value;
export const filledText: Reader<string> = (value, faults) => (typeof value === 'string' && value !== '' ? value : expected('a non-empty string', value, faults));

/** An integer of at least `min`. It keeps its digits. */
export const integer = (min = -Infinity): Reader => (value, faults) => {
  const number = integerOf(value);
  return number !== undefined && number >= min ? value : expected(`an integer${min === -Infinity ? '' : ` of at least ${min}`}`, value, faults);
};

export const number: Reader = (value, faults) =>
  isNumber(value) ? value : expected('a number', value, faults);

/** One of the names that v2 knows, or an extension's (a name that starts with `_`). */
export const oneOf = (...names: readonly string[]): Reader<string> => (value, faults) =>
  typeof value === 'string' && (names.includes(value) || value.startsWith('_')) ? value : expected(names.join(', '), value, faults);

export const uri: Reader<string> = (value, faults) => {
  const given = stringOf(value);
  if (given === undefined) return expected('a URI', value, faults);
  if (URL.canParse(given)) return given;
  return given.startsWith('/') ? new URL(`file://${given.split('/').map(encodeURIComponent).join('/')}`).href : expected('a URI', value, faults);
};

export const dateTime: Reader<string> = (value, faults) => {
  const given = stringOf(value);
  if (given !== undefined && /^\d{4}-\d\d-\d\dT/.test(given) && !Number.isNaN(Date.parse(given))) return given;
  return expected('a date and time', value, faults);
};

export const base64: Reader<string> = (value, faults) =>
  typeof value === 'string' && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value) ? value : expected('base64', value, faults);

/** A list without the entries that cannot be read. */
export const list = <T>(item: Reader<T>): Reader<T[]> => (value, faults) =>
  Array.isArray(value)
    ? value.flatMap((entry, index) => within(`[${index}]`, faults, (inner) => item(entry, inner)) ?? [])
    : expected('an array', value, faults);

/** As `list`, but an empty list cannot be said. */
export const filledList = <T>(item: Reader<T>): Reader<T[]> => (value, faults) => {
  const entries = list(item)(value, faults);
  return entries === undefined || entries.length === 0 ? undefined : entries;
};

/** Runs `read`, and names the place of what it finds wrong. */
export function within<T>(place: string, faults: Faults, read: (inner: Faults) => T): T {
  const before = faults.length;
  const result = read(faults);
  if (faults.length > before) namePlace(place, faults, before);
  return result;
}

function namePlace(place: string, faults: Faults, from: number): void {
  for (let i = from; i < faults.length; i++) {
    const fault = faults[i] as string;
    faults[i] = fault.startsWith('expected') ? `${place}: ${fault}` : `${place}.${fault}`;
  }
}

/** The members of `value` that `fields` names, each read, in their order; `null` and unreadable ones are left out. */
export function readFields(value: JsonObject, fields: Fields, faults: Faults): { [key: string]: unknown } {
  const result: { [key: string]: unknown } = {};
  for (const key of Object.keys(value)) {
    const given = value[key];
    if (given === undefined || given === null || !Object.hasOwn(fields, key)) continue;
    const before = faults.length;
    const member = (fields[key] as Reader)(given, faults);
    if (faults.length > before) namePlace(key, faults, before);
    if (member !== undefined) result[key] = member;
  }
  return result;
}

/** An object with its `required` members, those `optional` ones that can be read, and `_meta`. */
export const shape = (required: Fields, optional: Fields = {}): Reader<{ [key: string]: unknown }> => {
  const fields = { ...required, ...optional, _meta: jsonObject };
  const names = Object.keys(required);
  return (value, faults) => {
    if (!isObject(value)) return expected('an object', value, faults);
    const result = readFields(value, fields, faults);
    if (names.every((key) => result[key] !== undefined)) return result;
    const unsaid = names.filter((key) => result[key] === undefined && (value[key] === undefined || value[key] === null));
    for (const key of unsaid) within(key, faults, (inner) => expected('a value', value[key], inner));
    return undefined;
  };
};

/** As `shape`, for what is told in patches: there `null` clears an optional member in both versions. */
export const patch = (required: Fields, optional: Fields): Reader<{ [key: string]: unknown }> => (value, faults) => {
  const read = shape(required, optional)(value, faults);
  const cleared = Object.keys(optional).filter((key) => isObject(value) && value[key] === null);
  return read && { ...read, ...Object.fromEntries(cleared.map((key) => [key, null])) };
};

/** A member of a union: `arms` by the value of its tag, extensions (tags that start with `_`) as they are. */
export const tagged = (tag: string, arms: Readonly<Record<string, Reader<{ [key: string]: unknown }>>>): Reader<{ [key: string]: unknown }> => (value, faults) => {
  if (!isObject(value)) return expected('an object', value, faults);
  const name = value[tag];
  if (typeof name !== 'string') return within(tag, faults, (inner) => expected('a string', name, inner));
  if (name.startsWith('_')) return value;
  const arm = Object.hasOwn(arms, name) ? arms[name] : undefined;
  if (arm === undefined) return within(tag, faults, (inner) => expected(Object.keys(arms).join(', '), name, inner));
  const read = arm(value, faults);
  return read && { [tag]: name, ...read };
};
