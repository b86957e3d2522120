/**
 * The order of an item's life (5.1), and what may stand in a list at all (5.3).
 */
import { faultIf, on, type Fault, type Rule } from './rule.js';
import { keysOf, removedBy, type SessionView } from './view.js';
import type { ItemKey } from './events.js';

const LIST = 'The background list on state snapshots';
const KNOWN = /^(?:terminal|tool_call|subagent):/;

const endOf = (key: ItemKey): string =>
  key.startsWith('terminal:') ? 'exitStatus' : key.startsWith('subagent:') ? 'an idle state without background work' : 'a final status';

/** The calls that show this terminal. */
const callsOf = (view: SessionView, terminal: ItemKey) =>
  [...view.entities].filter(([key, { terminals }]) => key.startsWith('tool_call:') && terminals.includes(terminal.slice('terminal:'.length)));

/** A fault for each item of the new list that `isBroken`. */
const listed = (expected: string, cameOf: (view: SessionView, key: ItemKey, before: SessionView) => string | undefined): Rule['find'] =>
  on('state', (event, { before, after }) =>
    (keysOf(event.listed) ?? []).flatMap((key): Fault[] => {
      const came = cameOf(after, key, before);
      return came === undefined ? [] : [{ expected, came: `${key}: ${came}` }];
    }));

export const itemRules: readonly Rule[] = [
  {
    number: '5.1',
    versions: [2],
    name: 'announce-before-list',
    title: 'An item is announced before the first list that names it',
    section: LIST,
    find: listed('an update of the item before the list', (view, key) =>
      KNOWN.test(key) && !view.entities.has(key) ? 'is listed and was never announced' : undefined),
  },
  {
    number: '5.1',
    versions: [2],
    name: 'settle-before-remove',
    title: 'An item is settled before the list that drops it',
    section: LIST,
    find: on('state', (event, { before }) =>
      removedBy(before, event).flatMap((key) =>
        faultIf(KNOWN.test(key) && before.entities.get(key)?.final !== true, `${endOf(key)} before the list without the item`, `${key}: left the list without it`))),
  },
  {
    number: '5.1',
    versions: [2],
    name: 'listed-after-end',
    title: 'No list names an item that has ended',
    section: LIST,
    find: listed('live items only', (view, key) => (view.entities.get(key)?.final === true ? 'is listed after it ended' : undefined)),
  },
  {
    number: '5.1',
    versions: [2],
    name: 'cancel-ends-with-item',
    title: 'The cancel capability is cleared with the end',
    section: 'Cancellable tool calls; Cancellable terminals',
    // What a replay tells of the past ends nothing.
    find: ({ event, before, after }) => {
      if ((event.type !== 'call' && event.type !== 'terminal') || after.replaying) return [];
      const key = `${event.type === 'call' ? 'tool_call' : 'terminal'}:${event.id}`;
      const entity = after.entities.get(key);
      const ends = entity?.final === true && before.entities.get(key)?.final !== true;
      return faultIf(ends && entity.cancel, 'capabilities: null with the end', `${key}: ended and still advertises cancel`);
    },
  },
  {
    number: '5.3',
    versions: [2],
    name: 'listed-once',
    title: 'No list names an item twice',
    section: LIST,
    find: on('state', (event) => {
      const keys = keysOf(event.listed) ?? [];
      return keys.flatMap((key, index) => faultIf(keys.indexOf(key) !== index, 'each item once', `${key}: is listed twice`));
    }),
  },
  {
    number: '5.3',
    versions: [2],
    name: 'process-as-terminal',
    title: 'A call whose work is a listed terminal is not listed beside it',
    section: LIST,
    find: on('state', (event, { after }) => {
      const keys = keysOf(event.listed) ?? [];
      return keys.flatMap((key) => {
        const shown = after.entities.get(key)?.terminals.map((id) => `terminal:${id}`).find((terminal) => keys.includes(terminal));
        return faultIf(key.startsWith('tool_call:') && shown !== undefined, 'the terminal alone', `${key}: is listed beside ${String(shown)}`);
      });
    }),
  },
  {
    number: '5.3',
    versions: [2],
    name: 'detached-only',
    title: 'A terminal is listed when its call has handed it off, not before it began',
    section: LIST,
    find: listed('a call that has begun', (view, key, before) => {
      if (!key.startsWith('terminal:') || before.list?.includes(key)) return undefined;
      const calls = callsOf(view, key);
      return calls.length > 0 && calls.every(([, { status }]) => status === 'pending') ? `is listed while ${String(calls[0]?.[0])} is pending` : undefined;
    }),
  },
];
