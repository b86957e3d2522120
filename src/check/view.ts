/**
 * What a client knows of one session after each event: `(view, event) => view`. Judges nothing.
 */
import type { CheckEvent, ItemKey, Listed, Place, StateEvent, StateFacts, TerminalWords } from './events.js';

/** A terminal, a tool call, or a child session, as last told. */
export interface Entity {
  /** The line of its last update. */
  readonly line: number;
  readonly status: string | undefined;
  /** A v1 call that had its first update. */
  readonly begun: boolean;
  /** It has its exit or final status; a child is idle and has nothing in the background. */
  readonly final: boolean;
  /** When it became final. */
  readonly finalAt: number;
  /** Its end was told while history was replayed. */
  readonly finalInReplay: boolean;
  readonly signal: string | undefined;
  readonly cancel: boolean;
  /** The terminals that a call shows. */
  readonly terminals: readonly string[];
}

/** A snapshot while idle that dropped items. */
export interface Removal {
  readonly t: number;
  readonly line: number;
  readonly keys: readonly ItemKey[];
}

export interface SessionView {
  /** The client opened it, or the agent told of it as a subagent. */
  readonly opened: boolean;
  readonly state: string | undefined;
  /** The line of the last state. */
  readonly stateAt: number;
  /** A list was given at least once. */
  readonly reported: boolean;
  /** The latest list, if the latest state gave one. */
  readonly list: readonly ItemKey[] | undefined;
  readonly entities: ReadonlyMap<ItemKey, Entity>;
  readonly removal: Removal | undefined;
  /** A prompt was inserted, and no foreground state came since. */
  readonly waiting: boolean;
  /** The line of the last prompt that was inserted. */
  readonly insertedAt: number;
  /** Prompts that were sent and not answered, by id. */
  readonly openPrompts: readonly string[];
  /** The last `session/cancel`: what was listed, whether work ran, the prompts and permission requests that were open, and when that work ended. Until new work starts. */
  readonly cancelled: { readonly t: number; readonly list: readonly ItemKey[]; readonly working: boolean; readonly prompts: readonly string[]; readonly asks: readonly string[]; readonly endedAt: number | undefined } | undefined;
  /** Requests for this session that are open: by method, the line of the request. */
  readonly open: ReadonlyMap<string, number>;
  readonly replaying: boolean;
  /** When a resume or load that is open was asked for. */
  readonly resumingSince: number | undefined;
  /** `session/close` or `session/delete` was answered with success. */
  readonly closed: boolean;
  /** It was made by `session/fork` and has told no state yet. */
  readonly freshFork: boolean;
  /** Permission requests that are open: what they are about. */
  readonly asks: ReadonlyMap<string, readonly ItemKey[]>;
  /** The options that each of them offers, and when the agent took it back. */
  readonly offers: ReadonlyMap<string, { readonly options: readonly string[]; readonly withdrawnAt: number | undefined }>;
  /** Cancels by their id that are open: what each is about, and whether it was known to be possible. */
  readonly cancels: ReadonlyMap<string, { readonly item: ItemKey; readonly isPossible: boolean }>;
  /** The ids of the user messages that were told. */
  readonly userMessages: ReadonlySet<string>;
  /** The terminals that the client made for the agent: whether they were released. */
  readonly clientTerminals: ReadonlyMap<string, 'made' | 'released'>;
  /** The terminals that `_meta` of calls tells of: whether their exit was told. */
  readonly toldTerminals: ReadonlyMap<string, 'running' | 'exited'>;
  /** The client asked for the cancel of something in this session by name. */
  readonly askedToStop: boolean;
}

export const emptyView: SessionView = {
  opened: false,
  state: undefined,
  stateAt: 0,
  reported: false,
  list: undefined,
  entities: new Map(),
  removal: undefined,
  waiting: false,
  insertedAt: 0,
  openPrompts: [],
  cancelled: undefined,
  open: new Map(),
  replaying: false,
  resumingSince: undefined,
  closed: false,
  freshFork: false,
  asks: new Map(),
  offers: new Map(),
  cancels: new Map(),
  userMessages: new Set(),
  clientTerminals: new Map(),
  toldTerminals: new Map(),
  askedToStop: false,
};

