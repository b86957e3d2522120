/**
 * The watch over a session's unfinished tool calls: settles the ones that their agent left behind, and
 * none that lives. A pure reducer with time in the event; it knows no wire and no timer.
 *
 * Follows the v2 Background Work RFD ("What the Client learns from the list", "Cancellation, close, and
 * resume") and, for ACP v1, which has no such list, the rules for owners and profiles of this project's
 * design.
 */
import { applies, isLive, isReplaying, isStale, ownerAfter, ownerNow, settled } from './stale-calls.js';
import type { CallSeen, Settle, StaleEvent, StaleOptions, TurnEnding, WatchedCall, WatchedSession } from './stale-types.js';
import { isFinalStatus } from './ledger.js';
import { Table } from './table.js';

const REMEMBERED = 256;

export const unwatchedSession: WatchedSession = {
  calls: Table.empty(), finished: Table.empty(), prompts: Table.empty(), tasks: Table.empty(), terminals: new Set(),
  list: 'unreported', running: false, replays: 0, historyUntil: undefined,
};

type Handler<E> = (session: WatchedSession, event: E & { readonly at: number }, options: StaleOptions) => WatchedSession;
type EventOf<T extends StaleEvent['type']> = Extract<StaleEvent, { type: T }>;

/** The same object when nothing in it changes. */
function patched<T extends object>(before: T, patch: Partial<T>): T {
  const differs = (Object.keys(patch) as (keyof T)[]).some((key) => !Object.is(before[key], patch[key]));
  return differs ? { ...before, ...patch } : before;
}

const withCall = (session: WatchedSession, call: WatchedCall): WatchedSession => patched(session, { calls: session.calls.set(call.id, call) });

function finish(session: WatchedSession, call: string, by: 'agent' | 'proxy', options: StaleOptions): WatchedSession {
  const finished = session.finished.renew(call, by).bounded(options.remembered ?? REMEMBERED, () => true);
  return { ...session, calls: session.calls.delete(call), finished };
}

/** A call's life begins, its first or, with a word that is not final after its end, the next. */
function begin(session: WatchedSession, id: string, status: string, at: number, options: StaleOptions): WatchedSession {
  const call: WatchedCall = { id, status, owner: ownerNow(session, at, options), parent: undefined, terminals: [], keptOpen: false, questions: [], refused: false, staleSince: undefined };
  return withCall(patched(session, { finished: session.finished.delete(id) }), call);
}

/** Equal lists are one, so that an update which says nothing new changes nothing. */
const sameIds = (before: readonly string[], now: readonly string[]): readonly string[] => (before.length === now.length && before.every((id, i) => id === now[i]) ? before : now);

function seen(session: WatchedSession, event: CallSeen & { readonly at: number }, options: StaleOptions): WatchedSession {
  const { call: id, status, at } = event;
  const replaying = isReplaying(session, at);
  const tail = session.historyUntil !== undefined && replaying ? patched(session, { historyUntil: at + options.grace }) : session;
  if (isFinalStatus(status)) return tail.finished.has(id) && !tail.calls.has(id) ? tail : finish(tail, id, 'agent', options);
  const again = status !== undefined || event.starts;
  const begins = !tail.calls.has(id) && (tail.finished.has(id) ? again : event.creates);
  const known = begins ? begin(tail, id, status ?? 'pending', at, options) : tail;
  const call = known.calls.get(id);
  if (call === undefined) return known;
  return withCall(known, patched(call, {
    status: status ?? call.status,
    parent: event.parent ?? call.parent,
    terminals: event.terminals === undefined ? call.terminals : sameIds(call.terminals, event.terminals),
    keptOpen: event.keptOpen ?? call.keptOpen,
  }));
}

function endPrompt(session: WatchedSession, prompt: string, end: TurnEnding): WatchedSession {
  const open = session.prompts.get(prompt);
  if (open === undefined) return session;
  const how: TurnEnding = open.cancelled && end === 'ended' ? 'cancelled' : end;
  let { calls } = session;
  for (const call of calls.values()) calls = calls.set(call.id, patched(call, { owner: ownerAfter(call.owner, prompt, how) }));
  return { ...session, calls, prompts: session.prompts.delete(prompt) };
}

/** ACP v2: only the step from work to `idle` ends turns; a repeated snapshot ends none, whatever it carries. */
function onState(session: WatchedSession, event: EventOf<'state'>): WatchedSession {
  const list = event.list === 'unreported' && session.list !== 'unreported' ? 'lost' : event.list;
  const next: WatchedSession = { ...session, list, running: event.running };
  if (event.running || !session.running) return next;
  return [...session.prompts.entries()].filter(([, { inserted }]) => inserted).reduce((now, [prompt]) => endPrompt(now, prompt, event.end), next);
}

function withPrompt(session: WatchedSession, prompt: string, patch: { readonly inserted?: boolean; readonly cancelled?: boolean }): WatchedSession {
  const open = session.prompts.get(prompt);
  return open === undefined ? session : { ...session, prompts: session.prompts.set(prompt, patched(open, patch)) };
}

/** A request about a call that its agent ended says nothing; one about a call that we settled says that it lives. */
function onAsked(session: WatchedSession, { call: id, question, creates, status, at }: EventOf<'asked'>, options: StaleOptions): WatchedSession {
  const begins = creates && !session.calls.has(id) && session.finished.get(id) !== 'agent';
  const known = begins ? begin(session, id, status === undefined || isFinalStatus(status) ? 'pending' : status, at, options) : session;
  const call = known.calls.get(id);
  return call === undefined ? known : withCall(known, { ...call, questions: [...call.questions, question] });
}

