/**
 * A relay on in-memory ports with a fake clock, for tests that read as a conversation:
 *
 *     const { client, agent, clock } = wired([myPlugin()]);
 *     client.sends({ jsonrpc: '2.0', id: 1, method: 'session/new', params: {} });
 *     expect(agent.received()).toEqual([{ jsonrpc: '2.0', id: 1, method: 'session/new', params: {} }]);
 *     agent.answers(1, { sessionId: 's' });
 *     expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: { sessionId: 's' } }]);
 *     clock.advance(250);                      // runs the timers of `host.after` that are due
 *     files.write('/tmp/out', 'text');         // what `host.follow('/tmp/out', ...)` delivers
 *
 * `received()` returns what came since the last call, so each step shows its own messages.
 * Everything is synchronous, except hooks that return promises: `await settled()` after those.
 */
import { createRelay, type Ports, type Relay, type RelayOptions } from '../../src/relay.js';
import type { Direction, FollowEvents, Plugin, RequestId, RpcError } from '../../src/plugin.js';

// Any shape may be sent, also malformed ones.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Message = any;

/** The client or the agent. */
export interface Side {
  /** Sends each message as one line. A string is sent as it is, with an LF added. */
  sends(...messages: readonly Message[]): void;
  /** Sends bytes as one chunk. False: the relay asks to pause. */
  sendsBytes(bytes: Uint8Array | string): boolean;
  /** Sends a response. */
  answers(id: RequestId, result: unknown): void;
  /** Sends an error response. */
  refuses(id: RequestId, error: RpcError): void;
  /** Sends a request with a new id, which it returns. */
  requests(method: string, params?: unknown): number;
  notifies(method: string, params?: unknown): void;
  /** The messages that came since the last call, parsed. */
  received(): Message[];
  /** The lines that came since the last call, without their LF. */
  receivedLines(): string[];
  /** The bytes that came since the last call. */
  receivedBytes(): Buffer;
  /** The writes that came since the last call, one entry each. */
  receivedWrites(): Buffer[];
  /** Input of this side ends. */
  ends(): Promise<void>;
  /** This side stops reading: writes to it say "full" until `reads()`. */
  stalls(): void;
  reads(): void;
  /** How often the relay said that the reader of this side may go on. */
  resumed(): number;
}

export interface Clock {
  now(): number;
  /** Moves time on and runs what is due, in order. Milliseconds. */
  advance(ms: number): void;
  /** Timers that wait. */
  pending(): number;
  /** When the first of them is due. */
  next(): number | undefined;
}

/** Files that the test writes and `host.follow` reads. */
export interface Files {
  /** Appends to a file. Followers get it at once, unless `lazily`: then with the next `flush` or write. */
  write(path: string, text: string | Uint8Array, options?: { readonly lazily?: boolean }): void;
  /** Replaces the whole content: followers get it with `reset`. */
  replace(path: string, text: string | Uint8Array): void;
  /** Followers are told that the file cannot be followed. */
  fail(path: string, reason: string): void;
  /** The paths that are being followed. */
  followed(): string[];
}

export interface Wired {
  readonly client: Side;
  readonly agent: Side;
  readonly clock: Clock;
  readonly files: Files;
  readonly relay: Relay;
  /** What was logged since the start, as `level: text`. */
  readonly log: string[];
  /** Lines of the agent that are no message, as text. */
  readonly strays: string[];
  /** Waits until promises of hooks have settled. */
  settled(): Promise<void>;
  /** The agent process ends, after its output. */
  agentExits(code?: number | null, signal?: string | null): Promise<void>;
  /** How often the agent was started again. */
  restarts(): number;
}

export interface WiredOptions extends Omit<RelayOptions, 'plugins'> {
  readonly agentCommand?: readonly string[];
  /** Where `host.now` starts. Default 0. */
  readonly startAt?: number;
  /** Is told who made or changed a message, and who dropped one. */
  readonly origin?: Ports['origin'];
  /** The agent cannot be started again. */
  readonly onlyOnce?: boolean;
  readonly traffic?: Ports['traffic'];
  /** Where `host.wallClock` starts. Default 2025-01-01. */
  readonly epoch?: number;
}

class FakeClock implements Clock {
  #now: number;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  constructor(startAt: number) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  pending(): number {
    return this.#timers.length;
  }

  next(): number | undefined {
    return this.#timers.length === 0 ? undefined : Math.min(...this.#timers.map(({ at }) => at));
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#now = Math.max(this.#now, due.at);
      this.#timers = this.#timers.filter((other) => other !== due);
      due.run();
    }
    this.#now = until;
  }
}

interface Followed {
  readonly path: string;
  readonly events: FollowEvents;
  delivered: number;
  fresh: boolean;
}

class FakeFiles implements Files {
  readonly #contents = new Map<string, Buffer>();
  #followed: Followed[] = [];

  followed(): string[] {
    return this.#followed.map(({ path }) => path);
  }

  write(path: string, text: string | Uint8Array, { lazily = false } = {}): void {
    this.#contents.set(path, Buffer.concat([this.#contents.get(path) ?? Buffer.alloc(0), Buffer.from(text as string)]));
    if (!lazily) this.#deliver(path);
  }

