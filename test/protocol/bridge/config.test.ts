import { describe, expect, test } from 'vitest';
import { toV2Commands, toV2Config, toV2ConfigOptions, withMode, withOptions } from '../../../src/protocol/bridge/config.js';

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

  test('no list is no list', () => {
    expect(toV2ConfigOptions(null, rules, [])).toBeUndefined();
    expect(toV2ConfigOptions(undefined, rules, [])).toBeUndefined();
  });
});

describe('modes', () => {
  test('become an option, before the others', () => {
    expect(toV2Config({ modes, configOptions: [effort] }, rules, [])).toEqual({ options: [modeOption, v2Effort], madeMode: true });
    expect(toV2Config({ modes }, rules, [])).toEqual({ options: [modeOption], madeMode: true });
  });

  test('are not told twice, when the agent has that option', () => {
    const own = { ...effort, id: 'mode', category: 'mode' };
    expect(toV2Config({ modes, configOptions: [own] }, rules, [])).toMatchObject({ options: [{ configId: 'mode', name: 'Effort' }], madeMode: false });
  });

  test.each([{ modes: null }, {}, undefined])('none are none: %j', (result) => {
    expect(toV2Config(result, rules, [])).toBeUndefined();
  });

  test('that cannot be chosen from are none', () => {
    expect(toV2Config({ modes: { currentModeId: 'x', availableModes: [{ id: 7 }] } }, rules, [])).toBeUndefined();
    expect(toV2Config({ modes: {}, configOptions: [effort] }, rules, [])).toEqual({ options: [v2Effort], madeMode: false });
  });

  test('change', () => {
    const view = toV2Config({ modes, configOptions: [effort] }, rules, []);
    if (view === undefined) throw new Error('no options');
    expect(withMode(view, 'code').options).toEqual([{ ...modeOption, currentValue: 'code' }, v2Effort]);
    expect(withMode(view, 'ask')).toBe(view);
    const plain = { options: [v2Effort], madeMode: false };
    expect(withMode(plain, 'code')).toBe(plain);
  });

  test('stay when the agent tells its other options anew', () => {
    const view = toV2Config({ modes }, rules, []);
    expect(withOptions(view, [v2Effort])).toEqual({ options: [modeOption, v2Effort], madeMode: true });
    expect(withOptions(view, [modeOption])).toEqual({ options: [modeOption], madeMode: false });
    expect(withOptions(undefined, [v2Effort])).toEqual({ options: [v2Effort], madeMode: false });
  });
});

test('commands have tags, and no input where they have none', () => {
  expect(toV2Commands([{ name: 'a', description: 'A', input: null }, { name: 'b', description: 'B', input: { hint: 'h' } }, { name: 'c' }], []))
    .toEqual([{ type: 'command', name: 'a', description: 'A' }, { type: 'command', name: 'b', description: 'B', input: { type: 'text', hint: 'h' } }]);
});
