/** Reads a `session/update` or a notification of the raw feed into signals. One row a kind. */
import type { JsonObject } from '../shape.js';
import { readProgress, readSpawned, readState } from './async-task.js';
import { readCallStart, readCallUpdate, readStateUpdate, readTerminal, readTerminalChunk } from './entities.js';
import { nothing, type Reading } from './types.js';

const readers: ReadonlyMap<string, (update: JsonObject) => Reading> = new Map([
  ['async_task_spawned', readSpawned],
  ['_async_task_spawned', readSpawned],
  ['async_task_progress', readProgress],
  ['_async_task_progress', readProgress],
  ['async_task_state_update', readState],
  ['_async_task_state_update', readState],
  ['tool_call', readCallStart],
  ['tool_call_update', readCallUpdate],
  ['terminal_update', readTerminal],
  ['terminal_output_chunk', readTerminalChunk],
  ['state_update', readStateUpdate],
]);

/** The signals of the `update` of a `session/update`. A kind without a row tells nothing. */
export function readUpdate(update: JsonObject): Reading {
  const read = typeof update.sessionUpdate === 'string' ? readers.get(update.sessionUpdate) : undefined;
  return read === undefined ? nothing : read(update);
}

export { readRawFeed, exitCodeOfSummary, RAW_FEED, RAW_MESSAGES, RAW_MESSAGES_V2, RAW_SUBTYPES } from './raw-feed.js';
export { isBackgrounded } from './entities.js';
export { childOfRun, readRunUpdate, readSubagentUpdate } from './subagents.js';
export { TURN_TASK } from './async-task.js';
export type * from './types.js';
