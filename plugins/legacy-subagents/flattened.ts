/**
 * Subagents inside the session that they come from, for a client that knows no sessions of theirs: a
 * tool call stands for each run, and what the subagent does names that call
 * (`_meta.claudeCode.parentToolUseId`). Its words are not shown; its answer is the call's result.
 */
import { idOf, isObject, objectOf, type JsonObject, type Outcome } from 'afterturn/protocol';
import { rootSession, type RunNews, type SubagentRun, type SubagentRuns } from 'afterturn/state';
import { isOfSubagents, type TellsSubagents, type ToldUpdate } from './form.js';
import { SharedIds } from './ids.js';
import { BoundedMap, BoundedSet } from '../bounded.js';

const MAX_REMEMBERED = 4096;

const statuses: Readonly<Record<Outcome, string>> = { completed: 'completed', failed: 'failed', stopped: 'cancelled', unknown: 'cancelled' };

/** What only the subagent's own session has a place for. */
const OWN_SESSION: ReadonlySet<unknown> = new Set([
  'state_update', 'user_message', 'user_message_chunk', 'agent_message', 'agent_message_chunk', 'agent_thought', 'agent_thought_chunk', 'plan_update', 'plan_removed',
  'config_option_update', 'available_commands_update', 'session_info_update', 'usage_update', 'compaction_update', 'compaction_summary_chunk',
]);

/** The call that stands for the newest run of a subagent. `own`: nobody else tells of it. */
interface Launch {
  readonly call: string;
  readonly own: boolean;
}

const withParent = (update: JsonObject, call: string | undefined): JsonObject => {
  if (call === undefined) return update;
  const meta = objectOf(update._meta) ?? {};
  return { ...update, _meta: { ...meta, claudeCode: { ...objectOf(meta.claudeCode), parentToolUseId: call } } };
};

const isTask = ({ sessionUpdate: kind }: JsonObject): boolean => typeof kind === 'string' && kind.startsWith('_async_task_');

const textContent = (content: readonly unknown[]): readonly object[] => content.map((block) => ({ type: 'content', content: block }));

export class Flattened implements TellsSubagents {
  readonly #launches = new BoundedMap<string, Launch>();
  /** Calls that the agent tells of itself. */
  readonly #calls = new BoundedSet<string>(MAX_REMEMBERED);
  readonly #ids = new SharedIds();

  news(news: RunNews, runs: SubagentRuns): readonly ToldUpdate[] {
    if (news.type === 'started') return this.#started(news.child, news.message, runs);
    const launch = this.#launches.get(news.child.id);
    if (launch === undefined || !launch.own) return [];
    const end = news.type === 'ended' ? { status: statuses[news.outcome] } : { content: textContent(news.content) };
    return [{ session: rootSession(runs, news.child.parent), update: { sessionUpdate: 'tool_call_update', toolCallId: launch.call, ...end } }];
  }

  update(session: string, given: JsonObject, runs: SubagentRuns): ReturnType<TellsSubagents['update']> {
    const child = runs.get(session);
    if (isOfSubagents(given) || (child !== undefined && OWN_SESSION.has(given.sessionUpdate))) return undefined;
    const root = child === undefined ? session : rootSession(runs, session);
    const update = this.#ids.in(root, session, given);
    const { sessionUpdate: kind, toolCallId } = update;
    if (kind === 'tool_call_update') this.#sees(idOf(toolCallId));
    if (isTask(update)) return { session: root, update: this.#withLaunch(update) };
    return { session: root, update: child !== undefined && kind === 'tool_call_update' ? withParent(update, this.#launches.get(session)?.call) : update };
  }

  asked(session: string, params: JsonObject, runs: SubagentRuns): JsonObject {
    const root = rootSession(runs, session);
    const isChild = runs.has(session);
    const call = this.#launches.get(session)?.call;
    const shown = this.#ids.in(root, session, params);
    const subject = isObject(shown.subject) ? this.#ids.in(root, session, shown.subject) : undefined;
    const toolCall = isObject(subject?.toolCall) ? this.#ids.in(root, session, subject.toolCall) : undefined;
    const isSame = shown === params && subject === params.subject && toolCall === subject?.toolCall;
    if (!isChild && isSame) return params;
    const about = toolCall === undefined ? {} : { toolCall: isChild ? withParent(toolCall, call) : toolCall };
    return { ...shown, sessionId: root, ...(subject === undefined ? {} : { subject: { ...subject, ...about } }) };
  }

  meant = (session: string): string => session;

  #sees(call: string | undefined): void {
    if (call === undefined || [...this.#launches.values()].some((launch) => launch.own && launch.call === call)) return;
    this.#calls.add(call);
  }

  /** The task that a subagent is names the call that stands for it. */
  #withLaunch(update: JsonObject): JsonObject {
    const launch = this.#launches.get(idOf(update.asyncTaskId) ?? '');
    return launch === undefined ? update : { ...update, toolCallId: launch.call };
  }

  #started(child: SubagentRun, message: { readonly id: string | undefined; readonly text: string } | undefined, runs: SubagentRuns): readonly ToldUpdate[] {
    const launch = child.launch === undefined ? undefined : this.#ids.shown(rootSession(runs, child.parent), child.parent, 'toolCallId', child.launch);
    const call = launch ?? message?.id ?? `afterturn:${child.id}${child.run > 1 ? `:${child.run}` : ''}`;
    const own = !this.#calls.has(call);
    this.#launches.set(child.id, { call, own });
    if (!own) return [];
    const title = child.title ?? 'Subagent';
    const rawInput = { description: title, ...(message === undefined ? {} : { prompt: message.text }), ...(child.description === undefined ? {} : { subagent_type: child.description }) };
    const content = message === undefined ? [] : textContent([{ type: 'text', text: message.text }]);
    const update = { toolCallId: call, name: 'Agent', title, kind: 'think', status: 'in_progress', rawInput, content, _meta: { claudeCode: { toolName: 'Agent' } } };
    const parent = this.#launches.get(child.parent)?.call;
    return [{ session: rootSession(runs, child.parent), update: { sessionUpdate: 'tool_call_update', ...withParent(update, parent) } }];
  }
}

