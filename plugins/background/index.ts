/**
 * Gives an ACP v2 client the standard for background work around an agent that speaks the private
 * async task extension: `background` lists on every state snapshot, `terminal/cancel` and
 * `tool_call/cancel`. It stands on the client's side of the version bridge and sees ACP v2 only.
 */
import { drop, instead, keep, take, type Host, type Outcome, type Outgoing, type Plugin, type PluginFactory, type Reply } from 'afterturn/plugin';
import { at, extensionCapabilities, habitsOfAgent, idOf, integerOf, isObject, RAW_FEED, readRawFeed, readUpdate, stringOf, type AgentHabits } from 'afterturn/protocol';
import type { Fact } from 'afterturn/state';
import { countMalformed } from '../malformed.js';
import { CancelService, cancelMethods } from './cancel.js';
import { BackgroundSession } from './session.js';

export interface BackgroundOptions {
  /** Milliseconds that a removal waits for the agent's own turn, and an end for its exit code. */
  readonly followUpWindow: number;
  /** Is told what the ledger learns, in the order of the wire. */
  readonly onFact?: (fact: Fact) => void;
}

const RESOURCE_NOT_FOUND = -32002;
const SETUP = ['session/new', 'session/load', 'session/resume', 'session/fork'] as const;
const MAX_CLOSED = 1000;

const passes = (out: readonly Outgoing[]): Outcome => (out.length === 1 && out[0] === keep ? undefined : out.length === 0 ? drop() : instead(...out));

export const background: PluginFactory<BackgroundOptions> = ({ followUpWindow, onFact = () => {} }): Plugin => {
  const sessions = new Map<string, BackgroundSession>();
  const closed = new Set<string>();
  let habits: AgentHabits = habitsOfAgent(undefined);
  let reported = false;
  let connection: Host | undefined;
  let cancel: CancelService | undefined;
  const malformed = countMalformed(() => connection?.log);

  const openSession = (id: string, host: Host): BackgroundSession => {
    const session = new BackgroundSession(id, host, { window: followUpWindow, exitAtLaunch: habits.exitAtLaunch, startsTurns: habits.startsTurns }, { asyncTasks: reported }, onFact);
    sessions.set(id, session);
    return session;
  };
  const sessionFor = (id: string, host: Host): BackgroundSession => sessions.get(id) ?? openSession(id, host);

  const forget = (id: string): void => {
    sessions.delete(id);
    closed.add(id);
    for (const oldest of closed) {
      if (closed.size <= MAX_CLOSED) break;
      closed.delete(oldest);
    }
  };

  /** `session/close` and `session/delete`, answered: success and "not found" both mean that it is gone. */
  const onClosed = (session: string, reply: Reply): Outcome | Promise<Outcome> => {
    const open = sessions.get(session);
    if (reply.error !== undefined && reply.error.code !== RESOURCE_NOT_FOUND) {
      open?.closeFailed();
      return undefined;
    }
    const out = open?.end('closed') ?? [];
    forget(session);
    const verdict = out.length === 0 ? undefined : instead(...out, keep);
    return cancel?.busy ? cancel.endSession(session).then(() => verdict) : verdict;
  };
  const closeRequests = new Map<string, string>();
  const closeCall = { call: (call: { id: unknown; params: unknown }): void => {
    const session = idOf(at(call.params, 'sessionId'));
    if (session === undefined) return;
    closeRequests.set(JSON.stringify(call.id), session);
    sessions.get(session)?.closing();
  } };
  const closeReply = (reply: Reply): Outcome | Promise<Outcome> => {
    const key = JSON.stringify(reply.to.id);
    const session = closeRequests.get(key);
    closeRequests.delete(key);
    return session === undefined ? undefined : onClosed(session, reply);
  };

  /** A set-up request brings a closed session back to life. */
  const onSetupCall = (call: { params: unknown }): void => void closed.delete(idOf(at(call.params, 'sessionId')) ?? '');
  const onSetupReply = (reply: Reply): void => void closed.delete(idOf(at(reply.result, 'sessionId')) ?? '');
  const setupCalls = Object.fromEntries(SETUP.map((method) => [method, onSetupCall]));
  const setupReplies = Object.fromEntries(SETUP.map((method) => [method, onSetupReply]));
  const cancelCalls = Object.fromEntries(Object.keys(cancelMethods).map((method) => [method, (call: Parameters<CancelService['serve']>[0], host: Host): Outcome => {
    const session = sessions.get(stringOf(at(call.params, 'sessionId')) ?? '');
    if (!reported || session?.native || call.kind !== 'request') return undefined;
    cancel ??= new CancelService((id) => sessions.get(id), host);
    cancel.serve(call, host);
    return take();
  }]));

  return {
    name: 'background',
    toAgent: {
      calls: {
        initialize: (call, host) => {
          connection = host;
          const declaresExtension = extensionCapabilities(at(call.params, 'capabilities')).includes('asyncTasks');
          if (integerOf(at(call.params, 'protocolVersion')) !== 2 || declaresExtension) host.leave();
        },
        ...setupCalls,
        ...cancelCalls,
        'session/close': closeCall.call,
        'session/delete': closeCall.call,
      },
    },
    toClient: {
      replies: {
        initialize: (reply, host) => {
          if (reply.result === undefined) return undefined;
          if (integerOf(at(reply.result, 'protocolVersion')) !== 2) return host.leave();
          habits = habitsOfAgent(stringOf(at(reply.result, 'info', 'name')));
          const acknowledged = extensionCapabilities(reply.result);
          reported = habits.reportsWith.every((capability) => acknowledged.includes(capability));
          return undefined;
        },
        ...setupReplies,
        'session/close': closeReply,
        'session/delete': closeReply,
      },
      calls: {
        'session/update': (call, host) => {
          const id = idOf(at(call.params, 'sessionId'));
          const update = at(call.params, 'update');
          if (id === undefined || !isObject(update)) return undefined;
          if (closed.has(id)) return drop();
          const reading = readUpdate(update);
          if (reading.problem !== undefined) malformed.report(id, stringOf(update.sessionUpdate) ?? 'update', reading.problem);
          return passes(sessionFor(id, host).update(update, reading.signals));
        },
        [RAW_FEED]: (call, host) => {
          const id = idOf(at(call.params, 'sessionId'));
          if (id === undefined) return undefined;
          const reading = readRawFeed(call.params);
          if (reading.problem !== undefined) malformed.report(id, RAW_FEED, reading.problem);
          if (!closed.has(id)) sessionFor(id, host).told(reading.signals);
          return undefined;
        },
      },
    },
    onEnd(reason, host) {
      if (reason.kind !== 'agentExit') return;
      for (const session of sessions.values()) {
        for (const message of session.end('agentGone')) if (message !== keep) host.notify('toClient', message.method, message.params);
      }
      sessions.clear();
    },
    close() {
      for (const session of sessions.values()) session.dispose();
      malformed.close();
    },
  };
};

