/**
 * A v2 diff (what changed, and a git patch) as v1 content: a diff of old and new text for each part
 * that the patch shows, and words for what v1 cannot show as one (ACP "Diffs").
 *
 * A patch holds a file's text only where it was made or deleted; of a changed one it shows hunks, each
 * of which becomes a diff of its own, without the place in the file.
 */
import { parsePatch, type StructuredPatch, type StructuredPatchHunk } from 'diff';
import { arrayOf, isObject, objectOf, stringOf, type JsonObject } from '../shape.js';

const NO_NEWLINE = '\\';

/** The old or the new text of a hunk. */
function textOf(hunk: StructuredPatchHunk, sign: '-' | '+'): string {
  let text = '';
  let isLast = false;
  for (const line of hunk.lines) {
    const mark = line[0] ?? ' ';
    if (mark === NO_NEWLINE) text = isLast ? text.slice(0, -1) : text;
    else {
      isLast = mark === sign || mark === ' ';
      if (isLast) text += `${line.slice(1)}\n`;
    }
  }
  return text;
}

/** A hunk is a snippet: the newline at the end of both texts is not its own. */
function snippet(path: string, hunk: StructuredPatchHunk): JsonObject {
  const oldText = textOf(hunk, '-');
  const newText = textOf(hunk, '+');
  const isCut = (text: string): boolean => text === '' || text.endsWith('\n');
  const cut = (text: string): string => (isCut(oldText) && isCut(newText) ? text.slice(0, -1) : text);
  return { type: 'diff', path, oldText: cut(oldText), newText: cut(newText) };
}

const whole = (hunks: readonly StructuredPatchHunk[], sign: '-' | '+'): string => hunks.map((hunk) => textOf(hunk, sign)).join('');

const words = (text: string): JsonObject => ({ type: 'content', content: { type: 'text', text } });

const pathOf = (change: JsonObject): string => stringOf(change.path) ?? '';

type Row = (change: JsonObject, hunks: readonly StructuredPatchHunk[]) => JsonObject[];

const past: Readonly<Record<string, string>> = { add: 'Added', delete: 'Deleted', modify: 'Changed' };
const said = (operation: string): Row => (change) => [words(`${past[operation] ?? operation} ${pathOf(change)}`)];
const paired = (verb: string): Row => (change, hunks) => [words(`${verb} ${stringOf(change.oldPath) ?? 'a file'} to ${pathOf(change)}`), ...hunks.map((hunk) => snippet(pathOf(change), hunk))];

const rows: ReadonlyMap<unknown, Row> = new Map<unknown, Row>([
  ['add', (change, hunks) => (hunks.length > 0 || change.fileType === 'text' ? [{ type: 'diff', path: pathOf(change), newText: whole(hunks, '+') }] : said('add')(change, hunks))],
  ['delete', (change, hunks) => (hunks.length > 0 ? [{ type: 'diff', path: pathOf(change), oldText: whole(hunks, '-'), newText: '', _meta: { kind: 'delete' } }] : said('delete')(change, hunks))],
  ['modify', (change, hunks) => (hunks.length > 0 ? hunks.map((hunk) => snippet(pathOf(change), hunk)) : said('modify')(change, hunks))],
  ['move', paired('Moved')],
  ['copy', paired('Copied')],
]);

function parsed(text: string): readonly StructuredPatch[] | undefined {
  try {
    return parsePatch(text);
  } catch {
    return undefined;
  }
}

/** A name in C's quotes, whose quotes themselves the parser takes off. */
function unquoted(name: string): string {
  if (!name.includes('\\')) return name;
  try {
    return String(JSON.parse(`"${name}"`));
  } catch {
    return name;
  }
}

/** The name of a file in a patch; git may write a letter before it. */
function isNamed(name: string | undefined, path: string): boolean {
  const plain = unquoted(name ?? '');
  return plain === path || plain.replace(/^[a-z]\//, '/') === path || plain.replace(/^[a-z]\//, '') === path;
}

/** The hunks of the part of the patch that is about this change. */
function hunksOf(change: JsonObject, parts: readonly StructuredPatch[], isOnly: boolean): readonly StructuredPatchHunk[] {
  const names = [stringOf(change.path), stringOf(change.oldPath)].filter((name) => name !== undefined);
  const part = parts.find(({ oldFileName, newFileName }) => names.some((name) => isNamed(newFileName, name) || isNamed(oldFileName, name)));
  return (part ?? (isOnly && parts.length === 1 ? parts[0] : undefined))?.hunks ?? [];
}

const withMeta = (item: JsonObject, meta: JsonObject | undefined): JsonObject => (meta === undefined || item.type !== 'diff' ? item : { ...item, _meta: { ...meta, ...objectOf(item._meta) } });

/** The v1 content items of one v2 diff. */
export function toV1DiffContent(diff: JsonObject): JsonObject[] {
  const changes = (arrayOf(diff.changes) ?? []).filter(isObject);
  const patch = objectOf(diff.patch);
  const text = stringOf(patch?.text);
  const parts = patch?.format === 'git_patch' && text !== undefined ? parsed(text) : undefined;
  const items = changes.flatMap((change) => (rows.get(change.operation) ?? said(stringOf(change.operation) ?? 'Changed'))(change, hunksOf(change, parts ?? [], changes.length === 1)));
  const unread = text !== undefined && parts === undefined ? [words(text)] : [];
  return [...items, ...unread].map((item) => withMeta(item, objectOf(diff._meta)));
}
