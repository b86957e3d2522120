/**
 * The plugin list as tables: who wants what, per direction and method. Made again when a plugin
 * leaves or becomes another. Names that come from a peer are only ever looked up, in Maps. Knows hooks, not messages.
 */
import type { Call, CallHook, CallHooks, Direction, Host, Outcome, Plugin, ReplyHook } from '../plugin.js';
import type { Frame } from '../wire/frame.js';
import type { KindPath } from '../wire/peek.js';
import type { Asked } from './pending.js';
import { replyTo } from './reply.js';

/** The calls that have a kind, and where it is: the one name of ACP that the plugin API speaks of. */
export const kinds: KindPath = { method: 'session/update', path: ['params', 'update', 'sessionUpdate'] };

/** A plugin's host, as the lanes use it. */
export interface SeatHost extends Host {
  /** Keeps a request for `respond`. */
  park(asked: Asked): void;
  /** Sends the answer to a request on its way back, from this plugin. */
  answer(asked: Asked, frame: Frame): void;
}

/** A plugin at its place in the list. */
export interface Seat {
  /** 0 is next to the client. */
  readonly index: number;
  readonly plugin: Plugin;
  readonly host: SeatHost;
  active: boolean;
  /** Another plugin sits here from now on. Throws a TypeError for one whose hooks are misplaced. */
  become(plugin: Plugin): void;
}

/** A hook at its place on the way: 0 is the first plugin that a message of this direction meets. */
export interface Step {
  readonly at: number;
  readonly seat: Seat;
  /** `asked`: the request that a reply answers. */
  readonly run: (frame: Frame, asked?: Asked) => Outcome | Promise<Outcome>;
}

export type Steps = readonly Step[];

export const opposite = (direction: Direction): Direction => (direction === 'toAgent' ? 'toClient' : 'toAgent');

/** The place of a plugin on the way of one direction. */
export const placeOf = (index: number, direction: Direction, plugins: number): number =>
  direction === 'toAgent' ? index : plugins - 1 - index;

export interface Table {
  readonly hasCalls: boolean;
  readonly hasReplies: boolean;
  /** A plugin in the list may refuse batches. */
  readonly hasBatchRules: boolean;
  /** A plugin in the list refuses batches now. */
  refusesBatches(): boolean;
  /** The hooks that a call meets, in the order of its way. */
  callSteps(method: string, kind: string | undefined): Steps;
  /** The hooks that the reply to a request meets from this place on: those of plugins that saw the request. */
  replySteps(asked: Asked, from: number): Steps;
}

/** The call hooks of one plugin. */
interface Wish {
  readonly at: number;
  readonly seat: Seat;
  readonly calls: ReadonlyMap<string, CallHooks[string]>;
}

/** The steps of one method: those of its named kinds, and those of every other kind. */
interface Route {
  readonly others: Steps;
  readonly byKind: ReadonlyMap<string, Steps> | undefined;
}

/** The hook of one plugin for a method and kind. `kind` undefined: any that it does not name. */
function callHook({ calls }: Wish, method: string, kind: string | undefined): CallHook | undefined {
  const own = calls.get(method) ?? calls.get('*');
  if (typeof own !== 'object') return own;
  return kind !== undefined && Object.hasOwn(own, kind) ? own[kind] : undefined;
}

function stepsOf(wishes: readonly Wish[], method: string, kind: string | undefined): Steps {
  return wishes.flatMap((wish) => {
    const hook = callHook(wish, method, kind);
    const { at, seat } = wish;
    // A frame of a call has every member of `Call`.
    return hook === undefined ? [] : [{ at, seat, run: (frame: Frame) => hook(frame as unknown as Call, seat.host) }];
  });
}

function routeOf(wishes: readonly Wish[], method: string): Route {
  const names = wishes.flatMap(({ calls }) => {
    const own = calls.get(method);
    return typeof own === 'object' ? Object.keys(own) : [];
  });
  return {
    others: stepsOf(wishes, method, undefined),
    byKind: names.length === 0 ? undefined : new Map(names.map((name) => [name, stepsOf(wishes, method, name)])),
  };
}

const isHooks = (method: string, hook: unknown): boolean =>
  typeof hook === 'function' ||
  (method === kinds.method && typeof hook === 'object' && hook !== null && Object.values(hook).every((one) => typeof one === 'function'));

/** The call hooks of a plugin, checked: what is misplaced would silently never be called. */
function callsOf(plugin: Plugin, direction: Direction): ReadonlyMap<string, CallHooks[string]> {
  const calls = new Map(Object.entries(plugin[direction]?.calls ?? {}));
  for (const [method, hook] of calls) {
    if (isHooks(method, hook)) continue;
    throw new TypeError(
      `plugin "${plugin.name}": ${direction}.calls["${method}"] must be a function, got ${typeof hook}; only "${kinds.method}" may have a table of functions by kind`,
    );
  }
  return calls;
}

