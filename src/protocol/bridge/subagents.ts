/**
 * What an agent that speaks ACP v1 tells of subagents, read into one form. There are three: the
 * private extension's `subagent_spawned` and `subagent_state_update`; the `subagent_update` of the
 * Subagents RFD; and, where neither was negotiated, marks on updates of the parent session
 * (`_meta.claudeCode.parentToolUseId` names the call that launched the subagent).
 *
 * Follows the Subagents RFD, whose `subagent_update` is the v2 form. Keeps nothing.
 */
import { Reason } from '../reasons.js';
import { at, idOf, isObject, objectOf, stringOf, typeName, type JsonObject } from '../shape.js';
import { childOfRun } from '../signals/subagents.js';
import { endingOfError, endingOfResult, type Ending } from './prompt.js';
import { readFields, shape, text, within, type Faults, type Reader } from './fields.js';
import { withV2Meta, type MetaRules } from './meta.js';
import { toAbsolutePath } from './diff.js';

/** What a child does. `unknown`: the agent cannot tell. Absent where an update tells nothing of it. */
export type ChildState = { readonly state: 'running' | 'unknown' } | { readonly state: 'idle'; readonly ending: Ending };

/** One update about a child session. */
export interface ChildNews {
  /** The id of the child, the same for all its runs. */
  readonly session: string;
  /** What is to be patched of the association: members of a `subagent_update`. */
  readonly fields: JsonObject;
  /** What the child was asked to do, where the agent tells it whole. */
  readonly prompt: string | undefined;
  readonly state: ChildState | undefined;
}

const unexplained = (reason: string): Ending => ({ stopReason: 'cancelled', meta: { afterturn: { reason } } });

/** How a run ended, in the extension's words. */
const endings: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  ['completed', { stopReason: 'end_turn' }],
  ['failed', endingOfError({ code: -32603, message: 'The subagent failed' })],
  ['cancelled', { stopReason: 'cancelled' }],
  ['disconnected', unexplained(Reason.subagentLost)],
]);

/** How work ended, in the harness's words, as the end of a child's run. */
export const endingOfOutcome = (outcome: 'completed' | 'failed' | 'stopped' | 'unknown'): Ending =>
  endings.get(outcome === 'stopped' ? 'cancelled' : outcome) ?? unexplained(Reason.subagentEndNotTold);

const capabilities = shape({}, { cancel: shape({}) });
/** The extension says it with a flag, where it says it at all. */
const flaggedCapabilities: Reader<JsonObject> = (value, faults) => {
  const { cancel, ...rest } = objectOf(value) ?? {};
  return typeof cancel === 'boolean' ? { ...rest, ...(cancel ? { cancel: {} } : {}) } : capabilities(value, faults);
};

/** The task counts as the child's description only where it is not the prompt again. */
function readSpawned(update: JsonObject, session: string, faults: Faults): ChildNews {
  const { name, task, prompt, ...rest } = readFields(update, { name: text, task: text, prompt: text, capabilities: flaggedCapabilities }, faults);
  const fields = { ...(name === undefined ? {} : { title: name }), ...(task === undefined || task === prompt ? {} : { description: task }), ...rest };
  return { session, fields, prompt: stringOf(prompt), state: { state: 'running' } };
}

function readRunState(update: JsonObject, session: string, faults: Faults): ChildNews | undefined {
  const word = stringOf(update.state);
  const ending = word === undefined ? undefined : endings.get(word);
  if (ending !== undefined) return { session, fields: {}, prompt: undefined, state: { state: 'idle', ending } };
  if (word === 'running') return { session, fields: {}, prompt: undefined, state: { state: 'running' } };
  faults.push(`state: expected ${[...endings.keys(), 'running'].join(', ')}, got ${word === undefined ? typeName(update.state) : 'another word'}`);
  return undefined;
}

const path = (value: unknown): string | undefined => toAbsolutePath(value, undefined);

/** A child that waits for the user is at work: its request says that it waits. */
function stateOf(value: unknown, rules: MetaRules, faults: Faults): ChildState | undefined {
  const word = stringOf(at(value, 'state'));
  if (word === 'running' || word === 'requires_action') return { state: 'running' };
  if (word === 'unknown') return { state: 'unknown' };
  if (word !== 'idle') {
    faults.push(`state: expected running, requires_action, idle, unknown, got ${word === undefined ? typeName(at(value, 'state')) : 'another word'}`);
    return undefined;
  }
  if (stringOf(at(value, 'stopReason')) === undefined) return { state: 'idle', ending: unexplained(Reason.subagentEndNotTold) };
  const error = objectOf(at(value, 'error'));
  if (at(value, 'stopReason') !== 'error') return { state: 'idle', ending: endingOfResult(value, rules) };
  return { state: 'idle', ending: endingOfError({ code: -32603, message: 'The subagent failed', ...error }) };
}

