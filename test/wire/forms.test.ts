import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { Forms } from '../../src/wire/forms.js';

const line = (method: string, text: string): string => `{"method":"${method}","text":"${text}"}\n`;
const learned = (...texts: readonly string[]): Forms => {
  const forms = new Forms(['method']);
  for (const text of texts) forms.learn(Buffer.from(text), 0, Buffer.byteLength(text));
  return forms;
};
const after = (forms: Forms, text: string, from = 0): number => forms.afterKnown(Buffer.from(text), from);

test('a run of lines ends before the first whose form is not known, and before one that has no end', () => {
  const forms = learned(line('a', '1'), line('a', '2'), line('b', '1'));
  const run = line('a', 'x') + line('b', '1') + line('a', 'y');
  expect(after(forms, run)).toBe(run.length);
  expect(after(forms, run + line('c', '1') + run)).toBe(run.length);
  expect(after(forms, run + line('a', 'z').slice(0, -1))).toBe(run.length);
  expect(after(forms, `x\n${run}`)).toBe(0);
  expect(after(forms, `x\n${run}`, 2)).toBe(2 + run.length);
});

test('nothing is known before anything was learned, and after it was forgotten', () => {
  expect(after(learned(), line('a', '1'))).toBe(0);
  const forms = learned(line('a', '1'));
  expect(after(forms, line('a', '1'))).toBe(line('a', '1').length);
  forms.forget();
  expect(after(forms, line('a', '1'))).toBe(0);
});

test('of many forms those that are met are kept', () => {
  const forms = learned(line('a', '1'));
  for (let i = 0; i < 20; i++) {
    const other = line(`b${i}`, '1');
    expect(after(forms, line('a', '1'))).toBeGreaterThan(0);
    forms.learn(Buffer.from(other), 0, other.length);
  }
  expect(after(forms, line('a', '1'))).toBeGreaterThan(0);
  expect(after(forms, line('b0', '1'))).toBe(0);
});

test('lines that are all different are learned for a while only, long ones not at all', () => {
  const forms = learned(...Array.from({ length: 100 }, (_, i) => line(`m${i}`, '1')));
  expect(after(forms, line('m99', '1'))).toBe(0);
  const long = line('a', 'x'.repeat(5000));
  expect(after(learned(long), long)).toBe(0);
  expect(after(learned(line('a', '1'), line('a', '2')), long)).toBe(long.length);
});
