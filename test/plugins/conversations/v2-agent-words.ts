/** The updates of an agent of ACP v2 in random conversations: a call, a terminal, an item of a list. */
import { raw } from '../keep-open/conversation.js';
import type { Message } from '../../pipeline/harness.js';

export type Tool = 'Bash' | 'Edit' | 'Workflow' | 'Monitor';
export type Outcome = 'completed' | 'failed' | 'stopped';

export interface Call {
  readonly id: string;
  readonly tool: Tool;
}

/** A piece of background work. `id`: of its terminal, its call, its task or its session. */
export interface Item {
  readonly type: 'terminal' | 'tool_call' | 'subagent' | 'monitor' | 'task';
  readonly id: string;
  readonly call: Call | undefined;
}

export const terminalOf = ({ id }: Call): string => `term-${id}`;
const isShell = ({ tool }: Call): boolean => tool === 'Bash';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const message = (kind: string, messageId: string, text: string): Message => {
  const block = { type: 'text', text };
  return { sessionUpdate: kind, messageId, content: kind.endsWith('_chunk') ? block : [block] };
};

const exits: Readonly<Record<Outcome, Message>> = { completed: { exitCode: 0 }, failed: { exitCode: 3 }, stopped: { signal: 'SIGTERM' } };
const statuses: Readonly<Record<Outcome, string>> = { completed: 'completed', failed: 'failed', stopped: 'cancelled' };

export const begins = (call: Call): Message[] => [
  ...(isShell(call) ? [{ sessionUpdate: 'terminal_update', terminalId: terminalOf(call), command: './run.sh', cwd: '/work' }] : []),
  {
    sessionUpdate: 'tool_call_update', toolCallId: call.id, name: call.tool, title: call.tool, kind: isShell(call) ? 'execute' : 'other', status: 'in_progress', rawInput: { description: `work ${call.id}` },
    ...(isShell(call) ? { content: [{ type: 'terminal', terminalId: terminalOf(call) }] } : {}),
  },
];

export const status = (call: Call, word: string, more: Message = {}): Message => ({ sessionUpdate: 'tool_call_update', toolCallId: call.id, status: word, ...more });

const exit = (call: Call, outcome: Outcome, more: Message = {}): Message => ({ sessionUpdate: 'terminal_update', terminalId: terminalOf(call), exitStatus: exits[outcome], ...more });

/** A call of foreground work ends. */
export const ends = (call: Call, outcome: Outcome): Message[] => [...(isShell(call) ? [exit(call, outcome)] : []), status(call, statuses[outcome])];

export const output = (call: Call, text: string, isWhole: boolean): Message =>
  isWhole ? { sessionUpdate: 'terminal_update', terminalId: terminalOf(call), output: { data: base64(text) } } : { sessionUpdate: 'terminal_output_chunk', terminalId: terminalOf(call), data: base64(text) };

const spawned = (call: Call): Message => ({ sessionUpdate: '_async_task_spawned', asyncTaskId: `task-${call.id}`, name: call.tool, taskType: isShell(call) ? 'shell' : 'workflow', showInTranscript: false, canStop: true, toolCallId: call.id });

/** What a session is told when a call leaves its work behind, up to the list that names it. */
export function detaches(call: Call, tells: 'lists' | 'tasks', stays: boolean): Message[] {
  const acknowledged = isShell(call) && stays ? [] : [status(call, 'completed')];
  const marked = { sessionUpdate: 'tool_call_update', toolCallId: call.id, _meta: { jetbrains: { air: { asyncTasks: { backgrounded: true } } } } };
  if (tells === 'tasks') return isShell(call) && stays ? [marked, spawned(call)] : [spawned(call), ...acknowledged];
  if (isShell(call)) return [...acknowledged, { sessionUpdate: 'terminal_update', terminalId: terminalOf(call), capabilities: { cancel: {} } }];
  return [status(call, 'in_progress', { capabilities: { cancel: {} } })];
}

/** A Monitor's launch: the feed, and the answer that names its task. */
export const monitorLaunch = (call: Call): { readonly feed: Message[]; readonly update: Message } => ({
  feed: [raw.live(raw.task(`task-${call.id}`, 'watch')), raw.started(`task-${call.id}`, call.id, 'watch')],
  update: status(call, 'completed', { _meta: { claudeCode: { toolName: 'Monitor', toolResponse: { taskId: `task-${call.id}`, timeoutMs: 60_000, persistent: false } } } }),
});

export const monitorEnd = (call: Call, outcome: Outcome): Message[] => {
  const word = outcome === 'stopped' ? 'killed' : outcome;
  return [raw.updated(`task-${call.id}`, word), raw.notified(`task-${call.id}`, word, 'It is over.'), raw.live()];
};

/** The end of background work, before the list that drops it. */
export function itemEnds({ type, call }: Item, outcome: Outcome, stays: boolean): Message[] {
  if (call === undefined) return [];
  const held = isShell(call) && stays ? [status(call, statuses[outcome])] : [];
  if (type === 'terminal') return [exit(call, outcome, { capabilities: null }), ...held];
  if (type === 'tool_call') return [status(call, statuses[outcome], { capabilities: null })];
  return [{ sessionUpdate: '_async_task_state_update', asyncTaskId: `task-${call.id}`, state: outcome, toolCallId: call.id }, ...(isShell(call) ? [exit(call, outcome), ...held] : [])];
}

/** As an entry of a list. */
export const listed = ({ type, id }: Item): Message[] =>
  type === 'terminal' ? [{ type, terminalId: id }] : type === 'tool_call' ? [{ type, toolCallId: id }] : type === 'subagent' ? [{ type, sessionId: id }] : [];

/** All that a client without history has to know of listed work. */
export const announces = ({ type, call }: Item): Message[] => {
  if (call === undefined) return [];
  if (type === 'terminal') return [{ sessionUpdate: 'terminal_update', terminalId: terminalOf(call), command: './run.sh', cwd: '/work', capabilities: { cancel: {} } }];
  return type === 'tool_call' ? [status(call, 'in_progress', { title: call.tool, name: call.tool, capabilities: { cancel: {} } })] : [];
};

/** A call as a history tells it. */
export function told(call: Call, word: string, outcome: Outcome | undefined): Message[] {
  const [terminal, first] = isShell(call) ? begins(call) : [undefined, begins(call)[0]];
  return [...(terminal === undefined ? [] : [terminal, ...(outcome === undefined ? [] : [exit(call, outcome)])]), { ...first, status: word, locations: null, rawOutput: null }];
}
