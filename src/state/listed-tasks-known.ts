/** What the agent's updates tell of the tool calls, terminals and children that background work is. */
import { arrayOf, at, idOf, isObject, objectOf, readSubagentUpdate, readUpdate, stringOf, tailOfBase64, type JsonObject } from '../protocol/index.js';
import { isFinalStatus } from './ledger.js';
import type { KnownCall, KnownChild, KnownTerminal, ListedTask, ListedTasks, ListedTasksOptions } from './listed-tasks-types.js';
import type { Table } from './table.js';

const REMEMBERED = 256;

const noCall: KnownCall = { name: undefined, title: undefined, description: undefined, status: undefined, terminals: [], canCancel: false };
const noTerminal: KnownTerminal = { command: undefined, exit: undefined, canCancel: false, tail: '' };
const noChild: KnownChild = { title: undefined, description: undefined, toolCallId: undefined, canCancel: false, outcome: undefined };

const cancelIn = (update: JsonObject, before: boolean): boolean => (update.capabilities === undefined ? before : isObject(at(update.capabilities, 'cancel')));

/** The table with this entry; the oldest ones that no task needs are forgotten. The same table when nothing is new. */
function known<V extends object>(state: ListedTasks, table: Table<V>, id: string, value: V): Table<V> {
  const before = table.get(id);
  if (before !== undefined && (Object.keys(value) as (keyof V)[]).every((key) => before[key] === value[key])) return table;
  const next = table.set(id, value);
  if (next.size <= REMEMBERED) return next;
  const used = new Set([...state.tasks.values()].flatMap((task) => [task.id, ...(task.toolCallId === undefined ? [] : [task.toolCallId])]));
  const oldest = [...next.entries()].find(([other]) => other !== id && !used.has(other))?.[0];
  return oldest === undefined ? next : next.delete(oldest);
}

function withTable(state: ListedTasks, part: Partial<ListedTasks>): ListedTasks {
  return (Object.keys(part) as (keyof ListedTasks)[]).every((key) => part[key] === state[key]) ? state : { ...state, ...part };
}

function callSeen(state: ListedTasks, update: JsonObject): ListedTasks {
  const id = idOf(update.toolCallId);
  const signal = readUpdate(update).signals.find((other) => other.type === 'toolCall');
  if (id === undefined || signal === undefined) return state;
  const before = state.calls.get(id) ?? noCall;
  const { facts } = signal;
  const call: KnownCall = {
    name: facts.name ?? before.name,
    title: facts.title ?? before.title,
    description: stringOf(at(update.rawInput, 'description')) ?? before.description,
    status: facts.status ?? before.status,
    terminals: facts.terminals ?? before.terminals,
    canCancel: cancelIn(update, before.canCancel),
  };
  return withTable(state, { calls: known(state, state.calls, id, call) });
}

function terminalSeen(state: ListedTasks, update: JsonObject, { exitLineInOutput }: ListedTasksOptions): ListedTasks {
  const id = idOf(update.terminalId);
  const signal = readUpdate(update).signals.find((other) => other.type === 'terminal');
  if (id === undefined || signal === undefined) return state;
  const before = state.terminals.get(id) ?? noTerminal;
  const { facts } = signal;
  const whole = objectOf(update.output);
  const data = stringOf(whole?.data) ?? stringOf(update.data);
  const terminal: KnownTerminal = {
    command: facts.command ?? before.command,
    exit: facts.exit ?? (facts.reopened ? undefined : before.exit),
    canCancel: cancelIn(update, before.canCancel),
    tail: !exitLineInOutput || data === undefined ? before.tail : tailOfBase64(whole === undefined ? before.tail : '', data),
  };
  return withTable(state, { terminals: known(state, state.terminals, id, terminal) });
}

