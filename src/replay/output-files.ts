/**
 * Which output file belongs to which task of a recording. The recorded files are gone: what they
 * held is supplied. Knows how claude-agent-acp names them, in its async task updates and in its raw
 * feed.
 */
import type { RecordedMessage } from '../check/record.js';

/** By task id or id of the launching call: base64 bytes, and when they were written (`t` of the recording). */
export type Outputs = Readonly<Record<string, readonly OutputChunk[]>>;

export interface OutputChunk {
  readonly atMs: number;
  readonly data: string;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const record = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {});

interface TaskFacts {
  readonly task: string | undefined;
  readonly call: string | undefined;
  readonly file: string | undefined;
}

function taskFacts({ dir, msg }: RecordedMessage): TaskFacts | undefined {
  if (dir !== 'a2c') return undefined;
  const params = record(msg.params);
  const update = record(params.update);
  if (update.asyncTaskId !== undefined)
    return { task: text(update.asyncTaskId), call: text(update.toolCallId), file: text(update.outputFilePath) };
  const raw = record(params.message);
  if (msg.method !== '_claude/sdkMessage' || raw.task_id === undefined) return undefined;
  return { task: text(raw.task_id), call: text(raw.tool_use_id), file: text(raw.output_file) };
}

/** The recorded path of each file that `outputs` has contents for, with these contents. */
export function mappedPaths(records: readonly RecordedMessage[], outputs: Outputs): Map<string, readonly OutputChunk[]> {
  const files = new Map<string, string>();
  const calls = new Map<string, string>();
  for (const { task, call, file } of records.map(taskFacts).filter((facts) => facts !== undefined)) {
    if (task === undefined) continue;
    if (file !== undefined) files.set(task, file);
    if (call !== undefined) calls.set(task, call);
  }
  const found = new Map<string, readonly OutputChunk[]>();
  for (const [task, file] of files) {
    const chunks = outputs[task] ?? outputs[calls.get(task) ?? ''];
    if (chunks) found.set(file, chunks);
  }
  return found;
}
