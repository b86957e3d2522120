/**
 * What a client knows of one session after each event: `(view, event) => view`. Judges nothing.
 */
import type { CheckEvent, ItemKey, Listed, Place, StateEvent, StateFacts } from './events.js';

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
  /** The client asked for the cancel of something in this session by name. */
  readonly askedToStop: boolean;
}

export const emptyView: SessionView = {
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

function withRequest(view: SessionView, event: EventOf<'request'>): SessionView {
  const reopens = event.method === 'session/resume' || event.method === 'session/load';
  return {
    ...view,
    open: new Map(view.open).set(event.method, event.line),
    openPrompts: event.method === 'session/prompt' ? [...view.openPrompts, event.key] : view.openPrompts,
    replaying: view.replaying || event.replays,
    resumingSince: reopens ? (view.resumingSince ?? event.t) : view.resumingSince,
    closed: view.closed && !reopens,
    askedToStop: view.askedToStop || /^(?:terminal|tool_call)\/cancel$/.test(event.method),
  };
}

/** `-32002` (no such session) counts as closed. */
function withAnswer(view: SessionView, { key, method, accepted, code, line }: EventOf<'answer'>): SessionView {
  const open = new Map(view.open);
  open.delete(method);
  const closes = method === 'session/close' || method === 'session/delete';
  const isPrompt = method === 'session/prompt';
  const closed = view.closed || (closes && (accepted || code === -32002));
  const reopens = method === 'session/resume' || method === 'session/load';
  return {
    ...view,
    open,
    openPrompts: isPrompt ? view.openPrompts.filter((open) => open !== key) : view.openPrompts,
    insertedAt: isPrompt && accepted ? line : view.insertedAt,
    replaying: view.replaying && !reopens,
    resumingSince: reopens ? undefined : view.resumingSince,
    closed,
    // What runs when the session is opened again has nothing to do with it.
    removal: closed ? undefined : view.removal,
  };
}

function withoutAsk(view: SessionView, key: string): SessionView {
  const asks = new Map(view.asks);
  asks.delete(key);
  return { ...view, asks };
}

/** The members that an update names; the others stay as they are. */
const given = <T extends object>(changes: T): Partial<T> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<T>;

const VIEWS: { readonly [T in CheckEvent['type']]?: (view: SessionView, event: EventOf<T>) => SessionView } = {
  state: withState,
  call: (view, event) => {
    const final = event.status === undefined ? undefined : FINAL_STATUSES.has(event.status);
    return withEntity(view, `tool_call:${event.id}`, event, final, given({ begun: event.begins || undefined, status: event.status, cancel: event.cancel, terminals: event.terminals }));
  },
  terminal: (view, event) => withEntity(view, `terminal:${event.id}`, event, event.exited, given({ cancel: event.cancel, signal: event.signal })),
  child: (view, event) => withEntity(view, `subagent:${event.id}`, event, event.state && isQuiet(event.state), given({ cancel: event.cancel })),
  // History is no prompt.
  userMessage: (view, { line }) => (view.replaying ? view : { ...view, insertedAt: line, waiting: view.waiting || (view.state ?? 'idle') === 'idle' }),
  request: withRequest,
  answer: withAnswer,
  cancel: (view, { t }) => ({ ...view, cancelled: { t, list: view.list ?? [], working: view.state !== undefined && view.state !== 'idle', prompts: view.openPrompts, asks: [...view.asks.keys()], endedAt: undefined } }),
  ask: (view, { key, about }) => ({ ...view, asks: new Map(view.asks).set(key, about) }),
  reply: (view, { key }) => withoutAsk(view, key),
};

/** The view of the session that the event belongs to, after it. */
export function viewed(view: SessionView, event: CheckEvent): SessionView {
  const next = VIEWS[event.type] as ((view: SessionView, event: CheckEvent) => SessionView) | undefined;
  return next ? next(view, event) : view;
}
