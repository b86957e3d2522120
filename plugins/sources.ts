/**
 * Where background work is learned: asks the agent, in the client's name, for what the client did not
 * ask for itself, and keeps the answers to that from the client. It owns two places in the list: one
 * beside the client, one beside the agent. What the extension brings to a client of ACP v1 is kept
 * from it by a third, `hidden-extension`.
 */
import { drop, replace, ruled, type Call, type Host, type Outcome, type Plugin, type Reply } from 'afterturn/plugin';
import {
  agentOf, asksForRaw, at, extensionCapabilities, habitsOfAgent, habitsOfAnswer, habitsOfCommand, hasRawFeed, idOf, integerOf, isObject, protocolVersionOf, RAW_FEED, RAW_MESSAGES_V2, rawRequestFor,
  rawRequestOf, withClaudeSetup, withExtension, withNegotiated, withoutExtension, type AgentHabits, type AgentProtocol, type JsonObject, type RawRequest,
} from 'afterturn/protocol';
import { BoundedMap } from './bounded.js';

export type Source = 'auto' | 'async-tasks' | 'claude-raw' | 'none';

export interface SourcesOptions {
  /** `auto`, or the one source to use; `none` asks for nothing. */
  readonly source: Source;
  /** The version that is spoken to the agent of a v1 client; `v2` has the extension for what it reports itself. Default `auto`. */
  readonly agentProtocol?: AgentProtocol;
  /** Something needs the raw feed of an agent that reports background work itself. Default true. */
  readonly nativeFeed?: boolean;
}

/** The source for a client of v1: an agent that is spoken to in v2 tells it all, in the extension's form. */
export const sourceForV1 = ({ source, agentProtocol }: SourcesOptions): Source => (source === 'auto' && agentProtocol === 'v2' ? 'async-tasks' : source);

/** The requests that set a session up. What is added to the first is added byte-equal to every later one. */
const SETUP = ['session/new', 'session/load', 'session/resume', 'session/fork'] as const;
/** Those that make a session; the others name one that there is. */
const MAKES_SESSION: ReadonlySet<string> = new Set(['session/new', 'session/fork']);

/** What is declared of the extension for a client of v2, which knows subagents by definition: their sessions, and turns that do not wait for them. */
const FOR_V2 = ['asyncTasks', 'nativeSubagentSessions', 'backgroundSubagents'] as const;

/** What is asked for in the client's name. */
interface Wanted {
  readonly extension: boolean;
  readonly rawFeed: boolean;
  /** Background work is to survive an interrupt, which kills it where the extension is declared. */
  readonly perTaskStop: boolean;
}

/** By the version that the client speaks. The extension has a price for a client of v1 with a v1 agent, so it is declared on demand only there. */
const wantedBy: Readonly<Record<1 | 2, (options: SourcesOptions) => Wanted>> = {
  1: (options) => ({ extension: sourceForV1(options) === 'async-tasks', rawFeed: options.source !== 'async-tasks', perTaskStop: false }),
  2: ({ source }) => ({ extension: source !== 'claude-raw', rawFeed: source !== 'async-tasks', perTaskStop: true }),
};

/** What an `initialize` request leaves to ask for; `undefined`: nothing, as when the client negotiated the extension itself. */
export function wantedFor(options: SourcesOptions, initialize: unknown): Wanted | undefined {
  const isV2 = (integerOf(at(initialize, 'protocolVersion')) ?? 1) >= 2;
  const declared = extensionCapabilities(at(initialize, isV2 ? 'capabilities' : 'clientCapabilities'));
  if (options.source === 'none') return undefined;
  if (!declared.includes('asyncTasks')) return wantedBy[isV2 ? 2 : 1](options);
  // What an agent lists itself in v2 is made whole for a client of v1 like for one of v2.
  return isV2 || options.agentProtocol !== 'v2' ? undefined : { extension: false, rawFeed: options.source !== 'async-tasks', perTaskStop: false };
}

/** Values of open requests, by their ids. */
class ByRequest<V> {
  readonly #open = new BoundedMap<string, V[]>();

