/**
 * How one list of lines becomes another, with as few changed lines as possible. Lines that only one of
 * them has cannot be kept, so only the others are compared; that changes no result and costs no time.
 */
import { diffArrays } from 'diff';

/** So many lines are kept; after them so many are removed, and so many added in their place. */
export interface Edit {
  readonly kept: number;
  readonly removed: number;
  readonly added: number;
}

/** Lines of a text, each with its line ending. */
export function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/** The places of the lines between `from` and the ends that both have. */
function shared(before: readonly string[], after: readonly string[], from: number, beforeEnd: number, afterEnd: number): readonly [before: number[], after: number[]] {
  const [inBefore, inAfter] = [new Set<string>(), new Set<string>()];
  const places: [number[], number[]] = [[], []];
  for (let i = from; i < beforeEnd; i++) inBefore.add(before[i] as string);
  for (let i = from; i < afterEnd; i++) {
    const line = after[i] as string;
    if (!inBefore.has(line)) continue;
    inAfter.add(line);
    places[1].push(i);
  }
  if (inAfter.size > 0) for (let i = from; i < beforeEnd; i++) if (inAfter.has(before[i] as string)) places[0].push(i);
  return places;
}

/**
 * The edits, in order; each but the first keeps lines. `undefined`: more than `limit` of the lines that
 * both have would change, and finding out which costs the square of that.
 */
export function lineEdits(before: readonly string[], after: readonly string[], limit: number): readonly Edit[] | undefined {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const [left, right] = shared(before, after, head, before.length - tail, after.length - tail);
  const changes = left.length === 0 ? [] : diffArrays(left.map((i) => before[i]), right.map((i) => after[i]), { maxEditLength: limit });
  if (changes === undefined) return undefined;

  const edits: { kept: number; removed: number; added: number }[] = [{ kept: head, removed: 0, added: 0 }];
  let [beforeAt, afterAt] = [head, head];
  /** The next `count` lines from these places on are kept. */
  const keeps = (beforePlace: number, afterPlace: number, count: number): void => {
    const last = edits[edits.length - 1] as Edit & { kept: number; removed: number; added: number };
    last.removed += beforePlace - beforeAt;
    last.added += afterPlace - afterAt;
    if (last.removed + last.added === 0) last.kept += count;
    else edits.push({ kept: count, removed: 0, added: 0 });
    beforeAt = beforePlace + count;
    afterAt = afterPlace + count;
  };
  let [i, j] = [0, 0];
  for (const { added, removed, count } of changes) {
    if (!added && !removed) for (let n = 0; n < count; n++) keeps(left[i + n] as number, right[j + n] as number, 1);
    if (!added) i += count;
    if (!removed) j += count;
  }
  keeps(before.length - tail, after.length - tail, tail);
  return edits;
}
