/**
 * The tools whose call can launch work that outlives it, and where each one's structured answer names
 * the task. The answer counts only behind the tool's own name, so that an answer of the same shape
 * from elsewhere never names anything. Text names nothing.
 */
import { at, idOf, objectOf, stringOf, type JsonObject } from './shape.js';

type TaskOf = (answer: JsonObject) => string | undefined;

const launched = (key: string): TaskOf => (answer) => (answer.status === 'async_launched' ? idOf(answer[key]) : undefined);

/** One row a covered tool. A tool without a row ends with its call, the safe direction to fail in. */
const launches: ReadonlyMap<string, TaskOf> = new Map<string, TaskOf>([
  ['Monitor', (answer) => idOf(answer.taskId)],
  ['Bash', (answer) => idOf(answer.backgroundTaskId)],
  ['Agent', launched('agentId')],
  ['Task', launched('agentId')],
  ['Workflow', launched('taskId')],
]);

/** The tool's name that a tool call, or an update of one, carries. */
export const toolNameOf = (toolCall: JsonObject): string | undefined => idOf(at(toolCall, '_meta', 'claudeCode', 'toolName')) ?? idOf(toolCall.name);

/** Whether calls of this tool can launch work that outlives them. */
export const isLaunchTool = (name: string | undefined): boolean => name !== undefined && launches.has(name);

/** The task that the structured answer in this tool call update names, when `name` is the tool that answered. */
export function launchedTask(name: string | undefined, update: JsonObject): string | undefined {
  const answer = objectOf(at(update, '_meta', 'claudeCode', 'toolResponse'));
  return name === undefined || answer === undefined ? undefined : launches.get(name)?.(answer);
}

/** What is said of a task in the harness's own words. Absent: not said. */
export interface TaskWords {
  readonly task: string;
  readonly taskType?: string;
  /** What it was armed with; what progress calls it later is not this. */
  readonly description?: string;
  /** The final state's own word, such as `killed`. */
  readonly status?: string;
}

const wordsOf = (task: unknown, taskType: unknown, description: unknown, status?: unknown): readonly TaskWords[] => {
  const id = idOf(task);
  if (id === undefined) return [];
  const words: { -readonly [K in keyof TaskWords]: TaskWords[K] } = { task: id };
  const told = { taskType: stringOf(taskType), description: stringOf(description), status: stringOf(status) };
  if (told.taskType !== undefined) words.taskType = told.taskType;
  if (told.description !== undefined) words.description = told.description;
  if (told.status !== undefined) words.status = told.status;
  return [words];
};

type WordsReader = (message: JsonObject) => readonly TaskWords[];

const rawReaders: ReadonlyMap<string, WordsReader> = new Map<string, WordsReader>([
  ['task_started', (message) => wordsOf(message.task_id, message.task_type, message.description)],
  ['task_updated', (message) => wordsOf(message.task_id, undefined, undefined, at(message, 'patch', 'status'))],
  ['task_notification', (message) => wordsOf(message.task_id, undefined, undefined, message.status)],
  ['background_tasks_changed', ({ tasks }) => (Array.isArray(tasks) ? tasks : []).flatMap((task) => wordsOf(at(task, 'task_id'), at(task, 'task_type'), at(task, 'description')))],
]);

/** The words of the params of a notification of the raw feed. */
export function rawTaskWords(params: unknown): readonly TaskWords[] {
  const message = objectOf(at(params, 'message'));
  const read = typeof message?.subtype === 'string' ? rawReaders.get(message.subtype) : undefined;
  return message === undefined || read === undefined ? [] : read(message);
}

/** The words of an `async_task_*` update. */
export const asyncTaskWords = (update: JsonObject): readonly TaskWords[] => wordsOf(update.asyncTaskId, update.taskType, update.description, update.state);
