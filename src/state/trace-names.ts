/**
 * Every name that telemetry uses, in one place: span names, attributes, events. Knows no SDK.
 *
 * `gen_ai.*` follows the OpenTelemetry GenAI conventions v0.1.0 (github.com/open-telemetry/semantic-conventions-genai,
 * stability Development); the rest follows the general conventions v1.45.0. `acp.*` is ours: no
 * convention names background work yet.
 */
export const CONVENTION_SCHEMA = 'https://opentelemetry.io/schemas/gen-ai/0.1.0';

export const Attribute = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agentName: 'gen_ai.agent.name',
  agentVersion: 'gen_ai.agent.version',
  conversation: 'gen_ai.conversation.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  /** Contents, only where they are asked for: as JSON, bounded. */
  inputMessages: 'gen_ai.input.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  callTitle: 'acp.tool_call.title',
  callLocations: 'acp.tool_call.locations',
  commandLine: 'process.command_line',
  workingDirectory: 'process.working_directory',
  backgroundTitle: 'acp.background.title',
  backgroundSummary: 'acp.background.summary',
  outputFile: 'acp.background.output_file',
  session: 'session.id',
  requestId: 'jsonrpc.request.id',
  rpcSystem: 'rpc.system.name',
  rpcMethod: 'rpc.method',
  transport: 'network.transport',
  exitCode: 'process.exit.code',
  errorType: 'error.type',
  /** Who started the turn: `client` (a prompt) or `agent`. */
  startedBy: 'acp.turn.started_by',
  callStatus: 'acp.tool_call.status',
  /** `selected` or `cancelled`. */
  permissionOutcome: 'acp.permission.outcome',
  /** The kind of the option that was selected, such as `allow_once`. */
  permissionOption: 'acp.permission.option_kind',
  /** The session of a subagent. */
  subagent: 'acp.subagent.session_id',
  backgroundId: 'acp.background.id',
  /** `terminal`, `tool_call` or `subagent`. */
  backgroundType: 'acp.background.type',
  /** The agent's own word, such as `shell` or `monitor`. */
  taskType: 'acp.background.task_type',
  canStop: 'acp.background.can_stop',
  /** `completed`, `failed`, `cancelled` or `unknown`. */
  outcome: 'acp.background.outcome',
  backgroundUnfinished: 'acp.background.unfinished',
  /** This span without length says that its parent has started, whose own parent is the next one. */
  pending: 'acp.pending',
  pendingParent: 'acp.pending.parent_span_id',
  /** Nobody reported this span's end: it was ended with its session, agent or proxy. */
  unfinished: 'acp.unfinished',
  /** Why: one of `EndReason`. */
  endReason: 'acp.end_reason',
} as const;

export const SpanEvent = {
  progress: 'progress',
  paused: 'paused',
  resumed: 'resumed',
  cancelRequested: 'cancel_requested',
  corrected: 'corrected',
} as const;

/** The log record that says that background work has started. */
export const BACKGROUND_STARTED = 'acp.background.started';

export const Operation = { invokeAgent: 'invoke_agent', executeTool: 'execute_tool' } as const;

/** The span of a permission wait is called by its method. */
export const PERMISSION_METHOD = 'session/request_permission';

/** `error.type` of work that its agent called failed, where no code says more. */
export const FAILED = 'failed';

const withTarget = (operation: string, target: string | undefined): string => (target === undefined ? operation : `${operation} ${target}`);

export const turnName = (agentName: string | undefined): string => withTarget(Operation.invokeAgent, agentName);
export const callName = (tool: string): string => withTarget(Operation.executeTool, tool);
export const backgroundName = (taskType: string | undefined): string => withTarget('background', taskType);

const providers: readonly (readonly [RegExp, string])[] = [
  [/\bclaude\b/, 'anthropic'],
  [/\bcodex\b/, 'openai'],
  [/\bgemini\b/, 'gcp.gemini'],
];

/** Who provides the model of the agent that calls itself this. A name that nobody knows stands for itself. */
export const providerOf = (agentName: string): string => providers.find(([match]) => match.test(agentName))?.[1] ?? agentName;

const word = /^[A-Za-z_][\w.:-]{0,127}$/;

/** A word that may stand in a span name: no text, no path, bounded. Anything else is `undefined`. */
export const wordOf = (text: string | undefined): string | undefined => (text !== undefined && word.test(text) ? text : undefined);
