/**
 * The recordings of codex-acp: what the agent says to a v1 client with the extension, and the same
 * scenario as its own v2 tells it, played by a v2 client that knows the standard only.
 */
import { loadRecording, type RecordedMessage } from './recording.js';
import { objectOf } from './updates.js';

/** A recording of `test/corpus/codex`, by its name there without `.ndjson`. */
export const codexRecording = (name: string): RecordedMessage[] => loadRecording(`../codex/${name}`);

const STOP = '_session/async_task/stop';

function inStandardWords(message: RecordedMessage['msg']): RecordedMessage['msg'] {
  const params = objectOf(message.params);
  if (message.method === 'initialize') return { ...message, params: { ...params, capabilities: {} } };
  if (message.method === STOP) return { ...message, method: 'terminal/cancel', params: { sessionId: params.sessionId, terminalId: params.asyncTaskId } };
  return message;
}

/** The recording of a client that declares no extension, and that stops a command by its terminal. */
export const ofStandardClient = (recording: readonly RecordedMessage[]): RecordedMessage[] =>
  recording.map((record) => (record.dir === 'c2a' ? { ...record, msg: inStandardWords(record.msg) } : record));
