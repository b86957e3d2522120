/**
 * A v1 diff (one path, its old and new text) as a v2 diff (what changed, and a git patch).
 *
 * The texts may be snippets of a file. Their lines are counted from the snippet's first one, and a
 * missing newline at the end of both is the snippet's, not the file's.
 */
import { at, isObject, objectOf, stringOf, typeName, type JsonObject } from '../shape.js';
import { within, type Faults } from './fields.js';
import { lineEdits, linesOf, type Edit } from './line-edits.js';

type Operation = 'add' | 'modify' | 'delete';

const CONTEXT_LINES = 3;
/** Beyond this many changed lines that both texts have the patch replaces the whole text: the exact one costs their square. */
const MAX_EDITS = 2000;
const NO_NEWLINE = '\\ No newline at end of file';

/** What agents write into `_meta.kind` of a diff, where v1 itself cannot tell. */
const operationOfKind: ReadonlyMap<string, Operation> = new Map([['add', 'add'], ['delete', 'delete'], ['modify', 'modify'], ['update', 'modify']]);

export const isAbsolutePath = (path: string): boolean => /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path);

/** A relative path below a directory, without the steps `.` and `..`. */
function below(directory: string, path: string): string {
  const separator = directory.startsWith('/') ? '/' : '\\';
  const steps = directory.replace(/[\\/]+$/, '').split(separator);
  for (const step of path.split(separator === '/' ? '/' : /[\\/]/)) {
    if (step === '..') steps.splice(Math.max(steps.length - 1, 1));
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join(separator);
}

/** `path` as v2 wants it: absolute. A relative one is the session's. */
export function toAbsolutePath(path: unknown, cwd: string | undefined): string | undefined {
  if (typeof path !== 'string' || path === '') return undefined;
  if (isAbsolutePath(path)) return path;
  return cwd === undefined ? undefined : below(cwd, path);
}

/** git leaves out a length of 1, and names the line before an empty range. */
function range(start: number, lines: number): string {
  if (lines === 1) return `${start}`;
  return lines === 0 ? `${Math.max(start - 1, 0)},0` : `${start},${lines}`;
}

const quoted = (path: string): string => (/[\x00-\x1f"\\]/.test(path) ? JSON.stringify(path) : path);

function headerOf(path: string, operation: Operation): string[] {
  const name = quoted(path);
  const mode = { add: ['new file mode 100644'], delete: ['deleted file mode 100644'], modify: [] }[operation];
  return [`diff --git ${name} ${name}`, ...mode, `--- ${operation === 'add' ? '/dev/null' : name}`, `+++ ${operation === 'delete' ? '/dev/null' : name}`];
}

/** The hunks of a patch, each with its unchanged lines around it. `isSnippet`: that a text ends without a newline is not news. */
function hunks(before: readonly string[], after: readonly string[], edits: readonly Edit[], isSnippet: boolean): string[] {
  const result: string[] = [];
  const body: string[] = [];
  const put = (sign: string, lines: readonly string[], from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      const line = lines[at] as string;
      body.push(sign, line);
      if (!line.endsWith('\n')) body.push(isSnippet ? '\n' : `\n${NO_NEWLINE}\n`);
    }
  };
  let [beforeAt, afterAt] = [0, 0];
  let [beforeStart, afterStart] = [0, 0];
  const close = (): void => {
    if (body.length > 0) result.push(`@@ -${range(beforeStart + 1, beforeAt - beforeStart)} +${range(afterStart + 1, afterAt - afterStart)} @@\n`, body.splice(0).join(''));
  };
  for (const { kept, removed, added } of edits) {
    const changes = removed + added > 0;
    if (body.length === 0 || !changes || kept > 2 * CONTEXT_LINES) {
      const behind = body.length === 0 ? 0 : Math.min(kept, CONTEXT_LINES);
      put(' ', before, beforeAt, beforeAt + behind);
      [beforeAt, afterAt] = [beforeAt + behind, afterAt + behind];
      close();
      const skipped = kept - behind - Math.min(kept - behind, CONTEXT_LINES);
      [beforeAt, afterAt] = [beforeAt + skipped, afterAt + skipped];
      [beforeStart, afterStart] = [beforeAt, afterAt];
      if (!changes) break;
      const ahead = kept - behind - skipped;
      put(' ', before, beforeAt, beforeAt + ahead);
      [beforeAt, afterAt] = [beforeAt + ahead, afterAt + ahead];
    } else {
      put(' ', before, beforeAt, beforeAt + kept);
      [beforeAt, afterAt] = [beforeAt + kept, afterAt + kept];
    }
    put('-', before, beforeAt, beforeAt + removed);
    put('+', after, afterAt, afterAt + added);
    [beforeAt, afterAt] = [beforeAt + removed, afterAt + added];
  }
  close();
  return result;
}

function gitPatch(path: string, operation: Operation, oldText: string, newText: string): string | undefined {
  if (oldText === newText) return undefined;
  const [before, after] = [linesOf(oldText), linesOf(newText)];
  const edits = lineEdits(before, after, MAX_EDITS) ?? [{ kept: 0, removed: before.length, added: after.length }];
  const isSnippet = operation === 'modify' && !oldText.endsWith('\n') && !newText.endsWith('\n');
  return `${headerOf(path, operation).join('\n')}\n${hunks(before, after, edits, isSnippet).join('')}`;
}

/**
 * The v2 form of a v1 diff, or `undefined` when it names no path or no new text. An absent `oldText`
 * is a new file (ACP v1 "Diffs"); that a file was deleted v1 says nowhere but in `_meta.kind`.
 */
export function toV2Diff(value: unknown, cwd: string | undefined, faults: Faults): JsonObject | undefined {
  const path = toAbsolutePath(at(value, 'path'), cwd);
  const newText = stringOf(at(value, 'newText'));
  if (!isObject(value) || path === undefined || newText === undefined) {
    const [key, what] = path === undefined ? ['path', 'an absolute path'] : ['newText', 'a string'];
    within(key, faults, (inner) => inner.push(`expected ${what}, got ${typeName(at(value, key))}`));
    return undefined;
  }
  const oldText = stringOf(value.oldText);
  const operation = operationOfKind.get(stringOf(at(value, '_meta', 'kind')) ?? '') ?? (oldText === undefined ? 'add' : 'modify');
  const text = gitPatch(path, operation, oldText ?? '', newText);
  const meta = objectOf(value._meta);
  return {
    changes: [{ operation, path, fileType: 'text' }],
    ...(text === undefined ? {} : { patch: { format: 'git_patch', text } }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}
