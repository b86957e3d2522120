/**
 * The watch over a session's unfinished tool calls: settles the ones that their agent left behind, and
 * none that lives. A pure reducer with time in the event; it knows no wire and no timer.
 *
 * Follows the v2 Background Work RFD ("What the Client learns from the list", "Cancellation, close, and
 * resume") and, for ACP v1, which has no such list, the rules for owners and profiles of this project's
 * design.
 */
import { applies, byEnd, byPrompt, byQuestion, isLive, isReplaying, ownerAfter, ownerNow, settled } from './stale-calls.js';
import { nextStaleTick, staleSince, timed, withoutStrayClocks, withTables } from './stale-clocks.js';
import type { CallSeen, Revival, Settle, SettledCall, StaleEvent, StaleOptions, TurnEnding, WatchedCall, WatchedSession } from './stale-types.js';
import { isFinalStatus } from './ledger.js';
import { Table } from './table.js';

export { nextStaleTick } from './stale-clocks.js';

const REMEMBERED = 256;
const none: readonly (Settle | Revival)[] = [];

export const unwatchedSession: WatchedSession = {
  calls: Table.empty(), clocks: Table.empty(), heard: -Infinity, applied: false,
  finished: Table.empty(), prompts: Table.empty(), tasks: Table.empty(), terminals: Table.empty(),
  list: 'unreported', running: false, replays: 0, historyUntil: undefined,
};

type Handler<E> = (session: WatchedSession, event: E & { readonly at: number }, options: StaleOptions) => WatchedSession;
type EventOf<T extends StaleEvent['type']> = Extract<StaleEvent, { type: T }>;

/** The same object when nothing in it changes. */
function patched<T extends object>(before: T, patch: Partial<T>): T {
  const differs = (Object.keys(patch) as (keyof T)[]).some((key) => !Object.is(before[key], patch[key]));
  return differs ? { ...before, ...patch } : before;
}

function withCall(session: WatchedSession, call: WatchedCall): WatchedSession {
  const calls = session.calls.set(call.id, call);
  return calls === session.calls ? session : withTables(session, calls, session.clocks, session.finished);
}

function finish(session: WatchedSession, call: string, by: 'agent' | SettledCall, options: StaleOptions): WatchedSession {
  const finished = session.finished.renew(call, by).youngest(options.remembered ?? REMEMBERED);
  return withTables(session, session.calls.delete(call), session.clocks.delete(call), finished);
}

/** A call that is first seen now. */
const newCall = (session: WatchedSession, id: string, status: string, at: number, options: StaleOptions): WatchedCall =>
  ({ id, status, owner: ownerNow(session, at, options), parent: undefined, terminals: [], keptOpen: false, questions: [], refused: false, canCancel: false });

/** A call's life begins, its first or, with a word that is not final after its end, the next. */
const begin = (session: WatchedSession, call: WatchedCall): WatchedSession =>
  withTables(session, session.calls.set(call.id, call), session.clocks, session.finished.delete(call.id));

/** Equal lists are one, so that an update which says nothing new changes nothing. */
function sameIds(before: readonly string[], now: readonly string[] = before): readonly string[] {
  if (before.length !== now.length) return now;
  for (let i = 0; i < now.length; i++) if (before[i] !== now[i]) return now;
  return before;
}

/** The call with what a word tells of it, or the same when that is nothing new. */
function told(call: WatchedCall, { status = call.status, parent = call.parent, keptOpen = call.keptOpen, canCancel = call.canCancel, terminals: named }: CallSeen): WatchedCall {
  const terminals = sameIds(call.terminals, named);
  const isSame = status === call.status && parent === call.parent && keptOpen === call.keptOpen && canCancel === call.canCancel && terminals === call.terminals;
  return isSame ? call : { id: call.id, status, owner: call.owner, parent, terminals, keptOpen, questions: call.questions, refused: call.refused, canCancel };
}

function seen(session: WatchedSession, event: CallSeen & { readonly at: number }, options: StaleOptions): WatchedSession {
  const { call: id, status, at } = event;
  const tail = session.historyUntil !== undefined && isReplaying(session, at) ? patched(session, { historyUntil: at + options.grace }) : session;
  const call = tail.calls.get(id);
  const hasEnded = call === undefined && tail.finished.has(id);
  if (isFinalStatus(status)) return hasEnded ? tail : finish(tail, id, 'agent', options);
  if (call !== undefined) return withCall(tail, told(call, event));
  const begins = hasEnded ? status !== undefined || event.starts : event.creates;
  return begins ? begin(tail, told(newCall(tail, id, status ?? 'pending', at, options), event)) : tail;
}

