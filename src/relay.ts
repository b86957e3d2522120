/**
 * Puts lanes, pending requests and plugins together. Pure of I/O: effects come in as ports.
 */
import { Buffer } from 'node:buffer';
import { compiledTable, opposite } from './pipeline/compile.js';
import { errorText } from './pipeline/error-text.js';
import { PluginSeat, type Connection } from './pipeline/host.js';
import { Intake } from './pipeline/intake.js';
import { Lane } from './pipeline/lane.js';
import { Origins, type OriginPort } from './pipeline/origins.js';
import { OpenRequests, type Asked } from './pipeline/pending.js';
import type { Direction, EndReason, Follow, FollowEvents, Log, Plugin } from './plugin.js';
import { Frame } from './wire/frame.js';
import { ErrorCode, rpcError } from './wire/jsonrpc.js';
import { CountedOutbox, type LineCounts } from './wire/counted-outbox.js';
import { Outbox } from './wire/outbox.js';

/** Who counts what passes. Absent where nobody does: nothing is looked at for it then. */
export interface Traffic {
  /** Lines that went on as they came. */
  forwarded(direction: Direction, lines: number): void;
  /** Messages that plugins changed or made. */
  written(direction: Direction, messages: number): void;
  /** A line of the agent's that is no message. */
  stray(): void;
}

/** What the relay needs from outside. */
export interface Ports {
  /** Writes bytes towards the agent or the client, in order. False: full, wait for `Relay.drained`. */
  write(direction: Direction, bytes: Uint8Array): boolean;
  /** The reader of the messages that travel in `direction` may go on, after `push` returned false. */
  resume(direction: Direction): void;
  /** A line of the agent's stdout that is not a JSON-RPC message, with its line ending. */
  stray(line: Uint8Array): void;
  /**
   * Ends the agent and starts it again. What was written to the old one and not read is lost; `push`
   * gets no byte of it any more; what is written from now on waits for the new one. Absent or false:
   * it cannot, and nothing was done.
   */
  restart?(): boolean;
  /** Is told who made or changed a line, and who let a message go no further, for a recording. Absent: nobody asks. */
  readonly origin?: OriginPort;
  readonly traffic?: Traffic | undefined;
  readonly log: Log;
  readonly agentCommand: readonly string[];
  now(): number;
  wallClock(): number;
  after(ms: number, run: () => void): () => void;
  follow(path: string, events: FollowEvents): Follow;
  uniqueId(): string;
}

export interface RelayOptions {
  /** From the client to the agent. */
  readonly plugins: readonly Plugin[];
  /** `divert` (default): lines of the agent that are no JSON-RPC message go to `Ports.stray`; `forward`: every byte passes. */
  readonly strayOutput?: 'divert' | 'forward';
  /** A line of more bytes passes unlooked at. Default: what fits into a string. */
  readonly longestText?: number | undefined;
}

export interface Relay {
  /** Bytes that arrived from the client (`toAgent`) or the agent (`toClient`). False: pause the reader. */
  push(direction: Direction, chunk: Uint8Array): boolean;
  /** The sink of this direction can take more. */
  drained(direction: Direction): void;
  /**
   * No more bytes in this direction. Resolves when the last line (also one without a newline) has
   * passed the plugins and has been written.
   */
  end(direction: Direction): Promise<void>;
  /** The agent is gone: own requests end with an error, plugins are told, what they say is written. */
  agentExited(code: number | null, signal: string | null): Promise<void>;
  /** Closes the plugins. */
  close(): Promise<void>;
}

/** What a batch is answered with where it cannot pass (JSON-RPC 2.0, section 6: its ids are not looked at). */
const batchRefusal = Buffer.from(
  `${JSON.stringify({ jsonrpc: '2.0', id: null, error: rpcError(ErrorCode.invalidRequest, 'Expected one JSON-RPC message a line, got a batch (a JSON array). ACP does not use batches: send its messages one by one.') })}\n`,
);

const directions: readonly Direction[] = ['toAgent', 'toClient'];
const each = <T>(make: (direction: Direction) => T): Readonly<Record<Direction, T>> => ({ toAgent: make('toAgent'), toClient: make('toClient') });

