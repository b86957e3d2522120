/**
 * The kinds of traffic from before ACP v2 and its background work: one row each. A message can be of
 * several.
 */
import type { RecordedMessage } from '../check/record.js';
import { isExtension, methodRow } from '../protocol/methods.js';
import { at, isObject, stringOf } from '../protocol/shape.js';

export interface LegacyKind {
  readonly name: string;
  /** What stands for it in the standard. */
  readonly standard: string;
  readonly isIn: (record: RecordedMessage) => boolean;
}

const updateKind = ({ msg }: RecordedMessage): string => stringOf(at(msg.params, 'update', 'sessionUpdate')) ?? '';
const updateMeta = ({ msg }: RecordedMessage): unknown => at(msg.params, 'update', '_meta');
const sender = ({ dir }: RecordedMessage): 'client' | 'agent' => (dir === 'c2a' ? 'client' : 'agent');

/** Whether its method is one of v1, or of nobody, that v2 lacks. */
function lacksMethod(record: RecordedMessage): boolean {
  const { method } = record.msg;
  return method !== undefined && !isExtension(method) && methodRow('v2', sender(record), method) === undefined;
}

const V1_METHODS: ReadonlySet<string> = new Set(['session/load', 'session/set_mode', 'session/set_model', 'authenticate', 'logout']);

export const legacyKinds: readonly LegacyKind[] = [
  { name: 'async_task_* updates', standard: 'the background list of state_update, terminal_update, tool_call_update', isIn: (record) => /^_?async_task_/.test(updateKind(record)) },
  { name: '_session/async_task/* requests', standard: 'terminal/cancel, tool_call/cancel, session/cancel', isIn: ({ msg }) => msg.method?.startsWith('_session/async_task/') === true },
  { name: '_claude/sdkMessage notifications', standard: 'the background list of state_update', isIn: ({ msg }) => msg.method === '_claude/sdkMessage' },
  { name: 'background marks in _meta', standard: 'the background list of state_update', isIn: (record) => at(updateMeta(record), 'jetbrains', 'air', 'asyncTasks') !== undefined || at(updateMeta(record), 'claudeCode', 'backgroundTask') !== undefined },
  { name: 'subagent_spawned, subagent_*_update', standard: 'subagent_update', isIn: (record) => /^(?:_?subagent_(?:spawned|progress|state_update)|_subagent_update)$/.test(updateKind(record)) },
  { name: 'terminal_* in _meta', standard: 'terminal_update, terminal_output_chunk', isIn: (record) => isObject(updateMeta(record)) && Object.keys(updateMeta(record) as object).some((key) => /^terminal_(?:info|output|exit)$/.test(key)) },
  { name: 'fs/* and terminal/* requests of the agent', standard: 'nothing: the agent reads and runs by itself', isIn: (record) => record.dir === 'a2c' && lacksMethod(record) && /^(?:fs|terminal)\//.test(record.msg.method ?? '') },
  { name: 'session/load, session/set_mode, session/set_model, authenticate, logout', standard: 'session/resume with replayFrom, session/set_config_option, auth/login, auth/logout', isIn: (record) => lacksMethod(record) && V1_METHODS.has(record.msg.method ?? '') },
  { name: 'tool_call and current_mode_update updates', standard: 'tool_call_update, config_option_update', isIn: (record) => ['tool_call', 'current_mode_update'].includes(updateKind(record)) },
];
