/**
 * Signals of Claude's raw feed: `_claude/sdkMessage {sessionId, message}` notifications that carry the
 * system messages of the Claude Agent SDK. claude-agent-acp sends them when a session asks for them
 * (`_meta.claudeCode.emitRawSDKMessages`). Text is read for one thing only: the exit code that the
 * harness's own summary sentence names.
 */
import { arrayOf, at, booleanOf, defined, idOf, isObject, objectOf, stringOf, typeName, type JsonObject } from '../shape.js';
import { malformed, nothing, told, toldInPart, type Outcome, type Reading, type Signal, type TaskFacts } from './types.js';

export const RAW_FEED = '_claude/sdkMessage';

/** The subtypes that signals are read from, and so the ones to ask for. */
export const RAW_SUBTYPES = ['task_started', 'task_updated', 'task_progress', 'task_notification', 'background_tasks_changed', 'session_state_changed'] as const;

/** The messages that signals are read from, as a set-up request asks for them. */
export const RAW_MESSAGES: readonly JsonObject[] = RAW_SUBTYPES.map((subtype) => ({ type: 'system', subtype }));

const RESET = 'conversation_reset';

/** What is asked for beside them for a client of v2: the messages in which the agent names the user messages that it takes in, and those by which it forgets its tasks. */
export const RAW_MESSAGES_V2: readonly JsonObject[] = [...RAW_MESSAGES, { type: 'system', subtype: 'status' }, { type: RESET }];

/** The SDK's task types in the extension's words. A Monitor runs as `local_bash`; its launching call tells. */
const taskTypes: ReadonlyMap<string, string> = new Map([
  ['local_bash', 'shell'],
  ['local_workflow', 'workflow'],
  ['remote_workflow', 'workflow'],
  ['local_agent', 'subagent'],
  ['remote_agent', 'subagent'],
]);

const outcomes: ReadonlyMap<string, Outcome> = new Map([
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['stopped', 'stopped'],
  ['killed', 'stopped'],
]);

const codePattern = /\(exit code (\d{1,10})\)|failed with exit code (\d{1,10})(?!\d)/;

/** The exit code that a summary sentence of the harness names, such as `… failed with exit code 3`. */
export function exitCodeOfSummary(summary: string | undefined): number | undefined {
  const match = summary === undefined ? null : codePattern.exec(summary);
  return match ? Number(match[1] ?? match[2]) : undefined;
}

function factsOf(message: JsonObject): TaskFacts {
  const type = stringOf(message.task_type);
  const ambient = booleanOf(message.ambient) === true || booleanOf(message.skip_transcript) === true;
  return defined({
    description: stringOf(message.description),
    taskType: type === undefined ? undefined : (taskTypes.get(type) ?? type),
    toolCallId: idOf(message.tool_use_id),
    outputFile: idOf(message.output_file),
    summary: stringOf(message.summary),
    run: idOf(message.run_id),
    ambient: ambient || undefined,
    parentTask: idOf(message.parent_task_id),
  });
}

type Reader = (message: JsonObject, task: string) => Reading;

const wordOrType = (value: unknown): string => (typeof value === 'string' ? 'an unknown word' : typeName(value));

const taskReaders: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['task_started', (message, task) => told({ type: 'taskChanged', source: 'raw', task, facts: factsOf(message) })],
  ['task_progress', (message, task) => told({ type: 'taskChanged', source: 'raw', task, facts: factsOf({ ...message, summary: undefined }) })],
  ['task_updated', (message, task) => {
    const patch = objectOf(message.patch) ?? {};
    const status = stringOf(patch.status);
    const outcome = status === undefined ? undefined : outcomes.get(status);
    const facts = factsOf({ run_id: message.run_id, description: patch.description });
    if (outcome !== undefined) return told({ type: 'taskEnded', source: 'raw', task, outcome, facts });
    if (status === 'paused' || status === 'running') return told({ type: 'taskChanged', source: 'raw', task, facts, paused: status === 'paused' });
    const known = patch.status === undefined || patch.status === null || status === 'pending';
    return toldInPart(known ? undefined : `patch.status is ${wordOrType(patch.status)}, expected running, paused, completed, failed or killed`, { type: 'taskChanged', source: 'raw', task, facts });
  }],
  ['task_notification', (message, task) => {
    const status = stringOf(message.status);
    const outcome = status === undefined ? undefined : outcomes.get(status);
    if (outcome === undefined) return malformed(`status is ${wordOrType(message.status)}, expected completed, failed or stopped`);
    const facts = factsOf(message);
    return told({ type: 'taskEnded', source: 'raw', task, outcome, facts, ...defined({ exitCode: exitCodeOfSummary(facts.summary) }) });
  }],
]);

function readLiveSet(message: JsonObject): Reading {
  const tasks = arrayOf(message.tasks);
  if (tasks === undefined) return malformed(`tasks is ${typeName(message.tasks)}, expected array`);
  const signals: Signal[] = [];
  const live: string[] = [];
  let problem: string | undefined;
  for (const entry of tasks) {
    const task = idOf(at(entry, 'task_id'));
    if (task === undefined || !isObject(entry)) {
      problem ??= isObject(entry) ? `tasks[].task_id is ${typeName(entry.task_id)}, expected a non-empty string` : `tasks[] is ${typeName(entry)}, expected object`;
      continue;
    }
    live.push(task);
    signals.push({ type: 'taskStarted', source: 'raw', task, facts: factsOf(entry) });
  }
  return toldInPart(problem, ...signals, { type: 'liveSet', tasks: live });
}

/** Signals of the params of a `_claude/sdkMessage`. */
export function readRawFeed(params: unknown): Reading {
  const message = objectOf(at(params, 'message'));
  if (message === undefined) return malformed(`message is ${typeName(at(params, 'message'))}, expected object`);
  const subtype = stringOf(message.subtype);
  if (subtype === undefined) return message.type === RESET ? told({ type: 'conversationReset' }) : nothing;
  if (subtype === 'background_tasks_changed') return readLiveSet(message);
  if (subtype === 'session_state_changed') {
    const state = stringOf(message.state);
    return state === undefined ? malformed(`state is ${typeName(message.state)}, expected string`) : told({ type: 'sessionState', running: state !== 'idle' });
  }
  const read = taskReaders.get(subtype);
  if (read === undefined) return nothing;
  const task = idOf(message.task_id);
  return task === undefined ? malformed(`task_id is ${typeName(message.task_id)}, expected a non-empty string`) : read(message, task);
}