  opened(call: Call, value: V): void {
    const key = JSON.stringify(call.id);
    this.#open.set(key, [...(this.#open.get(key) ?? []), value]);
  }

  /** Two requests with one id are answered first in, first out. */
  answered(reply: Reply): V | undefined {
    const key = JSON.stringify(reply.to.id);
    const [first, ...others] = this.#open.get(key) ?? [];
    if (others.length > 0) this.#open.set(key, others);
    else this.#open.delete(key);
    return first;
  }

  some(test: (value: V) => boolean): boolean {
    return [...this.#open.values()].some((values) => values.some(test));
  }
}

/** What set-up requests asked of the raw feed, by session. */
class RawRequests {
  readonly #bySession = new BoundedMap<string, RawRequest>();
  readonly #open = new ByRequest<{ readonly session: string | undefined; readonly asked: RawRequest }>();

  of(session: unknown): RawRequest | undefined {
    return this.#bySession.get(idOf(session) ?? '');
  }

  opened(call: Call, asked: RawRequest): void {
    const session = MAKES_SESSION.has(call.method) ? undefined : idOf(at(call.params, 'sessionId'));
    this.#open.opened(call, { session, asked });
    if (asked === true || asked.length > 0) this.#none = false;
    if (session !== undefined) this.#bySession.set(session, asked);
  }

  answered(reply: Reply): void {
    const setup = this.#open.answered(reply);
    const session = idOf(at(reply.result, 'sessionId'));
    if (setup !== undefined && setup.session === undefined && session !== undefined) this.#bySession.set(session, setup.asked);
  }

  /** Nothing was ever asked for. */
  #none = true;

