/**
 * Signals of a child session's association with its parent (`subagent_update`, Subagents RFD; and the
 * private extension's `subagent_spawned` and `subagent_state_update`): its work is a task of the
 * parent, under the id of the child session.
 */
import { at, defined, idOf, isObject, stringOf, typeName, type JsonObject } from '../shape.js';
import { v1PrivateUpdate } from '../private-updates.js';
import { malformed, nothing, told, type Outcome, type Reading, type TaskFacts } from './types.js';

const outcomes: ReadonlyMap<unknown, Outcome> = new Map<unknown, Outcome>([
  ['cancelled', 'stopped'],
  ['error', 'failed'],
  ['refusal', 'failed'],
]);

/** The launching call, where the agent shows it. */
const launchOf = (update: JsonObject): string | undefined => idOf(at(update, '_meta', 'claudeCode', 'parentToolUseId'));

function factsOf(update: JsonObject): TaskFacts {
  const { capabilities } = update;
  return defined({
    taskType: 'subagent',
    title: stringOf(update.title),
    description: stringOf(update.description),
    canCancel: capabilities === undefined ? undefined : isObject(at(capabilities, 'cancel')),
    toolCallId: launchOf(update),
  });
}

/** The signals of a `subagent_update`. A child that is `unknown` goes on. */
export function readSubagentUpdate(update: JsonObject): Reading {
  if (update.sessionUpdate !== 'subagent_update') return nothing;
  const task = idOf(update.sessionId);
  if (task === undefined) return malformed(`sessionId is ${typeName(update.sessionId)}, expected a non-empty string`);
  const state = stringOf(at(update, 'state', 'state'));
  const facts = factsOf(update);
  if (state === 'running' || state === 'requires_action') return told({ type: 'taskStarted', source: 'native', task, facts });
  if (state === 'idle') return told({ type: 'taskEnded', source: 'native', task, facts, outcome: outcomes.get(at(update, 'state', 'stopReason')) ?? 'completed' });
  return told({ type: 'taskChanged', source: 'native', task, facts });
}

const GENERATION = /:generation:\d+$/;

/** The id of the child that a run's id belongs to: the extension gives every further run an id of its own. */
export const childOfRun = (id: string): string => (id.includes(':generation:') ? id.replace(GENERATION, '') : id);

const runEnds: ReadonlyMap<unknown, Outcome> = new Map<unknown, Outcome>([
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['cancelled', 'stopped'],
  ['disconnected', 'unknown'],
]);

/** The signals of the private extension's word on a subagent. */
function readRun(update: JsonObject, read: (task: string) => Reading): Reading {
  const run = idOf(update.subagentSessionId);
  return run === undefined ? malformed(`subagentSessionId is ${typeName(update.subagentSessionId)}, expected a non-empty string`) : read(childOfRun(run));
}

const runStarted = (task: string, update: JsonObject): Reading => told({ type: 'taskStarted', source: 'native', task, facts: { ...factsOf({ capabilities: update.capabilities }), ...defined({ title: stringOf(update.name) }) } });

const runReaders: ReadonlyMap<unknown, (update: JsonObject) => Reading> = new Map<unknown, (update: JsonObject) => Reading>([
  ['subagent_spawned', (update) => readRun(update, (task) => runStarted(task, update))],
  ['subagent_state_update', (update) => readRun(update, (task) => {
    const outcome = runEnds.get(update.state);
    if (outcome !== undefined) return told({ type: 'taskEnded', source: 'native', task, outcome, facts: {} });
    return update.state === 'running' ? runStarted(task, update) : nothing;
  })],
]);

/** The signals of `subagent_spawned` and `subagent_state_update`, also under the name that they have in v2. */
export function readRunUpdate(update: JsonObject): Reading {
  const plain = v1PrivateUpdate(update) ?? update;
  return runReaders.get(plain.sessionUpdate)?.(plain) ?? nothing;
}
