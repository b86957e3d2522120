/**
 * Subagents as sessions, in the form of the private extension: a start and an end on the parent's
 * session, and a session id of its own for every further run of a child.
 */
import { childOfRun, SUBAGENT_KIND, type JsonObject, type Outcome } from 'afterturn/protocol';
import type { SubagentRun, SubagentRuns } from 'afterturn/state';
import { isOfSubagents, type TellsSubagents } from './form.js';

const words: Readonly<Record<Outcome, string>> = { completed: 'completed', failed: 'failed', stopped: 'cancelled', unknown: 'disconnected' };

const runId = ({ id, run }: SubagentRun): string => (run <= 1 ? id : `${id}:generation:${run}`);
/** What a session is called: a subagent by its newest run. */
function shown(session: string, runs: SubagentRuns): string {
  const child = runs.get(session);
  return child === undefined ? session : runId(child);
}

/** A task keeps the session in which it was told first. */
const isTask = (update: JsonObject): boolean => typeof update.sessionUpdate === 'string' && update.sessionUpdate.startsWith('_async_task_');

export const asSessions: TellsSubagents = {
  news(news, runs) {
    const { child } = news;
    const told = (members: JsonObject): ReturnType<TellsSubagents['news']> => [
      { session: shown(child.parent, runs), update: { sessionUpdate: SUBAGENT_KIND, subagentSessionId: runId(child), ...members } },
    ];
    if (news.type === 'answered') return [];
    if (news.type === 'ended') return told({ state: words[news.outcome] });
    const name = child.title ?? 'Subagent';
    const prompt = news.message?.text;
    return told({ name, task: prompt ?? child.description ?? name, ...(prompt === undefined ? {} : { prompt }), capabilities: child.canCancel ? { cancel: true } : {} });
  },
  update(session, update, runs) {
    if (isOfSubagents(update) || (runs.has(session) && update.sessionUpdate === 'state_update')) return undefined;
    return { session: isTask(update) ? session : shown(session, runs), update };
  },
  asked: (session, params, runs) => (runs.has(session) ? { ...params, sessionId: shown(session, runs) } : params),
  meant: childOfRun,
};