function endPrompt(session: WatchedSession, prompt: string, end: TurnEnding): WatchedSession {
  const open = session.prompts.get(prompt);
  if (open === undefined) return session;
  const how: TurnEnding = open.cancelled && end === 'ended' ? 'cancelled' : end;
  let { calls } = session;
  for (const call of calls.where(byPrompt, prompt)) calls = calls.set(call.id, { ...call, owner: ownerAfter(call.owner, prompt, how) });
  return { ...session, calls, prompts: session.prompts.delete(prompt) };
}

/** The calls that were settled and that the list names: they live, as they did when they were settled. */
const revivals = ({ finished }: WatchedSession, { list }: EventOf<'state'>): readonly Revival[] =>
  list === 'unreported' || finished.size === 0 ? [] : [...list.calls].flatMap((call) => {
    const was = finished.get(call);
    return typeof was === 'object' ? [{ call, status: was.status, canCancel: was.canCancel }] : [];
  });

const revived = (session: WatchedSession, { call, status, canCancel }: Revival, at: number, options: StaleOptions): WatchedSession =>
  begin(session, { ...newCall(session, call, status, at, options), canCancel });

/** ACP v2: only the step from work to `idle` ends turns; a repeated snapshot ends none, whatever it carries. */
function onState(before: WatchedSession, event: EventOf<'state'> & { readonly at: number }, options: StaleOptions): WatchedSession {
  const session = revivals(before, event).reduce((now, revival) => revived(now, revival, event.at, options), before);
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
  const known = begins ? begin(session, newCall(session, id, status === undefined || isFinalStatus(status) ? 'pending' : status, at, options)) : session;
  const call = known.calls.get(id);
  return call === undefined ? known : withCall(known, { ...call, questions: [...call.questions, question] });
}

function onAnswered(session: WatchedSession, { question, refused }: EventOf<'answered'>): WatchedSession {
  const [call] = session.calls.where(byQuestion, question);
  return call === undefined ? session : withCall(session, { ...call, refused, questions: call.questions.filter((other) => other !== question) });
}

function withTerminal(session: WatchedSession, terminal: string, live: boolean): WatchedSession {
  return patched(session, { terminals: live ? session.terminals.set(terminal, true) : session.terminals.delete(terminal) });
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
  return patched(session, { tasks: tasks.boundedWhere(byEnd, 'ended', remembered) });
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

/** At the end of input the agent still works, so what is reported as alive is left to the agent's own end. */
function mustEnd(session: WatchedSession, call: WatchedCall, event: EventOf<'tick' | 'sessionEnded'>, options: StaleOptions): boolean {
  if (event.type === 'sessionEnded') return applies(session, options) && !(event.why === 'inputEnded' && isLive(session, call));
  const since = staleSince(session, call.id);
  return since !== undefined && event.at >= since + options.grace;
}

/** The calls that are settled now, in the order in which they were first seen. */
function ended(session: WatchedSession, event: EventOf<'tick' | 'sessionEnded'>, options: StaleOptions): readonly [WatchedSession, readonly (Settle | Revival)[]] {
  if (event.type === 'tick' && !((nextStaleTick(session, options) ?? Infinity) <= event.at)) return [session, none];
  const settles: Settle[] = [];
  let next = withoutStrayClocks(session);
  for (const call of session.calls.values()) {
    if (!mustEnd(next, call, event, options)) continue;
    settles.push(settled(next, call, event.type === 'sessionEnded' ? event.why : undefined, options));
    next = finish(next, call.id, { status: call.status, canCancel: call.canCancel }, options);
  }
  return [next, settles];
}

/** One event of one session: the session after it, and the calls to settle, or to be told alive before the list that names them. */
export function reduceStale(session: WatchedSession, event: StaleEvent, options: StaleOptions): readonly [WatchedSession, readonly (Settle | Revival)[]] {
  const known = 'call' in event && event.call !== undefined ? session.calls.get(event.call) : undefined;
  const after = (handlers[event.type] as Handler<StaleEvent>)(session, event, options);
  const next = timed(session, known, after, event, options);
  if (event.type === 'state') return [next, revivals(session, event)];
  return event.type === 'tick' || event.type === 'sessionEnded' ? ended(next, event, options) : [next, none];
}
