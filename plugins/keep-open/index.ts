/**
 * Keeps the calls that launch background work open for an ACP v1 client: they stay `in_progress` until
 * the agent's harness reports the end. It stands on the client's side of the version bridge, sees ACP v1
 * only, and leaves where nothing reports background work.
 */
import { instead, keep, replace, ruled, type Call, type CallHook, type Host, type Outcome, type Outgoing, type Plugin, type PluginFactory, type Reply, type ReplyHook } from 'afterturn/plugin';
import { asyncTaskWords, at, habitsOfAnswer, idOf, isObject, RAW_FEED, rawTaskWords, readRawFeed, readUpdate, Reason, type JsonObject, type Reading, type TaskWords } from 'afterturn/protocol';
import { countMalformed } from '../malformed.js';
import { keepOpenNeeds, reportsOf, type Reports } from '../needs.js';
import { KeptSession, type OnRule } from './session.js';
import { Setups, SETUP } from './setups.js';
import { BoundedMap, Sessions } from '../bounded.js';

export type { OnRule } from './session.js';

export interface KeepOpenPluginOptions {
  readonly source: 'auto' | 'async-tasks' | 'claude-raw' | 'none';
  /** Milliseconds that a `stopped` which nobody asked for waits for its correction. */
  readonly followUpWindow: number;
  /** Tasks are made from what an agent of ACP v2 lists itself. */
  readonly makesTasks?: () => boolean;
  /** Is told of each update that was changed or made, and by which rules. */
  readonly onRule?: OnRule;
}

const RESOURCE_NOT_FOUND = -32002;
const ASYNC_KINDS = ['async_task_spawned', 'async_task_progress', 'async_task_state_update'] as const;
const CLOSING = ['session/close', 'session/delete'] as const;
const endReasons = { clientEnd: Reason.inputEndedBeforeEnd, agentExit: Reason.exitedBeforeEnd } as const;

const sessionIn = (value: unknown): string | undefined => idOf(at(value, 'sessionId'));
const each = <H>(methods: readonly string[], hook: H): Record<string, H> => Object.fromEntries(methods.map((method) => [method, hook]));

/** Progress says nothing of a call's life, and there is much of it: it is not parsed. */
const isProgress = (raw: Uint8Array): boolean => Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).includes('"subtype":"task_progress"');

