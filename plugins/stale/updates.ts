/** The `session/update` kinds that say something about unfinished calls. Every other kind passes unparsed. */
import { drop, instead, keep, ruled, type CallHook, type Host, type Outcome } from 'afterturn/plugin';
import { at, idOf, objectOf, type JsonObject } from 'afterturn/protocol';
import { isFinalStatus } from 'afterturn/state';
import { sessionOf, type Context, type Hooks } from './context.js';
import { callSeen, contentAdded, isSettledByProxy, taskSeen, type Happening } from './reading.js';
import type { Subagents } from './subagents.js';
import type { Watch } from './watch.js';

const TASK_UPDATES = ['async_task_spawned', 'async_task_progress', 'async_task_state_update'].flatMap((kind) => [kind, `_${kind}`]);

/** `heardOf` is told the session of each update first. */
export function updateHooks(context: Context, subagents: Subagents, heardOf: (session: string) => void): Hooks {
  const onUpdate = (read: (update: JsonObject, session: string, watch: Watch, host: Host) => Outcome): CallHook => (call, host) => {
    const { watch } = context;
    if (watch === undefined) return undefined;
    // What is read here are ids, states and references.
    const { outline } = call;
    const session = sessionOf(outline);
    const update = objectOf(at(outline, 'update'));
    if (session === undefined || update === undefined) return undefined;
    heardOf(session);
    return read(update, session, watch, host);
  };
  const tells = (read: (update: JsonObject) => readonly Happening[]): CallHook =>
    onUpdate((update, session, watch) => read(update).forEach((event) => watch.happened(session, event)));

  const onSubagent = onUpdate((update, session) => {
    const id = idOf(update.sessionId);
    if (id !== undefined) subagents.told(id, session);
    return undefined;
  });

  /** A list names what lives, so what was settled is told alive before it. */
  const onState = onUpdate((update, session) => {
    const alive = subagents.state(session, update);
    return alive.length === 0 ? undefined : ruled('lives after all', instead(...alive, keep));
  });

  const onCall = onUpdate((update, session, watch, host) => {
    const event = callSeen(update, context.version, host.now());
    if (event === undefined) return undefined;
    if (isFinalStatus(event.status)) {
      if (isSettledByProxy(update) && watch.hasSettled(session, event.call)) return ruled('settled already', drop());
      watch.endedByAgent(session, event.call);
    }
    watch.happenedAt(session, event);
    return undefined;
  });

  return {
    toAgent: {},
    toClient: {
      calls: {
        'session/update': {
          tool_call: onCall,
          tool_call_update: onCall,
          tool_call_content_chunk: tells(contentAdded),
          state_update: onState,
          subagent_update: onSubagent,
          ...Object.fromEntries(TASK_UPDATES.map((kind) => [kind, tells(taskSeen)])),
        },
      },
    },
  };
}
