/**
 * What a plugin can do beyond its verdict, at its place in the list. Whatever it is called back with
 * later is guarded: a callback that throws is named and costs nothing else, and none runs after the
 * end of the connection. Knows lanes and places, no I/O.
 */
import type { Direction, Follow, FollowEvents, Log, Plugin, Reply, RequestId, RpcError } from '../plugin.js';
import { Frame } from '../wire/frame.js';
import { idKey } from '../wire/jsonrpc.js';
import { opposite, placeOf, type Seat, type SeatHost } from './compile.js';
import { errorText } from './error-text.js';
import type { Lane } from './lane.js';
import { actor, type Origins } from './origins.js';
import { Asked, OpenRequests } from './pending.js';
import { replyTo } from './reply.js';

/** What hosts need from outside. */
export interface HostPorts {
  readonly log: Log;
  readonly agentCommand: readonly string[];
  now(): number;
  wallClock(): number;
  after(ms: number, run: () => void): () => void;
  follow(path: string, events: FollowEvents): Follow;
  uniqueId(): string;
}

/** The connection that all hosts share. */
export interface Connection {
  readonly ports: HostPorts;
  readonly plugins: number;
  readonly origins: Origins | undefined;
  lane(direction: Direction): Lane;
  /** The JSON text of the next id of our own. */
  nextId(): string;
  /** A plugin asked: it gets a reply, or an error at the end. */
  opened(asked: Asked): void;
  /** It got one. False: it has had one before, or the connection has ended. */
  replied(asked: Asked): boolean;
  /** What to call at the end, for timers and files. Returns how to take it back. */
  atClose(run: () => void): () => void;
  /** A plugin left, or became another. Throws a TypeError for one whose hooks are misplaced. */
  changed(): void;
  /** Starts the agent again. False: that is not possible. */
  restart(): boolean;
}

export class PluginHost implements SeatHost {
  readonly log: Log;
  readonly agentCommand: readonly string[];
  readonly #seat: Seat;
  readonly #connection: Connection;
  readonly #parked: Readonly<Record<Direction, OpenRequests>> = { toAgent: new OpenRequests(), toClient: new OpenRequests() };

  constructor(seat: Seat, connection: Connection) {
    this.#seat = seat;
    this.#connection = connection;
    this.log = connection.ports.log;
    this.agentCommand = connection.ports.agentCommand;
  }

  now(): number {
    return this.#connection.ports.now();
  }

  wallClock(): number {
    return this.#connection.ports.wallClock();
  }

  uniqueId(): string {
    return this.#connection.ports.uniqueId();
  }

  notify(direction: Direction, method: string, params: unknown, rule?: string): void {
    const frame = Frame.ofCall(method, params);
    this.#made(frame, rule);
    this.#connection.lane(direction).insert({ at: this.#next(direction), frame, asked: undefined, steps: undefined, line: undefined });
  }

  request(direction: Direction, method: string, params: unknown, onReply: (reply: Reply) => void, rule?: string): RequestId {
    const idText = this.#connection.nextId();
    const frame = Frame.ofCall(method, params, idText);
    this.#made(frame, rule);
    const owner = {
      name: actor(this.#seat.plugin.name, rule),
      replied: (asked: Asked, reply: Frame) => {
        if (this.#connection.replied(asked)) this.#guarded(`onReply to ${method}`, () => onReply(replyTo(asked, asked.asSent, reply)));
      },
    };
    const asked = new Asked(idText, direction, owner);
    const at = this.#next(direction);
    asked.looksFrom(at, method, this.now());
    this.#connection.opened(asked);
    this.#connection.lane(direction).insert({ at, frame, asked, steps: undefined, line: undefined });
    return JSON.parse(idText) as RequestId;
  }

  respond(direction: Direction, to: RequestId, body: { readonly result: unknown } | { readonly error: RpcError }, rule?: string): boolean {
    const parked = this.#parked[direction];
    const asked = parked.find(idKey(to));
    if (asked === undefined) {
      this.log.warn(`plugin "${this.#seat.plugin.name}": no request with the id ${idKey(to)} waits ${direction} for its answer; ignored`);
      return false;
    }
    const reply = Frame.ofReply(asked.idText, body);
    parked.take(asked.idText);
    this.#made(reply, rule);
    this.answer(asked, reply);
    return true;
  }

  after(ms: number, run: () => void): () => void {
    const cancel = this.#connection.ports.after(ms, () => {
      forget();
      this.#guarded('a timer', run);
    });
    const forget = this.#connection.atClose(cancel);
    return () => {
      forget();
      cancel();
    };
  }

  follow(path: string, events: FollowEvents): Follow {
    const follow = this.#connection.ports.follow(path, {
      bytes: (data, reset) => this.#guarded('a followed file', () => events.bytes(data, reset)),
      failed: (reason) => this.#guarded('a followed file', () => events.failed?.(reason)),
    });
    const forget = this.#connection.atClose(() => follow.close());
    return {
      flush: () => follow.flush(),
      close: () => {
        forget();
        follow.close();
      },
    };
  }

  hold(direction: Direction): () => void {
    return this.#connection.lane(direction).holdBack();
  }

  restart(): boolean {
    return this.#connection.restart();
  }

  leave(): void {
    if (!this.#seat.active) return;
    this.#seat.active = false;
    this.#connection.changed();
  }

  /** Keeps a request for `respond`. */
  park(asked: Asked): void {
    this.#parked[asked.direction].add(asked);
  }

  /** Sends the answer to a request on its way back, from this plugin. */
  answer(asked: Asked, frame: Frame): void {
    const back = opposite(asked.direction);
    this.#connection.lane(back).insert({ at: this.#next(back), frame, asked, steps: undefined, line: undefined });
  }

  #made(frame: Frame, rule: string | undefined): void {
    this.#connection.origins?.made(frame, actor(this.#seat.plugin.name, rule));
  }

  /** The place behind this plugin. */
  #next(direction: Direction): number {
    return placeOf(this.#seat.index, direction, this.#connection.plugins) + 1;
  }

  #guarded(what: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.log.error(`plugin "${this.#seat.plugin.name}" failed in ${what}: ${errorText(error)}`);
    }
  }
}

/** A plugin at its place, with its host. */
export class PluginSeat implements Seat {
  readonly index: number;
  readonly host: PluginHost;
  active = true;
  readonly #connection: Connection;
  #plugin: Plugin;

  constructor(index: number, plugin: Plugin, connection: Connection) {
    this.index = index;
    this.#plugin = plugin;
    this.#connection = connection;
    this.host = new PluginHost(this, connection);
  }

  get plugin(): Plugin {
    return this.#plugin;
  }

  become(plugin: Plugin): void {
    const before = this.#plugin;
    this.#plugin = plugin;
    try {
      this.#connection.changed();
    } catch (error) {
      this.#plugin = before;
      this.#connection.changed();
      throw error;
    }
  }
}
