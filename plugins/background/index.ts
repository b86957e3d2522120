/**
 * Gives an ACP v2 client the standard for background work around an agent that speaks the private
 * async task extension: `background` lists on every state snapshot, `terminal/cancel` and
 * `tool_call/cancel`. It stands on the client's side of the version bridge and sees ACP v2 only.
 */
import { drop, instead, keep, replace, ruled, take, type Call, type Host, type Outcome, type Outgoing, type Plugin, type PluginFactory, type Reply, type TextPlaces } from 'afterturn/plugin';
import { at, extensionCapabilities, habitsOfAgent, habitsOfAnswer, idOf, isObject, RAW_FEED, readRawFeed, readSubagentUpdate, readUpdate, reportsBy, stringOf, type AgentHabits } from 'afterturn/protocol';
import type { Fact, UsedIds } from 'afterturn/state';
import type { ListedBoard } from '../listed-work.js';
import { countMalformed } from '../malformed.js';
import { backgroundNeeds } from '../needs.js';
import { CancelService, cancelMethods, STOP } from './cancel.js';
import { CloseService } from './close.js';
import { Family } from '../family.js';
import { Outlet } from './outlet.js';
import { callOfRequest, withListedSubject } from './permission.js';
import { Questions } from './questions.js';
import { ResumeService } from './resume.js';
import { BackgroundSession } from './session.js';
import { BoundedMap, Sessions } from '../bounded.js';

export interface BackgroundOptions {
  /** Milliseconds that a removal waits for the agent's own turn, and an end for its exit code. */
  readonly followUpWindow: number;
  /** Whether the sessions of this connection ask for the raw feed, which reports all background work. */
  readonly asksForRawFeed?: () => boolean;
  /** Is told which calls are listed work. */
  readonly listed?: ListedBoard;
  /** Is told what the ledger learns, in the order of the wire. */
  readonly onFact?: (fact: Fact) => void;
  /** Is told the exit code that the last line of an ended item's output file names. */
  readonly onExitCode?: (session: string, task: string, code: number) => void;
}

const SETUP = ['session/new', 'session/load', 'session/resume', 'session/fork'] as const;
const MAX_CLOSED = 1000;
/** The long strings that decide nothing, but for what is asked of them. */
const TEXTS = { update: { content: { text: true, '*': { content: { text: true } } }, rawOutput: true, output: { data: true }, data: true } } as const satisfies TextPlaces;

const passes = (out: readonly Outgoing[]): Outcome => (out.length === 1 && out[0] === keep ? undefined : ruled('list', out.length === 0 ? drop() : instead(...out)));

