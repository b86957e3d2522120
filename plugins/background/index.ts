/**
 * Gives an ACP v2 client the standard for background work around an agent that speaks the private
 * async task extension: `background` lists on every state snapshot, `terminal/cancel` and
 * `tool_call/cancel`. It stands on the client's side of the version bridge and sees ACP v2 only.
 */
import { drop, instead, keep, take, type Call, type Host, type Outcome, type Outgoing, type Plugin, type PluginFactory, type Reply } from 'afterturn/plugin';
import { at, extensionCapabilities, habitsOfAgent, habitsOfAnswer, idOf, integerOf, isObject, RAW_FEED, readRawFeed, readUpdate, reportsBy, stringOf, type AgentHabits } from 'afterturn/protocol';
import type { Fact } from 'afterturn/state';
import { countMalformed } from '../malformed.js';
import { CancelService, cancelMethods, STOP } from './cancel.js';
import { CloseService } from './close.js';
import { BackgroundSession } from './session.js';

export interface BackgroundOptions {
  /** Milliseconds that a removal waits for the agent's own turn, and an end for its exit code. */
  readonly followUpWindow: number;
  /** Whether the sessions of this connection ask for the raw feed, which reports all background work. */
  readonly asksForRawFeed?: () => boolean;
  /** Is told what the ledger learns, in the order of the wire. */
  readonly onFact?: (fact: Fact) => void;
  /** Is told the exit code that the last line of an ended item's output file names. */
  readonly onExitCode?: (session: string, task: string, code: number) => void;
}

const SETUP = ['session/new', 'session/load', 'session/resume', 'session/fork'] as const;
const MAX_CLOSED = 1000;

const passes = (out: readonly Outgoing[]): Outcome => (out.length === 1 && out[0] === keep ? undefined : out.length === 0 ? drop() : instead(...out));

export const background: PluginFactory<BackgroundOptions> = ({ followUpWindow, asksForRawFeed = () => false, onFact = () => {}, onExitCode = () => {} }): Plugin => {
  const sessions = new Map<string, BackgroundSession>();
  const closed = new Set<string>();
  let habits: AgentHabits = habitsOfAgent(undefined);
  let acknowledged: readonly string[] = [];
  let connection: Host | undefined;
  let cancel: CancelService | undefined;
  const malformed = countMalformed(() => connection?.log);

  const openSession = (id: string, host: Host): BackgroundSession => {
    const asyncTasks = acknowledged.includes('asyncTasks');
    const reported = asksForRawFeed() || reportsBy(habits, acknowledged);
    const options = { window: followUpWindow, exitAtLaunch: habits.exitAtLaunch, startsTurns: habits.startsTurns, correctsStops: habits.correctsStops };
    const session = new BackgroundSession(id, host, options, { asyncTasks, reported }, onFact, onExitCode);
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

  const close = new CloseService({
    closing(id) {
      const session = sessions.get(id);
      session?.closing();
      return (session?.lists === true && session.hasLiveItems) || cancel?.isOpen(id) === true;
    },
    failed: (id) => sessions.get(id)?.closeFailed(),
    ended(id) {
      const out = sessions.get(id)?.end('closed') ?? [];
      forget(id);
      return out;
    },
    answerOpen: (id) => cancel?.endSession(id),
  });
  const closeCall = (call: Call, host: Host): Outcome => close.onCall(call, host);
  const closeReply = (reply: Reply): Outcome => close.onReply(reply);

  /** A set-up request brings a closed session back to life. A fork names the session that it comes from. */
  const onSetupCall = (call: Call): void => void (call.method !== 'session/fork' && closed.delete(idOf(at(call.params, 'sessionId')) ?? ''));
  const onSetupReply = (reply: Reply): void => void closed.delete(idOf(at(reply.result, 'sessionId')) ?? '');
  const setupCalls = Object.fromEntries(SETUP.map((method) => [method, onSetupCall]));
  const setupReplies = Object.fromEntries(SETUP.map((method) => [method, onSetupReply]));

  /** Served for the sessions whose lists are ours, and for those that nobody knows where the extension is in use. */
  const cancelCall = (call: Call, host: Host): Outcome => {
    const session = sessions.get(stringOf(at(call.params, 'sessionId')) ?? '');
    const isOurs = session === undefined ? acknowledged.includes('asyncTasks') : session.lists;
    if (!isOurs || call.kind !== 'request') return undefined;
    cancel ??= new CancelService(host, { sessionOf: (id) => sessions.get(id), malformed: (id, problem) => malformed.report(id, STOP, problem) });
    cancel.serve(call);
    return take();
  };
  const cancelCalls = Object.fromEntries(Object.keys(cancelMethods).map((method) => [method, cancelCall]));

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
        'session/close': closeCall,
        'session/delete': closeCall,
        '$/cancel_request': (call) => close.onCancelRequest(call),
      },
    },
    toClient: {
      replies: {
        initialize: (reply, host) => {
          if (reply.result === undefined) return undefined;
          if (integerOf(at(reply.result, 'protocolVersion')) !== 2) return host.leave();
          habits = habitsOfAnswer(reply.result);
          acknowledged = extensionCapabilities(reply.result);
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