  /** What was asked for a session; before its request is answered, what any open request asks. */
  covers(call: Call): boolean {
    if (this.#none) return false;
    const { sessionId: session, message } = isObject(call.params) ? call.params : {};
    const known = this.of(session);
    return known === undefined ? this.#open.some(({ asked }) => asksForRaw(asked, message)) : asksForRaw(known, message);
  }

  forget(call: { readonly params: unknown }): void {
    this.#bySession.delete(idOf(at(call.params, 'sessionId')) ?? '');
  }
}

const each = <H>(hook: H): Record<string, H> => Object.fromEntries(SETUP.map((method) => [method, hook]));

export interface Sources {
  readonly atClient: Plugin;
  readonly atAgent: Plugin;
  /** Every session of a v2 client's v1 agent asks for the raw feed, so that its background work is reported. */
  readonly asksForRawFeed: () => boolean;
}

export function sources(options: SourcesOptions): Sources {
  const { source, nativeFeed = true } = options;
  let wanted: Wanted | undefined;
  let isV1 = false;
  /** The client declared a part of the extension itself, and gets the answer to that. */
  let declaresPart = false;
  /** What the client asks for, and what was asked for in the end. */
  const asked = new RawRequests();
  const sent = new RawRequests();
  let habits: AgentHabits = habitsOfAgent(undefined);
  /** The client speaks v2 and the agent v1. */
  let isBridged = false;
  /** The agent is spoken to in v2, where it reports background work itself, and spares it at an interrupt. */
  let isNative = false;
  /** The agent is of a version that has the raw feed. */
  let hasFeed = false;

  /** Nothing more is asked for: a client of v1 needs only the raw feed after `initialize`, and the agent has none. */
  const isDone = (result: unknown): boolean => {
    return isV1 && !(wanted?.rawFeed === true && habitsOfAnswer(result).claudeMeta && hasRawFeed(agentOf(result).version));
  };

  const atClient: Plugin = {
    name: 'sources-client',
    toAgent: {
      calls: {
        initialize: (call, host) => {
          isV1 = (integerOf(at(call.params, 'protocolVersion')) ?? 1) < 2;
          wanted = wantedFor(options, call.params);
          declaresPart = extensionCapabilities(at(call.params, isV1 ? 'clientCapabilities' : 'capabilities')).length > 0;
          if (wanted === undefined) host.leave();
        },
        ...each((call: Call) => asked.opened(call, rawRequestOf(call.params))),
        'session/close': (call) => asked.forget(call),
        'session/delete': (call) => asked.forget(call),
      },
    },
    toClient: {
      replies: {
        initialize: (reply, host) => {
          if (reply.result === undefined) return undefined;
          if (isDone(reply.result)) host.leave();
          if (!wanted?.extension || declaresPart) return undefined;
          const result = withoutExtension(reply.result);
          return result === reply.result ? undefined : ruled('declared', replace({ result }));
        },
        ...each((reply: Reply) => asked.answered(reply)),
      },
      calls: {
        [RAW_FEED]: (call) => (asked.covers(call) ? undefined : ruled('raw feed', drop())),
      },
    },
  };

  const addSetup = (call: Call): Outcome => {
    if (wanted === undefined || !habits.claudeMeta) return undefined;
    const rawFeed = wanted.rawFeed && (!isNative || nativeFeed || source === 'claude-raw');
    const perTaskStop = wanted.perTaskStop && !isNative;
    if (!rawFeed && !perTaskStop) return undefined;
    const own = rawRequestOf(call.params);
    const rawRequest = rawFeed ? rawRequestFor(sent.of(at(call.params, 'sessionId')), own, isBridged ? RAW_MESSAGES_V2 : undefined) : own;
    sent.opened(call, rawRequest);
    const params = withClaudeSetup(call.params, { rawFeed, perTaskStop, rawRequest });
    return JSON.stringify(params) === JSON.stringify(call.params) ? undefined : ruled('set-up', replace({ params }));
  };

  /** Where the extension is declared. In v2 only to an agent that is known to have nothing better there, or where it was asked for. */
  const capabilitiesIn = (params: JsonObject): readonly string[] => {
    const isV2 = (protocolVersionOf(params) ?? 1) === 2;
    const inV1 = 'clientCapabilities' in params || !isV2 ? ['clientCapabilities'] : [];
    const inV2 = isV2 && (source === 'async-tasks' || (inV1.length === 0 && habits.speaks === 'v1')) ? ['capabilities'] : [];
    return [...inV1, ...inV2];
  };

  /** What was declared to the agent, if anything was added. */
  let declared: readonly string[] | undefined;
  const atAgent: Plugin = {
    name: 'sources-agent',
    toAgent: {
      calls: {
        initialize: (call, host) => {
          if (wanted === undefined) return leave(host);
          habits = habitsOfCommand(host.agentCommand);
          const params = isObject(call.params) ? call.params : {};
          const keys = wanted.extension ? capabilitiesIn(params) : [];
          const capabilities = Object.fromEntries(keys.map((key) => [key, withExtension(params[key], isV1 ? ['asyncTasks'] : FOR_V2)]));
          if (keys.length === 0) return undefined;
          declared = [...new Set(Object.values(capabilities).flatMap(extensionCapabilities))];
          return ruled('declared', replace({ params: { ...params, ...capabilities } }));
        },
        ...each(addSetup),
        'session/close': (call) => sent.forget(call),
        'session/delete': (call) => sent.forget(call),
      },
    },
    toClient: {
      replies: {
        initialize: (reply, host) => {
          if (reply.result === undefined) return;
          isBridged = !isV1 && protocolVersionOf(reply.result) === 1;
          hasFeed = hasRawFeed(agentOf(reply.result).version);
          if (agentOf(reply.result).name !== undefined) habits = habitsOfAnswer(reply.result);
          isNative = protocolVersionOf(reply.result) === 2 && habits.speaks === 'v2';
          // A v1 agent, although it was asked for v2: it tells its work by the extension alone.
          if (isV1 && options.agentProtocol === 'v2' && !isNative && wanted !== undefined) wanted = { ...wanted, rawFeed: source === 'claude-raw' };
          if (isDone(reply.result)) host.leave();
          const result = declared === undefined ? reply.result : withNegotiated(reply.result, declared);
          return result === reply.result ? undefined : ruled('declared', replace({ result }));
        },
        ...each((reply: Reply) => sent.answered(reply)),
      },
    },
  };
  return { atClient, atAgent, asksForRawFeed: () => isBridged && wanted?.rawFeed === true && habits.claudeMeta && hasFeed };
}

function leave(host: Host): undefined {
  host.leave();
  return undefined;
}
