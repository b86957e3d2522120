/**
 * When a list is told (5.2), and that its removals do not run ahead of the work that follows (5.7).
 */
import { faultIf, on, type Fault, type Moment, type Rule } from './rule.js';
import { keysOf, removedBy } from './view.js';
import type { ItemKey, Listed } from './events.js';

const LIST = 'The background list on state snapshots';

const wordOf = (listed: Listed): string => (typeof listed === 'string' ? listed : 'a list');

const differs = (one: readonly ItemKey[], other: readonly ItemKey[]): boolean =>
  one.length !== other.length || one.some((key) => !other.includes(key));

/** Items that ended, and left the list late, or not at all. A resume tells the list when it has told what is listed. */
function lateRemovals(keys: readonly ItemKey[], { event, before, options }: Moment): readonly Fault[] {
  const until = Math.min(event.t, before.resumingSince ?? event.t);
  return keys.flatMap((key) => {
    const entity = before.entities.get(key);
    if (!entity?.final || entity.finalInReplay) return [];
    const late = until - entity.finalAt;
    return faultIf(late > options.resendWithin, `a state without the item within ${options.resendWithin} ms of its end`, `${key}: still listed ${late} ms after it`);
  });
}

export const listRules: readonly Rule[] = [
  {
    number: '5.2',
    versions: [2],
    name: 'always-reported',
    title: 'Once background work is reported, every state carries a list',
    section: LIST,
    find: on('state', ({ listed, state }, { before }) =>
      faultIf(before.reported && listed === 'not reported', 'a background list', `${state} without one`)),
  },
  {
    number: '5.2',
    versions: [2],
    name: 'readable-list',
    title: 'A list can be read: an array whose known items carry their id',
    section: LIST,
    find: on('state', ({ listed, state }) => faultIf(listed === 'malformed', 'a list of items with their ids', `${state} with a malformed list`)),
  },
  {
    number: '5.2',
    versions: [2],
    name: 'mirrored-list',
    title: "A child's state in its parent carries its list too",
    section: 'Schema: SubagentUpdate.state',
    find: on('child', ({ id, state }, { before }) =>
      faultIf(before.reported && state !== undefined && typeof state.listed === 'string', "the child's background list", `subagent:${id}: ${state?.state ?? ''}, ${wordOf(state?.listed ?? [])}`)),
  },
  {
    number: '5.2',
    versions: [2],
    name: 'resend-without-stop-reason',
    title: 'A change of the list repeats the state, without a stop reason',
    section: LIST,
    find: on('state', ({ listed, state, stopReason }, { before }) => {
      const keys = keysOf(listed);
      const changed = keys !== undefined && before.list !== undefined && differs(keys, before.list);
      return faultIf(changed && state === 'idle' && before.state === 'idle' && stopReason !== undefined, 'a repeated idle without stopReason', `stopReason ${String(stopReason)} with a change of the list only`);
    }),
  },
  {
    number: '5.2',
    versions: [2],
    name: 'resend-on-change',
    title: 'The state is sent again when an item ends',
    section: LIST,
    find: (moment) => {
      const { event, before } = moment;
      if (event.type === 'state') return lateRemovals(removedBy(before, event), moment);
      return event.type === 'end' && !before.closed ? lateRemovals(before.list ?? [], moment) : [];
    },
  },
  {
    number: '5.7',
    versions: [2],
    name: 'no-removal-then-running',
    title: 'A removal is not followed within the window by a running that the agent started itself',
    section: LIST,
    find: on('state', ({ state, t }, { before, options }) => {
      const { removal } = before;
      if (state !== 'running' || before.state !== 'idle' || !removal) return [];
      const byClient = before.insertedAt > removal.line || before.openPrompts.length > 0;
      const gap = t - removal.t;
      const ends = removal.keys.map((key) => before.entities.get(key)?.finalAt ?? removal.t);
      const waited = removal.t - Math.max(...ends) >= options.window;
      return faultIf(!byClient && !waited && gap < options.window, `one running that drops ${removal.keys.join(', ')}`, `idle without it, and running ${gap} ms later`);
    }),
  },
];
