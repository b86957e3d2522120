/**
 * What the messages between a `session/resume` and its response tell (ACP v2 "Session Setup"). A replay
 * tells the past: a live item survives it, and nothing is settled or ended by it. What is said of tasks
 * waits, for some agents tell the end of dead work right behind its start, and announce live work again.
 */
import type { CallFacts, Signal, TerminalFacts } from '../protocol/index.js';
import { defined } from '../protocol/index.js';
import { isLive } from './ledger-items.js';
import { byCall, isCallInUse, isFinalStatus, isTerminalInUse } from './ledger.js';
import type { LedgerEvent, SessionLedger } from './ledger-types.js';

type Told = LedgerEvent['signal'];
export type TaskSignal = Extract<Signal, { readonly type: 'taskStarted' | 'taskChanged' | 'taskEnded' }>;

export const isTaskSignal = (signal: Told): signal is TaskSignal => signal.type === 'taskStarted' || signal.type === 'taskChanged' || signal.type === 'taskEnded';

/** Where the launch of what lives is still to be acknowledged, the call's end is that: it can have come just now. */
const awaitsAcknowledgement = (session: SessionLedger, call: string): boolean =>
  session.items.where(byCall, call).filter(isLive).every(({ phase }) => phase === 'foreground');

function pastCall(session: SessionLedger, call: string, facts: CallFacts, isLaunch: boolean): CallFacts {
  const { start: _, status, exitCode, ...lasting } = facts;
  const isKnown = session.calls.get(call)?.final === true || (isLaunch && !(isFinalStatus(status) && awaitsAcknowledgement(session, call)));
  return defined({ ...lasting, status: isKnown ? undefined : status, exitCode: isLaunch ? undefined : exitCode });
}

function pastTerminal(facts: TerminalFacts, lives: boolean): TerminalFacts {
  const { exit, reopened: _, ...lasting } = facts;
  return defined({ ...lasting, exit: lives ? undefined : exit });
}

/** What counts of a signal that a replay tells. A call or terminal of what lives is not ended by it, and no id is used again. */
export function pastSignal(session: SessionLedger, signal: Told): Told {
  if (signal.type !== 'toolCall' && signal.type !== 'terminal') return signal;
  return signal.type === 'toolCall'
    ? { ...signal, facts: pastCall(session, signal.call, signal.facts, isCallInUse(session, signal.call)) }
    : { ...signal, facts: pastTerminal(signal.facts, isTerminalInUse(session, signal.terminal)) };
}

const livesHere = (session: SessionLedger, task: string): boolean => {
  const item = session.items.get(task);
  return item !== undefined && isLive(item);
};

/** Of what was told of tasks: what started and has not ended, and so lives, although nobody here knew of it. */
export function startsOf(session: SessionLedger, told: readonly TaskSignal[]): readonly TaskSignal[] {
  const over = new Set(told.filter(({ type }) => type === 'taskEnded').map(({ task }) => task));
  return told.filter(({ task }) => !over.has(task) && !livesHere(session, task));
}

/** Of what was told of tasks: what became of those that live here. To announce one again is no news. */
export const newsOf = (session: SessionLedger, told: readonly TaskSignal[]): readonly TaskSignal[] =>
  told.filter((signal) => signal.type !== 'taskStarted' && livesHere(session, signal.task));
