import { diffArrays } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineEdits, linesOf, type Edit } from '../../../src/protocol/bridge/line-edits.js';

const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n', '\n', 'end'), { maxLength: 30 });
const total = (edits: readonly Edit[], key: keyof Edit): number => edits.reduce((sum, edit) => sum + edit[key], 0);

/** What the edits make of `before`, with what they add taken from `after`. */
function edited(before: readonly string[], after: readonly string[], edits: readonly Edit[]): string[] {
  const result: string[] = [];
  let [i, j] = [0, 0];
  for (const { kept, removed, added } of edits) {
    result.push(...before.slice(i, i + kept), ...after.slice(j + kept, j + kept + added));
    [i, j] = [i + kept + removed, j + kept + added];
  }
  return [...result, ...before.slice(i)];
}

test('a text is its lines, each with its ending', () => {
  expect(linesOf('a\n\nb')).toEqual(['a\n', '\n', 'b']);
  expect(linesOf('a\r\n')).toEqual(['a\r\n']);
  expect(linesOf('')).toEqual([]);
  fc.assert(fc.property(fc.string(), (text) => {
    expect(linesOf(text).join('')).toBe(text);
  }));
});

test('the edits turn one list into the other, and change as few lines as an exact comparison of all of them', () => {
  fc.assert(fc.property(lines, lines, (before, after) => {
    const edits = lineEdits(before, after, Infinity) ?? [];
    expect(edited(before, after, edits)).toEqual(after);
    const exact = diffArrays(before, after).filter(({ added, removed }) => added || removed).reduce((sum, { count }) => sum + count, 0);
    expect(total(edits, 'removed') + total(edits, 'added')).toBe(exact);
    expect(edits.slice(1).every(({ kept }, index, all) => kept > 0 || index === all.length - 1)).toBe(true);
  }), { numRuns: 1000 });
});

test('lists without a common line are replaced as a whole, whatever their length', () => {
  const of = (word: string, count: number): string[] => Array.from({ length: count }, (_, line) => `${word} ${line}\n`);
  expect(lineEdits(of('old', 30_000), of('new', 20_000), 10)?.filter(({ removed, added }) => removed + added > 0)).toEqual([{ kept: 0, removed: 30_000, added: 20_000 }]);
});

test('what would cost too much is not found out', () => {
  const before = Array.from({ length: 40 }, (_, line) => `${line}\n`);
  expect(lineEdits(before, [...before].reverse(), 10)).toBeUndefined();
});
