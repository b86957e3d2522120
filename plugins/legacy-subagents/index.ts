/**
 * Tells a client of ACP v1 of the subagents of an agent that speaks ACP v2: as sessions, in the form of
 * the private extension, where the client declares that, and inside their parent otherwise. It stands
 * on the agent's side of the version bridge and sees ACP v2 only. A client that knows the standard's
 * own form is left alone.
 *
 * Follows the Subagents RFD.
 */
import { drop, instead, keep, replace, type Call, type CallHook, type Host, type Outcome, type Outgoing, type Plugin, type Reply } from 'afterturn/plugin';
import { at, idOf, isObject, withExtension } from 'afterturn/protocol';
import { noSubagentRuns, reduceSubagentRuns, type RunEvent } from 'afterturn/state';
import type { LegacyClient } from '../legacy-client.js';
import { legacySubagentsNeeds } from '../needs.js';
import { SessionRequests } from '../session-requests.js';
import { asSessions } from './as-sessions.js';
import { Flattened } from './flattened.js';
import type { TellsSubagents } from './form.js';

/** Milliseconds that a run waits for the message that it is given, where nothing else is said. */
const MESSAGE_WINDOW = 100;
const NOT_FOUND = -32002;
const ENDING = ['session/close', 'session/delete'] as const;
const ASKING = ['session/request_permission', 'elicitation/create'] as const;
/** What the extension calls subagents that are sessions. */
const CAPABILITIES = ['nativeSubagentSessions', 'backgroundSubagents'] as const;

type Told = Exclude<Outgoing, typeof keep>;

const each = <H>(keys: readonly string[], hook: H): Record<string, H> => Object.fromEntries(keys.map((key) => [key, hook]));

export function legacySubagents({ client }: { readonly client: LegacyClient }): Plugin {
  const needs = legacySubagentsNeeds(client);
  let form: TellsSubagents | undefined;
  let runs = noSubagentRuns;
  let cancelDue: (() => void) | undefined;
  const open = new SessionRequests();

  const told = (event: RunEvent): readonly Told[] => {
    const [next, news] = reduceSubagentRuns(runs, event);
    // Those that are gone are told of as they were.
    const known = event.type === 'gone' ? runs : next;
    runs = next;
    return news.flatMap((one) => form?.news(one, known) ?? []).map(({ session, update }) => ({ method: 'session/update', params: { sessionId: session, update } }));
  };
  const say = (host: Host, messages: readonly Told[]): void => messages.forEach(({ method, params }) => host.notify('toClient', method, params));

  const schedule = (host: Host): void => {
    cancelDue?.();
    const waits = [...runs.values()].some(({ phase }) => phase === 'starting');
    cancelDue = waits ? host.after(MESSAGE_WINDOW, () => say(host, told({ type: 'due' }))) : undefined;
  };

  const onUpdate = (call: Call, host: Host, tells: TellsSubagents): Outcome => {
    const session = idOf(at(call.params, 'sessionId'));
    const update = at(call.params, 'update');
    if (session === undefined || !isObject(update) || !isObject(call.params)) return undefined;
    const before = runs;
    const news = told({ type: 'update', session, update });
    if (runs !== before) schedule(host);
    const own = tells.update(session, update, runs);
    if (own !== undefined && own.session === session && own.update === update) return news.length === 0 ? undefined : instead(...news, keep);
    const changed = own === undefined ? [] : [{ method: call.method, params: { ...call.params, sessionId: own.session, update: own.update } }];
    return news.length + changed.length === 0 ? drop() : instead(...news, ...changed);
  };

  const onAsked = (call: Call, _: Host, tells: TellsSubagents): Outcome => {
    const session = idOf(at(call.params, 'sessionId'));
    if (session === undefined || !isObject(call.params)) return undefined;
    const params = tells.asked(session, call.params, runs);
    return params === call.params ? undefined : replace({ params });
  };

  const onClientCall = (call: Call, _: Host, tells: TellsSubagents): Outcome => {
    const session = idOf(at(call.params, 'sessionId'));
    if (session === undefined || !isObject(call.params)) return undefined;
    const meant = tells.meant(session);
    return meant === session ? undefined : replace({ params: { ...call.params, sessionId: meant } });
  };

  const onEnded = (reply: Reply): Outcome => {
    const session = open.closed(reply);
    if (session === undefined || (reply.error !== undefined && reply.error.code !== NOT_FOUND)) return undefined;
    const news = told({ type: 'gone', session });
    return news.length === 0 ? undefined : instead(...news, keep);
  };

  const telling = (hook: (call: Call, host: Host, tells: TellsSubagents) => Outcome): CallHook => (call, host) => form && hook(call, host, form);

  return {
    name: 'legacy-subagents',
    toAgent: {
      calls: {
        initialize: (call, host) => {
          if (needs.asked(call, host) === 'nothing') host.leave();
        },
        ...each(ENDING, telling((call, host, tells) => {
          open.opened(call);
          return onClientCall(call, host, tells);
        })),
        '*': telling(onClientCall),
      },
    },
    toClient: {
      replies: {
        initialize: (reply, host) => {
          const { result } = reply;
          if (result === undefined) return undefined;
          if (needs.answered(reply, host) === 'nothing') return host.leave();
          form = client.subagents === 'extension' ? asSessions : new Flattened();
          const negotiated = CAPABILITIES.filter(client.knows);
          return negotiated.length === 0 ? undefined : replace({ result: withExtension(result, negotiated) });
        },
        ...each(ENDING, onEnded),
      },
      calls: { 'session/update': telling(onUpdate), ...each(ASKING, telling(onAsked)) },
    },
    onEnd(reason, host) {
      if (reason.kind !== 'agentExit') return;
      for (const root of [...new Set([...runs.values()].map(({ parent }) => parent).filter((id) => !runs.has(id)))]) say(host, told({ type: 'gone', session: root }));
    },
    close: () => cancelDue?.(),
  };
}
