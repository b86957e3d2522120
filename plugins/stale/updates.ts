/** The `session/update` kinds that say something about unfinished calls. Every other kind passes unparsed. */
import { drop, ruled, type CallHook, type Outcome } from 'afterturn/plugin';
import { at, objectOf, type JsonObject } from 'afterturn/protocol';
import { isFinalStatus } from 'afterturn/state';
import { sessionOf, type Context, type Hooks } from './context.js';
import { callSeen, contentAdded, isSettledByProxy, stateSeen, taskSeen, type Happening } from './reading.js';

const TASK_UPDATES = ['async_task_spawned', 'async_task_progress', 'async_task_state_update'].flatMap((kind) => [kind, `_${kind}`]);

/** `heardOf` is told the session of each update first. */
export function updateHooks(context: Context, heardOf: (session: string) => void): Hooks {
  const onUpdate = (read: (update: JsonObject, session: string) => Outcome): CallHook => (call) => {
    if (context.watch === undefined) return undefined;
    // What is read here are ids, states and references.
    const session = sessionOf(call.outline);
    const update = objectOf(at(call.outline, 'update'));
    if (session === undefined || update === undefined) return undefined;
    heardOf(session);
    return read(update, session);
  };
  const tells = (read: (update: JsonObject) => readonly Happening[]): CallHook =>
    onUpdate((update, session) => read(update).forEach((event) => context.happened(session, event)));

  const onCall = onUpdate((update, session) => {
    const event = callSeen(update, context.version);
    if (event === undefined) return undefined;
    if (isSettledByProxy(update) && context.watch?.hasSettled(session, event.call)) return ruled('settled already', drop());
    if (isFinalStatus(event.status)) context.watch?.endedByAgent(session, event.call);
    context.happened(session, event);
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
          state_update: tells(stateSeen),
          ...Object.fromEntries(TASK_UPDATES.map((kind) => [kind, tells(taskSeen)])),
        },
      },
    },
  };
}
