/**
 * Every method and every kind that the schemas of ACP v1 and v2 name, and what the bridge makes of it
 * for a v2 client in front of a v1 agent. `schema-table.test.ts` holds it against the schemas that the
 * SDK ships: a kind that is in one and not in the other turns it red.
 *
 * A family is a definition of the schemas; its kinds are the arms of its union, by their tag, their
 * constant or their title (`other` is the open arm: names that start with `_`). `methods` are
 * `<who serves it> <method>`.
 */

export type Versions = 'v1' | 'v2' | 'both';

export interface Row {
  readonly kinds: readonly string[];
  readonly versions: Versions;
  /** The file with the rule, and the test that shows it. */
  readonly by?: string;
  readonly test?: string;
  /** Why there is no rule, or what is lost. */
  readonly why?: string;
}

const B = 'src/protocol/bridge/';
const T = 'test/protocol/bridge/';
const P = 'plugins/bridge/';
const PT = 'test/plugins/bridge/';
const EVERY = `${PT}every-kind.test.ts`;
const CAPABLE = `${PT}capabilities.test.ts`;

const row = (versions: Versions, kinds: string, by: string, test: string, why?: string): Row => ({ kinds: kinds.split(', '), versions, by, test, ...(why === undefined ? {} : { why }) });
const both = (kinds: string, by: string, test: string, why?: string): Row => row('both', kinds, by, test, why);
const v1 = (kinds: string, by: string, test: string, why?: string): Row => row('v1', kinds, by, test, why);
const v2 = (kinds: string, by: string, test: string, why?: string): Row => row('v2', kinds, by, test, why);
const never = (versions: Versions, kinds: string, why: string): Row => ({ kinds: kinds.split(', '), versions, why });

const PASSES = 'src/protocol/methods.ts';
/** What the agent sends is v1, and v1 cannot say it. */
const notInV1 = (kinds: string, why = 'only an agent could say it, and v1 has no word for it'): Row => never('v2', kinds, why);
const openInV2 = (why = 'v1 has no such open arm: what an agent sends beside its schema is left out and named'): Row => never('v2', 'other', why);