export const FINAL_STATUSES: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);
const newEntity: Entity = { line: 0, status: undefined, begun: false, final: false, finalAt: 0, finalInReplay: false, signal: undefined, cancel: false, terminals: [] };

type EventOf<T extends CheckEvent['type']> = Extract<CheckEvent, { readonly type: T }>;

const isQuiet = ({ state, listed }: StateFacts): boolean => state === 'idle' && listed.length === 0;

function withEntity(view: SessionView, key: ItemKey, event: Place, final: boolean | undefined, changes: Partial<Entity>): SessionView {
  const before = view.entities.get(key) ?? newEntity;
  const ended = final === true && !before.final;
  const entity: Entity = {
    ...before,
    ...changes,
    line: event.line,
    final: final ?? before.final,
    finalAt: ended ? event.t : before.finalAt,
    finalInReplay: ended ? view.replaying : before.finalInReplay,
  };
  return { ...view, entities: new Map(view.entities).set(key, entity) };
}

/** The items of a list; `undefined` where none can be read. */
export const keysOf = (listed: Listed): readonly ItemKey[] | undefined => (typeof listed === 'string' ? undefined : listed);

/** The items of the list before that this state no longer has. None where either is not reported. */
export function removedBy(view: SessionView, { listed }: StateFacts): readonly ItemKey[] {
  const keys = keysOf(listed);
  return keys ? (view.list ?? []).filter((key) => !keys.includes(key)) : [];
}

function cancelledAfter({ cancelled }: SessionView, { state, stopReason, t }: Place & StateEvent): SessionView['cancelled'] {
  if (cancelled === undefined) return undefined;
  const ended = !cancelled.working || cancelled.endedAt !== undefined;
  if (state !== 'idle') return ended ? undefined : cancelled;
  return !ended && stopReason !== undefined ? { ...cancelled, endedAt: t } : cancelled;
}

function withState(view: SessionView, event: Place & StateEvent): SessionView {
  const { state } = event;
  const keys = removedBy(view, event);
  const list = keysOf(event.listed);
  return {
    ...view,
    state,
    stateAt: event.line,
    reported: view.reported || list !== undefined,
    list,
    // A state that a resume asked for waits for nothing.
    removal: state !== 'idle' ? undefined : keys.length > 0 && view.resumingSince === undefined ? { t: event.t, line: event.line, keys } : view.removal,
    waiting: view.waiting && state === 'idle',
    cancelled: cancelledAfter(view, event),
    freshFork: false,
  };
}

/** Whether the item advertises its cancel. */
export const isCancellable = ({ entities }: SessionView, item: ItemKey): boolean => entities.get(item)?.cancel === true && entities.get(item)?.final !== true;

const REOPENS: readonly string[] = ['session/resume', 'session/load'];

function withRequest(view: SessionView, event: EventOf<'request'>): SessionView {
  const reopens = REOPENS.includes(event.method);
  return {
    ...view,
    open: new Map(view.open).set(event.method, event.line),
    openPrompts: event.method === 'session/prompt' ? [...view.openPrompts, event.key] : view.openPrompts,
    replaying: view.replaying || event.replays,
    resumingSince: reopens ? (view.resumingSince ?? event.t) : view.resumingSince,
    closed: view.closed && !reopens,
    cancels: event.item === undefined ? view.cancels : new Map(view.cancels).set(event.key, { item: event.item, isPossible: isCancellable(view, event.item) }),
    askedToStop: view.askedToStop || /^(?:terminal|tool_call)\/cancel$/.test(event.method),
  };
}

/** Whether the session was asked for again after this request was sent. */
const isAskedForAgain = ({ open }: SessionView, method: string): boolean => REOPENS.some((reopens) => (open.get(reopens) ?? 0) > (open.get(method) ?? Infinity));