/** `null` clears a member in both versions; other members that are not there stay as they are. */
function readAssociation(update: JsonObject, session: string, rules: MetaRules, faults: Faults): ChildNews {
  const read = readFields(update, { title: text, description: text, capabilities, cwd: path, _meta: (value) => value }, faults);
  const cleared = Object.fromEntries(['title', 'description', 'capabilities', 'cwd'].filter((key) => update[key] === null).map((key) => [key, null]));
  const state = update.state === undefined || update.state === null ? undefined : within('state', faults, (inner) => stateOf(update.state, rules, inner));
  return { session, fields: { ...withV2Meta(read, rules), ...cleared }, prompt: undefined, state };
}

const kinds: ReadonlyMap<string, (update: JsonObject, rules: MetaRules, faults: Faults) => ChildNews | undefined> = new Map([
  ['subagent_spawned', (update: JsonObject, _: MetaRules, faults: Faults) => named(update.subagentSessionId, 'subagentSessionId', faults, (id) => readSpawned(update, id, faults))],
  ['subagent_state_update', (update: JsonObject, _: MetaRules, faults: Faults) => named(update.subagentSessionId, 'subagentSessionId', faults, (id) => readRunState(update, id, faults))],
  ['subagent_update', (update: JsonObject, rules: MetaRules, faults: Faults) => named(update.sessionId, 'sessionId', faults, (id) => readAssociation(update, id, rules, faults))],
]);

function named(value: unknown, member: string, faults: Faults, read: (id: string) => ChildNews | undefined): ChildNews | undefined {
  const id = idOf(value);
  if (id === undefined) faults.push(`${member}: expected a non-empty string, got ${typeName(value)}`);
  return id === undefined ? undefined : read(childOfRun(id));
}

/** Whether an update of this kind is about a child of its session. */
export const isChildNews = (kind: string): boolean => kinds.has(kind);

/** What such an update tells; `undefined`, with `faults`, when it cannot be read. */
export const readChildNews = (update: JsonObject & { readonly sessionUpdate: string }, rules: MetaRules, faults: Faults): ChildNews | undefined =>
  kinds.get(update.sessionUpdate)?.(update, rules, faults);

/** The call that launched the subagent whose update this is, in the marks of a flattened one. */
export const launchOfUpdate = (update: unknown): string | undefined => idOf(at(update, '_meta', 'claudeCode', 'parentToolUseId'));

/** Tools whose calls launch subagents. */
const launchTools: ReadonlySet<unknown> = new Set(['Agent', 'Task']);
export const launchesSubagent = (name: unknown): boolean => launchTools.has(name);

/** The subagent whose answer an update of a launching call holds. */
export const answeringAgent = (update: JsonObject): string | undefined => idOf(at(update, '_meta', 'claudeCode', 'toolResponse', 'agentId'));

/** The id that the agent gives the subagent that this update of a launching call tells of, if it goes on in the background. */
export function launchedInBackground(update: JsonObject): { readonly agent: string | undefined } | undefined {
  return at(update, '_meta', 'claudeCode', 'toolResponse', 'status') === 'async_launched' ? { agent: answeringAgent(update) } : undefined;
}

/** What the raw feed tells of a subagent's task when it starts. */
export interface SubagentTask {
  readonly task: string;
  readonly launch: string | undefined;
  /** The kind of subagent, such as `general-purpose`. */
  readonly role: string | undefined;
}

/** The params of a message of the raw feed that starts a subagent's task. */
export function readSubagentTask(params: unknown): SubagentTask | undefined {
  const message = at(params, 'message');
  if (!isObject(message) || message.subtype !== 'task_started' || message.task_type !== 'local_agent') return undefined;
  const task = idOf(message.task_id);
  return task === undefined ? undefined : { task, launch: idOf(message.tool_use_id), role: idOf(message.subagent_type) };
}

/** One message between two sessions, in the view of each: ACP v2 shows it in both transcripts. */
export function sessionMessages(message: { readonly id: string; readonly from: string; readonly to: string; readonly text: string }): readonly { readonly session: string; readonly update: JsonObject & { readonly sessionUpdate: string } }[] {
  const { id, from, to } = message;
  const view = { sessionUpdate: 'session_message', messageId: id, senderSessionId: from, recipientSessionId: to, content: [{ type: 'text', text: message.text }] };
  return [
    { session: from, update: { ...view, recipientMessageId: id } },
    { session: to, update: { ...view, senderMessageId: id } },
  ];
}
