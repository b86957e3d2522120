import { describe, expect, test } from 'vitest';
import { setterOf, toV2Commands, toV2Config, toV2ConfigOptions, withForm, withOptions } from '../../../src/protocol/bridge/config.js';

const rules = { full: false };
const air = { jetbrains: { air: { version: 1, kind: 'plan' } } };
const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask', description: 'Asks', _meta: air }, { id: 'code', name: 'Code' }] };
const modeOption = {
  configId: 'mode', name: 'Mode', category: 'mode', type: 'select', currentValue: 'ask',
  options: [{ value: 'ask', name: 'Ask', description: 'Asks' }, { value: 'code', name: 'Code' }],
};
const effort = { id: 'effort', name: 'Effort', category: 'thought_level', type: 'select', currentValue: 'low', options: [{ value: 'low', name: 'Low', _meta: air }] };
const v2Effort = { configId: 'effort', name: 'Effort', category: 'thought_level', type: 'select', currentValue: 'low', options: [{ value: 'low', name: 'Low' }] };

describe('options', () => {
  test('have a configId; groups have a groupId', () => {
    const faults: string[] = [];
    expect(toV2ConfigOptions([
      effort,
      { id: 'fast', name: 'Fast', type: 'boolean', currentValue: false },
      { id: 'model', name: 'Model', type: 'select', currentValue: 'a', options: [{ group: 'g', name: 'G', options: [{ value: 'a', name: 'A' }] }] },
    ], rules, faults)).toEqual([
      v2Effort,
      { configId: 'fast', name: 'Fast', type: 'boolean', currentValue: false },
      { configId: 'model', name: 'Model', type: 'select', currentValue: 'a', options: [{ groupId: 'g', name: 'G', options: [{ value: 'a', name: 'A' }] }] },
    ]);
    expect(faults).toEqual([]);
  });

  test.each([{ id: 'x', name: 'X', type: 'slider' }, { id: 'x', name: 'X', type: 'select', currentValue: 'a', options: [] }, { name: 'X', type: 'boolean', currentValue: true }, 'x'])('%j is left out', (option) => {
    expect(toV2ConfigOptions([option, effort], rules, [])).toEqual([v2Effort]);
  });

  test('a category that v2 does not know becomes an extension of it', () => {
    const faults: string[] = [];
    const categories = (toV2ConfigOptions([{ ...effort, category: 'collaboration_mode' }, { ...effort, category: '_own' }, effort, { ...effort, category: null }], rules, faults) ?? []).map((option) => option.category);
    expect([categories, faults]).toEqual([['_collaboration_mode', '_own', 'thought_level', undefined], []]);
  });

  test('no list is no list', () => {
    expect(toV2ConfigOptions(null, rules, [])).toBeUndefined();
    expect(toV2ConfigOptions(undefined, rules, [])).toBeUndefined();
  });
});

describe('modes', () => {
  test('become an option, before the others', () => {
    expect(toV2Config({ modes, configOptions: [effort] }, rules, [])).toEqual({ options: [modeOption, v2Effort], made: ['mode'] });
    expect(toV2Config({ modes }, rules, [])).toEqual({ options: [modeOption], made: ['mode'] });
  });

  test('are not told twice, when the agent has that option', () => {
    const own = { ...effort, id: 'mode', category: 'mode' };
    expect(toV2Config({ modes, configOptions: [own] }, rules, [])).toMatchObject({ options: [{ configId: 'mode', name: 'Effort' }], made: [] });
  });

  test.each([{ modes: null }, {}, undefined])('none are none: %j', (result) => {
    expect(toV2Config(result, rules, [])).toBeUndefined();
  });

  test('that cannot be chosen from are none', () => {
    expect(toV2Config({ modes: { currentModeId: 'x', availableModes: [{ id: 7 }] } }, rules, [])).toBeUndefined();
    expect(toV2Config({ modes: {}, configOptions: [effort] }, rules, [])).toEqual({ options: [v2Effort], made: [] });
  });

  test('change', () => {
    const view = toV2Config({ modes, configOptions: [effort] }, rules, []);
    if (view === undefined) throw new Error('no options');
    expect(withForm(view, 'mode', 'code').options).toEqual([{ ...modeOption, currentValue: 'code' }, v2Effort]);
    expect(withForm(view, 'mode', 'ask')).toBe(view);
    const plain = { options: [v2Effort], made: [] };
    expect(withForm(plain, 'mode', 'code')).toBe(plain);
  });

  test('stay when the agent tells its other options anew', () => {
    const view = toV2Config({ modes }, rules, []);
    expect(withOptions(view, [v2Effort])).toEqual({ options: [modeOption, v2Effort], made: ['mode'] });
    expect(withOptions(view, [modeOption])).toEqual({ options: [modeOption], made: [] });
    expect(withOptions(undefined, [v2Effort])).toEqual({ options: [v2Effort], made: [] });
  });
});

describe('models', () => {
  const models = { currentModelId: 'pro', availableModels: [{ modelId: 'pro', name: 'Pro', description: 'Slow', _meta: air }, { modelId: 'flash', name: 'Flash' }] };
  const modelOption = {
    configId: 'model', name: 'Model', category: 'model', type: 'select', currentValue: 'pro',
    options: [{ value: 'pro', name: 'Pro', description: 'Slow' }, { value: 'flash', name: 'Flash' }],
  };

  test('become an option behind the mode', () => {
    expect(toV2Config({ modes, models, configOptions: [effort] }, rules, [])).toEqual({ options: [modeOption, modelOption, v2Effort], made: ['mode', 'model'] });
  });

  test('are not told twice, when the agent has that option', () => {
    const own = { ...effort, id: 'model', category: 'model' };
    expect(toV2Config({ models, configOptions: [own] }, rules, [])).toMatchObject({ options: [{ configId: 'model', name: 'Effort' }], made: [] });
  });

  test('stay beside a mode that the agent makes an option of its own', () => {
    const view = toV2Config({ modes, models }, rules, []);
    expect(withOptions(view, [modeOption])).toEqual({ options: [modelOption, modeOption], made: ['model'] });
  });

  test('are set with a method of their own', () => {
    expect([setterOf.mode('s', 'code'), setterOf.model('s', 'flash')]).toEqual([
      { method: 'session/set_mode', params: { sessionId: 's', modeId: 'code' } }, { method: 'session/set_model', params: { sessionId: 's', modelId: 'flash' } },
    ]);
  });
});

test('commands have tags, and no input where they have none', () => {
  expect(toV2Commands([{ name: 'a', description: 'A', input: null }, { name: 'b', description: 'B', input: { hint: 'h' } }, { name: 'c' }], []))
    .toEqual([{ type: 'command', name: 'a', description: 'A' }, { type: 'command', name: 'b', description: 'B', input: { type: 'text', hint: 'h' } }]);
});
