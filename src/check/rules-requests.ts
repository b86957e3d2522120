/**
 * What `session/cancel`, `session/close`, `session/delete`, `session/resume` and `session/fork` do to
 * background work (5.10).
 */
import { faultIf, on, type Fault, type Moment, type Rule } from './rule.js';
import { keysOf } from './view.js';

const SECTION = 'Cancellation, close, and resume';
const isClose = (method: string): boolean => method === 'session/close' || method === 'session/delete';
const OPENS: readonly string[] = ['session/resume', 'session/load'];

/** The line of the open resume or load of this session. */
const resumedAt = ({ before }: Moment): number | undefined =>
  OPENS.map((method) => before.open.get(method)).find((line) => line !== undefined);

/** A successful close. */
const onClose = (find: (moment: Moment) => readonly Fault[]): Rule['find'] =>
  on('answer', ({ method, accepted }, moment) => (isClose(method) && accepted ? find(moment) : []));

/** Whether a cancel of the session is at work, or was a moment ago: an end can wait for the window before it is told. */
function isCancelling({ event, before: { cancelled }, options }: Moment): boolean {
  if (cancelled === undefined) return false;
  const since = cancelled.working ? cancelled.endedAt : cancelled.t;
  return since === undefined || event.t - since < 2 * options.window;
}

export const requestRules: readonly Rule[] = [
  {
    number: '5.10',
    versions: [2],
    name: 'cancel-spares-background',
    title: 'session/cancel ends foreground work only',
    section: SECTION,
    // A terminal that exits just then may have ended by itself, unless a signal says otherwise. Work that ends with its agent is not stopped by the cancel.
    find: (moment) => {
      const { event, before, after } = moment;
      if (event.type !== 'call' && event.type !== 'terminal') return [];
      const key = `${event.type === 'call' ? 'tool_call' : 'terminal'}:${event.id}`;
      const entity = after.entities.get(key);
      const ended = entity?.final === true && before.entities.get(key)?.final !== true;
      const stopped = entity?.status === 'cancelled' || entity?.signal !== undefined;
      const isSpared = before.cancelled?.list.includes(key) === true && !before.askedToStop && !before.open.has('session/close') && !before.open.has('session/delete') && !(event.type === 'call' && event.isOfExit);
      return faultIf(ended && stopped && isSpared && isCancelling(moment), 'listed work goes on', `${key}: was stopped with the foreground work`);
    },
  },
  {
    number: '5.10',
    versions: [2],
    name: 'close-empties-list',
    title: 'At close the list is empty before the response',
    section: SECTION,
    find: onClose(({ before }) =>
      faultIf(before.reported && before.list?.length !== 0, 'a state with an empty list before the response', `${before.list?.length ?? 'unknown'} items listed`)),
  },
  {
    number: '5.10',
    versions: [2],
    name: 'close-ends-idle',
    title: 'At close the session is idle before the response',
    section: SECTION,
    find: onClose(({ before }) =>
      faultIf(before.state !== undefined && before.state !== 'idle', 'idle before the response', `${String(before.state)}`)),
  },
  {
    number: '5.10',
    versions: [2],
    name: 'close-settles',
    title: 'At close every call and terminal has its end before the response',
    section: SECTION,
    find: onClose(({ before }) =>
      before.reported
        ? [...before.entities].flatMap(([key, { final }]) => faultIf(!final && !key.startsWith('subagent:'), 'an end of everything in the session', `${key}: has none`))
        : []),
  },
  {
    number: '5.10',
    versions: [2],
    name: 'close-is-last',
    title: 'After the response to a close nothing is sent for the session',
    section: SECTION,
    find: ({ event, before }) =>
      faultIf(before.closed && ['state', 'call', 'terminal', 'child', 'userMessage', 'update', 'ask'].includes(event.type), 'nothing', `${event.type === 'update' ? event.kind : event.type} after the response`),
  },
  {
    number: '5.10',
    versions: [2],
    name: 'resume-announces-again',
    title: 'A resume sends each listed item before the state that lists it',
    section: SECTION,
    find: on('state', ({ listed }, moment) => {
      const since = resumedAt(moment);
      if (since === undefined) return [];
      return (keysOf(listed) ?? []).flatMap((key) =>
        faultIf((moment.before.entities.get(key)?.line ?? 0) < since, 'an update of the item between the request and the state', `${key}: is listed without one`));
    }),
  },
  {
    number: '5.10',
    versions: [2],
    name: 'resume-tells-state',
    title: 'A resume sends the state before its response',
    section: 'Session Setup: Current-State Synchronization',
    find: on('answer', ({ method, accepted }, moment) => {
      const since = OPENS.includes(method) && accepted ? resumedAt(moment) : undefined;
      return faultIf(since !== undefined && moment.before.stateAt < since, 'a state between the request and its response', 'none');
    }),
  },
  {
    number: '5.10',
    versions: [2],
    name: 'fork-starts-empty',
    title: 'A forked session starts without background work',
    section: SECTION,
    find: on('state', ({ listed }, { before }) =>
      faultIf(before.freshFork && (keysOf(listed)?.length ?? 0) > 0, 'an empty list on the first state', `${keysOf(listed)?.length ?? 0} items`)),
  },
];
