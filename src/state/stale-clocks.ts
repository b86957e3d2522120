/**
 * The clocks of a session's unfinished calls. A clock runs while nothing speaks for its call's being
 * alive, from the last thing that did. An event sets only the clocks that it can start, stop or start
 * anew, so that a word costs the same with ten thousand unfinished calls as with ten.
 */
import { applies, byEnd, byOwner, byParent, byPrompt, byQuestion, byTerminal, isStale } from './stale-calls.js';
import type { StaleEvent, StaleOptions, WatchedCall, WatchedSession } from './stale-types.js';

type EventOf<T extends StaleEvent['type']> = Extract<StaleEvent, { type: T }>;

/** An event's change of a session. */
interface Change<E> {
  readonly before: WatchedSession;
  readonly after: WatchedSession;
  /** The call that the event names, before it. */
  readonly known: WatchedCall | undefined;
  readonly event: E;
}

type Ids = readonly string[];
/** The calls whose clock an event can start or stop. */
type Concerns<E> = (change: Change<E>) => Ids | 'all';

const none: Ids = [];
const nobody = (): Ids => none;
const idsOf = (calls: readonly WatchedCall[]): Ids => calls.map(({ id }) => id);

/** The session with these tables. Written out: it is made with nearly every word, and a spread costs much more. */
export function withTables(session: WatchedSession, calls: WatchedSession['calls'], clocks: WatchedSession['clocks'], finished: WatchedSession['finished'], heard = session.heard): WatchedSession {
  const { applied, prompts, tasks, terminals, list, running, replays, historyUntil } = session;
  return { calls, clocks, heard, applied, finished, prompts, tasks, terminals, list, running, replays, historyUntil };
}

/** The calls, and those below them for which they may speak. */
function families(session: WatchedSession, ids: Ids): Ids {
  const found = new Set(ids);
  for (const id of found) for (const child of session.calls.where(byParent, id)) found.add(child.id);
  return [...found];
}

/** Whether a call speaks for those below it as it did before. */
const speaksAlike = (before: WatchedCall | undefined, after: WatchedCall | undefined): boolean =>
  before === after || (before !== undefined && after !== undefined && before.parent === after.parent && before.keptOpen === after.keptOpen && before.terminals === after.terminals);

function ofCall({ after, known, event: { call } }: Change<EventOf<'call' | 'contentAdded' | 'asked'>>): Ids {
  return speaksAlike(known, after.calls.get(call)) ? [call] : families(after, [call]);
}

/** What was replayed lives while anything is at work in its session. */
const isAtWork = ({ prompts, running }: WatchedSession): boolean => prompts.size > 0 || running;
const ofHistory = ({ before, after }: Change<StaleEvent>): Ids => (isAtWork(before) === isAtWork(after) ? none : idsOf(after.calls.where(byOwner, 'history')));
const ofPrompt = ({ before }: Change<StaleEvent>, prompt: string): Ids => idsOf(before.calls.where(byPrompt, prompt));

/** Tasks that are forgotten had ended before, the oldest of them or the one that ends. */
function ofTask({ before, after, event: { task } }: Change<EventOf<'taskLive' | 'taskEnded'>>): Ids {
  if (before.tasks === after.tasks) return none;
  const forgotten = Math.max(0, before.tasks.size - after.tasks.size);
  const tasks = [after.tasks.get(task), before.tasks.get(task), ...(forgotten === 0 ? [] : before.tasks.where(byEnd, 'ended').slice(0, forgotten))];
  return families(after, tasks.flatMap((each) => each?.call ?? []));
}

const ofTerminal = ({ after, event: { terminal } }: Change<EventOf<'terminalLive' | 'terminalEnded'>>): Ids => families(after, idsOf(after.calls.where(byTerminal, terminal)));
const ofReplay = ({ before, after }: Change<StaleEvent>): Ids | 'all' => (before.replays > 0 === after.replays > 0 ? none : 'all');

const concerns: { readonly [T in StaleEvent['type']]: Concerns<EventOf<T>> } = {
  call: ofCall,
  contentAdded: ofCall,
  asked: ofCall,
  answered: ({ before, event }) => idsOf(before.calls.where(byQuestion, event.question)),
  promptSent: ofHistory,
  promptInserted: nobody,
  promptEnded: (change) => [...ofPrompt(change, change.event.prompt), ...ofHistory(change)],
  cancelSent: nobody,
  state: (change) => (change.before.list === change.after.list ? [...change.before.prompts.keys().flatMap((prompt) => ofPrompt(change, prompt)), ...ofHistory(change)] : 'all'),
  taskLive: ofTask,
  taskEnded: ofTask,
  terminalLive: ofTerminal,
  terminalEnded: ofTerminal,
  replayStarted: ofReplay,
  replayEnded: ofReplay,
  tick: nobody,
  sessionEnded: nobody,
};

/** A word about a call is a sign of its life, and of the life of what was replayed. */
const isWord = (event: StaleEvent): event is EventOf<'call' | 'contentAdded'> => event.type === 'call' || event.type === 'contentAdded';

/** The session with the call's clock running, or not. */
function clocked(session: WatchedSession, id: string, at: number): WatchedSession {
  const call = session.calls.get(id);
  const runs = call !== undefined && session.applied && isStale(session, call);
  if (runs === session.clocks.has(id)) return session;
  return withTables(session, session.calls, runs ? session.clocks.set(id, at) : session.clocks.delete(id), session.finished);
}

function withWord(session: WatchedSession, { call, at }: EventOf<'call' | 'contentAdded'>): WatchedSession {
  const clocks = session.clocks.has(call) ? session.clocks.set(call, at) : session.clocks;
  return withTables(session, session.calls, clocks, session.finished, at);
}

/** The session after the event, with its clocks as they are then. `before`, `known`: the session and the call that the event names, before it. */
export function timed(before: WatchedSession, known: WatchedCall | undefined, after: WatchedSession, event: StaleEvent, options: StaleOptions): WatchedSession {
  const applied = applies(after, options);
  if (before === after && applied === before.applied && before.clocks.size === 0) return after;
  const concerned = applied === before.applied ? (concerns[event.type] as Concerns<StaleEvent>)({ before, after, known, event }) : 'all';
  let next = applied === before.applied ? after : { ...after, applied };
  for (const id of concerned === 'all' ? after.calls.keys() : concerned) next = clocked(next, id, event.at);
  return isWord(event) && next.clocks.size > 0 ? withWord(next, event) : next;
}

/** Since when nothing speaks for the call, as far as it is in the session's clocks. */
export function staleSince({ calls, clocks, heard: word }: WatchedSession, id: string): number | undefined {
  const since = clocks.get(id);
  return since !== undefined && calls.get(id)?.owner.of === 'history' ? Math.max(since, word) : since;
}

/** The session without the clocks of calls that were forgotten: a table holds so many and no more. */
export function withoutStrayClocks(session: WatchedSession): WatchedSession {
  const clocks = session.clocks.keys().reduce((left, id) => (session.calls.has(id) ? left : left.delete(id)), session.clocks);
  return clocks === session.clocks ? session : withTables(session, session.calls, clocks, session.finished);
}

/** When the next `tick` is due, in milliseconds of the event clock. It never becomes earlier while one is due. */
export function nextStaleTick(session: WatchedSession, { grace }: StaleOptions): number | undefined {
  if (session.clocks.size === 0) return undefined;
  let due: number | undefined;
  for (const id of session.clocks.keys()) due = Math.min(due ?? Infinity, (staleSince(session, id) ?? 0) + grace);
  return due;
}
