/**
 * Subagents of an agent of ACP v2 that tells of them in the private extension's form, because that was
 * declared in the client's name: they become child sessions as the Subagents RFD has them, each with
 * its states. It stands on the agent's side of what makes the lists.
 */
import { instead, ruled, type Call, type Host, type Outcome, type Plugin, type PluginFactory } from 'afterturn/plugin';
import {
  at, idOf, isObject, readChildNews, sessionMessages, SUBAGENT_KIND, v1PrivateUpdate, type ChildNews, type JsonObject, type MetaRules,
} from 'afterturn/protocol';
import { countMalformed } from './malformed.js';
import { subagentFormNeeds } from './needs.js';

const RULES: MetaRules = { full: false };

function stateOf(state: NonNullable<ChildNews['state']>): JsonObject {
  if (state.state !== 'idle') return { state: state.state };
  const { stopReason, error, meta } = state.ending;
  return { state: 'idle', stopReason, ...(error === undefined ? {} : { error }), ...(meta === undefined ? {} : { _meta: meta }) };
}

interface Said {
  readonly method: string;
  readonly params: unknown;
}

const update = (sessionId: string, body: JsonObject): Said => ({ method: 'session/update', params: { sessionId, update: body } });

/** What a standard agent says in its place: the association, the child's own state, and what the child was asked to do. */
function standardUpdates(parent: string, { session, fields, prompt, state }: ChildNews, messageId: string): readonly Said[] {
  const told = state === undefined ? undefined : stateOf(state);
  const messages = prompt === undefined ? [] : sessionMessages({ id: messageId, from: parent, to: session, text: prompt });
  return [
    update(parent, { sessionUpdate: 'subagent_update', sessionId: session, ...fields, ...(told === undefined ? {} : { state: told }) }),
    ...(told === undefined ? [] : [update(session, { sessionUpdate: 'state_update', ...told })]),
    ...messages.map((view) => update(view.session, view.update)),
  ];
}

export const subagentForm: PluginFactory = (): Plugin => {
  let connection: Host | undefined;
  const malformed = countMalformed(() => connection?.log);

  const onSubagent = (call: Call, host: Host): Outcome => {
    connection = host;
    const parent = idOf(at(call.params, 'sessionId'));
    const said = at(call.params, 'update');
    const private1 = isObject(said) ? v1PrivateUpdate(said) : undefined;
    if (parent === undefined || private1 === undefined) return undefined;
    const faults: string[] = [];
    const news = readChildNews(private1, RULES, faults);
    if (faults.length > 0) malformed.report(parent, SUBAGENT_KIND, faults.join('; '));
    return news === undefined ? undefined : ruled('subagent', instead(...standardUpdates(parent, news, host.uniqueId())));
  };

  return {
    name: 'subagent-form',
    toAgent: {
      calls: {
        initialize: (call, host) => {
          if (subagentFormNeeds.asked(call, host) === 'nothing') host.leave();
        },
      },
    },
    toClient: {
      replies: {
        initialize: (reply, host) => {
          if (subagentFormNeeds.answered(reply, host) === 'nothing') host.leave();
        },
      },
      calls: { 'session/update': { [SUBAGENT_KIND]: onSubagent } },
    },
    close: () => malformed.close(),
  };
};