  replace(path: string, text: string | Uint8Array): void {
    this.#contents.set(path, Buffer.from(text as string));
    for (const follower of this.#at(path)) {
      follower.delivered = 0;
      follower.fresh = true;
    }
    this.#deliver(path);
  }

  fail(path: string, reason: string): void {
    const failed = this.#at(path);
    this.#followed = this.#followed.filter((follower) => !failed.includes(follower));
    for (const { events } of failed) events.failed?.(reason);
  }

  readonly follow: Ports['follow'] = (path, events) => {
    const follower: Followed = { path, events, delivered: 0, fresh: true };
    this.#followed.push(follower);
    return {
      flush: () => this.#read(follower),
      close: () => {
        this.#followed = this.#followed.filter((other) => other !== follower);
      },
    };
  };

  #at(path: string): Followed[] {
    return this.#followed.filter((follower) => follower.path === path);
  }

  #deliver(path: string): void {
    for (const follower of this.#at(path)) this.#read(follower);
  }

  #read(follower: Followed): void {
    const content = this.#contents.get(follower.path);
    if (content === undefined || !this.#followed.includes(follower) || (content.length === follower.delivered && !follower.fresh)) return;
    const { delivered, fresh } = follower;
    follower.delivered = content.length;
    follower.fresh = false;
    follower.events.bytes(content.subarray(delivered), fresh);
  }
}

/** What one direction's sink has taken. */
class Sink {
  full = false;
  #writes: Buffer[] = [];

  write(bytes: Uint8Array): boolean {
    this.#writes.push(Buffer.from(bytes));
    return !this.full;
  }

  take(): Buffer[] {
    const writes = this.#writes;
    this.#writes = [];
    return writes;
  }
}

const lineOf = (message: Message): string => `${typeof message === 'string' ? message : JSON.stringify(message)}\n`;

/** Wires plugins, in the order from the client to the agent, to a client and an agent that the test plays. */
export function wired(plugins: readonly Plugin[], options: WiredOptions = {}): Wired {
  const { agentCommand = ['agent'], startAt = 0, epoch = Date.UTC(2025, 0, 1), onlyOnce = false, origin, traffic, ...relayOptions } = options;
  const clock = new FakeClock(startAt);
  const files = new FakeFiles();
  const log: string[] = [];
  const strays: string[] = [];
  const sinks = { toAgent: new Sink(), toClient: new Sink() };
  const resumed = { toAgent: 0, toClient: 0 };
  let ids = 0;
  let restarts = 0;
  const logged = (level: string) => (text: string): void => void log.push(`${level}: ${text}`);
  const ports: Ports = {
    write: (direction, bytes) => sinks[direction].write(bytes),
    resume: (direction) => void resumed[direction]++,
    stray: (line) => void strays.push(Buffer.from(line).toString()),
    restart: () => !onlyOnce && ++restarts > 0,
    log: { error: logged('error'), warn: logged('warn'), info: logged('info'), debug: logged('debug') },
    agentCommand,
    now: () => clock.now(),
    wallClock: () => epoch + clock.now(),
    after: (ms, run) => clock.after(ms, run),
    ...(origin === undefined ? {} : { origin }),
    follow: files.follow,
    uniqueId: () => `unique-${++ids}`,
  };
  const relay = createRelay({ ...relayOptions, plugins }, { ...ports, traffic });

  function side(from: Direction, to: Direction): Side {
    let requests = 0;
    const sends = (...messages: readonly Message[]): void => void relay.push(from, Buffer.from(messages.map(lineOf).join('')));
    const receivedBytes = (): Buffer => Buffer.concat(sinks[to].take());
    const receivedLines = (): string[] => {
      const lines = receivedBytes().toString().split('\n');
      if (lines.at(-1) === '') lines.pop();
      return lines;
    };
    return {
      sends,
      sendsBytes: (bytes) => relay.push(from, Buffer.from(bytes as string)),
      answers: (id, result) => sends({ jsonrpc: '2.0', id, result }),
      refuses: (id, error) => sends({ jsonrpc: '2.0', id, error }),
      requests: (method, params) => {
        sends({ jsonrpc: '2.0', id: ++requests, method, params });
        return requests;
      },
      notifies: (method, params) => sends({ jsonrpc: '2.0', method, params }),
      received: () => receivedLines().map((line): Message => JSON.parse(line)),
      receivedLines,
      receivedBytes,
      receivedWrites: () => sinks[to].take(),
      ends: () => relay.end(from),
      stalls: () => void (sinks[to].full = true),
      reads: () => {
        sinks[to].full = false;
        relay.drained(to);
      },
      resumed: () => resumed[from],
    };
  }

  return {
    client: side('toAgent', 'toClient'),
    agent: side('toClient', 'toAgent'),
    clock,
    files,
    relay,
    log,
    strays,
    settled: () => new Promise((resolve) => setImmediate(resolve)),
    agentExits: (code = 0, signal = null) => relay.agentExited(code, signal),
    restarts: () => restarts,
  };
}
