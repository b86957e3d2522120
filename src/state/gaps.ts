/**
 * The gaps reducer: an agent that reports its background work itself is passed through, but for the
 * provable gaps in its reports. Pure, with time in the event; it knows no timers and no wire.
 *
 * A list that gets lost (left out, `null`, or with a broken item) says nothing: nothing is settled,
 * ended or filled because of it.
 *
 * Follows the v2 Background Work RFD ("The `background` list on state snapshots", "`session/resume`
 * restores the list", "Cancellation, close, and resume").
 */
import { arrayOf, at, backgroundListOf, defined, isObject, stringOf, type JsonObject } from '../protocol/index.js';
import { Reason } from '../protocol/reasons.js';
import { isListNew, itemsOf, keep, keysOf, listOf, put, release, send, tell, tellList, type Draft } from './gaps-draft.js';
import { isFinalStatus } from './ledger.js';
import { fed, isMonitorLive, restoreMonitors, settleMonitors, toolCall } from './gaps-monitors.js';
import { Table } from './table.js';
import type { GapsEffect, GapsEvent, GapsOptions, NativeSession, Resumed } from './gaps-types.js';

export const unseenSession: NativeSession = {
  state: 'idle', list: undefined, gone: new Set(), working: new Set(), told: new Set(), tasks: Table.empty(), monitors: Table.empty(), terminals: Table.empty(), revived: new Set(), held: undefined, closing: false, resuming: undefined,
};

const MAX_TERMINALS = 256;
const MOST_WORKING = 1024;

/** What a client was told of a terminal, patched by an update. */
const patched = (before: JsonObject | undefined, { command, cwd, capabilities }: JsonObject): JsonObject => ({ ...before, ...defined({ command, cwd, capabilities }) });

/** What ended is on no list that is told from now on: one that waits was made before. */
function ended(draft: Draft, type: 'terminal' | 'tool_call' | 'subagent', id: string): void {
  const { held, list, gone } = draft.session;
  if (list === undefined) return;
  put(draft, { gone: new Set([...gone, `${type}:${id}`]) });
  if (held === undefined) return;
  const live = (background: unknown): readonly unknown[] => (arrayOf(background) ?? []).filter((item) => at(item, 'type') !== type || at(item, ID_OF[type]) !== id);
  put(draft, { list: live(list), held: { ...held, update: { ...held.update, background: live(held.update.background) } } });
}
const ID_OF = { terminal: 'terminalId', tool_call: 'toolCallId', subagent: 'sessionId' } as const;

function terminal(draft: Draft, update: JsonObject): void {
  const { resuming, terminals } = draft.session;
  const id = stringOf(update.terminalId) ?? '';
  const exits = isObject(update.exitStatus);
  if (exits) withoutRevived(draft, [id]);
  keep(draft);
  if (resuming?.replays === true) {
    if (exits) put(draft, { resuming: { ...resuming, exited: new Set([...resuming.exited, id]) } });
    return;
  }
  put(draft, { terminals: exits ? terminals.delete(id) : terminals.set(id, patched(terminals.get(id), update)).bounded(MAX_TERMINALS, () => true) });
  if (exits) ended(draft, 'terminal', id);
}

function call(draft: Draft, update: JsonObject): void {
  toolCall(draft, update);
  const id = stringOf(update.toolCallId) ?? '';
  if (isFinalStatus(stringOf(update.status)) && draft.session.resuming === undefined && draft.session.monitors.get(id)?.phase !== 'live') ended(draft, 'tool_call', id);
}

/** A subagent that is idle and has nothing in the background has ended. */
function child(draft: Draft, update: JsonObject): void {
  keep(draft);
  const { state: told } = update;
  const id = stringOf(update.sessionId) ?? '';
  const word = stringOf(at(told, 'state'));
  const others = [...draft.session.working].filter((other) => other !== id);
  if (word !== undefined) put(draft, { working: new Set(word === 'idle' ? others : [...others, id].slice(-MOST_WORKING)) });
  const isQuiet = word === 'idle' && isObject(told) && backgroundListOf(told).length === 0;
  if (isQuiet && draft.session.resuming === undefined) ended(draft, 'subagent', id);
}

function withoutRevived(draft: Draft, ids: readonly string[]): void {
  const left = new Set([...draft.session.revived].filter((id) => !ids.includes(id)));
  if (left.size < draft.session.revived.size) put(draft, { revived: left });
}

