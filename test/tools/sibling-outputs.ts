/**
 * What the output files of a legacy recording held, taken from the native v2 recording of the same
 * scenario: that agent read the same kind of file and sent its bytes. The pace is the native one,
 * compressed where needed so that everything is written before the legacy end of the task.
 */
import type { OutputChunk, Outputs } from '../../src/replay/index.js';
import type { RecordedMessage } from './recording.js';
import { background, itemKey, rawMessage, updateOf } from './updates.js';

const FINAL = new Set(['completed', 'failed', 'stopped', 'killed']);

interface Life {
  readonly start: number;
  readonly end: number;
}

/** When each task of a legacy or raw recording began and ended, by the id of its launching call. */
function livesByCall(legacy: readonly RecordedMessage[]): Map<string, Life> {
  const starts = new Map<string, number>();
  const calls = new Map<string, string>();
  const ends = new Map<string, number>();
  for (const record of legacy) {
    const update = updateOf(record)?.update ?? {};
    const raw = rawMessage(record) ?? {};
    const task = update.asyncTaskId ?? raw.task_id;
    if (typeof task !== 'string') continue;
    const call = update.toolCallId ?? raw.tool_use_id;
    if (!starts.has(task)) starts.set(task, record.t);
    if (typeof call === 'string') calls.set(task, call);
    const state = update.state ?? raw.status ?? (raw.patch as { status?: unknown } | undefined)?.status;
    if (!ends.has(task) && FINAL.has(String(state))) ends.set(task, record.t);
  }
  return new Map([...calls].map(([task, call]) => [call, { start: starts.get(task) ?? 0, end: ends.get(task) ?? Infinity }]));
}

interface Native {
  readonly listedAt: number;
  chunks: OutputChunk[];
  exited: boolean;
}

/** The bytes that each listed terminal of a native recording received between its listing and its exit, without what was replayed. */
function nativeOutputs(native: readonly RecordedMessage[]): Map<string, Native> {
  const found = new Map<string, Native>();
  let replay: unknown;
  for (const record of native) {
    const { id, method, params } = record.msg;
    if (method === 'session/resume' && (params as { replayFrom?: unknown }).replayFrom) replay = id;
    else if (method === undefined && record.dir === 'a2c' && id === replay) replay = undefined;
    if (replay !== undefined) continue;
    const update = updateOf(record)?.update;
    if (!update) continue;
    for (const item of background(update) ?? [])
      if (item.type === 'terminal' && !found.has(itemKey(item))) found.set(itemKey(item), { listedAt: record.t, chunks: [], exited: false });
    const terminal = found.get(`terminal:${String(update.terminalId)}`);
    if (!terminal || terminal.exited) continue;
    const at = record.t - terminal.listedAt;
    const output = update.output as { data: string } | null | undefined;
    if (output) terminal.chunks = [{ atMs: at, data: output.data }];
    else if (update.sessionUpdate === 'terminal_output_chunk') terminal.chunks.push({ atMs: at, data: String(update.data) });
    if (update.exitStatus) terminal.exited = true;
  }
  return found;
}

/** `Outputs` for a replay of `legacy`, by the id of the launching call. */
export function outputsFromSibling(legacy: readonly RecordedMessage[], native: readonly RecordedMessage[]): Outputs {
  const lives = livesByCall(legacy);
  const outputs: Record<string, OutputChunk[]> = {};
  for (const [key, { chunks }] of nativeOutputs(native)) {
    const call = key.slice('terminal:'.length);
    const life = lives.get(call);
    if (!life) continue;
    const last = Math.max(1, ...chunks.map(({ atMs }) => atMs));
    const pace = Math.min(1, Math.max(0, life.end - 1 - life.start) / last);
    outputs[call] = chunks.map(({ atMs, data }) => ({ atMs: Math.floor(life.start + atMs * pace), data }));
  }
  return outputs;
}
