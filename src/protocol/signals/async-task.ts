/**
 * Signals of the async task extension: `async_task_*` updates on ACP v1, `_async_task_*` on v2, with
 * the same payload. The forms are those of claude-agent-acp 0.75 to 0.101 and codex-acp 1.13 to 2.6.
 */
import { booleanOf, defined, idOf, stringOf, typeName, type JsonObject } from '../shape.js';
import { malformed, nothing, told, toldInPart, type Outcome, type Reading, type TaskFacts } from './types.js';

/** A turn that the agent started by itself: foreground work without a prompt, never background. */
export const TURN_TASK = 'turn';

const finalStates: ReadonlyMap<string, Outcome> = new Map([
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['stopped', 'stopped'],
]);

function factsOf(update: JsonObject): TaskFacts {
  return defined({
    title: stringOf(update.name),
    description: stringOf(update.description),
    taskType: stringOf(update.taskType),
    canCancel: booleanOf(update.canStop),
    toolCallId: idOf(update.toolCallId),
    outputFile: idOf(update.outputFilePath),
    summary: stringOf(update.summary),
  });
}

const expected: readonly (readonly [string, string])[] = [
  ['name', 'string'], ['description', 'string'], ['taskType', 'string'], ['canStop', 'boolean'],
  ['toolCallId', 'string'], ['outputFilePath', 'string'], ['summary', 'string'],
];

/** The optional members that are there with the wrong type. */
function wrongMembers(update: JsonObject): string | undefined {
  const wrong = expected.find(([key, type]) => update[key] !== undefined && update[key] !== null && typeName(update[key]) !== type);
  return wrong && `${wrong[0]} is ${typeName(update[wrong[0]])}, expected ${wrong[1]}`;
}

type Read = (task: string, facts: TaskFacts, problem: string | undefined) => Reading;

function readTask(update: JsonObject, read: Read): Reading {
  const task = idOf(update.asyncTaskId);
  if (task === undefined) return malformed(`asyncTaskId is ${typeName(update.asyncTaskId)}, expected a non-empty string`);
  return read(task, factsOf(update), wrongMembers(update));
}

/** A start is taken whole or not at all: no item is made from a part of one. */
export const readSpawned = (update: JsonObject): Reading =>
  readTask(update, (task, facts, problem) => (problem === undefined ? told({ type: 'taskStarted', source: 'async', task, facts }) : malformed(problem)));

export const readProgress = (update: JsonObject): Reading =>
  readTask(update, (task, facts, problem) => toldInPart(problem, { type: 'taskChanged', source: 'async', task, facts }));

/** An end counts whatever is wrong beside it: else its work would be listed for ever. */
export const readState = (update: JsonObject): Reading =>
  readTask(update, (task, facts, problem) => {
    const state = stringOf(update.state);
    const outcome = state === undefined ? undefined : finalStates.get(state);
    if (outcome !== undefined) return toldInPart(problem, { type: 'taskEnded', source: 'async', task, outcome, facts });
    if (state === 'running' || state === 'paused') return toldInPart(problem, { type: 'taskChanged', source: 'async', task, facts, paused: state === 'paused' });
    if (state === 'pending') return nothing;
    return malformed(`state is ${state === undefined ? typeName(update.state) : 'an unknown word'}, expected running, paused, completed, failed or stopped`);
  });