/** An agent that took a terminal for exited tells no exit of it: a list without it is the end. */
function endRevived(draft: Draft): void {
  if (draft.session.revived.size === 0) return;
  const live = keysOf(draft.session.list);
  const over = [...draft.session.revived].filter((id) => !live.has(`terminal:${id}`));
  for (const terminalId of over) {
    ended(draft, 'terminal', terminalId);
    send(draft, 'replays', { sessionUpdate: 'terminal_update', terminalId, exitStatus: {}, capabilities: null });
  }
  withoutRevived(draft, over);
}

/** Listed terminals that a replay called exited, told as what they are. */
function restoreTerminals(draft: Draft, { exited }: Resumed): void {
  const items = draft.options.fills.has('replays') ? itemsOf(draft.session.list) : [];
  for (const { type, id } of items) {
    if (type !== 'terminal' || id === undefined || !exited.has(id)) continue;
    draft.effects.push({ do: 'sendTerminal', gap: 'replays', update: { sessionUpdate: 'terminal_update', terminalId: id, exitStatus: null, ...draft.session.terminals.get(id) } });
    put(draft, { revived: new Set([...draft.session.revived, id]) });
  }
}

/** What a client that resumes the session has to know before it is told the list. */
function restore(draft: Draft, resuming: Resumed): void {
  if (resuming.rebuilt) settleMonitors(draft, Reason.sessionRebuilt);
  restoreTerminals(draft, resuming);
  restoreMonitors(draft);
  put(draft, { resuming: { ...resuming, rebuilt: false, exited: new Set() } });
}

