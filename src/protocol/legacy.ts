/**
 * The kinds of traffic from before ACP v2 and its background work: one row each. A message can be of
 * several. Told by methods, update kinds and marks in `_meta`, so that who counts has to read no other
 * message.
 */
import { at, isObject, stringOf } from './shape.js';

export interface LegacyMessage {
  readonly from: 'client' | 'agent';
  readonly method?: string | undefined;
  readonly params?: unknown;
}

export interface LegacyKind {
  readonly name: string;
  /** Its name in telemetry. */
  readonly word: string;
  /** What stands for it in the standard. */
  readonly standard: string;
  /** Methods, by who sends them. */
  readonly methods?: Readonly<Partial<Record<LegacyMessage['from'], readonly string[]>>>;
  readonly updates?: readonly string[];
  /** Marks that an update of a tool call carries in its `_meta`. */
  readonly isMarked?: (meta: unknown) => boolean;
}

const inBothVersions = (...kinds: readonly string[]): readonly string[] => kinds.flatMap((kind) => [kind, `_${kind}`]);

/** The update kinds that carry marks. */
export const MARKED_UPDATES = ['tool_call', 'tool_call_update'] as const;

export const legacyKinds: readonly LegacyKind[] = [
  { name: 'async_task_* updates', word: 'async_task_update', standard: 'the background list of state_update, terminal_update, tool_call_update', updates: inBothVersions('async_task_spawned', 'async_task_progress', 'async_task_state_update') },
  { name: '_session/async_task/* requests', word: 'async_task_request', standard: 'terminal/cancel, tool_call/cancel, session/cancel', methods: { client: ['_session/async_task/stop'] } },
  { name: '_claude/sdkMessage notifications', word: 'claude_sdk_message', standard: 'the background list of state_update', methods: { agent: ['_claude/sdkMessage'] } },
  { name: 'background marks in _meta', word: 'background_mark', standard: 'the background list of state_update', isMarked: (meta) => at(meta, 'jetbrains', 'air', 'asyncTasks') !== undefined || at(meta, 'claudeCode', 'backgroundTask') !== undefined },
  { name: 'subagent_spawned, subagent_*_update', word: 'subagent_update', standard: 'subagent_update', updates: [...inBothVersions('subagent_spawned', 'subagent_progress', 'subagent_state_update'), '_subagent_update'] },
  { name: 'terminal_* in _meta', word: 'terminal_mark', standard: 'terminal_update, terminal_output_chunk', isMarked: (meta) => isObject(meta) && Object.keys(meta).some((key) => /^terminal_(?:info|output|exit)$/.test(key)) },
  { name: 'fs/* and terminal/* requests of the agent', word: 'client_request', standard: 'nothing: the agent reads and runs by itself', methods: { agent: ['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'terminal/output', 'terminal/wait_for_exit', 'terminal/kill', 'terminal/release'] } },
  { name: 'session/load, session/set_mode, session/set_model, authenticate, logout', word: 'v1_method', standard: 'session/resume with replayFrom, session/set_config_option, auth/login, auth/logout', methods: { client: ['session/load', 'session/set_mode', 'session/set_model', 'authenticate', 'logout'] } },
  { name: 'tool_call and current_mode_update updates', word: 'v1_update', standard: 'tool_call_update, config_option_update', updates: ['tool_call', 'current_mode_update'] },
];

/** Whether a message is of this kind. */
export function isOfKind({ methods, updates, isMarked }: LegacyKind, { from, method, params }: LegacyMessage): boolean {
  if (method !== undefined && methods?.[from]?.includes(method) === true) return true;
  if (method !== 'session/update') return false;
  const update = at(params, 'update');
  return updates?.includes(stringOf(at(update, 'sessionUpdate')) ?? '') === true || isMarked?.(at(update, '_meta')) === true;
}
