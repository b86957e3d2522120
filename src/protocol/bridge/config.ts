/**
 * Modes, config options and commands of a session. In v2 the mode is a config option, commands and
 * options have tags, and an option's id is its `configId`.
 */
import { arrayOf, isObject, objectOf, stringOf, typeName, type JsonObject } from '../shape.js';
import { filledList, flag, list, oneOf, shape, text, within, type Faults, type Reader } from './fields.js';
import { withV2Meta, type MetaRules } from './meta.js';

/** The id of the option that a session's modes become, where the agent has none of its own. */
export const MODE_CONFIG_ID = 'mode';

/** A session's options as the client knows them. */
export interface ConfigView {
  readonly options: readonly JsonObject[];
  /** The mode option was made from v1 modes: it is set with `session/set_mode`. */
  readonly madeMode: boolean;
}

const option = shape({ value: text, name: text }, { description: text });
const group = shape({ group: text, name: text, options: filledList(option) });

const selectOptions: Reader<JsonObject[]> = (value, faults) => {
  const isGrouped = arrayOf(value)?.some((entry) => isObject(entry) && 'group' in entry) === true;
  if (!isGrouped) return filledList(option)(value, faults);
  return filledList(group)(value, faults)?.map(({ group: groupId, ...rest }) => ({ ...rest, groupId }));
};

const common = { id: text, name: text };
const described = { description: text, category: oneOf('mode', 'model', 'model_config', 'thought_level') };
const optionTypes: ReadonlyMap<unknown, Reader<JsonObject>> = new Map<unknown, Reader<JsonObject>>([
  ['select', shape({ ...common, currentValue: text, options: selectOptions }, described)],
  ['boolean', shape({ ...common, currentValue: flag }, described)],
]);

const configOption: Reader<JsonObject> = (value, faults) => {
  const type = objectOf(value)?.type;
  const reader = optionTypes.get(type);
  if (reader === undefined) {
    within('type', faults, (inner) => inner.push(`expected select or boolean, got ${typeName(type)}`));
    return undefined;
  }
  const read = reader(value, faults);
  if (read === undefined) return undefined;
  const { id, ...rest } = read;
  return { ...rest, type, configId: id };
};

function withoutPrivateMeta(entry: JsonObject, rules: MetaRules): JsonObject {
  const options = arrayOf(entry.options)?.filter(isObject).map((inner) => withoutPrivateMeta(inner, rules));
  return withV2Meta(options === undefined ? entry : { ...entry, options }, rules);
}

/** v1 config options in v2 form, without those that v2 cannot take; `undefined` when there is no list. */
export function toV2ConfigOptions(value: unknown, rules: MetaRules, faults: Faults): JsonObject[] | undefined {
  if (value === undefined || value === null) return undefined;
  return list(configOption)(value, faults)?.map((entry) => withoutPrivateMeta(entry, rules));
}

const mode = shape({ id: text, name: text }, { description: text });

/** v1 modes as a v2 config option; `undefined` when there are none to choose from. */
function toV2ModeOption(modes: unknown, rules: MetaRules, faults: Faults): JsonObject | undefined {
  const currentValue = stringOf(objectOf(modes)?.currentModeId);
  const available = list(mode)(objectOf(modes)?.availableModes, faults);
  if (currentValue === undefined || available === undefined || available.length === 0) return undefined;
  const options = available.map(({ id, ...rest }) => withV2Meta({ ...rest, value: id }, rules));
  return { configId: MODE_CONFIG_ID, name: 'Mode', category: 'mode', type: 'select', currentValue, options };
}

const isModeOption = (entry: JsonObject): boolean => entry.category === 'mode' || entry.configId === MODE_CONFIG_ID;

/** The options of a v1 set-up result: its own, and its modes where none of them is the mode. */
export function toV2Config(result: unknown, rules: MetaRules, faults: Faults): ConfigView | undefined {
  const setup = objectOf(result);
  const options = within('configOptions', faults, (inner) => toV2ConfigOptions(setup?.configOptions, rules, inner));
  if (options?.some(isModeOption)) return { options, madeMode: false };
  const made = setup?.modes === undefined || setup.modes === null ? undefined : within('modes', faults, (inner) => toV2ModeOption(setup.modes, rules, inner));
  if (made === undefined) return options && { options, madeMode: false };
  return { options: [made, ...(options ?? [])], madeMode: true };
}

/** The options after the mode changed; the same view when it is no news. */
export function withMode(view: ConfigView, modeId: string): ConfigView {
  const at = view.options.findIndex(isModeOption);
  const entry = view.options[at];
  if (entry === undefined || entry.currentValue === modeId) return view;
  return { ...view, options: view.options.with(at, { ...entry, currentValue: modeId }) };
}

/** The options after the agent told them anew; a mode option that was made from modes stays. */
export function withOptions(view: ConfigView | undefined, options: readonly JsonObject[]): ConfigView {
  if (!view?.madeMode || options.some(isModeOption)) return { options, madeMode: false };
  const made = view.options.find(isModeOption);
  return { options: made === undefined ? options : [made, ...options], madeMode: made !== undefined };
}

const command = shape({ name: text, description: text }, { input: shape({ hint: text }) });

/** v1 commands in v2 form. */
export const toV2Commands = (value: unknown, faults: Faults): JsonObject[] | undefined =>
  list(command)(value, faults)?.map(({ input, ...rest }) => ({ type: 'command', ...rest, ...(isObject(input) ? { input: { type: 'text', ...input } } : {}) }));
