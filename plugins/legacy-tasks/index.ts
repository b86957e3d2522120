/**
 * Gives a client of ACP v1 that knows the private async task extension its tasks, around an agent that
 * speaks ACP v2 and lists background work itself. It stands on the agent's side of the version bridge
 * and sees ACP v2 only; what it tells is the extension in its v2 form. An agent that speaks the
 * extension itself is left alone.
 */
import { drop, instead, keep, replace, type Call, type CallHook, type Host, type Outcome, type Outgoing, type Plugin, type Reply } from 'afterturn/plugin';
import { agentOf, at, backgroundListOf, habitsOfAnswer, habitsOfCommand, idOf, isObject, protocolVersionOf, RAW_FEED, readRawFeed, Reason, withExtension, withoutExtension } from 'afterturn/protocol';
import type { ListedTasksEvent, ListedTasksOptions } from 'afterturn/state';
import type { LegacyClient } from '../legacy-client.js';
import { Family } from '../family.js';
import { legacyTasksNeeds } from '../needs.js';
import { SessionRequests } from '../session-requests.js';
import { TaskSession } from './session.js';
import { stop, STOP } from './stops.js';
import { BoundedMap } from '../bounded.js';

export interface LegacyTasksOptions {
  readonly source: 'auto' | 'async-tasks' | 'claude-raw' | 'none';
  readonly client: LegacyClient;
}

export interface LegacyTasks {
  readonly plugin: Plugin;
  /** Tasks are made from the agent's lists. Known from the answer to `initialize` on. */
  readonly makesTasks: () => boolean;
  /** Whether the state that the agent told last of a session lists its background work. */
  readonly reports: (session: string) => boolean;
}

const NOT_FOUND = -32002;
const ENDING = ['session/close', 'session/delete'] as const;
const KINDS = ['tool_call_update', 'terminal_update', 'terminal_output_chunk', 'subagent_update', 'state_update'] as const;

const each = <H>(keys: readonly string[], hook: H): Record<string, H> => Object.fromEntries(keys.map((key) => [key, hook]));
const before = (messages: readonly Outgoing[]): Outcome => (messages.length === 0 ? undefined : instead(...messages, keep));

