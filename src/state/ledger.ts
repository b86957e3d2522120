/**
 * The ledger: what is known of each session's background work, whichever dialect told it. A pure
 * reducer, bounded, with time in the event. It knows nothing of what is sent to whom.
 *
 * Follows the v2 Background Work RFD ("Background work is terminals, tool calls, and subagents").
 */
import { exitCodeOfSummary, type CallFacts, type Signal, type TerminalFacts } from '../protocol/index.js';
import { changed, ended, forgotten, isLive, isOtherRun, isTentative, sameItem, standsAlone, started, withTool } from './ledger-items.js';
import type { CallState, Fact, Item, Ledger, LedgerEvent, LedgerOptions, SessionLedger, TerminalState } from './ledger-types.js';
import { Table, type Index } from './table.js';

const REMEMBERED = 256;

const FINAL_STATUSES: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);
export const isFinalStatus = (status: string | undefined): boolean => status !== undefined && FINAL_STATUSES.has(status);

export const emptyLedger = (): Ledger => Table.empty();
export const emptySession: SessionLedger = { items: Table.empty(), calls: Table.empty(), terminals: Table.empty(), running: false };

export const byCall: Index<Item> = ({ toolCallId }) => toolCallId;
export const itemPhase: Index<Item> = ({ phase }) => phase;
export const callPhase: Index<CallState> = ({ final }) => (final ? 'ended' : 'open');
const liveness: Index<Item> = (item) => (isLive(item) ? 'live' : 'gone');
const byTerminal: Index<CallState> = ({ terminals }) => terminals;

/** The calls that show this terminal. */
export const callsShowing = (session: SessionLedger, terminal: string): readonly CallState[] => session.calls.where(byTerminal, terminal);

/** The items whose launching call shows this terminal, or has its id. */
export const itemsShownBy = (session: SessionLedger, terminal: string): readonly Item[] =>
  [terminal, ...callsShowing(session, terminal).map(({ id }) => id).filter((id) => id !== terminal)].flatMap((call) => session.items.where(byCall, call));

/** A fact without its session and time. */
type Told = Fact extends infer F ? (F extends Fact ? Omit<F, 'session' | 'at'> : never) : never;
type Step = readonly [SessionLedger, readonly Told[]];
const noFacts: readonly never[] = [];
const unchanged = (session: SessionLedger): Step => [session, noFacts];

/** Whether the launching call was already acknowledged, or marked before the task was told of. */
function detachedBy(session: SessionLedger, item: Item): 'ack' | 'mark' | 'idle' | undefined {
  if (item.phase !== 'foreground' || item.ambient || item.kind === 'turn') return undefined;
  const call = item.toolCallId === undefined ? undefined : session.calls.get(item.toolCallId);
  if (call?.final || (item.kind === 'subagent' && item.background)) return 'ack';
  if (!session.running) return item.toolCallId !== undefined || standsAlone(item) ? 'idle' : undefined;
  return undefined;
}

function detach(session: SessionLedger, item: Item, by: 'ack' | 'mark' | 'idle' | undefined): Step {
  if (by === undefined) return unchanged(session);
  const background: Item = { ...item, phase: 'background' };
  return [{ ...session, items: session.items.set(item.task, background) }, [{ type: 'itemDetached', item: background, by }]];
}

/** Puts the item's new state into the session and says what became of it. */
function put(session: SessionLedger, before: Item | undefined, item: Item, tentative: boolean, remembered: number): Step {
  if (item === before) return unchanged(session);
  const ends = item.phase === 'ended' && before?.phase !== 'ended';
  const items = ends ? session.items.renew(item.task, item) : session.items.set(item.task, item);
  const next: SessionLedger = { ...session, items: items.size <= remembered ? items : items.boundedWhere(liveness, 'gone', remembered) };
  if (before !== undefined && sameItem(item, before, 'upcoming')) return unchanged(next);
  const isNewLife = item.started && (before === undefined || !before.started || before.life !== item.life);
  const facts: Told[] = [];
  if (isNewLife && before !== undefined && isLive(before)) facts.push({ type: 'itemEnded', before, item: { ...before, phase: 'ended', outcome: 'unknown', endedAt: item.startedAt }, tentative: false });
  if (isNewLife) facts.push({ type: 'itemStarted', item });
  const known = before !== undefined && before.started && before.life === item.life ? before : undefined;
  if (item.phase === 'ended' && item.started) {
    if (known === undefined) facts.push({ type: 'itemEnded', before: item, item, tentative });
    else if (known.phase !== 'ended') facts.push({ type: 'itemEnded', before: known, item, tentative });
    else facts.push({ type: known.outcome === item.outcome ? 'itemRefined' : 'itemCorrected', before: known, item });
  } else if (known !== undefined && !isNewLife) facts.push({ type: 'itemChanged', before: known, item });
  return [next, facts];
}

