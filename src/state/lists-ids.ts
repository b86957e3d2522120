/**
 * The ids of listed items. An id is never used for two of them: not one of the agent's that an item
 * had before or that has ended, and not one of our own. What is remembered of them is bounded.
 */
import type { SessionLists } from './lists-types.js';

const REMEMBERED = 1024;

export const isUsed = (lists: SessionLists, id: string): boolean => lists.used.has(id) || [...lists.entries.values()].some((entry) => entry.id === id);

/** `number` is that of an id of our own, else 0. */
export function markUsed(lists: SessionLists, id: string, number: number): SessionLists {
  const all = lists.used.renew(id, number);
  const used = all.bounded(REMEMBERED, () => true);
  const gone = used === all ? [] : [...all.entries()].filter(([other]) => !used.has(other)).map(([, other]) => other);
  return { ...lists, used, forgotten: Math.max(lists.forgotten, ...gone) };
}

/** An id of our own that was never used in this session: `afterturn:<task>`, then `afterturn:<task>:2` and so on. */
export function ownId(lists: SessionLists, task: string): { readonly id: string; readonly number: number } {
  for (let number = lists.forgotten + 1; ; number++) {
    const id = number === 1 ? `afterturn:${task}` : `afterturn:${task}:${number}`;
    if (!isUsed(lists, id)) return { id, number };
  }
}
