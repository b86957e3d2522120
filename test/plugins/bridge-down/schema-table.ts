/**
 * Every method and every kind that the schemas of ACP v1 and v2 name, and what the bridge down makes of
 * it for a v1 client in front of a v2 agent: the same form as the table of the other direction, held
 * against the schemas by the same test. `why` says what is lost.
 */
import type { Row } from '../bridge/schema-table.js';

const B = 'src/protocol/bridge-down/';
const P = 'plugins/bridge-down/';
const PT = 'test/plugins/bridge-down/';
const LIFE = `${PT}lifecycle.test.ts`;
const UPD = `${PT}updates.test.ts`;
const ASK = `${PT}questions.test.ts`;
const PROMPT = `${PT}prompt.test.ts`;
const KINDS = `${PT}every-kind.test.ts`;

const row = (versions: Row['versions'], kinds: string, by: string, test: string, why?: string): Row => ({ kinds: kinds.split(', '), versions, by, test, ...(why === undefined ? {} : { why }) });
const both = (kinds: string, by: string, test: string, why?: string): Row => row('both', kinds, by, test, why);
const v1 = (kinds: string, by: string, test: string, why?: string): Row => row('v1', kinds, by, test, why);
const v2 = (kinds: string, by: string, test: string, why?: string): Row => row('v2', kinds, by, test, why);
const never = (versions: Row['versions'], kinds: string, why: string): Row => ({ kinds: kinds.split(', '), versions, why });

const PASSES = 'src/protocol/methods.ts';
const UNSTABLE = 'only to a client that declares what the unstable schema has';