/** `-32002` (no such session) counts as closed. */
function withAnswer(view: SessionView, { key, method, accepted, code, line }: EventOf<'answer'>): SessionView {
  const open = new Map(view.open);
  open.delete(method);
  const closes = method === 'session/close' || method === 'session/delete';
  const isPrompt = method === 'session/prompt';
  const ends = closes && (accepted || code === -32002);
  const closed = view.closed || (ends && !isAskedForAgain(view, method));
  const reopens = REOPENS.includes(method);
  return {
    ...view,
    open,
    openPrompts: isPrompt ? view.openPrompts.filter((open) => open !== key) : view.openPrompts,
    insertedAt: isPrompt && accepted ? line : view.insertedAt,
    replaying: view.replaying && !reopens,
    resumingSince: reopens ? undefined : view.resumingSince,
    closed,
    // What runs when the session is opened again has nothing to do with it.
    removal: closed || ends ? undefined : view.removal,
  };
}

function withReply(view: SessionView, { key, method, terminal }: EventOf<'reply'>): SessionView {
  const asks = new Map(view.asks);
  asks.delete(key);
  const clientTerminals = method === 'terminal/create' && terminal !== undefined ? new Map(view.clientTerminals).set(terminal, 'made' as const) : view.clientTerminals;
  return { ...view, asks, clientTerminals };
}

function withAsk(view: SessionView, { key, method, about, options, terminal }: EventOf<'ask'>): SessionView {
  return {
    ...view,
    asks: new Map(view.asks).set(key, about),
    offers: new Map(view.offers).set(key, { options, withdrawnAt: undefined }),
    clientTerminals: method === 'terminal/release' && terminal !== undefined ? new Map(view.clientTerminals).set(terminal, 'released') : view.clientTerminals,
  };
}

/** The terminals that a call's `_meta` tells of, after it. */
function toldAfter({ toldTerminals }: SessionView, { info, exit }: TerminalWords): SessionView['toldTerminals'] {
  if (info === undefined && exit === undefined) return toldTerminals;
  const next = new Map(toldTerminals);
  if (info !== undefined) next.set(info, 'running');
  if (exit !== undefined) next.set(exit, 'exited');
  return next;
}

/** The members that an update names; the others stay as they are. */
const given = <T extends object>(changes: T): Partial<T> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<T>;

const VIEWS: { readonly [T in CheckEvent['type']]?: (view: SessionView, event: EventOf<T>) => SessionView } = {
  state: withState,
  call: (view, event) => {
    const final = event.status === undefined ? undefined : FINAL_STATUSES.has(event.status);
    const told = { ...view, toldTerminals: toldAfter(view, event.told) };
    return withEntity(told, `tool_call:${event.id}`, event, final, given({ begun: event.begins || undefined, status: event.status, cancel: event.cancel, terminals: event.terminals }));
  },
  terminal: (view, event) => withEntity(view, `terminal:${event.id}`, event, event.exited, given({ cancel: event.cancel, signal: event.signal })),
  child: (view, event) => withEntity(view, `subagent:${event.id}`, event, event.state && isQuiet(event.state), given({ cancel: event.cancel })),
  // History is no prompt.
  userMessage: (view, { line, id }) => ({ ...view, userMessages: new Set(view.userMessages).add(id), ...(view.replaying ? {} : { insertedAt: line, waiting: view.waiting || (view.state ?? 'idle') === 'idle' }) }),
  request: withRequest,
  answer: withAnswer,
  cancel: (view, { t }) => ({ ...view, cancelled: { t, list: view.list ?? [], working: view.state !== undefined && view.state !== 'idle', prompts: view.openPrompts, asks: [...view.asks.keys()], endedAt: undefined } }),
  ask: withAsk,
  reply: withReply,
  withdrawn: (view, { key, t }) => {
    const offer = view.offers.get(key);
    return offer === undefined ? view : { ...view, offers: new Map(view.offers).set(key, { ...offer, withdrawnAt: t }) };
  },
};

/** The view of the session that the event belongs to, after it. */
export function viewed(view: SessionView, event: CheckEvent): SessionView {
  const next = VIEWS[event.type] as ((view: SessionView, event: CheckEvent) => SessionView) | undefined;
  return next ? next(view, event) : view;
}