const isWithin = (part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean => [...part].every((key) => whole.has(key));

/** Until when a snapshot that drops an item waits for the agent's own turn. `undefined`: it does not. */
function waitsUntil({ session, options, at }: Draft, update: JsonObject): number | undefined {
  const { told, held, resuming } = session;
  if (!options.fills.has('removals') || options.window === 0 || resuming !== undefined) return undefined;
  if (update.state !== 'idle' || session.state !== 'idle' || stringOf(update.stopReason) !== undefined) return undefined;
  const now = keysOf(listOf(session));
  if (!isWithin(now, told)) return undefined;
  const before = held === undefined ? told : keysOf(held.update.background);
  return isWithin(before, now) ? held?.until : at + options.window;
}

/** The state that waits tells how work ended, which the one at hand does not. */
const holdsAnEnd = ({ session: { held } }: Draft, update: JsonObject): boolean => stringOf(held?.update.stopReason) !== undefined && stringOf(update.stopReason) === undefined;

/** A newer state takes the place of one that waits. An end of work is told once, and not lost with it. */
function inPlaceOfHeld(draft: Draft, update: JsonObject): JsonObject {
  if (!holdsAnEnd(draft, update)) return update;
  if (update.state === 'idle') return { ...draft.session.held?.update, background: update.background };
  release(draft);
  return update;
}

/** Until when a state waits for the answer to a close, with which our items end. `undefined`: it does not. */
function waitsForClose(draft: Draft, update: JsonObject): number | undefined {
  return update.state === 'idle' && isMonitorLive(draft) ? Number.POSITIVE_INFINITY : undefined;
}

function state(draft: Draft, update: JsonObject): void {
  const list = typeof backgroundListOf(update) === 'string' ? undefined : arrayOf(update.background);
  if (list === undefined) {
    release(draft);
    put(draft, { state: stringOf(update.state) ?? draft.session.state, list, told: new Set() });
    return keep(draft);
  }
  put(draft, { list, gone: new Set() });
  endRevived(draft);
  if (draft.session.resuming !== undefined) restore(draft, draft.session.resuming);
  const { closing } = draft.session;
  const until = closing ? waitsForClose(draft, update) : waitsUntil(draft, update);
  const due = inPlaceOfHeld(draft, update);
  if (until === undefined) return tell(draft, due, due === update);
  const gap = closing ? 'monitors' : 'removals';
  put(draft, { held: { until, update: due, gap } });
  draft.effects.push({ do: 'hold', gap });
}

/** A prompt's work begins, so no turn of the agent's own follows: what waits for one was said before. */
function userMessage(draft: Draft): void {
  if (draft.session.resuming === undefined && !draft.session.closing) release(draft);
  keep(draft);
}

const updateRows: ReadonlyMap<string, (draft: Draft, update: JsonObject) => void> = new Map([
  ['state_update', state],
  ['tool_call_update', call],
  ['terminal_update', terminal],
  ['subagent_update', child],
  ['user_message', userMessage],
]);

/** What the agent listed when it went, and whose end it did not tell. */
function endListed(draft: Draft, why: string): void {
  const { list, gone, working } = draft.session;
  const _meta = { afterturn: { reason: why } };
  for (const { type, id, key } of itemsOf(list)) {
    if (id === undefined || gone.has(key)) continue;
    if (type === 'terminal') send(draft, 'ends', { sessionUpdate: 'terminal_update', terminalId: id, exitStatus: {}, capabilities: null });
    else if (type === 'tool_call') send(draft, 'ends', { sessionUpdate: 'tool_call_update', toolCallId: id, status: 'cancelled', capabilities: null, _meta });
    else if (type === 'subagent') send(draft, 'ends', { sessionUpdate: 'subagent_update', sessionId: id, state: { state: 'idle', ...(working.has(id) ? { stopReason: 'cancelled' } : {}), background: [], _meta } });
  }
}

/** The agent is gone: nothing is alive, and nothing works. */
function onGone(draft: Draft, why: string): void {
  if (!draft.options.fills.has('ends') || draft.session.list === undefined) return onEnd(draft, why);
  endListed(draft, why);
  settleMonitors(draft, why);
  const { held, told, state: word } = draft.session;
  const idle = { sessionUpdate: 'state_update', state: 'idle', ...(word === 'idle' ? {} : { stopReason: 'cancelled' }) };
  if (held !== undefined || told.size > 0 || word !== 'idle') send(draft, 'ends', { ...idle, ...held?.update, background: [] });
  put(draft, { state: 'idle', list: [], gone: new Set(), told: new Set(), held: undefined });
}

/** The session is over: what is ours gets its end, then what waits goes out. */
function onEnd(draft: Draft, why: string): void {
  settleMonitors(draft, why);
  put(draft, { closing: false });
  const { held, list, state: word } = draft.session;
  if (held !== undefined) release(draft);
  else if (isListNew(draft)) send(draft, 'monitors', { sessionUpdate: 'state_update', state: 'idle', ...(word === 'idle' ? {} : { stopReason: 'cancelled' }), background: list });
}

function onResumed(draft: Draft): void {
  const { resuming, closing } = draft.session;
  if (resuming === undefined) return;
  if (resuming.open === 1 && !closing) release(draft);
  if (resuming.open === 1 && resuming.exited.size > 0) {
    restoreTerminals(draft, resuming);
    tellList(draft);
  }
  put(draft, { resuming: resuming.open === 1 ? undefined : { ...resuming, open: resuming.open - 1 } });
}

type Handler<T extends GapsEvent['type']> = (draft: Draft, event: Extract<GapsEvent, { type: T }>) => void;

const handlers: { readonly [T in GapsEvent['type']]: Handler<T> } = {
  update: (draft, { update }) => (updateRows.get(stringOf(update.sessionUpdate) ?? '') ?? keep)(draft, update),
  fed: (draft, { signals }) => signals.forEach((signal) => fed(draft, signal)),
  tick: (draft) => {
    if ((draft.session.held?.until ?? Number.POSITIVE_INFINITY) <= draft.at) release(draft);
  },
  resumes: (draft, { replays, rebuilt }) => {
    // What waits is told with what the resume tells, or is over with that.
    const { held } = draft.session;
    if (held !== undefined) put(draft, { held: { ...held, until: Number.POSITIVE_INFINITY } });
    const before = draft.session.resuming ?? { open: 0, replays: false, rebuilt: false, exited: new Set() };
    put(draft, { resuming: { ...before, open: before.open + 1, replays: before.replays || replays, rebuilt: before.rebuilt || rebuilt } });
  },
  resumed: onResumed,
  closing: (draft) => {
    release(draft);
    put(draft, { closing: true });
  },
  closeFailed: (draft) => {
    put(draft, { closing: false });
    if (draft.session.held?.until === Number.POSITIVE_INFINITY) release(draft);
    if (isListNew(draft) && draft.session.held === undefined) tellList(draft);
  },
  ended: (draft, { reason }) => (reason === 'closed' ? onEnd(draft, Reason.sessionClosed) : onGone(draft, Reason.agentExited)),
};

/** One event of one session: the session after it, and what is to be done, in order. */
export function reduceGaps(session: NativeSession, event: GapsEvent, options: GapsOptions): readonly [NativeSession, readonly GapsEffect[]] {
  const draft: Draft = { session, at: event.at, options, effects: [] };
  (handlers[event.type] as Handler<GapsEvent['type']>)(draft, event);
  return [draft.session, draft.effects];
}

/** When the next `tick` is due, in milliseconds of the event clock. */
export const nextGapsTick = ({ held }: NativeSession): number | undefined => (held === undefined || held.until === Number.POSITIVE_INFINITY ? undefined : held.until);