export const table: Readonly<Record<string, readonly Row[]>> = {
  methods: [
    both('agent initialize', `${P}initialize.ts`, `${PT}initialize.test.ts`),
    both('agent session/new, agent session/list, agent session/delete, agent session/close, agent session/set_config_option, agent session/fork', `${P}lifecycle.ts`, `${PT}lifecycle.test.ts`),
    both('agent session/resume', `${P}resume.ts`, `${PT}lifecycle.test.ts`),
    both('agent session/prompt, agent session/cancel', `${P}prompt.ts`, `${PT}prompt.test.ts`),
    both('agent providers/list, agent providers/set, agent providers/disable, agent auth/status, agent session/archive, agent session/unarchive, agent session/set_title', PASSES, CAPABLE),
    both('agent session/status', PASSES, CAPABLE, 'the optional state of v2 is left out: clients read that as not reported'),
    v1('agent authenticate, agent logout', `${P}lifecycle.ts`, `${PT}lifecycle.test.ts`, 'auth/login and auth/logout in v2'),
    v2('agent auth/login, agent auth/logout', `${P}lifecycle.ts`, `${PT}lifecycle.test.ts`),
    v1('agent session/load', `${B}session.ts`, `${T}session.test.ts`, 'session/resume with replayFrom in v2'),
    v1('agent session/set_mode', `${B}config.ts`, `${PT}lifecycle.test.ts`, 'an option of the category mode in v2'),
    v2('agent tool_call/cancel, agent terminal/cancel', 'plugins/background/cancel.ts', 'test/plugins/background/cancel.test.ts', 'refused with -32602 where the agent has no extension to stop a task with'),
    both('client session/update', `${P}updates.ts`, EVERY),
    both('client session/request_permission', `${P}questions.ts`, `${PT}questions.test.ts`),
    both('client elicitation/create', `${P}questions.ts`, `${PT}questions.test.ts`),
    both('client elicitation/complete, client auth/status_update', PASSES, CAPABLE),
    both('client mcp/message, agent mcp/message', PASSES, CAPABLE),
    v1('client fs/write_text_file, client fs/read_text_file', `${P}index.ts`, CAPABLE, 'refused with -32601: a v2 client has no files'),
    v1('client terminal/create, client terminal/output, client terminal/release, client terminal/wait_for_exit, client terminal/kill', `${P}index.ts`, CAPABLE, 'refused with -32601: a v2 client has no terminals'),
    both('protocol $/cancel_request', `${P}requests.ts`, CAPABLE),
    never('both', 'proxy proxy/initialize, proxy proxy/successor', 'spoken between a conductor and its proxies, never to an agent or a client: this proxy stands on stdio in place of one'),
  ],

  SessionUpdate: [
    both('user_message_chunk, agent_message_chunk, agent_thought_chunk', `${B}messages.ts`, EVERY),
    v1('tool_call', `${B}tool-call.ts`, EVERY, 'one upsert, tool_call_update, in v2'),
    both('tool_call_update', `${B}tool-call.ts`, EVERY),
    v1('plan', `${B}updates.ts`, EVERY, 'plan_update of one plan in v2'),
    both('plan_update, plan_removed, available_commands_update, session_info_update, usage_update, notice, compaction_update, compaction_summary_chunk, session_message, session_message_chunk', `${B}updates.ts`, EVERY),
    v1('current_mode_update', `${P}updates.ts`, EVERY, 'config_option_update in v2'),
    both('config_option_update', `${B}config.ts`, EVERY),
    both('subagent_update', `${B}subagents.ts`, EVERY),
    v2('user_message', `${P}foreground.ts`, `${PT}prompt.test.ts`, 'made when a prompt is taken in'),
    v2('agent_message, agent_thought', `${B}replay.ts`, `${T}replay.test.ts`, 'made in a replay, where each message begins with an upsert'),
    v2('state_update', `${P}foreground.ts`, `${PT}native.test.ts`, 'made from prompts, turns and questions'),
    v2('terminal_update, terminal_output_chunk', `${B}terminal.ts`, EVERY, 'made from _meta.terminal_* of tool calls'),
    v2('tool_call_content_chunk', 'src/state/lists-entries.ts', 'test/plugins/background/shown.test.ts', 'made where a listed terminal is added to its launching call'),
    v2('other', `${B}updates.ts`, EVERY, 'a kind that is not known passes as it is; the async task extension gets its v2 names'),
  ],

  ContentBlock: [both('text, image, audio, resource_link, resource', `${B}content.ts`, `${T}content.test.ts`), v2('other', `${B}content.ts`, `${T}content.test.ts`, 'passes to the client; towards the agent it is refused with -32602')],
  EmbeddedResourceResource: [both('TextResourceContents, BlobResourceContents', `${B}content.ts`, `${T}content.test.ts`)],
  Role: [both('assistant, user', `${B}content.ts`, `${T}content.test.ts`), v2('other', `${B}content.ts`, `${T}content.test.ts`, 'v1 knows two audiences: others are left out of an annotation')],
  IconTheme: [v2('light, dark, other', `${B}content.ts`, EVERY, 'v1 has no icons: they are left out of a prompt, and no v1 agent sends any')],

  ToolKind: [both('read, edit, delete, move, search, execute, think, fetch, switch_mode, other', `${B}tool-call.ts`, EVERY), v2('unknown', `${B}tool-call.ts`, `${T}tool-call.test.ts`, 'the open arm: extensions pass, other words are left out')],
  ToolCallStatus: [
    both('pending, in_progress, completed, failed', `${B}tool-call.ts`, EVERY),
    v2('cancelled', `${B}tool-call.ts`, `${T}tool-call.test.ts`, 'a v1 failed that a session/cancel caused'),
    v2('paused', 'src/state/lists-entries.ts', 'test/state/lists.test.ts', 'from the async task extension'),
    openInV2(),
  ],
  ToolCallContent: [both('content, diff, terminal', `${B}tool-call.ts`, EVERY), openInV2('an extension passes; v1 has no such open arm')],
  DiffChange: [v2('add, delete, modify', `${B}diff.ts`, `${T}diff.test.ts`), notInV1('move, copy, other', 'a v1 diff names one path, its old and its new text')],
  DiffFileType: [v2('text', `${B}diff.ts`, `${T}diff.test.ts`), notInV1('binary, directory, symlink, other', 'a v1 diff is text')],
  DiffPatchFormat: [v2('git_patch', `${B}diff.ts`, `${T}diff.test.ts`), notInV1('other', 'patches are made here, in one format')],

  PlanUpdateContent: [both('items, file, markdown', `${B}updates.ts`, EVERY), openInV2('an extension passes')],
  PlanEntryPriority: [both('high, medium, low', `${B}updates.ts`, EVERY), openInV2('an extension passes')],
  PlanEntryStatus: [both('pending, in_progress, completed', `${B}updates.ts`, EVERY), notInV1('cancelled', 'passes, should an agent send it beside its schema'), openInV2('an extension passes')],
  NoticeSeverity: [both('info, warning, error, other', `${B}updates.ts`, EVERY)],
  CompactionStatus: [both('in_progress, completed, failed, cancelled, other', `${B}updates.ts`, EVERY)],
  AvailableCommand: [v2('command', `${B}config.ts`, `${T}config.test.ts`), notInV1('other')],
  AvailableCommandInput: [v1('unstructured', `${B}config.ts`, EVERY, 'text in v2'), v2('text', `${B}config.ts`, `${T}config.test.ts`), notInV1('other')],

  SessionConfigOption: [both('select, boolean', `${B}config.ts`, `${T}config.test.ts`), openInV2()],
  SessionConfigOptionCategory: [both('mode, model, model_config, thought_level, other', `${B}config.ts`, EVERY)],
  SessionConfigSelectOptions: [both('Ungrouped, Grouped', `${B}config.ts`, `${T}config.test.ts`)],
  SetSessionConfigOptionRequest: [
    both('boolean', `${B}session.ts`, `${T}session.test.ts`),
    v1('value_id', `${B}session.ts`, `${T}session.test.ts`, 'id in v2'),
    v2('id', `${B}session.ts`, `${T}session.test.ts`),
    v2('other', `${B}session.ts`, `${T}session.test.ts`, 'refused with -32602: v1 takes an id or a boolean'),
  ],

  StopReason: [v1('end_turn, max_tokens, max_turn_requests, refusal, cancelled', `${B}prompt.ts`, EVERY, 'told in the idle state in v2')],
  IdleStateUpdate: [
    both('end_turn, max_tokens, max_turn_requests, refusal, cancelled, error, other', `${B}prompt.ts`, EVERY),
    both('none', `${P}lifecycle.ts`, `${PT}lifecycle.test.ts`, 'the state that a resume tells, and the snapshots of lists'),
  ],
  StateUpdate: [both('running, idle, requires_action', 'src/state/turns.ts', 'test/state/turns.test.ts'), both('unknown', `${B}subagents.ts`, EVERY, 'of subagents; a v1 session itself is never unknown'), both('other', `${B}updates.ts`, `${T}fields.test.ts`, 'an extension passes')],
  BackgroundWork: [v2('terminal, tool_call', 'src/state/lists-entries.ts', 'test/plugins/listed-work.test.ts'), v2('subagent', 'src/state/lists-children.ts', 'test/plugins/background/children.test.ts'), notInV1('other', 'the lists are made here, of what the agent reports')],

  RequestPermissionSubject: [v2('tool_call', `${B}permission.ts`, `${T}permission.test.ts`), v2('command', 'plugins/background/permission.ts', 'test/plugins/background/permission.test.ts', 'of a listed terminal'), notInV1('other', 'a v1 request is about a tool call')],
  PermissionOptionKind: [both('allow_once, allow_always, reject_once, reject_always', `${B}permission.ts`, EVERY), openInV2('an extension passes')],
  RequestPermissionOutcome: [both('cancelled, selected', `${B}permission.ts`, `${T}permission.test.ts`), v2('other', `${B}permission.ts`, `${T}permission.test.ts`, 'no approval: cancelled in v1')],

  CreateElicitationRequest: [both('form, url, other', `${B}elicitation.ts`, `${T}elicitation.test.ts`)],
  ElicitationSchemaType: [both('object', `${B}elicitation.ts`, `${T}elicitation.test.ts`)],
  ElicitationPropertySchema: [both('string, number, integer, boolean, array, other', `${B}elicitation.ts`, `${T}elicitation.test.ts`)],
  StringFormat: [both('email, uri, date, date-time', `${B}elicitation.ts`, EVERY), openInV2('passes as it is')],
  MultiSelectItems: [both('string, titled, other', `${B}elicitation.ts`, `${T}elicitation.test.ts`)],
  ElicitationFormMode: [both('Session, Request', `${B}elicitation.ts`, `${PT}questions.test.ts`)],
  ElicitationUrlMode: [both('Session, Request', `${B}elicitation.ts`, `${PT}questions.test.ts`)],
  CreateElicitationResponse: [both('accept, decline, cancel, other', `${P}questions.ts`, EVERY)],
  ElicitationContentValue: [both('String, Integer, Number, Boolean, StringArray', `${P}questions.ts`, EVERY), v2('Other', `${P}questions.ts`, EVERY, 'passes as it is')],

  AuthMethod: [both('agent, terminal', `${B}initialize.ts`, `${T}initialize.test.ts`), v2('other', `${B}initialize.ts`, `${T}initialize.test.ts`, 'other words than v1 knows become an extension of v2')],
  AuthState: [both('authenticated, unauthenticated, not_required, unknown, other', PASSES, EVERY)],
  LlmProtocol: [both('anthropic, openai, azure, vertex, bedrock, other', PASSES, EVERY)],
  SessionStatus: [both('open, saved, other', PASSES, EVERY)],
  SessionArchiveFilter: [both('exclude, include, only, other', `${P}lifecycle.ts`, EVERY, 'session/list passes its params')],
  SystemPromptMode: [both('append, override, other', `${B}session.ts`, EVERY, 'refused with -32602 where the agent takes no system prompt')],
  McpServer: [
    both('http, stdio, acp', `${B}mcp-servers.ts`, `${T}mcp-servers.test.ts`, 'refused with -32602 where the agent takes no such transport, or two have one name'),
    v1('sse', `${B}mcp-servers.ts`, `${T}mcp-servers.test.ts`, 'no transport of v2'),
    v2('other', `${B}mcp-servers.ts`, `${T}mcp-servers.test.ts`, 'refused with -32602'),
  ],
  ReplayFrom: [v2('start', `${B}session.ts`, `${T}session.test.ts`, 'session/load in v1'), v2('other', `${B}session.ts`, `${T}session.test.ts`, 'refused with -32602: session/load begins at the start')],

  ErrorCode: [
    both('-32700, -32600, -32601, -32602, -32603, -32800, -32000, -32002, Other', `${P}requests.ts`, EVERY, 'errors pass as they are, HTTP statuses too'),
    never('v2', '-32022', 'a v2 agent without a version in common; a v1 agent answers with its own version'),
  ],
  ErrorData: [never('v2', 'UnsupportedProtocolVersion', 'the data of -32022'), v2('SessionNotFound, Other', `${P}requests.ts`, EVERY, 'passes as it is; v1 agents tell no sessionId there')],
  RequestId: [v1('Null', 'src/wire/jsonrpc.ts', 'test/wire/jsonrpc.test.ts', 'JSON-RPC: ids pass as they are'), both('Number, Str', 'src/wire/jsonrpc.ts', 'test/wire/jsonrpc.test.ts')],
  AgentResponse: [both('Result, Error', `${P}requests.ts`, `${PT}lifecycle.test.ts`)],
  ClientResponse: [both('Result, Error', `${P}questions.ts`, `${PT}questions.test.ts`)],
  MessageMcpResponse: [both('Result, Error', PASSES, CAPABLE)],
  ProxyResponse: [never('both', 'Result, Error', 'see proxy/initialize')],
};

/** What agents in use say beside the schemas; a kind that gets into them turns the test red. */
export const beyondTheSchemas: readonly Row[] = [
  v1('agent session/set_model', `${B}config.ts`, CAPABLE, 'from before v1 had options'),
  v1('async_task_spawned, async_task_progress, async_task_state_update', `${B}updates.ts`, `${T}updates.test.ts`, 'the async task extension'),
  v1('subagent_spawned, subagent_state_update', `${B}subagents.ts`, `${T}subagents.test.ts`, 'the same, of subagents'),
  both('agent _session/async_task/stop', `${P}stops.ts`, `${PT}index.test.ts`),
  both('client _claude/sdkMessage', `${P}updates.ts`, `${PT}updates.test.ts`),
];