function onAnswered(session: WatchedSession, { question, refused }: EventOf<'answered'>): WatchedSession {
  const call = [...session.calls.values()].find(({ questions }) => questions.includes(question));
  return call === undefined ? session : withCall(session, { ...call, refused, questions: call.questions.filter((other) => other !== question) });
}

function withTerminal(session: WatchedSession, terminal: string, live: boolean): WatchedSession {
  if (session.terminals.has(terminal) === live) return session;
  const terminals = new Set(session.terminals);
  if (live) terminals.add(terminal);
  else terminals.delete(terminal);
  return { ...session, terminals };
}

/** A word about a task that never started says nothing; a start after an end is a new life. */
function onTask(session: WatchedSession, { task, starts, call }: EventOf<'taskLive'>): WatchedSession {
  const known = session.tasks.get(task);
  if (!starts && known?.state !== 'live') return session;
  const next = known === undefined ? { call, state: 'live' as const } : patched(known, { call: call ?? known.call, state: 'live' });
  return patched(session, { tasks: session.tasks.set(task, next) });
}

function onTaskEnd(session: WatchedSession, { task, completed }: EventOf<'taskEnded'>, { remembered = REMEMBERED }: StaleOptions): WatchedSession {
  const known = session.tasks.get(task);
  if (known === undefined) return session;
  const tasks = session.tasks.set(task, patched(known, { state: completed ? 'completed' : 'failed' }));
  return patched(session, { tasks: tasks.bounded(remembered, ({ state }) => state !== 'live') });
}

const handlers: { readonly [T in StaleEvent['type']]: Handler<EventOf<T>> } = {
  promptSent: (session, { prompt }) => ({ ...session, prompts: session.prompts.renew(prompt, { inserted: false, cancelled: false }), historyUntil: undefined }),
  promptInserted: (session, { prompt }) => withPrompt(session, prompt, { inserted: true }),
  promptEnded: (session, { prompt, end }) => endPrompt(session, prompt, end),
  cancelSent: (session) => [...session.prompts.entries()].reduce((now, [prompt]) => withPrompt(now, prompt, { cancelled: true }), session),
  state: onState,
  call: seen,
  contentAdded: (session, { call: id, terminal }) => {
    const call = session.calls.get(id);
    return call === undefined || terminal === undefined || call.terminals.includes(terminal) ? session : withCall(session, { ...call, terminals: [...call.terminals, terminal] });
  },
  asked: onAsked,
  answered: onAnswered,
  taskLive: onTask,
  taskEnded: onTaskEnd,
  terminalLive: (session, { terminal }) => withTerminal(session, terminal, true),
  terminalEnded: (session, { terminal }) => withTerminal(session, terminal, false),
  replayStarted: (session) => ({ ...session, replays: session.replays + 1 }),
  replayEnded: (session, { at }, { grace, historyAfterLoad }) => ({ ...session, replays: Math.max(0, session.replays - 1), historyUntil: historyAfterLoad ? at + grace : undefined }),
  tick: (session) => session,
  sessionEnded: (session) => session,
};

/** The call that the event is a word about, and so a sign of its life. */
const touches = (event: StaleEvent): string | undefined => (event.type === 'call' || event.type === 'contentAdded' ? event.call : undefined);

/** The calls whose clock an event can change. A word about a call changes others only through their parents, or where a clock runs. */
function concerned(session: WatchedSession, touched: string | undefined): readonly WatchedCall[] {
  const calls = session.calls.values();
  const isAlone = touched !== undefined && calls.every(({ staleSince, parent }) => staleSince === undefined && parent === undefined);
  return isAlone ? calls.filter(({ id }) => id === touched) : calls;
}

/** Sets the clock of each call: it starts when the last thing that spoke for the call is gone. */
function timed(session: WatchedSession, event: StaleEvent, options: StaleOptions): WatchedSession {
  const touched = touches(event);
  let { calls } = session;
  for (const call of concerned(session, touched)) {
    const restarts = touched === call.id || (touched !== undefined && call.owner.of === 'history');
    const since = restarts ? event.at : (call.staleSince ?? event.at);
    calls = calls.set(call.id, patched(call, { staleSince: applies(session, options) && isStale(session, call) ? since : undefined }));
  }
  return patched(session, { calls });
}

/** At the end of input the agent still works, so what is reported as alive is left to the agent's own end. */
function mustEnd(session: WatchedSession, call: WatchedCall, event: StaleEvent, options: StaleOptions): boolean {
  if (event.type === 'sessionEnded') return applies(session, options) && !(event.why === 'inputEnded' && isLive(session, call));
  return event.type === 'tick' && call.staleSince !== undefined && event.at >= call.staleSince + options.grace;
}

/** One event of one session: the session after it, and the calls to settle, in the order in which they were first seen. */
export function reduceStale(session: WatchedSession, event: StaleEvent, options: StaleOptions): readonly [WatchedSession, readonly Settle[]] {
  const handle = handlers[event.type] as Handler<StaleEvent>;
  let next = timed(handle(session, event, options), event, options);
  if (event.type !== 'tick' && event.type !== 'sessionEnded') return [next, []];
  const settles: Settle[] = [];
  for (const call of next.calls.values()) {
    if (!mustEnd(next, call, event, options)) continue;
    settles.push(settled(next, call, event.type === 'sessionEnded' ? event.why : undefined, options));
    next = finish(next, call.id, 'proxy', options);
  }
  return [next, settles];
}

/** When the next `tick` is due, in milliseconds of the event clock. */
export function nextStaleTick(session: WatchedSession, { grace }: StaleOptions): number | undefined {
  let due: number | undefined;
  for (const { staleSince } of session.calls.values()) if (staleSince !== undefined) due = Math.min(due ?? Infinity, staleSince + grace);
  return due;
}
