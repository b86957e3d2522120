/**
 * Set-up and end of sessions (ACP "Session Setup"): between a request that replays history and its
 * answer everything is history, and a closed session's calls have all ended.
 */
import { instead, keep, ruled, type Call, type Reply, type ReplyHook } from 'afterturn/plugin';
import { sessionOf, type Context, type Hooks } from './context.js';
import type { Subagents } from './subagents.js';
import { OpenRequests } from '../open-requests.js';
import { BoundedSet } from '../bounded.js';

const RESOURCE_NOT_FOUND = -32002;

export interface Lifecycle extends Hooks {
  /** An update came for the session: while a fork is being made, a session that nobody named is it. */
  heardOf(session: string): void;
}

/** `subagents` are told of the replays of the sessions that they come from. */
export function lifecycleHooks(context: Context, subagents: Subagents): Lifecycle {
  const loads = new OpenRequests<string>();
  const closes = new OpenRequests<string>();
  const replaying = new BoundedSet<string>();
  let forks = 0;

  const onNew = (reply: Reply): void => {
    const session = sessionOf(reply.result);
    if (session !== undefined) context.watch?.opened(session);
  };
  const onLoad = (call: Call): void => {
    const session = sessionOf(call.params);
    if (session === undefined || context.watch === undefined) return;
    loads.add(call.id, session);
    context.watch.opened(session);
    context.happened(session, { type: 'replayStarted' });
    subagents.replayStarted(session);
  };
  const onLoaded = (reply: Reply): void => {
    const session = loads.take(reply.to.id);
    if (session === undefined) return;
    // A close that was asked for before it can have been answered meanwhile.
    if (reply.error === undefined) context.watch?.opened(session);
    context.happened(session, { type: 'replayEnded' });
    subagents.replayEnded(session);
  };
  const onFork = (): void => void forks++;
  /** The history of a fork comes under an id that only the answer names. */
  const onForked = (reply: Reply): void => {
    forks = Math.max(0, forks - 1);
    onNew(reply);
    const named = sessionOf(reply.result);
    for (const session of replaying) {
      if (session === named) context.happened(session, { type: 'replayEnded' });
      else if (forks > 0) continue;
      // A subagent's, perhaps: what came of it was no history.
      else context.watch?.forget(session);
      replaying.delete(session);
    }
  };
  const onClose = (call: Call): void => {
    const session = sessionOf(call.params);
    if (session !== undefined) closes.add(call.id, session);
  };
  /** What the session's end settles goes before the answer. A session that is not found is gone as well. */
  const onClosed = (why: 'closed' | 'deleted'): ReplyHook => (reply) => {
    const session = closes.take(reply.to.id);
    if (session === undefined || (reply.error !== undefined && reply.error.code !== RESOURCE_NOT_FOUND)) return undefined;
    const out = context.watch?.closed(session, why) ?? [];
    return out.length === 0 ? undefined : ruled('settled', instead(...out, keep));
  };

  return {
    heardOf(session) {
      if (forks === 0 || context.watch === undefined || context.watch.knows(session)) return;
      replaying.add(session);
      context.happened(session, { type: 'replayStarted' });
    },
    toAgent: {
      calls: { 'session/load': onLoad, 'session/resume': onLoad, 'session/fork': onFork, 'session/close': onClose, 'session/delete': onClose },
    },
    toClient: {
      replies: {
        'session/new': onNew, 'session/load': onLoaded, 'session/resume': onLoaded, 'session/fork': onForked,
        'session/close': onClosed('closed'), 'session/delete': onClosed('deleted'),
      },
    },
  };
}