export const table: Readonly<Record<string, readonly Row[]>> = {
  methods: [
    both('agent initialize', `${P}initialize.ts`, LIFE),
    both('agent session/new, agent session/list, agent session/delete, agent session/close, agent session/set_config_option, agent session/resume, agent session/fork', `${P}lifecycle.ts`, KINDS),
    both('agent session/prompt, agent session/cancel', `${P}prompts.ts`, PROMPT),
    both('agent providers/list, agent providers/set, agent providers/disable, agent auth/status, agent session/archive, agent session/unarchive, agent session/set_title', PASSES, KINDS),
    both('agent session/status', `${P}lifecycle.ts`, KINDS, 'v1 tells no state there'),
    v1('agent authenticate, agent logout', `${P}lifecycle.ts`, LIFE, 'auth/login and auth/logout in v2'),
    v2('agent auth/login, agent auth/logout', `${P}lifecycle.ts`, LIFE),
    v1('agent session/load', `${P}lifecycle.ts`, LIFE, 'session/resume with replayFrom in v2'),
    v1('agent session/set_mode', `${P}lifecycle.ts`, LIFE, 'the option of the category mode in v2'),
    never('v2', 'agent tool_call/cancel, agent terminal/cancel', 'v1 has no such request; with the private extension, legacy-tasks sends them for its stop'),
    both('client session/update', `${P}updates.ts`, UPD),
    both('client session/request_permission, client elicitation/create', `${P}questions.ts`, ASK),
    both('client elicitation/complete', PASSES, KINDS),
    both('client auth/status_update', `${P}index.ts`, UPD, UNSTABLE),
    both('client mcp/message, agent mcp/message', PASSES, KINDS),
    never('v1', 'client fs/write_text_file, client fs/read_text_file', 'a v2 agent never asks for the files of its client'),
    never('v1', 'client terminal/create, client terminal/output, client terminal/release, client terminal/wait_for_exit, client terminal/kill', 'a v2 agent owns its terminals'),
    both('protocol $/cancel_request', `${P}prompts.ts`, PROMPT),
    never('both', 'proxy proxy/initialize, proxy proxy/successor', 'spoken between a conductor and its proxies, never to an agent or a client: this proxy stands on stdio in place of one'),
  ],

  SessionUpdate: [
    both('user_message_chunk, agent_message_chunk, agent_thought_chunk', `${B}messages.ts`, UPD, 'what the client itself said is not told back'),
    v2('user_message, agent_message, agent_thought', `${B}messages.ts`, UPD, 'chunks in v1: a changed text cannot be taken back, and is told whole as another message'),
    v1('tool_call', `${B}tool-call.ts`, UPD, 'the first word of a call'),
    both('tool_call_update', `${B}tool-call.ts`, UPD, 'a name, an input or an output that is cleared stays for a v1 client'),
    v2('tool_call_content_chunk', `${B}tool-call.ts`, UPD, 'the whole content in v1'),
    v2('terminal_update, terminal_output_chunk', `${B}terminal.ts`, UPD, '_meta.terminal_* of the call that shows it, or its text; output that is replaced stays in the former; a terminal that no call shows, its size and its capabilities have no place'),
    v1('plan', `${B}plans.ts`, UPD, 'all plans of the session as one'),
    both('plan_update, plan_removed', `${B}plans.ts`, UPD, 'for a client that takes plans by id'),
    v1('current_mode_update', `${B}config.ts`, LIFE, 'from the option of the category mode'),
    both('config_option_update', `${B}config.ts`, LIFE),
    both('available_commands_update, session_info_update, usage_update', `${B}updates.ts`, UPD),
    both('notice, compaction_update, compaction_summary_chunk', `${B}updates.ts`, UPD, 'a client that does not take them reads a notice and a failed compaction as words of the agent, and nothing of other compaction'),
    both('subagent_update, session_message, session_message_chunk', `${B}subagents.ts`, KINDS, 'for a client that knows subagents; legacy-subagents tells any other in its own form'),
    v2('state_update', `${P}prompts.ts`, PROMPT, 'the answers to prompts; that the agent works on its own, or waits, is not told'),
    v2('other', `${B}updates.ts`, UPD, 'extensions pass; the private one under its v1 names'),
  ],

  ContentBlock: [both('text, image, audio, resource_link, resource', `${B}content.ts`, KINDS), v2('other', `${B}content.ts`, UPD, 'v1 has no such open arm: it is left out and named in the log')],
  EmbeddedResourceResource: [both('TextResourceContents, BlobResourceContents', `${B}content.ts`, KINDS)],
  Role: [both('assistant, user', `${B}content.ts`, KINDS), v2('other', `${B}content.ts`, UPD, 'v1 knows two audiences: others are left out of an annotation')],
  IconTheme: [never('v2', 'light, dark, other', 'v1 has no icons: they are left out of a resource link')],

  ToolKind: [both('read, edit, delete, move, search, execute, think, fetch, switch_mode, other', `${B}tool-call.ts`, KINDS), v2('unknown', `${B}tool-call.ts`, UPD, 'the open arm: other in v1')],
  ToolCallStatus: [
    both('pending, in_progress, completed, failed', `${B}tool-call.ts`, KINDS),
    v2('cancelled', `${B}tool-call.ts`, UPD, 'failed in v1, with the word in _meta'),
    v2('paused', `${B}tool-call.ts`, UPD, 'in_progress in v1, with the word in _meta'),
    v2('other', `${B}tool-call.ts`, UPD, 'in_progress in v1, with the word in _meta'),
  ],
  ToolCallContent: [both('content, diff, terminal', `${B}tool-call.ts`, UPD), v2('other', `${B}tool-call.ts`, UPD, 'left out, and named in the log')],
  DiffChange: [
    v2('add, delete, modify', `${B}diff.ts`, 'test/protocol/bridge-down/diff.test.ts', 'each hunk of a change is a diff of its own, without its place in the file'),
    v2('move, copy, other', `${B}diff.ts`, 'test/protocol/bridge-down/diff.test.ts', 'in words, with a diff for each hunk of a move or a copy'),
  ],
  DiffFileType: [v2('text, binary, directory, symlink, other', `${B}diff.ts`, 'test/protocol/bridge-down/diff.test.ts', 'what is no text is told in words')],
  DiffPatchFormat: [v2('git_patch', `${B}diff.ts`, 'test/protocol/bridge-down/diff.test.ts'), v2('other', `${B}diff.ts`, 'test/protocol/bridge-down/diff.test.ts', 'as text')],

  PlanUpdateContent: [both('items, file, markdown', `${B}plans.ts`, UPD, 'a file and a text are one entry of v1’s plan'), v2('other', `${B}plans.ts`, UPD, 'left out of v1’s plan')],
  PlanEntryPriority: [both('high, medium, low', `${B}plans.ts`, KINDS), v2('other', `${B}plans.ts`, UPD, 'medium in v1')],
  PlanEntryStatus: [both('pending, in_progress, completed', `${B}plans.ts`, KINDS), v2('cancelled', `${B}plans.ts`, UPD, 'completed in v1, with the word in _meta'), v2('other', `${B}plans.ts`, UPD, 'pending in v1')],
  NoticeSeverity: [both('info, warning, error, other', `${B}updates.ts`, KINDS)],
  CompactionStatus: [both('in_progress, completed, failed, cancelled, other', `${B}updates.ts`, KINDS)],
  AvailableCommand: [v2('command', `${B}config.ts`, LIFE), v2('other', `${B}config.ts`, LIFE, 'no command of v1: left out')],
  AvailableCommandInput: [v1('unstructured', `${B}config.ts`, LIFE, 'text in v2'), v2('text', `${B}config.ts`, LIFE), v2('other', `${B}config.ts`, LIFE, 'the command is told without an input')],

  SessionConfigOption: [both('select, boolean', `${B}config.ts`, LIFE, 'a boolean one only to a client that takes it'), v2('other', `${B}config.ts`, LIFE, 'left out')],
  SessionConfigOptionCategory: [both('mode, model, model_config, thought_level, other', `${B}config.ts`, KINDS)],
  SessionConfigSelectOptions: [both('Ungrouped, Grouped', `${B}config.ts`, LIFE)],
  SetSessionConfigOptionRequest: [both('boolean', `${B}session.ts`, KINDS), v1('value_id', `${B}session.ts`, LIFE, 'id in v2'), v2('id', `${B}session.ts`, LIFE), never('v2', 'other', 'only a client could say it, and v1 has no word for it')],

  StopReason: [v1('end_turn, max_tokens, max_turn_requests, refusal, cancelled', `${B}prompt.ts`, PROMPT)],
  IdleStateUpdate: [
    both('end_turn, max_tokens, max_turn_requests, refusal, cancelled, error, other', `${B}prompt.ts`, PROMPT, 'error is a JSON-RPC error; a reason of an extension is end_turn, with the word in _meta'),
    both('none', 'src/state/v1-prompts.ts', PROMPT, 'a snapshot'),
  ],
  StateUpdate: [both('running, idle, requires_action', 'src/state/v1-prompts.ts', PROMPT), both('unknown, other', `${P}prompts.ts`, UPD, 'they end no prompt')],
  BackgroundWork: [never('v2', 'terminal, tool_call, subagent, other', 'v1 has no list; with the private extension, legacy-tasks makes tasks of it')],

  RequestPermissionSubject: [v2('tool_call, command', `${B}permission.ts`, ASK), v2('other', `${B}permission.ts`, ASK, 'a call that is only there for the question')],
  PermissionOptionKind: [both('allow_once, allow_always, reject_once, reject_always', `${B}permission.ts`, KINDS), v2('other', `${B}permission.ts`, ASK, 'reject_once in v1: none that a client may choose by itself')],
  RequestPermissionOutcome: [both('cancelled, selected', `${P}questions.ts`, ASK), never('v2', 'other', 'only a client could say it, and v1 has no word for it')],

  CreateElicitationRequest: [both('form, url, other', `${B}elicitation.ts`, ASK)],
  ElicitationSchemaType: [both('object', `${B}elicitation.ts`, ASK)],
  ElicitationPropertySchema: [both('string, number, integer, boolean, array, other', `${B}elicitation.ts`, KINDS)],
  StringFormat: [both('email, uri, date, date-time', `${B}elicitation.ts`, KINDS), v2('other', `${B}elicitation.ts`, ASK, 'left out: it only narrows what may be entered')],
  MultiSelectItems: [both('string, titled, other', `${B}elicitation.ts`, KINDS)],
  ElicitationFormMode: [both('Session, Request', `${B}elicitation.ts`, ASK)],
  ElicitationUrlMode: [both('Session, Request', `${B}elicitation.ts`, ASK)],
  CreateElicitationResponse: [both('accept, decline, cancel, other', `${P}questions.ts`, KINDS)],
  ElicitationContentValue: [both('String, Integer, Number, Boolean, StringArray', `${P}questions.ts`, KINDS), never('v2', 'Other', 'only a client could say it')],

  AuthMethod: [both('agent, terminal', `${B}initialize.ts`, LIFE), v2('other', `${B}initialize.ts`, LIFE, 'left out: v1 has no other types')],
  AuthState: [both('authenticated, unauthenticated, not_required, unknown, other', PASSES, KINDS)],
  LlmProtocol: [both('anthropic, openai, azure, vertex, bedrock, other', PASSES, KINDS)],
  SessionStatus: [both('open, saved, other', PASSES, KINDS)],
  SessionArchiveFilter: [both('exclude, include, only, other', `${P}lifecycle.ts`, KINDS, 'session/list passes its params')],
  SystemPromptMode: [both('append, override, other', `${B}session.ts`, KINDS)],
  McpServer: [both('http, stdio, acp', `${B}session.ts`, KINDS), v1('sse', `${B}session.ts`, LIFE, 'refused with -32602: no transport of v2'), never('v2', 'other', 'only a client could say it')],
  ReplayFrom: [v2('start', `${B}session.ts`, LIFE, 'session/load in v1'), never('v2', 'other', 'session/load begins at the start')],

  ErrorCode: [both('-32700, -32600, -32601, -32602, -32603, -32800, -32000, -32002, Other', 'plugins/bridge/requests.ts', KINDS, 'errors pass as they are'), v2('-32022', `${P}initialize.ts`, KINDS, 'the agent is asked once more in v1')],
  ErrorData: [v2('UnsupportedProtocolVersion, SessionNotFound, Other', 'plugins/bridge/requests.ts', KINDS, 'passes as it is')],
  RequestId: [v1('Null', 'src/wire/jsonrpc.ts', 'test/wire/jsonrpc.test.ts', 'JSON-RPC: ids pass as they are'), both('Number, Str', 'src/wire/jsonrpc.ts', 'test/wire/jsonrpc.test.ts')],
  AgentResponse: [both('Result, Error', 'plugins/bridge/requests.ts', LIFE)],
  ClientResponse: [both('Result, Error', `${P}questions.ts`, ASK)],
  MessageMcpResponse: [both('Result, Error', PASSES, KINDS)],
  ProxyResponse: [never('both', 'Result, Error', 'see proxy/initialize')],
};

/** What agents in use say beside the schemas. */
export const beyondTheSchemas: readonly Row[] = [
  v1('async_task_spawned, async_task_progress, async_task_state_update', `${B}updates.ts`, UPD, 'the async task extension'),
];
