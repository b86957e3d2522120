/**
 * The public plugin API: what a plugin is given, and what it may answer.
 *
 * One law governs the rest: **a plugin behaves as if it were a proxy process of its own, at its
 * place in the list.** The list runs from the client to the agent. Messages to the agent meet the
 * plugins forwards, messages to the client backwards.
 */
import type { RequestId, RpcError } from './wire/jsonrpc.js';

export type { RequestId, RpcError } from './wire/jsonrpc.js';

/** Which way a message travels. */
export type Direction = 'toAgent' | 'toClient';

/** A request or a notification, as it reached the plugin. */
export interface Call<P = unknown> {
  readonly kind: 'request' | 'notification';
  readonly method: string;
  /** The peer's id, never rewritten. `undefined` for a notification. */
  readonly id: RequestId | undefined;
  /**
   * Parsed on first read. Never write to it: return `replace` in its place. A number that JavaScript
   * would print differently (`1.0`, 20 digits) is an object that keeps its digits: `Number(x)` reads it.
   */
  readonly params: P;
  /**
   * `params` with strings of more than 1 KiB empty: for a hook that decides by ids, kinds and states.
   * It costs a small part of what `params` costs where a message is big. Never write to it, or pass it on.
   */
  readonly outline: P;
  /**
   * `params` with a `LongText` in place of each string of more than 1 KiB that stands at one of these
   * places: for a hook that moves such strings and does not read them. Never write to it.
   */
  withTexts(places: TextPlaces): P;
  /** The line as it came. May share memory with a read buffer: copy it before keeping it. */
  readonly raw: Uint8Array;
}

/**
 * Members by name, down to `true`, or to `base64` where the hook asks for the base64 of that string; `*` is
 * each item of a list: `{ update: { content: { '*': { text: true } } } }`.
 */
export interface TextPlaces {
  readonly [key: string]: TextPlaces | true | 'base64';
}

/**
 * A long string that was not read. It may stand in what a plugin sends, where it is written from its own
 * bytes; the plugins behind see a string. `String(text)` reads it.
 */
export interface LongText {
  toString(): string;
  /** What `slice(0, units)` of the string is. */
  start(units: number): string;
  /** Its UTF-8 in base64. */
  base64(): LongText;
  /** For one that outlives its message: it holds its own bytes from now on, and nothing else of what was read with it. */
  keep(): LongText;
}

/** A response, as it reached the plugin. */
export interface Reply<R = unknown> {
  readonly kind: 'reply';
  /** The request it answers, as this plugin saw it, and when (milliseconds of `Host.now`). */
  readonly to: { readonly method: string; readonly id: RequestId; readonly seenAt: number };
  /** `undefined` when the response is an error. */
  readonly result: R | undefined;
  readonly error: RpcError | undefined;
  /** The line as it came, as for `Call`. */
  readonly raw: Uint8Array;
}

/** A message that a plugin makes: a notification, or the message at hand in its place (`keep`). */
export type Outgoing = { readonly method: string; readonly params: unknown } | typeof keep;

/**
 * Stands for the message at hand inside `instead(...)`: it goes on byte for byte. A registered symbol:
 * a plugin may have loaded another copy of this module than the command did.
 */
export const keep = Symbol.for('afterturn.keep');

/** What a hook decides. No verdict (`undefined`) lets the message pass byte for byte. */
export type Verdict = Decision & {
  /** The rule of the plugin that it follows: a recording names it behind the plugin (see `ruled`). */
  readonly rule?: string;
};

type Decision =
  | { readonly do: 'replace'; readonly with: Replacement }
  | { readonly do: 'drop' }
  | { readonly do: 'instead'; readonly messages: readonly Outgoing[] }
  | { readonly do: 'answer'; readonly result: unknown }
  | { readonly do: 'refuse'; readonly error: RpcError }
  | { readonly do: 'take' }
  | { readonly do: 'become'; readonly plugin: Plugin };

/** For a call: `method` and/or `params`. For a reply: `result` or `error`. */
export interface Replacement {
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: RpcError;
}

/** The message goes on with other contents, under the same id. */
export const replace = (value: Replacement): Verdict => ({ do: 'replace', with: value });
/** The message goes no further. A dropped request is never answered: prefer `refuse`. */
export const drop = (): Verdict => ({ do: 'drop' });
/** Other messages go on in its place, in this order. A request or a reply must be among them as `keep`. */
export const instead = (...messages: Outgoing[]): Verdict => ({ do: 'instead', messages });
/** Answers a request here. The response passes the plugins on its way back to whoever asked. */
export const answer = (result: unknown): Verdict => ({ do: 'answer', result });
/** Answers a request here with an error. */
export const refuse = (error: RpcError): Verdict => ({ do: 'refuse', error });
/** Parks a request: the lane goes on, and the plugin answers later with `Host.respond`. */
export const take = (): Verdict => ({ do: 'take' });

/**
 * Another plugin takes this one's place in the list, and looks at the message at hand first: for a plugin
 * that knows only by a message what it is to be. It keeps the host, with all that was asked and parked.
 */
export const become = (plugin: Plugin): Verdict => ({ do: 'become', plugin });

/** The verdict with the name of the rule that it follows, for recordings: `background: list`. */
export const ruled = (rule: string, verdict: Verdict): Verdict => ({ ...verdict, rule });

