/**
 * The ids of listed items. An id is never used for two of them: not one of the agent's that an item
 * had before or that has ended, and not one of our own. A terminal and a tool call may have the same
 * id, as the agent's often do. A session that was closed and comes back has used what it used before:
 * its client knows those items as ended. What is remembered of ids is bounded.
 */
import { entriesOf } from './lists-entries.js';
import type { Entry, SessionLists, UsedIds } from './lists-types.js';
import { Table } from './table.js';

type Kind = Entry['type'];

const REMEMBERED = 1024;
export const noIds: UsedIds = { used: Table.empty(), forgotten: 0 };

const keyOf = (type: Kind, id: string): string => `${type} ${id}`;

export const isUsed = (lists: SessionLists, type: Kind, id: string): boolean => lists.used.has(keyOf(type, id)) || entriesOf(lists, type, id).length > 0;

/** `number` is that of an id of our own, else 0. */
export function markUsed(lists: SessionLists, type: Kind, id: string, number = 0): SessionLists {
  const all = lists.used.renew(keyOf(type, id), number);
  const oldest = all.size > REMEMBERED ? all.first() : undefined;
  if (oldest === undefined) return { ...lists, used: all };
  return { ...lists, used: all.delete(oldest[0]), forgotten: Math.max(lists.forgotten, oldest[1]) };
}

/** An id of our own that nothing ever had in this session: `afterturn:<task>`, then `afterturn:<task>:2` and so on. */
export function ownId(lists: SessionLists, task: string): { readonly id: string; readonly number: number } {
  for (let number = lists.forgotten + 1; ; number++) {
    const id = number === 1 ? `afterturn:${task}` : `afterturn:${task}:${number}`;
    if (!isUsed(lists, 'terminal', id) && !isUsed(lists, 'tool_call', id)) return { id, number };
  }
}
