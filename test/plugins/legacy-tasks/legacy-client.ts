/**
 * A recording of an agent that speaks ACP v2 and lists its work, played through the built-in plugins
 * against a client of ACP v1 that knows the private extension: where the recorded client cancelled
 * listed work, this one stops its task.
 */
import { builtInPlugins, type Settings } from '../../../plugins/index.js';
import { playedDown, type PlayedDown } from '../bridge-down/replayed.js';
import type { Message } from '../../pipeline/harness.js';
import { loadCorpus, type RecordedMessage } from '../../tools/recording.js';
import { air } from './connected.js';

const CLAUDE = ['claude-agent-acp'];

export const settings: Settings = { agentProtocol: 'v2', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: CLAUDE };

/** What a client of the extension says for what a client of v2 says. */
const asLegacy = (record: RecordedMessage): RecordedMessage => {
  const { method, params } = record.msg as Message;
  const cancelled = method === 'terminal/cancel' ? params.terminalId : method === 'tool_call/cancel' ? params.toolCallId : undefined;
  return cancelled === undefined ? record : { ...record, msg: { ...record.msg, method: '_session/async_task/stop', params: { sessionId: params.sessionId, asyncTaskId: cancelled } } };
};

export interface LegacyOptions {
  readonly declared?: readonly string[];
  readonly command?: readonly string[];
  readonly settings?: Partial<Settings>;
}

export function playedToLegacy(name: string, { declared = ['asyncTasks'], command = CLAUDE, settings: changed = {} }: LegacyOptions = {}): PlayedDown {
  const meta = declared.length === 0 ? {} : (air(...declared) as { _meta: object })._meta;
  return playedDown(loadCorpus(name).map(asLegacy), {
    capabilities: { _meta: { terminal_output: true, ...meta } },
    plugins: builtInPlugins({ ...settings, agentCommand: command, ...changed }),
    agentCommand: command,
  });
}