/** What a hook returns. Nothing: the message goes on byte for byte. */
export type Outcome = Verdict | undefined | void;
/** A hook that returns a promise holds its direction only, until the promise settles. */
export type CallHook<P = unknown> = (call: Call<P>, host: Host) => Outcome | Promise<Outcome>;
/** As `CallHook`, for the response to a request. */
export type ReplyHook<R = unknown> = (reply: Reply<R>, host: Host) => Outcome | Promise<Outcome>;

/**
 * Hooks by method. `'*'` is every method without a key of its own. A value may also be a table by
 * the `sessionUpdate` kind of a `session/update`; kinds it does not name pass unparsed.
 */
export type CallHooks = Readonly<Record<string, CallHook<any> | Readonly<Record<string, CallHook<any>>>>>;
/** Hooks by the method of the request that is answered. `'*'` as above. */
export type ReplyHooks = Readonly<Record<string, ReplyHook<any>>>;

/** Why a connection ends. */
export type EndReason =
  | { readonly kind: 'clientEnd' }
  | { readonly kind: 'agentExit'; readonly code: number | null; readonly signal: string | null };

/** A name and hooks by method. All but the name may be left out. */
export interface Plugin {
  /** Names it in logs and warnings. */
  readonly name: string;
  /** Client to agent: the client's calls, and the client's replies to the agent's requests. */
  readonly toAgent?: { readonly calls?: CallHooks; readonly replies?: ReplyHooks };
  /** Agent to client: the agent's calls, and the agent's replies to the client's requests. */
  readonly toClient?: { readonly calls?: CallHooks; readonly replies?: ReplyHooks };
  /**
   * What happens to the message when a hook throws. Default `pass`: it goes on as it came. `refuse`,
   * where passing would be a lie: a request is answered with -32603, a reply becomes that error, a
   * notification goes no further. Either way the plugin is named in the log.
   */
  readonly onHookError?: 'pass' | 'refuse';
  /**
   * What happens to a JSON array (a batch, which ACP does not use) that arrives now. Default `pass`: it
   * goes on as it came, and no plugin sees it. `refuse`: whoever sent it is answered -32600, where
   * passing it would be a lie.
   */
  batches?(): 'pass' | 'refuse';
  /**
   * The client's input ended, or the agent is gone; messages may still be sent to the side that is
   * left. After `agentExit` nothing comes from the agent any more.
   */
  onEnd?(reason: EndReason, host: Host): void;
  /** Called once, last. */
  close?(): void | Promise<void>;
}

/** Makes a plugin, once per connection. */
export type PluginFactory<O = void> = (options: O) => Plugin;

/** Diagnostics, to stderr. Never payloads: they can hold secrets. */
export interface Log {
  error(text: string): void;
  warn(text: string): void;
  info(text: string): void;
  debug(text: string): void;
}

/** A file that is being followed. */
export interface Follow {
  /** Reads what is there now and delivers it before it returns, an empty file as no bytes. Bounded like every read. */
  flush(): void;
  /** Stops. Nothing is delivered afterwards. */
  close(): void;
}

/** What a followed file tells. */
export interface FollowEvents {
  /** The next bytes. `reset`: they replace all that came before (first read, file shrank, backlog skipped). */
  bytes(data: Uint8Array, reset: boolean): void;
  /** The file cannot be followed, with the reason. Nothing more is delivered. */
  failed?(reason: string): void;
}

/** What a plugin can do beyond its verdict. One per plugin: it knows the plugin's place in the list. */
export interface Host {
  readonly log: Log;
  /** The agent's command line. */
  readonly agentCommand: readonly string[];
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /** Milliseconds since the epoch, for timestamps that leave the process. */
  wallClock(): number;
  /** Sends a notification. It meets the plugins after this one only, after the message at hand. `rule`: why, for recordings. */
  notify(direction: Direction, method: string, params: unknown, rule?: string): void;
  /**
   * Sends a request with an id of our own. `onReply` is a callback and runs at the reply's place in
   * its lane; at the end of the stream it is called with an error. Returns the id that the request
   * has on the wire, so that a `$/cancel_request` can name it. `rule`: why, for recordings.
   */
  request(direction: Direction, method: string, params: unknown, onReply: (reply: Reply) => void, rule?: string): RequestId;
  /**
   * Answers a request that was parked with `take`. `direction` is the one that the request came in.
   * False if no such request is parked (any more). `rule`: why, for recordings.
   */
  respond(direction: Direction, to: RequestId, body: { readonly result: unknown } | { readonly error: RpcError }, rule?: string): boolean;
  /** Runs `run` when `ms` milliseconds have passed by `now`, never earlier, unless cancelled or the connection has ended. Returns its cancel. */
  after(ms: number, run: () => void): () => void;
  /** Follows a file's bytes. Regular files only, no links; reads and backlog are bounded. */
  follow(path: string, events: FollowEvents): Follow;
  /**
   * Keeps what the peer sends in this direction, from the next message on, until the function that it
   * returns is called. What plugins say goes on, and so does the other direction. The end of the
   * peer's input waits too, at most 10 seconds.
   */
  hold(direction: Direction): () => void;
  /**
   * Ends the agent's process and starts its command again in its place, for an agent that was spoken
   * to in the wrong way. Possible only while the agent has been told nothing but requests of plugins,
   * so that nothing is lost: `hold('toAgent')` from the client's first message on. False: it is not
   * possible (any more), and nothing was done. Requests of plugins that wait for the old process end
   * with an error; what else it said is forgotten. What is said from now on reaches the new one.
   */
  restart(): boolean;
  /** A random id, unique per call. */
  uniqueId(): string;
  /** Removes this plugin from the lanes: it sees nothing more and costs nothing. Parked requests stay its own. */
  leave(): void;
}
