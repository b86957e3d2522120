/** One run of the gaps reducer at work, and the steps in which states reach the client. */
import { backgroundListOf, type BackgroundEntry, type JsonObject } from '../protocol/index.js';
import type { Gap, GapsEffect, GapsOptions, NativeSession } from './gaps-types.js';

export interface Draft {
  session: NativeSession;
  readonly at: number;
  readonly options: GapsOptions;
  readonly effects: GapsEffect[];
}

export const put = (draft: Draft, patch: Partial<NativeSession>): void => {
  draft.session = { ...draft.session, ...patch };
};

export const keep = (draft: Draft): void => void draft.effects.push({ do: 'keep' });
export const send = (draft: Draft, gap: Gap, update: JsonObject): void => void draft.effects.push({ do: 'send', gap, update });

/** The items of a list; none where it is no list. */
export function itemsOf(background: unknown): readonly BackgroundEntry[] {
  const list = backgroundListOf({ background });
  return typeof list === 'string' ? [] : list;
}

/** The items of a list by which it is compared. */
export const keysOf = (list: unknown): ReadonlySet<string> => new Set(itemsOf(list).map(({ key }) => key));

const monitorItems = ({ monitors }: NativeSession): readonly JsonObject[] =>
  [...monitors.values()].filter(({ phase }) => phase === 'live').map(({ call }) => ({ type: 'tool_call', toolCallId: call }));

/** The agent's list with the Monitors, which it leaves out. */
export function listOf(session: NativeSession): readonly unknown[] {
  const own = session.list ?? [];
  const known = keysOf(own);
  return [...own, ...monitorItems(session).filter(({ toolCallId }) => !known.has(`tool_call:${String(toolCallId)}`))];
}

/** Tells a state with the list as it is now. `atHand`: it is the agent's own, which goes on untouched where nothing is to be added. */
export function tell(draft: Draft, update: JsonObject, atHand = false): void {
  const { session } = draft;
  const list = listOf(session);
  const isWhole = list.length === session.list?.length;
  if (isWhole && atHand) keep(draft);
  else send(draft, isWhole ? (session.held?.gap ?? 'monitors') : 'monitors', isWhole ? update : { ...update, background: list });
  put(draft, { state: String(update.state), told: keysOf(list), held: undefined });
}

const snapshot = ({ state, list }: NativeSession): JsonObject => ({ sessionUpdate: 'state_update', state, background: list ?? [] });

/** Tells the state that waits, if one does. */
export function release(draft: Draft): void {
  if (draft.session.held !== undefined) tell(draft, draft.session.held.update);
}

/** Whether the client was told of another list than there is. */
export function isListNew({ session }: Draft): boolean {
  const now = keysOf(listOf(session));
  return session.list !== undefined && (now.size !== session.told.size || [...now].some((key) => !session.told.has(key)));
}

/** The list is another one, and reported: the client is told now, at a close with its answer. */
export function tellList(draft: Draft): void {
  const { list, held, closing } = draft.session;
  if (list !== undefined && !closing) tell(draft, held?.update ?? snapshot(draft.session));
}

/** An item of ours ended: its removal is told as one of the agent's would be. */
export function tellRemoval(draft: Draft): void {
  const { session, options, at } = draft;
  const waits = session.state === 'idle' && options.fills.has('removals') && options.window > 0;
  if (session.list === undefined || session.closing) return;
  const until = session.resuming !== undefined ? Number.POSITIVE_INFINITY : at + options.window;
  if (waits || session.resuming !== undefined) put(draft, { held: { until, update: session.held?.update ?? snapshot(session), gap: 'monitors' } });
  else tellList(draft);
}
