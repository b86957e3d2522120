/**
 * Config options, modes and commands of a v2 session in v1 form (ACP "Session Config Options", "Session
 * Modes"). v1 clients may know modes only, so the option of the category `mode` is told as both.
 */
import { arrayOf, at, isObject, objectOf, stringOf, type JsonObject } from '../shape.js';
import type { V1ClientFacts } from './initialize.js';

/** A session's options as the agent told them last, in v2 form. */
export type V2Options = readonly JsonObject[];

const isMode = (option: JsonObject): boolean => option.type === 'select' && (option.category === 'mode' || option.configId === 'mode');

const withMeta = (from: JsonObject, made: JsonObject): JsonObject => (isObject(from._meta) ? { ...made, _meta: from._meta } : made);

function toV1Choices(value: unknown): JsonObject[] {
  return (arrayOf(value) ?? []).filter(isObject).map((entry) => {
    if (!('groupId' in entry)) return entry;
    const { groupId, ...rest } = entry;
    return { ...rest, group: groupId };
  });
}

const categories: ReadonlySet<string> = new Set(['mode', 'model', 'model_config', 'thought_level']);
/** A word that is none of the schema's is an extension's. */
const toCategory = (word: string): string => (categories.has(word) || word.startsWith('_') ? word : `_${word}`);

/** `undefined`: the client takes no option of that type. */
function toV1ConfigOption(option: JsonObject, client: V1ClientFacts): JsonObject | undefined {
  const { configId, ...given } = option;
  const category = stringOf(option.category);
  const rest = category === undefined ? given : { ...given, category: toCategory(category) };
  if (option.type === 'select') return { id: configId, ...rest, options: toV1Choices(option.options) };
  return option.type === 'boolean' && client.booleanOptions ? { id: configId, ...rest } : undefined;
}

export const toV1ConfigOptions = (options: V2Options, client: V1ClientFacts): JsonObject[] =>
  options.flatMap((option) => {
    const told = toV1ConfigOption(option, client);
    return told === undefined ? [] : [told];
  });

/** The options of a v2 result or update; `undefined` when it lists none. */
export const v2OptionsOf = (value: unknown): V2Options | undefined => arrayOf(at(value, 'configOptions'))?.filter(isObject);

/** The option that a v1 client knows as its modes. */
export const modeOptionOf = (options: V2Options): JsonObject | undefined => options.find((option) => option.category === 'mode' && isMode(option)) ?? options.find(isMode);

const choicesOf = (option: JsonObject): readonly JsonObject[] =>
  (arrayOf(option.options) ?? []).filter(isObject).flatMap((entry) => ('groupId' in entry ? (arrayOf(entry.options) ?? []).filter(isObject) : [entry]));

/** The modes of a session; `undefined` without an option for them. */
export function toV1Modes(options: V2Options): JsonObject | undefined {
  const option = modeOptionOf(options);
  const currentModeId = stringOf(option?.currentValue);
  if (option === undefined || currentModeId === undefined) return undefined;
  const availableModes = choicesOf(option).map(({ value, name, description, ...rest }) => withMeta(rest, { id: value, name, ...(stringOf(description) === undefined ? {} : { description }) }));
  return availableModes.length === 0 ? undefined : { currentModeId, availableModes };
}

/** The updates that tell a v1 client of new options: the modes first, where the mode is another one. */
export function toV1ConfigUpdates(before: V2Options | undefined, options: V2Options, client: V1ClientFacts, meta?: JsonObject): JsonObject[] {
  const currentModeId = stringOf(modeOptionOf(options)?.currentValue);
  const wasOther = currentModeId !== undefined && currentModeId !== modeOptionOf(before ?? [])?.currentValue;
  return [
    ...(wasOther ? [{ sessionUpdate: 'current_mode_update', currentModeId }] : []),
    { sessionUpdate: 'config_option_update', configOptions: toV1ConfigOptions(options, client), ...(meta === undefined ? {} : { _meta: meta }) },
  ];
}

/** Commands; those of other types than v2's own are no commands of v1. */
export const toV1Commands = (value: unknown): JsonObject[] =>
  (arrayOf(value) ?? []).filter(isObject).flatMap((command) => {
    if (command.type !== 'command') return [];
    const { type: _, input, ...rest } = command;
    const given = objectOf(input);
    if (given?.type !== 'text') return [rest];
    const { type: __, ...hint } = given;
    return [{ ...rest, input: hint }];
  });