export function legacyTasks({ source, client }: LegacyTasksOptions): LegacyTasks {
  const needs = legacyTasksNeeds({ source, client });
  let makes = false;
  let options: ListedTasksOptions = { exitLineInOutput: false, marks: false, subagents: false, turnName: '' };
  const sessions = new BoundedMap<string, TaskSession>();
  const reported = new BoundedMap<string, boolean>();
  const family = new Family();
  const open = new SessionRequests();

  const sessionFor = (id: string): TaskSession => {
    const session = sessions.get(id) ?? new TaskSession(id, options);
    sessions.set(id, session);
    return session;
  };
  const familyOf = (id: string): readonly string[] => [...family.descendants(id), id];

  /** Where the client knows a task: it may name the session of the root for what a subagent runs. */
  const owner = (id: string, task: string): TaskSession | undefined =>
    [id, ...familyOf(family.rootOf(id))].map((one) => sessions.get(one)).find((session) => session?.task(task) !== undefined);

  const onUpdate: CallHook = (call) => {
    const id = idOf(at(call.params, 'sessionId'));
    const update = at(call.params, 'update');
    if (id === undefined || !isObject(update)) return undefined;
    if (update.sessionUpdate === 'state_update') reported.set(id, typeof backgroundListOf(update) !== 'string');
    if (update.sessionUpdate === 'subagent_update') family.adopt(idOf(update.sessionId) ?? '', id);
    const out = sessionFor(id).around(update, family.parentOf(id) !== undefined);
    return out.length === 1 ? undefined : instead(...out);
  };

  const onFeed: CallHook = (call) => {
    const id = idOf(at(call.params, 'sessionId'));
    if (id !== undefined) sessionFor(id).told({ type: 'fed', signals: readRawFeed(call.params).signals });
  };

  const ends = (id: string, reason: string): readonly Outgoing[] => familyOf(id).flatMap((one) => sessions.get(one)?.told({ type: 'ended', reason }) ?? []);
  const onEnded = (reply: Reply): Outcome => {
    const id = open.closed(reply);
    if (id === undefined || (reply.error !== undefined && reply.error.code !== NOT_FOUND)) return undefined;
    const told = ends(id, Reason.closedBeforeEnd);
    for (const one of familyOf(id)) sessions.delete(one);
    family.forget(id);
    return before(told);
  };

  /** A request that changes what its session makes of updates while it is open. */
  const during = (opened: ListedTasksEvent['type'] & ('promptSent' | 'resumes'), closed: (reply: Reply) => ListedTasksEvent): { readonly call: CallHook; readonly reply: (reply: Reply) => Outcome } => ({
    call: (call) => {
      const id = open.opened(call);
      if (id !== undefined) sessionFor(id).told({ type: opened });
    },
    reply: (reply) => {
      const id = open.closed(reply);
      return before(id === undefined ? [] : (sessions.get(id)?.told(closed(reply)) ?? []));
    },
  });
  const prompt = during('promptSent', ({ error }) => ({ type: 'promptAnswered', accepted: error === undefined }));
  const resume = during('resumes', () => ({ type: 'resumed' }));

  /** Some agents stop listing work for a client that declares the extension, and do not serve it in v2. */
  const onInitialize = (call: Call, host: Host): Outcome => {
    if (needs.asked(call, host) === 'nothing') return host.leave();
    const { params } = call;
    if (!isObject(params) || protocolVersionOf(params) !== 2 || habitsOfCommand(host.agentCommand).extensionInV2) return undefined;
    const capabilities = withoutExtension(params.capabilities);
    return capabilities === params.capabilities ? undefined : replace({ params: { ...params, capabilities } });
  };

  const onInitialized = (reply: Reply, host: Host): Outcome => {
    const { result } = reply;
    if (result === undefined) return undefined;
    if (needs.answered(reply, host) === 'nothing') return host.leave();
    const isKnown = client.knows('asyncTasks');
    makes = true;
    options = { exitLineInOutput: habitsOfAnswer(result).exitLineInOutput, marks: isKnown, subagents: client.subagents === 'flattened', turnName: `${titleOf(result) ?? 'The agent'} is working` };
    return isKnown ? replace({ result: withExtension(result, ['asyncTasks']) }) : undefined;
  };

  const whileMaking = (hook: CallHook): CallHook => (call, host) => (makes ? hook(call, host) : undefined);

  const plugin: Plugin = {
    name: 'legacy-tasks',
    toAgent: {
      calls: {
        initialize: onInitialize,
        'session/prompt': whileMaking(prompt.call),
        'session/resume': whileMaking(resume.call),
        ...each(ENDING, whileMaking((call) => void open.opened(call))),
        [STOP]: whileMaking((call, host) => stop(call, host, owner) ?? drop()),
      },
    },
    toClient: {
      replies: { initialize: onInitialized, 'session/prompt': prompt.reply, 'session/resume': resume.reply, ...each(ENDING, onEnded) },
      calls: { 'session/update': each(KINDS, whileMaking(onUpdate)), [RAW_FEED]: whileMaking(onFeed) },
    },
    onEnd(reason, host) {
      if (reason.kind !== 'agentExit') return;
      const roots = [...sessions.keys()].filter((id) => family.parentOf(id) === undefined);
      for (const message of roots.flatMap((id) => ends(id, Reason.exitedBeforeEnd))) if (message !== keep) host.notify('toClient', message.method, message.params);
      sessions.clear();
    },
  };
  return { plugin, makesTasks: () => makes, reports: (session) => reported.get(session) === true };
}

const titleOf = (result: unknown): string | undefined => {
  const title = at(result, 'info', 'title');
  return typeof title === 'string' && title !== '' ? title : agentOf(result).name;
};