function childSeen(state: ListedTasks, update: JsonObject): ListedTasks {
  const signal = readSubagentUpdate(update).signals[0];
  if (signal === undefined || !('facts' in signal) || !('task' in signal)) return state;
  const before = state.children.get(signal.task) ?? noChild;
  const child: KnownChild = {
    title: signal.facts.title ?? before.title,
    description: signal.facts.description ?? before.description,
    toolCallId: signal.facts.toolCallId ?? before.toolCallId,
    canCancel: signal.facts.canCancel ?? before.canCancel,
    outcome: signal.type === 'taskEnded' ? signal.outcome : signal.type === 'taskStarted' ? undefined : before.outcome,
  };
  return withTable(state, { children: known(state, state.children, signal.task, child) });
}

type Seen = (state: ListedTasks, update: JsonObject, options: ListedTasksOptions) => ListedTasks;

const seen: ReadonlyMap<unknown, Seen> = new Map<unknown, Seen>([
  ['tool_call_update', callSeen],
  ['terminal_update', terminalSeen],
  ['terminal_output_chunk', terminalSeen],
  ['subagent_update', childSeen],
]);

/** The state with what an update tells of an entity. */
export const withKnown: Seen = (state, update, options) => seen.get(update.sessionUpdate)?.(state, update, options) ?? state;

/** The call that shows a terminal: the newest one. */
const launchOf = (state: ListedTasks, terminal: string): string | undefined =>
  [...state.calls.entries()].filter(([, call]) => call.terminals.includes(terminal)).at(-1)?.[0];

/** One row a tool whose work has a word of its own in the extension. */
const taskTypes: ReadonlyMap<string | undefined, string> = new Map<string | undefined, string>([['Monitor', 'monitor'], ['Workflow', 'workflow']]);

/** What the client is to know of a task. */
export interface TaskWords extends Pick<ListedTask, 'description' | 'canStop' | 'toolCallId'> {
  readonly name: string;
  readonly taskType: string;
}

type Described = (state: ListedTasks, id: string) => TaskWords;

const described: Readonly<Record<'terminal' | 'tool_call' | 'subagent', Described>> = {
  terminal(state, id) {
    const terminal = state.terminals.get(id) ?? noTerminal;
    const toolCallId = launchOf(state, id);
    const call = state.calls.get(toolCallId ?? '') ?? noCall;
    const command = terminal.command ?? call.title ?? '';
    return { name: call.description ?? (command === '' ? 'Command' : command), taskType: 'shell', description: command, canStop: terminal.canCancel, toolCallId };
  },
  tool_call(state, id) {
    const call = state.calls.get(id) ?? noCall;
    const name = call.title ?? call.name ?? 'Background work';
    return { name, taskType: taskTypes.get(call.name) ?? 'task', description: call.description ?? name, canStop: call.canCancel, toolCallId: id };
  },
  subagent(state, id) {
    const child = state.children.get(id) ?? noChild;
    const name = child.title ?? 'Subagent';
    return { name, taskType: 'subagent', description: child.description ?? name, canStop: child.canCancel, toolCallId: child.toolCallId };
  },
};

/** What is known now of the work that an entry of a list names. */
export const wordsOf = (state: ListedTasks, type: 'terminal' | 'tool_call' | 'subagent', id: string): TaskWords => described[type](state, id);

/** The state in which what a list names lives: what a replay, or the launch, said of an exit is not the end. */
export function withLife(state: ListedTasks, type: 'terminal' | 'tool_call' | 'subagent', id: string): ListedTasks {
  const terminal = type === 'terminal' ? state.terminals.get(id) : undefined;
  if (terminal?.exit !== undefined) return { ...state, terminals: state.terminals.set(id, { ...terminal, exit: undefined }) };
  const call = type === 'tool_call' ? state.calls.get(id) : undefined;
  return call === undefined || !isFinalStatus(call.status) ? state : { ...state, calls: state.calls.set(id, { ...call, status: undefined }) };
}

/** The ids of the terminals, calls and children that an update is about. */
export const subjectOf = (update: JsonObject): string | undefined =>
  idOf(update.toolCallId) ?? idOf(update.terminalId) ?? idOf(update.sessionId);

/** Whether an update about `subject` can change what is known of the task. */
export const concerns = (task: ListedTask, update: JsonObject, subject: string): boolean =>
  task.id === subject || task.toolCallId === subject || (arrayOf(update.content) ?? []).some((part) => at(part, 'terminalId') === task.id);
