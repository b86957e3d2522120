/**
 * An agent that reports background work itself, for a client of ACP v2: everything passes as it came,
 * but for the provable gaps in these reports. It stands beside the agent, and is at work only where
 * both speak v2 and the client asked for no dialect of its own.
 */
import type { Call, Host, Outcome, Plugin, PluginFactory, Reply } from 'afterturn/plugin';
import { at, habitsOfAnswer, idOf, isObject, RAW_FEED, readRawFeed, type JsonObject } from 'afterturn/protocol';
import type { Gap } from 'afterturn/state';
import { REVIVING, SETUP, Setups } from '../keep-open/setups.js';
import { gapsNeeds } from '../needs.js';
import { GapsSession, type Happened } from './session.js';
import { BoundedMap, Sessions } from '../bounded.js';

export interface GapsPluginOptions {
  /** The gaps to fill. */
  readonly fills: readonly Gap[];
  /** Milliseconds that a removal waits for a turn of the agent's own. */
  readonly followUpWindow: number;
}

/** The kinds that a gap depends on, or that a client may have to be shown again. */
const KINDS = ['state_update', 'user_message', 'tool_call_update', 'tool_call_content_chunk', 'terminal_update', 'terminal_output_chunk', 'subagent_update'] as const;
const ENDING = ['session/close', 'session/delete'] as const;
const RESOURCE_NOT_FOUND = -32002;

const each = <H>(names: readonly string[], hook: H): Record<string, H> => Object.fromEntries(names.map((name) => [name, hook]));
const sessionOf = (value: unknown): string | undefined => idOf(at(value, 'sessionId'));

export const gaps: PluginFactory<GapsPluginOptions> = ({ fills, followUpWindow }): Plugin => {
  const options = { fills: new Set(fills), window: followUpWindow };
  const sessions = new Sessions<GapsSession>((session) => session.dispose());
  const needs = gapsNeeds(fills.length > 0);
  const setups = new Setups(true);
  const closes = new BoundedMap<string, string[]>();
  let isAtWork = false;
  /** The agent builds a session anew that is resumed with other options. */
  let rebuilds = false;

  const sessionFor = (id: string, host: Host): GapsSession => {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    const session = new GapsSession(id, host, options);
    sessions.set(id, session);
    return session;
  };
  const beforeAnswer = (id: string | undefined, event: Happened): Outcome => (id === undefined ? undefined : sessions.get(id)?.beforeAnswer(event));

  const onSetup = (call: Call, host: Host): void => {
    if (!isAtWork) return host.leave();
    const rebuilt = rebuilds && setups.differs(call);
    const id = setups.opened(call);
    sessions.opened(id);
    const replays = call.method === 'session/load' || idOf(at(call.params, 'replayFrom', 'type')) !== undefined;
    if (id !== undefined) sessionFor(id, host).happened({ type: 'resumes', replays, rebuilt });
  };
  const onSetUp = (reply: Reply, host: Host): Outcome => {
    const { session } = setups.answered(reply);
    const made = sessionOf(reply.result);
    sessions.opened(made);
    if (made !== undefined && !REVIVING.has(reply.to.method)) sessionFor(made, host);
    return beforeAnswer(session, { type: 'resumed' });
  };
  const onClose = ({ id, params }: Call): void => {
    const session = sessionOf(params);
    if (session === undefined || id === undefined) return;
    const key = JSON.stringify(id);
    closes.set(key, [...(closes.get(key) ?? []), session]);
    sessions.get(session)?.happened({ type: 'closing' });
  };
  const onClosed = ({ to, error }: Reply): Outcome => {
    const key = JSON.stringify(to.id);
    const [session, ...others] = closes.get(key) ?? [];
    if (others.length > 0) closes.set(key, others);
    else closes.delete(key);
    if (error !== undefined && error.code !== RESOURCE_NOT_FOUND) return beforeAnswer(session, { type: 'closeFailed' });
    const outcome = beforeAnswer(session, { type: 'ended', reason: 'closed' });
    if (session !== undefined) forget(session);
    return outcome;
  };
  const forget = (id: string): void => {
    sessions.get(id)?.dispose();
    sessions.delete(id);
    setups.forget(id);
  };

  const onUpdate = (call: Call, host: Host): Outcome => {
    const id = sessionOf(call.params);
    const update = at(call.params, 'update');
    if (!isAtWork || id === undefined || !isObject(update)) return undefined;
    return sessionFor(id, host).onUpdate(update);
  };

  return {
    name: 'gaps',
    toAgent: {
      calls: {
        initialize: (call, host) => {
          if (needs.asked(call, host) === 'nothing') host.leave();
        },
        ...each(SETUP, onSetup),
        ...each(ENDING, onClose),
      },
    },
    toClient: {
      replies: {
        initialize: (reply, host) => {
          const { result } = reply;
          if (result === undefined) return;
          isAtWork = needs.answered(reply, host) === 'now';
          rebuilds = habitsOfAnswer(result).claudeMeta;
        },
        ...each(SETUP, onSetUp),
        ...each(ENDING, onClosed),
      },
      calls: {
        'session/update': each(KINDS, onUpdate),
        [RAW_FEED]: (call: Call<JsonObject>) => {
          sessions.get(sessionOf(call.params) ?? '')?.happened({ type: 'fed', signals: readRawFeed(call.params).signals });
        },
      },
    },
    onEnd(reason) {
      // Those of subagents are younger than the ones that they come from, and end before them.
      if (reason.kind === 'agentExit') for (const session of [...sessions.values()].reverse()) session.happened({ type: 'ended', reason: 'agentGone' });
    },
    close() {
      for (const session of sessions.values()) session.dispose();
    },
  };
};
