/**
 * How the foreground state moves (5.12), as far as a client can tell.
 */
import { faultIf, on, type Rule } from './rule.js';
import { keysOf, type SessionView } from './view.js';
import type { ItemKey, Listed } from './events.js';

const STATES = 'Prompt Lifecycle: Session States';
const TRANSITIONS = 'Prompt Lifecycle: State Transitions';

/** Whether a state that only repeats `idle` has another list than before. */
const changesList = (before: SessionView, listed: Listed): boolean => {
  const keys = keysOf(listed);
  return keys !== undefined && before.list !== undefined && JSON.stringify([...keys].sort()) !== JSON.stringify([...before.list].sort());
};

const isResuming = (view: SessionView): boolean => view.open.has('session/resume') || view.open.has('session/load');

/** Whether a request is about listed work, itself or through a terminal that its call shows. */
const isAboutListed = (view: SessionView, about: readonly ItemKey[]): boolean =>
  about.some((key) => [key, ...(view.entities.get(key)?.terminals.map((id) => `terminal:${id}`) ?? [])].some((each) => view.list?.includes(each)));

export const stateRules: readonly Rule[] = [
  {
    number: '5.12',
    versions: [2],
    name: 'one-completion',
    title: 'A span of work ends with one stop reason: a repeated idle has none',
    section: TRANSITIONS,
    find: on('state', ({ state, stopReason, listed }, { before }) =>
      faultIf(state === 'idle' && stopReason !== undefined && before.state === 'idle' && !changesList(before, listed), 'idle without stopReason while idle', `stopReason ${String(stopReason)}`)),
  },
  {
    number: '5.12',
    versions: [2],
    name: 'completion-told',
    title: 'A span of work ends with a stop reason',
    section: TRANSITIONS,
    find: on('state', ({ state, stopReason }, { before }) =>
      faultIf(state === 'idle' && stopReason === undefined && ['running', 'requires_action'].includes(before.state ?? '') && !isResuming(before), 'a stopReason on the idle that ends work', `idle without one after ${String(before.state)}`)),
  },
  {
    number: '5.12',
    versions: [2],
    name: 'prompt-runs',
    title: 'A prompt that was inserted runs before the session is idle',
    section: STATES,
    find: on('state', ({ state }, { before }) => faultIf(before.waiting && state === 'idle', 'running for the inserted prompt', 'idle')),
  },
  {
    number: '5.12',
    versions: [2],
    name: 'cancelled-told',
    title: 'Work that a session/cancel fell into ends with the stop reason cancelled',
    section: 'Cancellation',
    find: on('state', ({ state, stopReason, t }, { before, options }) => {
      const { cancelled } = before;
      const isDue = cancelled?.working === true && cancelled.endedAt === undefined && t - cancelled.t > options.crossing;
      return faultIf(isDue && state === 'idle' && stopReason !== undefined && stopReason !== 'cancelled', 'stopReason cancelled', `stopReason ${String(stopReason)}`);
    }),
  },
  {
    number: '5.12',
    versions: [2],
    name: 'action-from-running',
    title: 'requires_action comes from running only',
    section: TRANSITIONS,
    find: on('state', ({ state }, { before }) =>
      faultIf(state === 'requires_action' && before.state !== undefined && !['running', 'requires_action'].includes(before.state), 'running before requires_action', String(before.state))),
  },
  {
    number: '5.12',
    versions: [2],
    name: 'action-before-request',
    title: 'requires_action comes before a permission request of foreground work',
    section: STATES,
    find: on('ask', ({ method, about }, { before }) =>
      faultIf(method === 'session/request_permission' && before.state !== undefined && before.state !== 'requires_action' && !isAboutListed(before, about), 'requires_action before the request', String(before.state))),
  },
];