export const keepOpen: PluginFactory<KeepOpenPluginOptions> = ({ source, followUpWindow, makesTasks = () => false, onRule = () => {} }): Plugin => {
  const needs = keepOpenNeeds({ source, makesTasks });
  const sessions = new Sessions<KeptSession>((session) => session.dispose());
  const closing = new BoundedMap<string, string>();
  let reports: Reports | undefined;
  let correctsStops = true;
  let setups = new Setups(true);
  let connection: Host | undefined;
  const malformed = countMalformed(() => connection?.log, 'Nothing follows from it');

  const sessionFor = (id: string, host: Host): KeptSession => {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    const session = new KeptSession(id, host, { asyncTasks: reports === 'asyncTasks', anyTool: makesTasks(), correctsStops, window: followUpWindow }, onRule);
    sessions.set(id, session);
    return session;
  };
  const before = (messages: readonly Outgoing[]): Outcome => (messages.length === 0 ? undefined : ruled('settled', instead(...messages, keep)));
  const after = (messages: readonly Outgoing[]): Outcome => (messages.length === 0 ? undefined : ruled('settled', instead(keep, ...messages)));

  const told = (id: string, kind: string, reading: Reading, words: readonly TaskWords[], host: Host): Outcome => {
    if (reading.problem !== undefined) malformed.report(id, kind, reading.problem);
    return reading.signals.length === 0 ? undefined : after(sessionFor(id, host).outgoing({ type: 'told', signals: reading.signals, words }));
  };

  /** claude-agent-acp keeps answers by the id of their call alone, so that of one session can come in another. */
  const strays = (session: KeptSession, update: JsonObject): void => {
    const task = session.unheardTask(update);
    if (task !== undefined) for (const other of sessions.values()) if (other !== session) other.strayed(update, task);
  };

  const onToolCall: CallHook = (call, host) => {
    const id = sessionIn(call.outline);
    const outline = at(call.outline, 'update');
    if (id === undefined || !isObject(outline)) return undefined;
    const session = sessionFor(id, host);
    if (!session.concerns(outline)) return undefined;
    const update = session.needsContents(outline) ? at(call.params, 'update') : outline;
    if (reports === 'rawFeed' && isObject(update)) strays(session, update);
    const changed = isObject(update) ? session.changed(update) : undefined;
    return changed === undefined ? undefined : replace({ params: { ...(call.params as object), update: changed } });
  };
  const onAsyncTask: CallHook = (call, host) => {
    const id = sessionIn(call.params);
    const update = at(call.params, 'update');
    if (id === undefined || !isObject(update) || reports !== 'asyncTasks') return undefined;
    return told(id, String(update.sessionUpdate), readUpdate(update), asyncTaskWords(update), host);
  };
  const onRawFeed: CallHook = (call, host) => {
    if (makesTasks() || isProgress(call.raw)) return undefined;
    const id = sessionIn(call.params);
    return id === undefined ? undefined : told(id, RAW_FEED, readRawFeed(call.params), rawTaskWords(call.params), host);
  };
  const onPermission: CallHook = (call, host) => {
    const id = sessionIn(call.params);
    const toolCall = at(call.params, 'toolCall');
    if (id !== undefined && isObject(toolCall)) sessionFor(id, host).outgoing({ type: 'asked', toolCall });
  };

  const onSetup: CallHook = (call, host) => {
    const session = setups.opened(call);
    sessions.opened(session);
    if (session !== undefined) sessionFor(session, host).outgoing({ type: 'replayStarted' });
  };
  const onSetupReply: ReplyHook = (reply) => {
    const { session, rebuilt } = setups.answered(reply);
    sessions.opened(sessionIn(reply.result));
    return before((session === undefined ? undefined : sessions.get(session))?.outgoing({ type: 'replayEnded', rebuilt }) ?? []);
  };

  const onClose = (call: Call): void => {
    const session = sessionIn(call.params);
    if (session !== undefined) closing.set(JSON.stringify(call.id), session);
  };
  const onCloseReply = (reply: Reply): Outcome => {
    const key = JSON.stringify(reply.to.id);
    const id = closing.get(key);
    closing.delete(key);
    if (id === undefined || (reply.error !== undefined && reply.error.code !== RESOURCE_NOT_FOUND)) return undefined;
    const session = sessions.get(id);
    const messages = session?.outgoing({ type: 'ended', reason: Reason.closedBeforeEnd }) ?? [];
    session?.dispose();
    sessions.delete(id);
    setups.forget(id);
    return before(messages);
  };

  return {
    name: 'keep-open',
    toAgent: {
      calls: {
        initialize: (call, host) => {
          connection = host;
          if (needs.asked(call, host) === 'nothing') host.leave();
        },
        ...each(SETUP, onSetup),
        ...each(CLOSING, onClose),
      },
    },
    toClient: {
      replies: {
        initialize: (reply, host) => {
          if (reply.result === undefined) return;
          reports = makesTasks() ? 'asyncTasks' : reportsOf(reply.result, source);
          // What ACP v2 calls cancelled is final.
          correctsStops = !makesTasks() && habitsOfAnswer(reply.result).correctsStops;
          setups = new Setups(reports === 'rawFeed');
          if (reports === undefined) host.leave();
        },
        ...each(SETUP, onSetupReply),
        ...each(CLOSING, onCloseReply),
      },
      calls: {
        'session/update': { tool_call: onToolCall, tool_call_update: onToolCall, ...each(ASYNC_KINDS, onAsyncTask) },
        'session/request_permission': onPermission,
        [RAW_FEED]: onRawFeed,
      },
    },
    onEnd(reason, host) {
      for (const session of sessions.values()) {
        for (const { method, params } of session.outgoing({ type: 'ended', reason: endReasons[reason.kind] })) host.notify('toClient', method, params, 'settled');
      }
    },
    close() {
      for (const session of sessions.values()) session.dispose();
      malformed.close();
    },
  };
};
