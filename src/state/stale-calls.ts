/**
 * One tool call under watch: when it counts as abandoned, and what its settling says. Pure.
 *
 * Follows the v2 Background Work RFD ("What the Client learns from the list").
 */
import { Reason } from '../protocol/reasons.js';
import type { Index } from './table.js';
import type { LaunchedTask, Owner, SessionEnd, Settle, StaleOptions, TurnEnding, WatchedCall, WatchedSession } from './stale-types.js';

/** The statuses that ACP has for a call that has not ended. A status that we do not know is left alone. */
const UNFINISHED: ReadonlySet<string> = new Set(['pending', 'in_progress', 'paused']);

/** Subagents within subagents: further up than this nobody looks. */
const DEEPEST = 16;

/** What comes now is history. */
export const isReplaying = (session: WatchedSession, at: number): boolean => session.replays > 0 || (session.historyUntil !== undefined && at < session.historyUntil);

/** How calls and tasks are found by what may speak for them. */
export const byParent: Index<WatchedCall> = ({ parent }) => parent;
export const byPrompt: Index<WatchedCall> = ({ owner }) => (owner.of === 'prompt' ? owner.waits : undefined);
export const byOwner: Index<WatchedCall> = ({ owner }) => owner.of;
export const byTerminal: Index<WatchedCall> = ({ terminals }) => terminals;
export const byQuestion: Index<WatchedCall> = ({ questions }) => questions;
export const byCall: Index<LaunchedTask> = ({ call }) => call;
export const byEnd: Index<LaunchedTask> = ({ state }) => (state === 'live' ? undefined : 'ended');

/** The prompts that a call which is first seen now may belong to, oldest first. ACP v2 tells when a prompt is taken up. */
function candidates(session: WatchedSession, { version }: StaleOptions): readonly string[] {
  const open = session.prompts.entries();
  return (version === 1 ? open : open.filter(([, { inserted }]) => inserted)).map(([prompt]) => prompt);
}

/** The owner of a call that is first seen now. */
export function ownerNow(session: WatchedSession, at: number, options: StaleOptions): Owner {
  const open = candidates(session, options);
  const prompt = open.at(-1);
  if (prompt !== undefined) return { of: 'prompt', prompt, end: undefined, waits: options.queuesPrompts ? open : [prompt] };
  return isReplaying(session, at) ? { of: 'history' } : { of: 'nobody' };
}

/** The owner after one more prompt has ended. */
export function ownerAfter(owner: Owner, prompt: string, end: TurnEnding): Owner {
  if (owner.of !== 'prompt' || !owner.waits.includes(prompt)) return owner;
  return { ...owner, end: owner.prompt === prompt ? end : owner.end, waits: owner.waits.filter((other) => other !== prompt) };
}

/** The task that the call launched, the last if it launched several. */
const workOf = (session: WatchedSession, call: WatchedCall): LaunchedTask | undefined => session.tasks.where(byCall, call.id).at(-1);

/** Something that the agent or the client reported says that the call is at work. */
export function isLive(session: WatchedSession, call: WatchedCall, depth = 0): boolean {
  if (call.keptOpen) return true;
  const { list } = session;
  if (typeof list === 'object' && (list.calls.has(call.id) || call.terminals.some((id) => list.terminals.has(id)))) return true;
  if (call.terminals.some((id) => session.terminals.has(id))) return true;
  if (workOf(session, call)?.state === 'live') return true;
  const parent = call.parent === undefined || depth === DEEPEST ? undefined : session.calls.get(call.parent);
  return parent !== undefined && isLive(session, parent, depth + 1);
}

/** History is over once its session is quiet; a call of nobody's is never over before its session. */
function turnIsOver(session: WatchedSession, { owner }: WatchedCall): boolean {
  if (owner.of === 'prompt') return owner.waits.length === 0;
  return owner.of === 'history' && session.prompts.size === 0 && !session.running;
}

/** Calls are settled in this session at all. A list that got lost says nothing about anything. */
export const applies = (session: WatchedSession, options: StaleOptions): boolean => session.list !== 'lost' && (options.settles || typeof session.list === 'object');

/** Nothing speaks for the call's being alive. */
export const isStale = (session: WatchedSession, call: WatchedCall): boolean =>
  UNFINISHED.has(call.status) && call.questions.length === 0 && session.replays === 0 && turnIsOver(session, call) && !isLive(session, call);

/** The session's end cuts the call short: something spoke for its being alive, or its turn still ran. */
const isCutShort = (session: WatchedSession, call: WatchedCall): boolean =>
  call.questions.length > 0 || isLive(session, call) || call.owner.of === 'nobody' || (call.owner.of === 'prompt' && call.owner.waits.length > 0);

/** ACP v1 has no neutral end: a call is taken for done unless something says that it was not. */
function v1Status(session: WatchedSession, call: WatchedCall, end: SessionEnd | undefined): 'completed' | 'failed' {
  if (call.refused || (end !== undefined && isCutShort(session, call))) return 'failed';
  const work = workOf(session, call)?.state;
  if (work !== undefined && work !== 'live') return work;
  return call.owner.of === 'prompt' && call.owner.end !== 'ended' ? 'failed' : 'completed';
}

const endWords: Readonly<Record<SessionEnd, string>> = {
  closed: Reason.sessionClosed,
  deleted: Reason.sessionDeleted,
  inputEnded: Reason.inputEnded,
  agentExited: Reason.agentExited,
};

const turnWords = { ended: Reason.turnEnded, cancelled: Reason.turnCancelled, failed: Reason.turnFailed } as const;

function reasonOf(session: WatchedSession, call: WatchedCall): string {
  if (workOf(session, call) !== undefined) return Reason.workEnded;
  if (call.owner.of !== 'prompt') return Reason.replayed;
  const end = call.owner.end ?? 'ended';
  return call.refused && end === 'ended' ? Reason.refused : turnWords[end];
}

/** How the call is settled. `end`: the session's end does it, also to a call that is at work. */
export function settled(session: WatchedSession, call: WatchedCall, end: SessionEnd | undefined, { version }: StaleOptions): Settle {
  const status = version === 2 ? 'cancelled' : v1Status(session, call, end);
  return { call: call.id, status, reason: end === undefined ? reasonOf(session, call) : endWords[end] };
}