export const background: PluginFactory<BackgroundOptions> = ({ followUpWindow, asksForRawFeed = () => false, listed, onFact = () => {}, onExitCode = () => {} }): Plugin => {
  const sessions = new Sessions<BackgroundSession>((session) => session.dispose());
  const closed = new Set<string>();
  /** The ids that the items of closed sessions had. */
  const usedIds = new BoundedMap<string, UsedIds>(MAX_CLOSED);
  const family = new Family();
  const outlet = new Outlet();
  const questions = new Questions();
  let habits: AgentHabits = habitsOfAgent(undefined);
  let acknowledged: readonly string[] = [];
  let connection: Host | undefined;
  let cancel: CancelService | undefined;
  const malformed = countMalformed(() => connection?.log, 'Nothing follows from it');

  const openSession = (id: string, host: Host): BackgroundSession => {
    const asyncTasks = acknowledged.includes('asyncTasks');
    const reported = asksForRawFeed() || reportsBy(habits, acknowledged);
    const options = { window: followUpWindow, exitAtLaunch: habits.exitAtLaunch, exitLineInOutput: habits.exitLineInOutput, startsTurns: habits.startsTurns, correctsStops: habits.correctsStops, announcesTasks: asyncTasks };
    const parent = (): BackgroundSession | undefined => sessions.get(family.parentOf(id) ?? '');
    const session = new BackgroundSession(id, host, options, { asyncTasks, reported: parent()?.lists ?? reported, ids: usedIds.get(id) }, { outlet, parent, session: (child) => sessions.get(child), onFact, onExitCode });
    sessions.set(id, session);
    // What a replay tells of a child for the first time is history, too.
    session.resumesAs(parent());
    return session;
  };
  const sessionFor = (id: string, host: Host): BackgroundSession => sessions.get(id) ?? openSession(id, host);

  /** A session with all that come from it, the innermost first. */
  const familyOf = (id: string): readonly string[] => [...family.descendants(id), id];

  /** Its children report background work from the moment on from which it does. */
  const told = <T>(id: string, host: Host, tell: (session: BackgroundSession) => T): T => {
    const session = sessionFor(id, host);
    const before = session.lists;
    const result = tell(session);
    if (!before && session.lists) for (const child of family.descendants(id)) sessions.get(child)?.report();
    return result;
  };

  const adopt = (child: string | undefined, parent: string): void => {
    if (child === undefined || !family.adopt(child, parent)) return;
    closed.delete(child);
    sessions.opened(child);
    if (sessions.get(parent)?.lists === true) sessions.get(child)?.report();
  };

  const forget = (id: string): void => {
    const session = sessions.get(id);
    // An agent that lists its work itself has the last word itself.
    if (session?.native !== true) closed.add(id);
    if (session !== undefined) usedIds.set(id, session.usedIds);
    sessions.delete(id);
    if (session?.isRevived === true && connection !== undefined) {
      closed.delete(id);
      openSession(id, connection).resumesAs(session);
    }
    for (const oldest of closed) {
      if (closed.size <= MAX_CLOSED) break;
      closed.delete(oldest);
    }
  };

  const close = new CloseService({
    closing(id) {
      let isBusy = false;
      for (const one of familyOf(id)) {
        const session = sessions.get(one);
        session?.closing();
        isBusy ||= (session?.lists === true && session.hasLiveItems) || cancel?.isOpen(one) === true;
      }
      return isBusy;
    },
    failed: (id) => familyOf(id).forEach((one) => sessions.get(one)?.closeFailed()),
    ended(id) {
      const out = familyOf(id).flatMap((one) => sessions.get(one)?.end('closed') ?? []);
      familyOf(id).forEach(forget);
      return out;
    },
    answerOpen(id) {
      familyOf(id).forEach((one) => cancel?.endSession(one));
      if (closed.has(id)) family.forget(id);
    },
  });
  const each = (id: string, run: (session: BackgroundSession) => void): readonly Outgoing[] =>
    outlet.collect(() => [id, ...family.descendants(id)].forEach((one) => sessions.has(one) && run(sessions.get(one) as BackgroundSession)));
  const resume = new ResumeService({
    rebuilds: () => habits.claudeMeta,
    started(id, replays, rebuilt) {
      if (connection !== undefined) sessionFor(id, connection);
      each(id, (session) => session.resumes(replays, rebuilt));
    },
    answered: (id, accepted) => each(id, (session) => session.answersResume(accepted)),
    done: (id) => each(id, (session) => session.resumed()),
  });
  /** Nothing is ours before both sides have agreed on v2: a client that never initialises keeps every byte. */
  let isAgreed = false;
  const agreed = <A extends unknown[]>(hook: (...args: A) => Outcome) => (...args: A): Outcome => (isAgreed ? hook(...args) : undefined);

  const closeCall = agreed((call: Call, host: Host) => close.onCall(call, host));
  const closeReply = agreed((reply: Reply) => close.onReply(reply));

  /** A set-up request brings a closed session back to life. A fork names the session that it comes from. */
  const onSetupCall = (call: Call, host: Host): void => {
    connection = host;
    sessions.opened(idOf(at(call.params, 'sessionId')));
    if (call.method !== 'session/fork') closed.delete(idOf(at(call.params, 'sessionId')) ?? '');
    resume.onCall(call);
  };
  const onSetupReply = (reply: Reply): Outcome => {
    const made = idOf(at(reply.result, 'sessionId'));
    sessions.opened(made);
    closed.delete(made ?? '');
    return resume.onReply(reply);
  };
  const setupCalls = Object.fromEntries(SETUP.map((method) => [method, onSetupCall]));
  const setupReplies = Object.fromEntries(SETUP.map((method) => [method, onSetupReply]));

  /** The session's state is told in the agent's place. */
  const tellState = (session: BackgroundSession, state: string): void => session.update({ sessionUpdate: 'state_update', state }, [{ type: 'foreground', state }]);

  const permissionCall = (call: Call): Outcome => {
    const id = idOf(at(call.params, 'sessionId')) ?? '';
    const session = sessions.get(id);
    if (session?.lists !== true) return undefined;
    const asker = callOfRequest(call.params) ?? '';
    const work = session.workOf(asker);
    const params = work && withListedSubject(call.params, work);
    if (params !== undefined) return ruled('permission', replace({ params }));
    if (call.id === undefined || session.state !== 'running' || session.covers(asker)) return undefined;
    questions.asked(call.id, id);
    return ruled('question', instead(...outlet.collect(() => tellState(session, 'requires_action')), keep));
  };

  /** A question is over. Nothing else waits for the user, and the agent has not said so itself. */
  const questionOver = (requestId: unknown): void => {
    const session = sessions.get(questions.over(requestId) ?? '');
    if (session?.lists === true && session.state === 'requires_action') tellState(session, 'running');
  };

  /** Served for the sessions whose lists are ours, and for all others where the extension is in use. */
  const cancelCall = agreed((call: Call, host: Host): Outcome => {
    const session = sessions.get(stringOf(at(call.params, 'sessionId')) ?? '');
    const isOurs = session?.native !== true && (acknowledged.includes('asyncTasks') || session?.lists === true);
    if (!isOurs || call.kind !== 'request') return undefined;
    cancel ??= new CancelService(host, { sessionOf: (id) => sessions.get(id), rootOf: (id) => family.rootOf(id), malformed: (id, problem) => malformed.report(id, STOP, problem) });
    cancel.serve(call);
    return ruled('cancel', take());
  });
  const cancelCalls = Object.fromEntries(Object.keys(cancelMethods).map((method) => [method, cancelCall]));

  return {
    name: 'background',
    toAgent: {
      calls: {
        initialize: (call, host) => {
          connection = host;
          listed?.provide((session, toolCallId) => sessions.get(session)?.covers(toolCallId) === true);
          if (backgroundNeeds.asked(call, host) === 'nothing') host.leave();
        },
        ...setupCalls,
        ...cancelCalls,
        'session/cancel': (call) => sessions.get(idOf(at(call.params, 'sessionId')) ?? '')?.cancelAsked(),
        'session/close': closeCall,
        'session/delete': closeCall,
        '$/cancel_request': (call) => close.onCancelRequest(call),
      },
      replies: { 'session/request_permission': ({ to }) => questionOver(to.id) },
    },
    toClient: {
      replies: {
        initialize: (reply, host) => {
          if (reply.result === undefined) return undefined;
          if (backgroundNeeds.answered(reply, host) === 'nothing') return host.leave();
          isAgreed = true;
          habits = habitsOfAnswer(reply.result);
          acknowledged = extensionCapabilities(reply.result);
          return undefined;
        },
        ...setupReplies,
        'session/close': closeReply,
        'session/delete': closeReply,
      },
      calls: {
        'session/update': agreed((call, host) => {
          const params = call.withTexts(TEXTS);
          const id = idOf(at(params, 'sessionId'));
          const update = at(params, 'update');
          if (id === undefined || !isObject(update)) return undefined;
          if (closed.has(id)) return ruled('closed', drop());
          const reading = update.sessionUpdate === 'subagent_update' ? readSubagentUpdate(update) : readUpdate(update);
          if (reading.problem !== undefined) malformed.report(id, stringOf(update.sessionUpdate) ?? 'update', reading.problem);
          if (update.sessionUpdate === 'subagent_update') adopt(idOf(update.sessionId), id);
          family.owns(id, reading.signals);
          return passes(outlet.collect(() => told(id, host, (session) => session.update(update, reading.signals))));
        }),
        'session/request_permission': permissionCall,
        '$/cancel_request': ({ params }) => questionOver(at(params, 'requestId')),
        [RAW_FEED]: agreed((call, host) => {
          const id = idOf(at(call.params, 'sessionId'));
          if (id === undefined) return undefined;
          const reading = readRawFeed(call.params);
          if (reading.problem !== undefined) malformed.report(id, RAW_FEED, reading.problem);
          if (closed.has(id)) return undefined;
          for (const [owner, signals] of family.routed(id, reading.signals)) told(owner, host, (session) => session.told(signals));
          return undefined;
        }),
      },
    },
    onEnd(reason, host) {
      if (reason.kind !== 'agentExit') return;
      const roots = [...sessions.keys()].filter((id) => family.parentOf(id) === undefined);
      for (const id of roots.flatMap(familyOf)) {
        for (const message of sessions.get(id)?.end('agentGone') ?? []) if (message !== keep) host.notify('toClient', message.method, message.params, 'agent gone');
      }
      sessions.clear();
    },
    close() {
      for (const session of sessions.values()) session.dispose();
      malformed.close();
    },
  };
};