function then([session, facts]: Step, step: (session: SessionLedger) => Step): Step {
  const [next, more] = step(session);
  return [next, more.length === 0 ? facts : [...facts, ...more]];
}

const detachIfDue = (task: string) => (session: SessionLedger): Step => {
  const item = session.items.get(task);
  if (item === undefined) return unchanged(session);
  const call = item.toolCallId === undefined ? undefined : session.calls.get(item.toolCallId);
  return detach(session, withTool(item, call), detachedBy(session, item));
};

const agrees = (item: Item, exitCode: number): boolean => (item.outcome === 'completed' && exitCode === 0) || (item.outcome === 'failed' && exitCode !== 0);

/** A turn of the agent's own is described by the sentence of the end that caused it, which can hold the exit code. */
const codeFromTurn = (task: string, remembered: number) => (session: SessionLedger): Step => {
  const turn = session.items.get(task);
  const text = turn?.kind === 'turn' ? turn.description : undefined;
  const exitCode = exitCodeOfSummary(text);
  if (text === undefined || exitCode === undefined) return unchanged(session);
  const names = (item: Item): boolean => item.description !== undefined && text.includes(`"${item.description}"`);
  const item = session.items.where(itemPhase, 'ended').filter((other) => other.kind === 'terminal' && other.exitCode === undefined && agrees(other, exitCode) && names(other)).at(-1);
  return item === undefined ? unchanged(session) : put(session, item, { ...item, exitCode }, false, remembered);
};

/** A start in the raw feed is membership in its set of background work. The extension tells no subagents as tasks, so for these it counts as one. */
function startTask(session: SessionLedger, told: Extract<Signal, { type: 'taskStarted' }>, at: number, options: LedgerOptions): Step {
  const signal = told.source === 'raw' ? { ...told, facts: { ...told.facts, background: true } } : told;
  const before = session.items.get(signal.task);
  const remembered = options.remembered ?? REMEMBERED;
  const isNewRun = before !== undefined && isLive(before) && isOtherRun(before, signal.facts);
  if (signal.source === 'raw' && options.asyncTasks !== false && signal.facts.taskType !== 'subagent' && !isNewRun) {
    return then(put(session, before, changed(before, { ...signal, type: 'taskChanged' }, at), false, remembered), detachIfDue(signal.task));
  }
  const lasting = isNewRun ? { taskType: before.taskType, canCancel: before.canCancel } : {};
  const item = started(before, { ...signal, facts: { ...signal.facts, ...lasting } }, at);
  const marked = item.toolCallId !== undefined && session.calls.get(item.toolCallId)?.backgrounded === true;
  const fresh = item.phase === 'foreground' && (before?.phase !== 'foreground' || before.life !== item.life);
  return then(put(session, before, item, false, remembered), (next) => {
    if (marked && fresh && item.kind !== 'turn' && !item.ambient) return detach(next, item, 'mark');
    return then(detachIfDue(signal.task)(next), codeFromTurn(signal.task, remembered));
  });
}

/** Whether two records of one form have the same members. */
function isSame<T extends object>(a: T, b: T): boolean {
  for (const key in a) if (a[key] !== b[key]) return false;
  return true;
}

function callState(before: CallState | undefined, id: string, facts: CallFacts, at: number): CallState {
  const begins = facts.start === true || (facts.status !== undefined && !isFinalStatus(facts.status));
  const reused = before?.final === true && begins;
  const known = reused ? undefined : before;
  const status = facts.status ?? known?.status;
  const next: CallState = {
    id, status,
    final: isFinalStatus(status),
    title: facts.title ?? known?.title,
    kind: facts.kind ?? known?.kind,
    name: facts.name ?? known?.name,
    terminals: facts.terminals ?? known?.terminals ?? [],
    backgrounded: facts.backgrounded ?? known?.backgrounded ?? false,
    seenAt: known?.seenAt ?? at,
    reused: reused || (known?.reused ?? false),
  };
  return known !== undefined && isSame(next, known) ? known : next;
}

/** Whether a call launched what still runs, or a terminal is one that it shows: these are not forgotten. */
export const isCallInUse = (session: SessionLedger, call: string): boolean => session.items.where(byCall, call).some(isLive);
export const isTerminalInUse = (session: SessionLedger, terminal: string): boolean => itemsShownBy(session, terminal).some(isLive);

/** Whether this call launched the item: its id can have been used again since. */
export const isLaunchedBy = (item: Item, call: CallState): boolean => item.started && item.toolCallId === call.id && (!call.reused || item.startedAt >= call.seenAt);

/** The item that a call launched last. */
export function launchedBy(session: SessionLedger, call: string): Item | undefined {
  const known = session.calls.get(call);
  return known && session.items.where(byCall, call).filter((item) => isLaunchedBy(item, known)).at(-1);
}

