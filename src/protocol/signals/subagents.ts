/**
 * Signals of a child session's association with its parent (`subagent_update`, Subagents RFD): its
 * work is a task of the parent, under the id of the child session.
 */
import { at, defined, idOf, isObject, stringOf, typeName, type JsonObject } from '../shape.js';
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
