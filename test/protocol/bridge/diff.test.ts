import { applyPatch, parsePatch, structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toAbsolutePath, toV2Diff } from '../../../src/protocol/bridge/diff.js';

const path = '/workspace/project/app.js';
const patchOf = (oldText: string | null | undefined, newText: string, kind?: string): string | undefined => {
  const diff = toV2Diff({ type: 'diff', path, oldText, newText, ...(kind ? { _meta: { kind } } : {}) }, undefined, []) as { patch?: { text: string } } | undefined;
  return diff?.patch?.text;
};

test('an edit of a snippet counts its lines from the snippet, and has no newline of its own at the end', () => {
  expect(toV2Diff({ type: 'diff', path, oldText: 'const a = 1;\nconst b = 2;\nconsole.log(a + b);', newText: 'const a = 1;\nconst b = 3;\nconsole.log(a + b);' }, undefined, [])).toEqual({
    changes: [{ operation: 'modify', path, fileType: 'text' }],
    patch: { format: 'git_patch', text: `diff --git ${path} ${path}\n--- ${path}\n+++ ${path}\n@@ -1,3 +1,3 @@\n const a = 1;\n-const b = 2;\n+const b = 3;\n console.log(a + b);\n` },
  });
});

test('a new file comes from nowhere', () => {
  expect(patchOf(null, '# Notes\n\nFirst line.\n')).toBe(`diff --git ${path} ${path}\nnew file mode 100644\n--- /dev/null\n+++ ${path}\n@@ -0,0 +1,3 @@\n+# Notes\n+\n+First line.\n`);
  expect(patchOf(undefined, 'one')).toBe(`diff --git ${path} ${path}\nnew file mode 100644\n--- /dev/null\n+++ ${path}\n@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n`);
});

test('a single line has no length', () => {
  expect(patchOf('# demo project\n', '# demo project, edited\n')).toContain('@@ -1 +1 @@\n-# demo project\n+# demo project, edited\n');
});

test('one missing newline is news', () => {
  expect(patchOf('a\n', 'a')).toContain('-a\n+a\n\\ No newline at end of file\n');
});

test.each([['add', 'add'], ['delete', 'delete'], ['update', 'modify'], ['modify', 'modify'], ['rename', 'modify']])('_meta.kind %s is %s', (kind, operation) => {
  const diff = toV2Diff({ type: 'diff', path, oldText: 'x\n', newText: '', _meta: { kind } }, undefined, []);
  expect(diff).toMatchObject({ changes: [{ operation }], _meta: { kind } });
});

test('a deleted file goes nowhere', () => {
  expect(patchOf('x\n', '', 'delete')).toBe(`diff --git ${path} ${path}\ndeleted file mode 100644\n--- ${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n`);
});

test('a hundred thousand lines that all differ are one hunk', () => {
  const lines = (word: string): string => Array.from({ length: 100_000 }, (_, index) => `${word}${index}\n`).join('');
  const patch = patchOf(lines('a'), lines('b')) ?? '';
  expect(patch.startsWith(`diff --git ${path} ${path}\n--- ${path}\n+++ ${path}\n@@ -1,100000 +1,100000 @@\n-a0\n-a1\n`)).toBe(true);
  expect(patch.endsWith('+b99998\n+b99999\n')).toBe(true);
});

test('texts that do not differ have no patch', () => {
  expect(toV2Diff({ type: 'diff', path, oldText: 'x', newText: 'x' }, undefined, [])).toEqual({ changes: [{ operation: 'modify', path, fileType: 'text' }] });
});

test('a relative path is the session’s', () => {
  expect(toV2Diff({ type: 'diff', path: 'notes.txt', oldText: 'a', newText: 'b' }, '/project', [])).toMatchObject({ changes: [{ path: '/project/notes.txt' }] });
  expect(toAbsolutePath('../x', '/project/a')).toBe('/project/x');
  expect(toAbsolutePath('./b/../../../../x', '/project/a')).toBe('/x');
  expect(toAbsolutePath('b/x', 'C:\\work')).toBe('C:\\work\\b\\x');
  expect(toAbsolutePath('x', '/')).toBe('/x');
  expect(toAbsolutePath('C:\\x', '/project')).toBe('C:\\x');
  expect(toAbsolutePath('x', undefined)).toBeUndefined();
});

test.each([
  [{ newText: 'x' }, 'path: expected an absolute path, got undefined'],
  [{ path: 'x', newText: 'x' }, 'path: expected an absolute path, got string'],
  [{ path }, 'newText: expected a string, got undefined'],
  ['diff', 'path: expected an absolute path, got undefined'],
])('%j is no diff', (value, fault) => {
  const faults: string[] = [];
  expect(toV2Diff(value, undefined, faults)).toBeUndefined();
  expect(faults).toEqual([fault]);
});

describe('any patch', () => {
  const textOf = fc.array(fc.constantFrom('a', 'b', 'c', '', 'long line'), { maxLength: 12 }).map((lines) => lines.join('\n'));

  test('turns the old text into the new one', () => {
    fc.assert(fc.property(textOf, textOf, fc.boolean(), (before, after, ends) => {
      const [oldText, newText] = ends ? [`${before}\n`, `${after}\n`] : [`${before}\n`, after];
      const text = patchOf(oldText, newText);
      expect(text === undefined).toBe(oldText === newText);
      if (text !== undefined) expect(applyPatch(oldText, parsePatch(text)[0] ?? '')).toBe(newText);
    }));
  });

  test('has the hunks that the library makes of it, where there is one shortest way only', () => {
    const edits = fc.array(fc.constantFrom('keep', 'keep', 'keep', 'keep', 'keep', 'drop', 'change', 'add'), { maxLength: 60 });
    fc.assert(fc.property(edits, fc.boolean(), fc.boolean(), (steps, oldEnds, newEnds) => {
      const textIn = (of: (step: string, line: number) => readonly string[], ends: boolean): string => steps.flatMap(of).join('\n') + (ends ? '\n' : '');
      const oldText = textIn((step, line) => (step === 'add' ? [] : [`line ${line}`]), oldEnds);
      const newText = textIn((step, line) => (step === 'drop' ? [] : step === 'keep' ? [`line ${line}`] : step === 'add' ? [`new ${line}`] : [`changed ${line}`]), newEnds);
      const hunks = structuredPatch('', '', oldText, newText, '', '', { context: 3 }).hunks;
      const isSnippet = !oldText.endsWith('\n') && !newText.endsWith('\n');
      const said = hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.filter((line) => !isSnippet || !line.startsWith('\\')) }));
      const text = patchOf(oldText, newText);
      expect(text === undefined ? [] : parsePatch(text)[0]?.hunks).toEqual(said);
    }), { numRuns: 500 });
  });

  test('also when the texts have little in common', () => {
    const before = Array.from({ length: 3000 }, (_, line) => `old ${line}\n`).join('');
    const after = Array.from({ length: 2000 }, (_, line) => `new ${line}\n`).join('');
    expect(applyPatch(before, parsePatch(patchOf(before, after) ?? '')[0] ?? '')).toBe(after);
  });
});
