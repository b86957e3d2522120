/**
 * Modes, models, config options and commands of a session. In v2 the mode and the model are config
 * options, commands and options have tags, and an option's id is its `configId`.
 */
import { arrayOf, isObject, objectOf, stringOf, typeName, type JsonObject } from '../shape.js';
import { filledList, flag, list, shape, text, within, type Faults, type Reader } from './fields.js';
import { withV2Meta, type MetaRules } from './meta.js';

/** What a v1 agent can have in a form of its own, which v2 has as an option of this id and category. */
export type OwnForm = 'mode' | 'model';

/** A session's options as the client knows them. */
export interface ConfigView {
  readonly options: readonly JsonObject[];
  /** The options that were made from v1 modes and models: each is set with a method of its own. */
  readonly made: readonly OwnForm[];
}

/** The v1 request that sets such an option. `session/set_model` comes from before v1 had options, and is in no schema. */
export const setterOf: Readonly<Record<OwnForm, (sessionId: string, value: string) => { readonly method: string; readonly params: JsonObject }>> = {
  mode: (sessionId, modeId) => ({ method: 'session/set_mode', params: { sessionId, modeId } }),
  model: (sessionId, modelId) => ({ method: 'session/set_model', params: { sessionId, modelId } }),
};

const option = shape({ value: text, name: text }, { description: text });
const group = shape({ group: text, name: text, options: filledList(option) });

const selectOptions: Reader<JsonObject[]> = (value, faults) => {
  const isGrouped = arrayOf(value)?.some((entry) => isObject(entry) && 'group' in entry) === true;
  if (!isGrouped) return filledList(option)(value, faults);
  return filledList(group)(value, faults)?.map(({ group: groupId, ...rest }) => ({ ...rest, groupId }));
};

const common = { id: text, name: text };
const categories: ReadonlySet<string> = new Set(['mode', 'model', 'model_config', 'thought_level']);
/** v1 takes any word; one that v2 does not know becomes an extension's. */
const category: Reader<string> = (value, faults) => {
  const word = text(value, faults);
  return word === undefined || categories.has(word) || word.startsWith('_') ? word : `_${word}`;
};
const described = { description: text, category };
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
const model = shape({ modelId: text, name: text }, { description: text });

/** Where a set-up result has its own forms: the member, the current one, the list, and the id of an entry. */
const ownForms = [
  { form: 'mode', name: 'Mode', member: 'modes', current: 'currentModeId', list: 'availableModes', entry: mode, id: 'id' },
  { form: 'model', name: 'Model', member: 'models', current: 'currentModelId', list: 'availableModels', entry: model, id: 'modelId' },
] as const;

type OwnFormRow = (typeof ownForms)[number];

/** v1 modes or models as a v2 config option; `undefined` when there are none to choose from. */
function toV2OwnForm(row: OwnFormRow, state: unknown, rules: MetaRules, faults: Faults): JsonObject | undefined {
  const currentValue = stringOf(objectOf(state)?.[row.current]);
  const available = list(row.entry)(objectOf(state)?.[row.list], faults);
  if (currentValue === undefined || available === undefined || available.length === 0) return undefined;
  const options = available.map(({ [row.id]: value, ...rest }) => withV2Meta({ ...rest, value }, rules));
  return { configId: row.form, name: row.name, category: row.form, type: 'select', currentValue, options };
}

const isForm = (form: OwnForm) => (entry: JsonObject): boolean => entry.category === form || entry.configId === form;

/** The options of a v1 set-up result: its own, and its modes and models where none of them is that. */
export function toV2Config(result: unknown, rules: MetaRules, faults: Faults): ConfigView | undefined {
  const setup = objectOf(result);
  const options = within('configOptions', faults, (inner) => toV2ConfigOptions(setup?.configOptions, rules, inner));
  const made = ownForms.flatMap((row): { form: OwnForm; option: JsonObject }[] => {
    const state = setup?.[row.member];
    if (state === undefined || state === null || options?.some(isForm(row.form))) return [];
    const option = within(row.member, faults, (inner) => toV2OwnForm(row, state, rules, inner));
    return option === undefined ? [] : [{ form: row.form, option }];
  });
  if (options === undefined && made.length === 0) return undefined;
  return { options: [...made.map(({ option }) => option), ...(options ?? [])], made: made.map(({ form }) => form) };
}

/** The options after the mode or model changed; the same view when it is no news. */
export function withForm(view: ConfigView, form: OwnForm, value: string): ConfigView {
  const at = view.options.findIndex(isForm(form));
  const entry = view.options[at];
  if (entry === undefined || entry.currentValue === value) return view;
  return { ...view, options: view.options.with(at, { ...entry, currentValue: value }) };
}

/** The options after the agent told them anew; those that were made from modes and models stay. */
export function withOptions(view: ConfigView | undefined, options: readonly JsonObject[]): ConfigView {
  const kept = (view?.made ?? []).flatMap((form) => {
    const made = options.some(isForm(form)) ? undefined : view?.options.find(isForm(form));
    return made === undefined ? [] : [{ form, made }];
  });
  return { options: [...kept.map(({ made }) => made), ...options], made: kept.map(({ form }) => form) };
}

const command = shape({ name: text, description: text }, { input: shape({ hint: text }) });

/** v1 commands in v2 form. */
export const toV2Commands = (value: unknown, faults: Faults): JsonObject[] | undefined =>
  list(command)(value, faults)?.map(({ input, ...rest }) => ({ type: 'command', ...rest, ...(isObject(input) ? { input: { type: 'text', ...input } } : {}) }));