/** Why nobody answers a request of this direction any more. */
const goneFrom: Readonly<Record<Direction, string>> = { toAgent: 'the agent is gone and has not answered', toClient: 'the client is gone and has not answered' };

/** So many requests of plugins may wait; more are answered with an error at once. */
const mostOwn = 16 * 1024;

/** Where stray lines go. */
const strayOf = (ports: Ports) => (line: Uint8Array): void => {
  ports.traffic?.stray();
  ports.stray(line);
};

class PluginRelay implements Relay, Connection {
  readonly ports: Ports;
  readonly plugins: number;
  readonly origins: Origins | undefined;
  readonly #seats: readonly PluginSeat[];
  readonly #outboxes: Readonly<Record<Direction, Outbox>>;
  readonly #intakes: Readonly<Record<Direction, Intake>>;
  readonly #lanes: Readonly<Record<Direction, Lane>>;
  readonly #requests: Readonly<Record<Direction, OpenRequests>> = each(() => new OpenRequests());
  /** Requests that plugins made and that have no reply yet. */
  readonly #own = new Set<Asked>();
  /** Directions in which no reply will come any more. */
  readonly #silent = new Set<Direction>();
  /** Made for the first id: few sessions need one. */
  #idPrefix: string | undefined;
  #ids = 0;
  readonly #atClose = new Set<() => void>();
  readonly #ends = new Map<Direction, Promise<void>>();
  #closing: Promise<void> | undefined;

  constructor(options: RelayOptions, ports: Ports) {
    this.ports = ports;
    this.plugins = options.plugins.length;
    this.origins = ports.origin && new Origins(ports.origin);
    this.#seats = options.plugins.map((plugin, index) => new PluginSeat(index, plugin, this));
    this.#outboxes = each((direction) => this.#outbox(direction));
    this.#intakes = each((direction) => this.#intake(direction, options));
    this.#lanes = each((direction) => this.#newLane(direction));
    this.changed();
  }

  push(direction: Direction, chunk: Uint8Array): boolean {
    return this.#lanes[direction].push(chunk);
  }

  drained(direction: Direction): void {
    this.#outboxes[direction].drained();
    this.#lanes[direction].resume();
    this.#lanes[opposite(direction)].resume();
  }

  end(direction: Direction): Promise<void> {
    const known = this.#ends.get(direction);
    if (known !== undefined) return known;
    const ending = this.#end(direction);
    this.#ends.set(direction, ending);
    return ending;
  }

  async agentExited(code: number | null, signal: string | null): Promise<void> {
    await this.end('toClient');
    // Not waited for: a hook that holds this lane would hold the end of a connection that has no agent.
    this.#endRequests('toAgent');
    await this.#tell({ kind: 'agentExit', code, signal });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  lane(direction: Direction): Lane {
    return this.#lanes[direction];
  }

  nextId(): string {
    return JSON.stringify(`${(this.#idPrefix ??= `afterturn-${this.ports.uniqueId()}-`)}${++this.#ids}`);
  }

