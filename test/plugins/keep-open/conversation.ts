/**
 * A client of ACP v1 that declared nothing, and claude-agent-acp at the other end: the lines that the
 * conversations of these tests are made of.
 */
import { keepOpen } from '../../../plugins/keep-open/index.js';
import { hiddenExtension } from '../../../plugins/hidden-extension.js';
import { sources, type Source } from '../../../plugins/sources.js';
import { wired, type Message, type Wired } from '../../pipeline/harness.js';
import { validateToClient } from '../../tools/schema.js';

export const WINDOW = 250;
export const S = 'session-1';

export interface AgentInfo {
  readonly name: string;
  readonly version: string;
}

export const CLAUDE: AgentInfo = { name: '@agentclientprotocol/claude-agent-acp', version: '0.101.0' };

/** The plugins around a v1 agent, in their order. */
export function pluginsFor(source: Source = 'auto') {
  const { atClient, atAgent } = sources({ source });
  return [atClient, hiddenExtension({ source }), keepOpen({ source, followUpWindow: WINDOW }), atAgent];
}

export interface Talk extends Wired {
  /** An update of the agent. */
  says(update: Message, session?: string): void;
  /** A message of the raw feed. */
  feeds(message: Message, session?: string): void;
  /** The updates that the client got since the last call, checked against the schema. Other messages fail. */
  seen(): Message[];
  /** Everything that the client got since the last call. */
  got(): Message[];
}

export interface TalkOptions {
  readonly source?: Source;
  readonly agent?: AgentInfo;
  /** What the agent's answer has beside the agent's name. */
  readonly answer?: Message;
  readonly clientCapabilities?: Message;
}

/** A connection with one session, past its set-up. */
export function talk({ source = 'auto', agent = CLAUDE, answer = {}, clientCapabilities = {} }: TalkOptions = {}): Talk {
  const wire = wired(pluginsFor(source));
  wire.client.sends({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: { protocolVersion: 1, clientCapabilities } });
  wire.agent.answers('i', { protocolVersion: 1, agentInfo: agent, ...answer });
  wire.client.sends({ jsonrpc: '2.0', id: 'n', method: 'session/new', params: { cwd: '/project', mcpServers: [] } });
  wire.agent.answers('n', { sessionId: S });
  wire.client.received();
  wire.agent.received();
  const says = (update: Message, session = S): void => wire.agent.notifies('session/update', { sessionId: session, update });
  const feeds = (message: Message, session = S): void => wire.agent.notifies('_claude/sdkMessage', { sessionId: session, message: { type: 'system', ...message } });
  const got = (): Message[] => wire.client.received();
  return {
    ...wire,
    says,
    feeds,
    got,
    seen: () =>
      got().map((message) => {
        if (message.method !== 'session/update') throw new Error(`expected a session/update, got ${JSON.stringify(message)}`);
        const problems = validateToClient('v1', message);
        if (problems.length > 0) throw new Error(`not valid: ${problems.join('; ')}`);
        return message.params.update;
      }),
  };
}

/** The raw feed, in the forms of 0.101. */
export const raw = {
  live: (...tasks: Message[]): Message => ({ subtype: 'background_tasks_changed', tasks }),
  task: (task_id: string, description: string, task_type = 'local_bash', run_id: string | undefined = `run-${task_id}`): Message => ({ task_id, task_type, description, run_id }),
  started: (task_id: string, tool_use_id: string, description: string, task_type = 'local_bash', run_id: string | undefined = `run-${task_id}`): Message =>
    ({ subtype: 'task_started', task_id, tool_use_id, description, task_type, run_id }),
  updated: (task_id: string, status: string, run_id: string | undefined = `run-${task_id}`): Message => ({ subtype: 'task_updated', task_id, run_id, patch: { status } }),
  notified: (task_id: string, status: string, summary: string, run_id: string | undefined = `run-${task_id}`): Message =>
    ({ subtype: 'task_notification', task_id, run_id, status, summary, output_file: '/tmp/out' }),
};

const claudeCode = (toolName: string, more: Message = {}): Message => ({ _meta: { claudeCode: { ...more, toolName } } });

/** The frames of a call, in the forms of 0.101 for a plain client. */
export const call = {
  starts: (toolCallId: string, toolName: string, content: Message[] = []): Message =>
    ({ ...claudeCode(toolName), toolCallId, sessionUpdate: 'tool_call', name: toolName, rawInput: {}, status: 'pending', title: toolName, kind: 'other', content }),
  /** The structured answer. */
  answers: (toolCallId: string, toolName: string, toolResponse: Message): Message => ({ ...claudeCode(toolName, { toolResponse }), toolCallId, sessionUpdate: 'tool_call_update' }),
  /** The acknowledgement, or a late one. */
  completes: (toolCallId: string, toolName: string, more: Message = {}): Message => ({ ...claudeCode(toolName), toolCallId, sessionUpdate: 'tool_call_update', status: 'completed', ...more }),
  fails: (toolCallId: string, toolName: string, more: Message = {}): Message => ({ ...claudeCode(toolName), toolCallId, sessionUpdate: 'tool_call_update', status: 'failed', ...more }),
};

export const terminal = (terminalId: string): Message => ({ type: 'terminal', terminalId });
export const text = (words: string): Message => ({ type: 'content', content: { type: 'text', text: words } });
export const exits = (terminal_id: string, exit_code: number | null): Message => ({ terminal_exit: { terminal_id, exit_code, signal: null } });

/** A background Bash up to its acknowledgement; the client has seen it. */
export function launchBash(on: Talk, toolCallId = 'T', task = 'b1', description = 'Run the build'): void {
  on.says(call.starts(toolCallId, 'Bash', [terminal(toolCallId)]));
  on.feeds(raw.live(raw.task(task, description)));
  on.feeds(raw.started(task, toolCallId, description));
  on.says(call.answers(toolCallId, 'Bash', { stdout: '', backgroundTaskId: task }));
  on.says(call.completes(toolCallId, 'Bash'));
  on.seen();
}
