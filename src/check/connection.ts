/** What a recording shows of its connection: the version that was spoken, the extensions that were asked for. */
import { arrayOf, at, stringOf } from '../protocol/shape.js';
import { protocolVersionOf, type ProtocolVersion } from '../protocol/versions.js';
import type { RecordedMessage } from './record.js';

/** The update kinds that each capability of the `_meta.jetbrains.air` extension stands for. */
const EXTENSION_KINDS: Readonly<Record<string, readonly string[]>> = {
  asyncTasks: ['async_task_spawned', 'async_task_progress', 'async_task_state_update', 'notice'],
  nativeSubagentSessions: ['subagent_spawned', 'subagent_progress', 'subagent_state_update', 'notice'],
};

const initialize = (records: readonly RecordedMessage[]): readonly RecordedMessage[] => records.filter(({ dir, msg }) => dir === 'c2a' && msg.method === 'initialize');

const kindOf = ({ msg }: RecordedMessage): string => stringOf(at(msg.params, 'update', 'sessionUpdate')) ?? '';

/** Update kinds that only v2 has. */
const ONLY_V2: ReadonlySet<string> = new Set(['state_update', 'terminal_update', 'user_message', 'agent_message', 'agent_thought', 'tool_call_content_chunk', 'terminal_output_chunk']);

/**
 * The version that was spoken: what the last answer to an `initialize` says, or, where the recording
 * shows none, what its updates are written in.
 */
export function versionOf(records: readonly RecordedMessage[]): ProtocolVersion {
  const asked = initialize(records).at(-1);
  const answer = records.findLast(({ dir, msg }) => dir === 'a2c' && msg.method === undefined && asked !== undefined && msg.id === asked.msg.id && at(msg.result, 'protocolVersion') !== undefined);
  return protocolVersionOf(answer?.msg.result) ?? (records.some((record) => ONLY_V2.has(kindOf(record))) ? 2 : 1);
}

/** The update kinds of the extensions that the client asked for. */
export function extensionKindsOf(records: readonly RecordedMessage[]): ReadonlySet<string> {
  const asked = initialize(records).flatMap(({ msg }) => arrayOf(at(msg.params, 'clientCapabilities', '_meta', 'jetbrains', 'air', 'capabilities')) ?? []);
  return new Set(asked.flatMap((capability) => (typeof capability === 'string' && Object.hasOwn(EXTENSION_KINDS, capability) ? (EXTENSION_KINDS[capability] ?? []) : [])));
}

/** The members of a v1 client's capabilities that let an agent ask for something. */
const OFFERS: readonly (readonly string[])[] = [['terminal'], ['fs', 'readTextFile'], ['fs', 'writeTextFile']];

/** What the client offers its agent; `undefined` where the recording does not show it. */
export function offeredBy(records: readonly RecordedMessage[]): ReadonlySet<string> | undefined {
  const asked = initialize(records).at(-1)?.msg.params;
  return asked === undefined ? undefined : new Set(OFFERS.filter((path) => at(asked, 'clientCapabilities', ...path) === true).map((path) => path.join('.')));
}

/** Whether nothing came before what the recording shows. */
export const isWhole = (records: readonly RecordedMessage[]): boolean => records[0]?.msg.method === 'initialize';