  opened(asked: Asked): void {
    this.#own.add(asked);
    const why = this.#silent.has(opposite(asked.direction)) ? goneFrom[asked.direction] : this.#own.size > mostOwn ? `${mostOwn} requests wait for their answers already` : undefined;
    // Not at once: the plugin that asks has no id yet.
    if (why !== undefined) void Promise.resolve().then(() => this.#endRequest(asked, why));
  }

  replied(asked: Asked): boolean {
    return this.#own.delete(asked) && this.#closing === undefined;
  }

  restart(): boolean {
    if (this.#ends.has('toClient') || this.#silent.has('toAgent') || this.#closing !== undefined || this.#outboxes.toAgent.told) return false;
    this.#outboxes.toAgent.flush();
    if (this.ports.restart?.() !== true) return false;
    const waiting = [...this.#own].filter(({ direction }) => direction === 'toAgent');
    this.#intakes.toClient.forget();
    this.drained('toAgent');
    for (const asked of waiting) this.#endRequest(asked, 'the agent was started again and has not answered');
    return true;
  }

  atClose(run: () => void): () => void {
    this.#atClose.add(run);
    return () => this.#atClose.delete(run);
  }

  /** Makes the tables anew: only active plugins are in them. */
  changed(): void {
    for (const direction of directions) {
      const table = compiledTable(this.#seats, direction);
      this.#intakes[direction].table = table;
      this.#intakes[opposite(direction)].remembers = table.hasReplies;
      if (!table.hasReplies) this.#requests[opposite(direction)].forgetPeer();
    }
  }

  #outbox(direction: Direction): Outbox {
    const { traffic } = this.ports;
    const write = (bytes: Uint8Array): boolean => this.ports.write(direction, bytes);
    if (traffic === undefined) return new Outbox(write);
    const counts: LineCounts = { passed: (lines) => traffic.forwarded(direction, lines), made: (messages) => traffic.written(direction, messages) };
    return new CountedOutbox(write, counts);
  }

  #intake(direction: Direction, { strayOutput = 'divert', longestText }: RelayOptions): Intake {
    return new Intake(compiledTable(this.#seats, direction), {
      direction, longestText,
      stray: strayOutput === 'divert' && direction === 'toClient' ? strayOf(this.ports) : undefined,
      outbox: this.#outboxes[direction],
      requests: this.#requests[direction],
      answered: this.#requests[opposite(direction)],
      isOurs: (idText) => this.#idPrefix !== undefined && idText.startsWith(`"${this.#idPrefix}`),
      refuseBatch: () => this.#refuseBatch(opposite(direction)),
      now: () => this.ports.now(),
    });
  }

  #refuseBatch(direction: Direction): void {
    const outbox = this.#outboxes[direction];
    outbox.flush();
    this.ports.origin?.made(direction, ['afterturn: batches']);
    outbox.send([batchRefusal]);
    outbox.flush();
  }

  #newLane(direction: Direction): Lane {
    const { ports } = this;
    return new Lane({
      direction,
      outbox: this.#outboxes[direction],
      reverse: this.#outboxes[opposite(direction)],
      intake: this.#intakes[direction],
      requests: this.#requests[direction],
      origins: this.origins,
      log: ports.log, now: () => ports.now(), after: (ms, run) => ports.after(ms, run),
      resume: () => ports.resume(direction),
    });
  }

  async #end(direction: Direction): Promise<void> {
    await this.#lanes[direction].end();
    this.#endRequests(direction);
    await this.#lanes[direction].idle();
    if (direction === 'toAgent') await this.#tell({ kind: 'clientEnd' });
  }

  /** Plugins' requests whose replies would come this way end with an error, at their place in the lane. */
  #endRequests(direction: Direction): void {
    this.#silent.add(direction);
    for (const asked of [...this.#own]) if (asked.direction !== direction) this.#endRequest(asked, goneFrom[asked.direction]);
  }

  #endRequest(asked: Asked, why: string): void {
    this.#requests[asked.direction].take(asked.idText);
    // Past all places: only the plugin that asked is told.
    this.#lanes[opposite(asked.direction)].insert({ at: this.plugins, frame: Frame.ofReply(asked.idText, { error: rpcError(ErrorCode.internalError, why) }), asked, steps: undefined, line: undefined });
  }

  /** Tells each plugin of the end, in the order in which it would see it; what it says to the side that is left goes on first. */
  async #tell(reason: EndReason): Promise<void> {
    const clientEnds = reason.kind === 'clientEnd';
    const seats = clientEnds ? this.#seats : [...this.#seats].reverse();
    const lane = this.#lanes[clientEnds ? 'toAgent' : 'toClient'];
    for (const { active, plugin, host } of seats) {
      if (!active || this.#closing !== undefined) continue;
      try {
        plugin.onEnd?.(reason, host);
      } catch (error) {
        this.ports.log.error(`plugin "${plugin.name}" failed in onEnd: ${errorText(error)}`);
      }
      await lane.idle();
    }
  }

  async #close(): Promise<void> {
    for (const direction of directions) this.#lanes[direction].close();
    for (const run of this.#atClose) run();
    this.#atClose.clear();
    for (const { plugin } of this.#seats) {
      try {
        await plugin.close?.();
      } catch (error) {
        this.ports.log.error(`plugin "${plugin.name}" failed in close: ${errorText(error)}`);
      }
    }
  }
}

/** Makes the relay of one connection. Throws a TypeError for a plugin whose hooks are misplaced. */
export const createRelay = (options: RelayOptions, ports: Ports): Relay => new PluginRelay(options, ports);
