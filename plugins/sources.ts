/**
 * Where background work is learned: asks the agent, in the client's name, for what the client did not
 * ask for itself, and keeps the answers to that from the client. It owns two places in the list: one
 * beside the client, one beside the agent.
 */
import { drop, replace, type Host, type Outcome, type Plugin, type Reply } from 'afterturn/plugin';
import {
  asksForRaw, at, extensionCapabilities, habitsOfAgent, habitsOfCommand, idOf, integerOf, isObject, RAW_FEED, rawRequestOf, stringOf,
  withClaudeSetup, withExtension, withoutExtension, type AgentHabits, type RawRequest,
} from 'afterturn/protocol';

export interface SourcesOptions {
  /** `auto`, or the one source to use; `none` asks for nothing. */
  readonly source: 'auto' | 'async-tasks' | 'claude-raw' | 'none';
}

/** The requests that set a session up. What is added to the first is added byte-equal to every later one. */
const SETUP = ['session/new', 'session/load', 'session/resume', 'session/fork'] as const;

interface Client {
  readonly version: number;
  readonly declared: readonly string[];
}

export function sources({ source }: SourcesOptions): { readonly atClient: Plugin; readonly atAgent: Plugin } {
  let client: Client | undefined;
  let habits: AgentHabits = habitsOfAgent(undefined);
  const rawRequests = new Map<string, RawRequest>();
  const waiting = new Map<string, RawRequest>();

  /** A client that negotiated the extension itself is left alone. */
  const serves = (): boolean => source !== 'none' && client?.version === 2 && !client.declared.includes('asyncTasks');
  const usesExtension = (): boolean => source !== 'claude-raw';
  const usesRawFeed = (): boolean => source !== 'async-tasks';

  const rememberRequest = (call: { id: unknown; params: unknown }): void => {
    const asked = rawRequestOf(call.params);
    waiting.set(JSON.stringify(call.id), asked);
    const session = idOf(at(call.params, 'sessionId'));
    if (session !== undefined) rawRequests.set(session, asked);
  };
  const rememberSession = (reply: Reply): void => {
    const key = JSON.stringify(reply.to.id);
    const asked = waiting.get(key);
    waiting.delete(key);
    const session = idOf(at(reply.result, 'sessionId'));
    if (session !== undefined && asked !== undefined) rawRequests.set(session, asked);
  };
  const forget = (call: { params: unknown }): void => void rawRequests.delete(idOf(at(call.params, 'sessionId')) ?? '');

  const addSetup = (call: { params: unknown }): Outcome => {
    if (!serves() || !habits.claudeMeta) return undefined;
    return replace({ params: withClaudeSetup(call.params, { rawFeed: usesRawFeed(), perTaskStop: true }) });
  };

  const atClient: Plugin = {
    name: 'sources-client',
    toAgent: {
      calls: {
        initialize: (call, host) => {
          const version = integerOf(at(call.params, 'protocolVersion')) ?? 1;
          client = { version, declared: extensionCapabilities(at(call.params, version === 2 ? 'capabilities' : 'clientCapabilities')) };
          if (!serves()) host.leave();
        },
        ...Object.fromEntries(SETUP.map((method) => [method, rememberRequest])),
        'session/close': forget,
        'session/delete': forget,
      },
    },
    toClient: {
      replies: {
        initialize: (reply) => {
          if (reply.result === undefined || (client?.declared.length ?? 0) > 0) return undefined;
          const result = withoutExtension(reply.result);
          return result === reply.result ? undefined : replace({ result });
        },
        ...Object.fromEntries(SETUP.map((method) => [method, rememberSession])),
      },
      calls: {
        [RAW_FEED]: (call) => (asksForRaw(rawRequests.get(idOf(at(call.params, 'sessionId')) ?? ''), at(call.params, 'message')) ? undefined : drop()),
      },
    },
  };

  const atAgent: Plugin = {
    name: 'sources-agent',
    toAgent: {
      calls: {
        initialize: (call, host) => {
          if (!serves()) return leave(host);
          habits = habitsOfCommand(host.agentCommand);
          const params = isObject(call.params) ? call.params : {};
          if (!usesExtension() || !('clientCapabilities' in params)) return undefined;
          return replace({ params: { ...params, clientCapabilities: withExtension(params.clientCapabilities, ['asyncTasks']) } });
        },
        ...Object.fromEntries(SETUP.map((method) => [method, addSetup])),
      },
    },
    toClient: {
      replies: {
        initialize: (reply) => {
          const name = stringOf(at(reply.result, 'agentInfo', 'name')) ?? stringOf(at(reply.result, 'info', 'name'));
          if (name !== undefined) habits = habitsOfAgent(name);
        },
      },
    },
  };
  return { atClient, atAgent };
}

function leave(host: Host): undefined {
  host.leave();
  return undefined;
}
