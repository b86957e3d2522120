/**
 * The child sessions of a session in its list. What a child tells of its state is its own; the parent
 * mirrors it, with the child's list, and lists the child while it or its own background work runs.
 *
 * Follows the Subagents RFD and the v2 Background Work RFD ("A background child is listed while it has
 * anything running").
 */
import { arrayOf, objectOf, stringOf, type JsonObject } from '../protocol/index.js';
import type { Fact } from './ledger-types.js';
import { awaitsOnlyTasks, releaseHeldIdle, send, type Draft } from './lists-draft.js';
import { isListed } from './lists-entries.js';
import type { ChildEntry, SessionLists } from './lists-types.js';

const REMEMBERED = 256;

const fresh = (id: string): ChildEntry => ({ id, announced: false, detached: false, state: undefined, busy: false, mirrored: undefined, fields: {} });

const childOf = ({ lists }: Draft, id: string): ChildEntry => lists.children.get(id) ?? fresh(id);

/** Puts the child's new state. A change of the list is due, its removal from it as any other. */
function put(draft: Draft, child: ChildEntry): void {
  const before = draft.lists.children.get(child.id);
  const wasListed = before !== undefined && isListed(before);
  const listed = isListed(child);
  const drops = wasListed && !listed;
  if (drops && draft.options.startsTurns && awaitsOnlyTasks(draft.lists)) releaseHeldIdle(draft);
  const children = draft.lists.children.set(child.id, child).bounded(REMEMBERED, (other) => !isListed(other));
  draft.lists = { ...draft.lists, children };
  if (!wasListed && listed) draft.due = 'now';
  else if (drops) draft.due ??= 'removal';
}

function without(update: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(update).filter(([key]) => !keys.includes(key)));
}

/** The members that tell something new of the association. */
const newsIn = (update: JsonObject, known: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(without(update, 'sessionUpdate', 'sessionId', 'state')).filter(([key, value]) => JSON.stringify(known[key]) !== JSON.stringify(value)));

/** Sends the association's update with the state, unless it was told already. */
function mirror(draft: Draft, child: ChildEntry, update: JsonObject, state: JsonObject): ChildEntry {
  const mirrored = JSON.stringify(state);
  const isNews = child.mirrored !== mirrored || Object.keys(update).length > 0;
  if (isNews) send(draft, { sessionUpdate: 'subagent_update', sessionId: child.id, ...update, ...(child.mirrored === mirrored ? {} : { state }) });
  return { ...child, announced: true, state: stringOf(state.state) ?? child.state, mirrored };
}

/**
 * The agent's `subagent_update`. The state of a child that is new is told with it, for the child must be
 * announced before anything of its own; later states are told by the child, and mirrored from there.
 */
export function subagent(draft: Draft, update: JsonObject): void {
  const id = stringOf(update.sessionId) ?? '';
  const before = childOf(draft, id);
  const news = newsIn(update, before.fields);
  const child: ChildEntry = { ...before, announced: true, fields: { ...before.fields, ...news } };
  const state = objectOf(update.state);
  if (!draft.lists.reported) {
    draft.effects.push({ do: 'keep' });
    return put(draft, { ...child, state: stringOf(state?.state) ?? child.state });
  }
  if (state !== undefined && !before.announced) return put(draft, mirror(draft, child, news, { ...state, background: arrayOf(state.background) ?? [] }));
  const rest = state === undefined && update.state !== undefined ? { ...news, state: update.state } : news;
  if (Object.keys(rest).length > 0 || !before.announced) send(draft, { sessionUpdate: 'subagent_update', sessionId: id, ...rest });
  put(draft, child);
}

/** A child's own `state_update`, with its list: mirrored first, then sent, then it counts in this list. */
export function childState(draft: Draft, id: string, update: JsonObject): void {
  const list = arrayOf(update.background);
  const child = mirror(draft, childOf(draft, id), {}, without(update, 'sessionUpdate'));
  draft.effects.push({ do: 'sendFor', child: id, update });
  put(draft, { ...child, busy: list === undefined || list.length > 0 });
}

/** What the ledger learns of a subagent. One that is listed stays so when it is set to work again. */
export function childFact(draft: Draft, fact: Fact): void {
  const { item } = fact;
  const child = childOf(draft, item.task);
  // The raw feed reports all background work; an association reports one child.
  if (fact.type === 'itemStarted') {
    if (item.inRawFeed) draft.lists = { ...draft.lists, reported: true };
    put(draft, { ...child, detached: isListed(child) });
  } else if (fact.type === 'itemDetached') put(draft, { ...child, detached: true });
}

/** At the session's end nothing of it is left: children that told no end get one. */
export function endChildren(draft: Draft, reason: string): void {
  for (const child of draft.lists.children.values()) {
    if (!isListed(child)) continue;
    const state = { state: 'idle', ...(child.state === 'idle' ? {} : { stopReason: 'cancelled' }), background: [], _meta: { afterturn: { reason } } };
    const ended = mirror(draft, child, {}, state);
    draft.effects.push({ do: 'sendFor', child: child.id, update: { sessionUpdate: 'state_update', ...state } });
    put(draft, { ...ended, busy: false });
  }
}

/** The current association of each listed child: before a state that lists it for a client without history. */
export const childAnnouncements = (lists: SessionLists): readonly JsonObject[] =>
  [...lists.children.values()].filter(isListed).map(({ id, fields, mirrored }) => ({
    sessionUpdate: 'subagent_update', sessionId: id, ...fields, ...(mirrored === undefined ? {} : { state: JSON.parse(mirrored) as JsonObject }),
  }));
