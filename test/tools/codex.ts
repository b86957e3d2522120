/**
 * The recordings of codex-acp: what the agent says to a v1 client with the extension, and the same
 * scenario as its own v2 tells it, played by a v2 client that knows the standard only.
 */
import { builtInPlugins } from '../../plugins/index.js';
import { check, type Finding } from '../../src/check/index.js';
import { compareFacts, type Difference } from './compare-facts.js';
import { codexReasons, type CodexReason } from './codex-reasons.js';
import { factsOf, type Facts } from './facts.js';
import { loadRecording, type RecordedMessage } from './recording.js';
import { playInMemory } from './scenario-in-memory.js';
import { schemaErrorsOf } from './scenario.js';
import { objectOf } from './updates.js';

const STOP = '_session/async_task/stop';

/** In code mode Codex makes the ids of its calls itself, new ones in each run. */
export function withoutRunIds(text: string): string {
  const ids = [...new Set(text.match(/exec-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g))];
  return ids.reduce((done, id, index) => done.replaceAll(id, `exec-${index + 1}`), text);
}

/** A recording of `test/corpus/codex`, by its name there without `.ndjson`. */
export const codexRecording = (name: string): RecordedMessage[] => JSON.parse(withoutRunIds(JSON.stringify(loadRecording(`../codex/${name}`)))) as RecordedMessage[];

function inStandardWords(message: RecordedMessage['msg']): RecordedMessage['msg'] {
  const params = objectOf(message.params);
  if (message.method === 'initialize') return { ...message, params: { ...params, capabilities: {} } };
  if (message.method === STOP) return { ...message, method: 'terminal/cancel', params: { sessionId: params.sessionId, terminalId: params.asyncTaskId } };
  return message;
}

/** The recording of a client that declares no extension, and that stops a command by its terminal. */
export const ofStandardClient = (recording: readonly RecordedMessage[]): RecordedMessage[] =>
  recording.map((record) => (record.dir === 'c2a' ? { ...record, msg: inStandardWords(record.msg) } : record));

export interface CodexRun {
  /** What the client sent and received. */
  readonly recording: readonly RecordedMessage[];
  readonly facts: Facts;
  readonly checkFindings: readonly Finding[];
  readonly schemaErrors: readonly string[];
  /** What differs from Codex's own v2. */
  readonly differences: readonly Difference<CodexReason>[];
  /** What the client waited for in vain. */
  readonly missing: readonly string[];
  readonly log: readonly string[];
}

export interface CodexOptions {
  /** The version that is spoken to the agent. Default: the one that its profile names, v1. */
  readonly agentProtocol?: 'v2';
  /** The agent does not acknowledge that it tells of the sessions of subagents, so that not all of its work is reported. */
  readonly withoutSubagents?: boolean;
  /** Milliseconds that the client still listens for after the last that it waits for. Default 2000. */
  readonly quiet?: number;
}

const withoutSubagentSessions = (recording: readonly RecordedMessage[]): RecordedMessage[] =>
  JSON.parse(JSON.stringify(recording).replaceAll('"nativeSubagentSessions",', '')) as RecordedMessage[];

/** A v2 client, all built-in plugins, and the agent as it was recorded in the version that is spoken to it. */
export async function runCodex(scenario: string, { agentProtocol, withoutSubagents = false, quiet = 2000 }: CodexOptions = {}): Promise<CodexRun> {
  const theirs = codexRecording(`${scenario}.v2air`);
  const native = ofStandardClient(theirs);
  const spoken = agentProtocol === 'v2' ? theirs : codexRecording(`${scenario}.legacy`);
  const plugins = builtInPlugins({ agentProtocol: agentProtocol ?? 'auto', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: ['codex-acp'] });
  const { recording, missing, log } = await playInMemory({ replayed: withoutSubagents ? withoutSubagentSessions(spoken) : spoken, native }, plugins, { agentCommand: ['codex-acp'], quiet });
  const facts = factsOf(recording);
  return { recording, facts, missing, log, checkFindings: check(recording), schemaErrors: schemaErrorsOf(recording), differences: compareFacts(factsOf(native), facts, codexReasons) };
}
