import { describe, expect, test } from 'vitest';
import { toV1DiffContent } from '../../../src/protocol/bridge-down/diff.js';
import { toV2Diff } from '../../../src/protocol/bridge/diff.js';

const words = (text: string) => ({ type: 'content', content: { type: 'text', text } });
const git = (...lines: string[]) => ({ format: 'git_patch', text: `${lines.join('\n')}\n` });
const hunkOf = (path: string, ...lines: string[]) => git(`diff --git ${path} ${path}`, `--- ${path}`, `+++ ${path}`, ...lines);

describe('a v2 diff as v1 content', () => {
  test('each hunk of a changed file is a diff', () => {
    expect(toV1DiffContent({ changes: [{ operation: 'modify', path: '/a', fileType: 'text' }], patch: hunkOf('/a', '@@ -1,2 +1,2 @@', ' a', '-b', '+c', '@@ -10 +10,2 @@', ' x', '+y') })).toEqual([
      { type: 'diff', path: '/a', oldText: 'a\nb', newText: 'a\nc' },
      { type: 'diff', path: '/a', oldText: 'x', newText: 'x\ny' },
    ]);
  });

  test('add is a whole file, delete too, and _meta says which', () => {
    const patch = git('diff --git /a /a', 'new file mode 100644', '--- /dev/null', '+++ /a', '@@ -0,0 +1,2 @@', '+a', '+b', 'diff --git /b /b', 'deleted file mode 100644', '--- /b', '+++ /dev/null', '@@ -1 +0,0 @@', '-gone', '\\ No newline at end of file');
    expect(toV1DiffContent({ changes: [{ operation: 'add', path: '/a' }, { operation: 'delete', path: '/b' }], patch })).toEqual([
      { type: 'diff', path: '/a', newText: 'a\nb\n' },
      { type: 'diff', path: '/b', oldText: 'gone', newText: '', _meta: { kind: 'delete' } },
    ]);
  });

  test('a newline that is added at the end is kept', () => {
    expect(toV1DiffContent({ changes: [{ operation: 'modify', path: '/a' }], patch: hunkOf('/a', '@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+a') })).toEqual([{ type: 'diff', path: '/a', oldText: 'a', newText: 'a\n' }]);
  });

  test('git’s letters before a path, and quoted names', () => {
    const patch = git('diff --git a/src/x b/src/x', '--- a/src/x', '+++ b/src/x', '@@ -1 +1 @@', '-a', '+b');
    expect(toV1DiffContent({ changes: [{ operation: 'modify', path: '/src/x' }], patch })).toMatchObject([{ path: '/src/x', oldText: 'a', newText: 'b' }]);
    const quoted = hunkOf('"/a\\"b"', '@@ -1 +1 @@', '-a', '+b');
    expect(toV1DiffContent({ changes: [{ operation: 'modify', path: '/a"b' }, { operation: 'modify', path: '/c' }], patch: quoted })).toMatchObject([{ path: '/a"b', newText: 'b' }, words('Changed /c')]);
  });

  test('move and copy are told in words, with what changed', () => {
    const patch = git('diff --git /a /b', 'rename from /a', 'rename to /b', '--- /a', '+++ /b', '@@ -1 +1 @@', '-a', '+b');
    expect(toV1DiffContent({ changes: [{ operation: 'move', oldPath: '/a', path: '/b' }], patch })).toEqual([words('Moved /a to /b'), { type: 'diff', path: '/b', oldText: 'a', newText: 'b' }]);
    expect(toV1DiffContent({ changes: [{ operation: 'copy', oldPath: '/a', path: '/b' }] })).toEqual([words('Copied /a to /b')]);
  });

  test('what is no text, or has no git_patch, is told in words', () => {
    expect(toV1DiffContent({ changes: [{ operation: 'add', path: '/i.png', fileType: 'binary' }, { operation: 'delete', path: '/d', fileType: 'directory' }, { operation: 'modify', path: '/l', fileType: 'symlink' }, { operation: '_chmod', path: '/x' }] }))
      .toEqual([words('Added /i.png'), words('Deleted /d'), words('Changed /l'), words('_chmod /x')]);
    expect(toV1DiffContent({ changes: [{ operation: 'modify', path: '/a', fileType: 'text' }], patch: { format: '_ed', text: '1d' } })).toEqual([words('Changed /a'), words('1d')]);
  });

  test('an added file without a patch is empty', () => {
    expect(toV1DiffContent({ changes: [{ operation: 'add', path: '/a', fileType: 'text' }] })).toEqual([{ type: 'diff', path: '/a', newText: '' }]);
  });

  test('one hunk at the start of a file comes back as it was', () => {
    const diff = { changes: [{ operation: 'modify', path: '/a', fileType: 'text' }], patch: hunkOf('/a', '@@ -1,2 +1,2 @@', ' a', '-b', '+c') };
    const [v1] = toV1DiffContent(diff);
    expect(toV2Diff(v1, undefined, [])).toEqual(diff);
  });
});