interface Hooks {
  readonly calls: ReadonlyMap<string, CallHooks[string]>;
  readonly replies: ReadonlyMap<string, ReplyHook>;
}

/** What was read of plugins: tables are made anew more often than plugins. */
const read: Readonly<Record<Direction, WeakMap<Plugin, Hooks>>> = { toAgent: new WeakMap(), toClient: new WeakMap() };

function hooksOf(plugin: Plugin, direction: Direction): Hooks {
  const hooks = read[direction].get(plugin) ?? { calls: callsOf(plugin, direction), replies: new Map(Object.entries(plugin[direction]?.replies ?? {})) };
  read[direction].set(plugin, hooks);
  return hooks;
}

/** The call hooks of the active plugins, in the order of the way, and all methods that they name. */
function wantedIn(seats: readonly Seat[], direction: Direction): { readonly wishes: readonly Wish[]; readonly names: ReadonlySet<string> } {
  const all = seats.filter(({ active }) => active).map((seat) => ({ at: placeOf(seat.index, direction, seats.length), seat, calls: hooksOf(seat.plugin, direction).calls }));
  const wishes = all.filter(({ calls }) => calls.size > 0).sort((a, b) => a.at - b.at);
  return { wishes, names: new Set(wishes.flatMap(({ calls }) => [...calls.keys()])) };
}

/** Makes `Table.replySteps`. */
function replyStepsOf(seats: readonly Seat[], direction: Direction): Table['replySteps'] {
  let named: ReadonlySet<string> | undefined;
  /** Of a request that all saw alike the steps are made once for each method that a plugin names, and once for all others. */
  const alike = new Map<string, Steps>();

  /** The steps where the plugin at a place saw the request as this method; `undefined`: it did not see it. */
  const stepsFor = (methodAt: (place: number) => string | undefined): Steps =>
    (direction === 'toAgent' ? seats : [...seats].reverse()).flatMap((seat, at) => {
      const place = placeOf(seat.index, opposite(direction), seats.length);
      const replies = seat.active ? hooksOf(seat.plugin, direction).replies : undefined;
      const method = replies === undefined || replies.size === 0 ? undefined : methodAt(place);
      const hook = method === undefined ? undefined : (replies?.get(method) ?? replies?.get('*'));
      if (hook === undefined) return [];
      const run = (frame: Frame, asked?: Asked): ReturnType<ReplyHook> => {
        const sight = asked?.sightAt(place);
        return asked === undefined || sight === undefined ? undefined : hook(replyTo(asked, sight, frame), seat.host);
      };
      return [{ at, seat, run }];
    });

  return (asked, from) => {
    const sight = asked.onlySight;
    if (sight === undefined || from > 0) return stepsFor((place) => asked.sightAt(place)?.method).filter(({ at }) => at >= from);
    named ??= new Set(seats.flatMap(({ plugin }) => [...hooksOf(plugin, direction).replies.keys()]));
    const key = named.has(sight.method) ? sight.method : '*';
    const known = alike.get(key) ?? stepsFor(() => key);
    alike.set(key, known);
    return known;
  };
}

/** Of what only messages need nothing is made before one comes: a table may be made anew before that. */
export function compiledTable(seats: readonly Seat[], direction: Direction): Table {
  const active = seats.filter((seat) => seat.active);
  const hooks = active.map(({ plugin }) => hooksOf(plugin, direction));
  const batchRules = active.filter(({ plugin }) => plugin.batches !== undefined);
  let wanted: { readonly wishes: readonly Wish[]; readonly names: ReadonlySet<string> } | undefined;
  const routes = new Map<string, Route>();
  const madeRoute = (method: string): Route => {
    const { wishes, names } = (wanted ??= wantedIn(seats, direction));
    // A name that a peer made up gets no entry.
    const key = names.has(method) ? method : '*';
    const route = routes.get(key) ?? routeOf(wishes, key);
    routes.set(key, route);
    return route;
  };

  return {
    hasCalls: hooks.some(({ calls }) => calls.size > 0),
    hasReplies: hooks.some(({ replies }) => replies.size > 0),
    hasBatchRules: batchRules.length > 0,
    refusesBatches: () => batchRules.some(({ plugin }) => plugin.batches?.() === 'refuse'),
    callSteps(method, kind) {
      const route = routes.get(method) ?? madeRoute(method);
      return (kind === undefined ? undefined : route.byKind?.get(kind)) ?? route.others;
    },
    replySteps: replyStepsOf(seats, direction),
  };
}