/** Some agents tell the exit code of a background command only in the output of its launching call. */
const codeFromCall = (call: CallState, { exitCode }: CallFacts, remembered: number) => (session: SessionLedger): Step => {
  if (exitCode === undefined) return unchanged(session);
  const item = session.items.where(byCall, call.id).filter((other) => isLaunchedBy(other, call) && other.kind === 'terminal' && other.exitCode === undefined).at(-1);
  return item === undefined ? unchanged(session) : put(session, item, { ...item, exitCode }, false, remembered);
};

function seeCall(session: SessionLedger, id: string, facts: CallFacts, at: number, remembered: number): Step {
  const before = session.calls.get(id);
  const call = callState(before, id, facts, at);
  const ends = call.final && !before?.final;
  if (call === before && facts.exitCode === undefined) return unchanged(session);
  const calls = ends ? session.calls.renew(id, call).bounded(remembered, (other) => other.final && !isCallInUse(session, other.id)) : session.calls.set(id, call);
  const next: SessionLedger = call === before ? session : { ...session, calls };
  const step = codeFromCall(call, facts, remembered)(next);
  if (!ends) return step;
  const launched = next.items.where(byCall, id).filter((item) => item.phase === 'foreground');
  return launched.reduce<Step>((done, item) => then(done, detachIfDue(item.task)), step);
}

function seeTerminal(session: SessionLedger, id: string, facts: TerminalFacts, remembered: number): Step {
  const before = session.terminals.get(id);
  const next: TerminalState = {
    id,
    command: facts.command ?? before?.command,
    cwd: facts.cwd ?? before?.cwd,
    exit: facts.exit ?? (facts.reopened ? undefined : before?.exit),
    output: facts.output ?? before?.output ?? false,
  };
  if (before !== undefined && isSame(next, before)) return unchanged(session);
  return unchanged({ ...session, terminals: session.terminals.set(id, next).bounded(remembered, (other) => other.exit !== undefined && !isTerminalInUse(session, other.id)) });
}

function foreground(session: SessionLedger, state: string): Step {
  const running = state !== 'idle';
  const next = running === session.running ? session : { ...session, running };
  if (running) return unchanged(next);
  const waiting = next.items.where(itemPhase, 'foreground');
  return waiting.reduce<Step>((step, item) => then(step, detachIfDue(item.task)), unchanged(next));
}

function askedToStop(session: SessionLedger, task: string, stopAsked: boolean): Step {
  const item = session.items.get(task);
  return item === undefined || item.stopAsked === stopAsked || !isLive(item) ? unchanged(session) : unchanged({ ...session, items: session.items.set(task, { ...item, stopAsked }) });
}

function reduceSession(session: SessionLedger, event: LedgerEvent, options: LedgerOptions): Step {
  const { signal, at } = event;
  const remembered = options.remembered ?? REMEMBERED;
  switch (signal.type) {
    case 'taskStarted':
      return startTask(session, signal, at, options);
    case 'taskChanged': {
      const before = session.items.get(signal.task);
      const step = then(put(session, before, changed(before, signal, at), false, remembered), detachIfDue(signal.task));
      return then(step, codeFromTurn(signal.task, remembered));
    }
    case 'taskEnded': {
      const before = session.items.get(signal.task);
      const item = ended(before, signal, at);
      return put(session, before, item, isTentative(item, signal), remembered);
    }
    case 'toolCall':
      return seeCall(session, signal.call, signal.facts, at, remembered);
    case 'terminal':
      return seeTerminal(session, signal.terminal, signal.facts, remembered);
    case 'foreground':
      return foreground(session, signal.state);
    case 'stopAsked':
    case 'stopRefused':
      return askedToStop(session, signal.task, signal.type === 'stopAsked');
    case 'conversationReset': {
      const live = [...session.items.values()].filter(isLive);
      return live.reduce<Step>((step, item) => then(step, (next) => put(next, item, forgotten(item), false, remembered)), unchanged(session));
    }
    // A level that ends nothing: some agents tell the empty set before the end.
    case 'liveSet':
    case 'sessionState':
    case 'sessionGone':
      return unchanged(session);
  }
}

/** One event: the ledger after it, and what can be told. The same ledger comes back when nothing changed. */
export function reduceLedger(ledger: Ledger, event: LedgerEvent, options: LedgerOptions = {}): readonly [Ledger, readonly Fact[]] {
  if (event.signal.type === 'sessionGone') return [ledger.delete(event.session), []];
  const before = ledger.get(event.session);
  const [session, told] = reduceSession(before ?? emptySession, event, options);
  const facts = told.length === 0 ? noFacts : told.map((fact) => ({ ...fact, session: event.session, at: event.at }) as Fact);
  const isNew = before === undefined && session === emptySession;
  return [isNew ? ledger : ledger.set(event.session, session), facts];
}
