/**
 * Plans of a v2 session for a v1 client (ACP "Agent Plan"). v1 has one plan a session, of entries,
 * which each update replaces; v2 keeps plans of several kinds by their ids. So the plans are told as
 * one, in the order in which they came. A client that takes plans by id gets them as they are.
 */
import { arrayOf, idOf, isObject, objectOf, stringOf, type JsonObject } from '../shape.js';

const MAX_PLANS = 256;

/** The plans of a session, by id. */
export type Plans = ReadonlyMap<string, JsonObject>;

/** The plans after a `plan_update` or a `plan_removed`. */
export function plansAfter(plans: Plans, update: JsonObject): Plans {
  const plan = objectOf(update.plan);
  const id = idOf(plan?.planId ?? update.planId);
  if (id === undefined) return plans;
  const next = new Map(plans);
  if (plan === undefined) next.delete(id);
  else next.set(id, plan);
  for (const oldest of next.keys()) {
    if (next.size <= MAX_PLANS) break;
    next.delete(oldest);
  }
  return next;
}

const priorities: ReadonlySet<unknown> = new Set(['high', 'medium', 'low']);
/** v1 has no word for an entry that was given up: it is no longer to be done. */
const statuses: ReadonlyMap<unknown, string> = new Map<unknown, string>([['in_progress', 'in_progress'], ['completed', 'completed'], ['cancelled', 'completed']]);

function toV1Entry(entry: JsonObject): JsonObject {
  const status = statuses.get(entry.status) ?? 'pending';
  const isOther = entry.status === 'cancelled';
  return {
    ...entry,
    priority: priorities.has(entry.priority) ? entry.priority : 'medium',
    status,
    ...(isOther ? { _meta: { ...objectOf(entry._meta), afterturn: { status: entry.status } } } : {}),
  };
}

const oneEntry = (content: string): JsonObject[] => [{ content, priority: 'medium', status: 'pending' }];

const entriesOf: ReadonlyMap<unknown, (plan: JsonObject) => JsonObject[]> = new Map<unknown, (plan: JsonObject) => JsonObject[]>([
  ['items', ({ entries }) => (arrayOf(entries) ?? []).filter(isObject).map(toV1Entry)],
  ['markdown', ({ content }) => oneEntry(stringOf(content) ?? '')],
  ['file', ({ uri }) => oneEntry(stringOf(uri) ?? '')],
]);

/** The v1 plan update for all plans of the session. */
export const toV1Plan = (plans: Plans): JsonObject => ({ sessionUpdate: 'plan', entries: [...plans.values()].flatMap((plan) => entriesOf.get(plan.type)?.(plan) ?? []) });

/** Whether v1's plans by id have a plan of this type. */
export const isV1PlanType = (type: unknown): boolean => entriesOf.has(type);
