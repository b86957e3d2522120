/**
 * The runs of the subagents of a connection, as an agent of ACP v2 tells them: a child session that
 * works again after it was idle has a further run. A pure reducer, which knows nothing of how a client
 * is told.
 *
 * A run waits for the message that it is given, which follows its first state at once; whatever else is
 * said begins it without one. Follows the Subagents RFD.
 */
import { arrayOf, at, idOf, readSubagentUpdate, stringOf, type JsonObject, type Outcome } from '../protocol/index.js';
import { Table } from './table.js';

export interface SubagentRun {
  /** The child's session. */
  readonly id: string;
  readonly parent: string;
  /** 1 for the first; 0 before that. */
  readonly run: number;
  /** `starting`: it works, and its message has not come yet. */
  readonly phase: 'announced' | 'starting' | 'running' | 'ended';
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly canCancel: boolean;
  /** The call that launched it, where the agent tells it. */
  readonly launch: string | undefined;
}

export type SubagentRuns = Table<SubagentRun>;

/** The message that a run was given. */
export interface RunMessage {
  readonly id: string | undefined;
  readonly text: string;
}

export type RunNews = { readonly child: SubagentRun } & (
  | { readonly type: 'started'; readonly message: RunMessage | undefined }
  | { readonly type: 'ended'; readonly outcome: Outcome }
  /** It answered its parent. */
  | { readonly type: 'answered'; readonly content: readonly unknown[] }
);

export type RunEvent =
  | { readonly type: 'update'; readonly session: string; readonly update: JsonObject }
  /** What waits for its message has waited long enough. */
  | { readonly type: 'due' }
  /** Nothing more is heard of the session and of what it started. */
  | { readonly type: 'gone'; readonly session: string };

type Step = readonly [SubagentRuns, readonly RunNews[]];

const MAX_REMEMBERED = 4096;

export const noSubagentRuns: SubagentRuns = Table.empty();

const put = (runs: SubagentRuns, child: SubagentRun): SubagentRuns => runs.set(child.id, child).bounded(MAX_REMEMBERED, ({ phase }) => phase === 'ended');

function started(runs: SubagentRuns, child: SubagentRun, message?: RunMessage): Step {
  const run: SubagentRun = { ...child, phase: 'running', run: child.phase === 'starting' ? child.run : child.run + 1 };
  return [put(runs, run), [{ type: 'started', child: run, message }]];
}

function ended(runs: SubagentRuns, child: SubagentRun, outcome: Outcome): Step {
  if (child.phase !== 'running') return [put(runs, child), []];
  const run: SubagentRun = { ...child, phase: 'ended' };
  return [put(runs, run), [{ type: 'ended', child: run, outcome }]];
}

const all = (runs: SubagentRuns, which: (child: SubagentRun) => boolean, step: (runs: SubagentRuns, child: SubagentRun) => Step): Step =>
  [...runs.values()].filter(which).reduce<Step>(([next, news], child) => {
    const [after, more] = step(next, child);
    return [after, [...news, ...more]];
  }, [runs, []]);

/** What can come between the first state of a run and its message. */
const isBetween = (update: JsonObject, child: SubagentRun, session: string): boolean =>
  (session === child.id && update.sessionUpdate === 'state_update') ||
  (update.sessionUpdate === 'subagent_update' && update.sessionId === child.id) ||
  (update.sessionUpdate === 'session_message' && update.recipientSessionId === child.id);

const none = (id: string, parent: string): SubagentRun => ({ id, parent, run: 0, phase: 'announced', title: undefined, description: undefined, canCancel: false, launch: undefined });

/** Whether `session` is the child itself or comes from it. */
const isWithin = (runs: SubagentRuns, session: string, child: string): boolean => {
  for (let id: string | undefined = session, steps = 0; id !== undefined && steps < 64; id = runs.get(id)?.parent, steps++) if (id === child) return true;
  return false;
};

function associated(runs: SubagentRuns, session: string, update: JsonObject): Step {
  const reading = readSubagentUpdate(update).signals[0];
  const id = idOf(update.sessionId);
  if (id === undefined || reading === undefined || !('task' in reading && 'facts' in reading) || isWithin(runs, session, id)) return [runs, []];
  const before = runs.get(id) ?? none(id, session);
  const { facts } = reading;
  const child: SubagentRun = {
    ...before,
    title: facts.title ?? before.title,
    description: facts.description ?? before.description,
    canCancel: facts.canCancel ?? before.canCancel,
    launch: facts.toolCallId ?? before.launch,
  };
  const isAtWork = child.phase === 'running' || child.phase === 'starting';
  if (reading.type === 'taskStarted') return [put(runs, isAtWork ? child : { ...child, phase: 'starting', run: child.run + 1 }), []];
  const outcome: Outcome | undefined = reading.type === 'taskEnded' ? reading.outcome : at(update, 'state', 'state') === 'unknown' ? 'unknown' : undefined;
  if (outcome === undefined) return [put(runs, child), []];
  if (child.phase !== 'starting') return ended(runs, child, outcome);
  const [next, news] = started(runs, child);
  const [after, more] = ended(next, next.get(id) ?? child, outcome);
  return [after, [...news, ...more]];
}

const textIn = (content: unknown): string => (arrayOf(content) ?? []).map((block) => stringOf(at(block, 'text')) ?? '').join('');

function messaged(runs: SubagentRuns, update: JsonObject): Step {
  const recipient = runs.get(idOf(update.recipientSessionId) ?? '');
  if (recipient?.phase === 'starting') return started(runs, recipient, { id: idOf(update.messageId), text: textIn(update.content) });
  const sender = runs.get(idOf(update.senderSessionId) ?? '');
  const content = arrayOf(update.content) ?? [];
  return sender === undefined || sender.parent !== update.recipientSessionId || content.length === 0 ? [runs, []] : [runs, [{ type: 'answered', child: sender, content }]];
}

function about(runs: SubagentRuns, session: string, update: JsonObject): Step {
  if (update.sessionUpdate === 'subagent_update') return associated(runs, session, update);
  if (update.sessionUpdate === 'session_message') return messaged(runs, update);
  const child = runs.get(session);
  // It works although nothing said so.
  return child?.phase === 'announced' && update.sessionUpdate !== 'state_update' ? started(runs, child) : [runs, []];
}

/** One event: the runs after it, and what is to be told before the update at hand. */
export function reduceSubagentRuns(runs: SubagentRuns, event: RunEvent): Step {
  switch (event.type) {
    case 'update': {
      const { session, update } = event;
      const [begun, news] = all(runs, (child) => child.phase === 'starting' && !isBetween(update, child, session), started);
      const [next, more] = about(begun, session, update);
      return [next, news.length === 0 ? more : [...news, ...more]];
    }
    case 'due':
      return all(runs, ({ phase }) => phase === 'starting', started);
    case 'gone': {
      const [next, news] = all(runs, (child) => isWithin(runs, child.id, event.session), (now, child) => ended(now, child, 'unknown'));
      return [[...next.keys()].filter((id) => isWithin(runs, id, event.session)).reduce((left, id) => left.delete(id), next), news];
    }
  }
}

/** The session that is nobody's subagent from which `session` comes. */
export function rootSession(runs: SubagentRuns, session: string): string {
  let root = session;
  for (let parent = runs.get(root)?.parent, steps = 0; parent !== undefined && steps < 64; parent = runs.get(root)?.parent, steps++) root = parent;
  return root;
}
