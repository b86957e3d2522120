/**
 * The work that an agent of ACP v2 lists, and what it says of itself: its id, its capabilities, its end
 * (v2 Background Work RFD, "Background work is terminals, tool calls, and subagents"). Keeps nothing.
 */
import { backgroundListOf, isBackgroundType, type BackgroundType } from './background-list.js';
import { at, defined, idOf, integerOf, isObject, objectOf, type JsonObject } from './shape.js';
import { readSubagentUpdate } from './signals/subagents.js';
import type { Outcome } from './signals/types.js';

/** One piece of work, as a list names it. */
export interface WorkRef {
  readonly type: BackgroundType;
  readonly id: string;
}

const idKeys: Readonly<Record<BackgroundType, string>> = { terminal: 'terminalId', tool_call: 'toolCallId', subagent: 'sessionId' };

/** The update kind in which the work of a type speaks for itself. */
const typeOfKind: ReadonlyMap<unknown, BackgroundType> = new Map<unknown, BackgroundType>([
  ['terminal_update', 'terminal'],
  ['tool_call_update', 'tool_call'],
  ['subagent_update', 'subagent'],
]);

/**
 * What the list of a state names. An item of a type that nobody knows names nothing. `undefined`:
 * nothing is reported, or it cannot be read.
 */
export function listedWork(state: JsonObject): readonly WorkRef[] | undefined {
  const list = backgroundListOf(state);
  if (typeof list === 'string') return undefined;
  return list.flatMap(({ type, id }) => (id !== undefined && isBackgroundType(type) ? [{ type, id }] : []));
}

/** The work that an update is about. */
export function workOfUpdate(update: JsonObject): WorkRef | undefined {
  const type = typeOfKind.get(update.sessionUpdate);
  const id = type === undefined ? undefined : idOf(update[idKeys[type]]);
  return type === undefined || id === undefined ? undefined : { type, id };
}

/** Whether the update says that its work can be cancelled by its id. */
export const offersCancel = (update: JsonObject): boolean => update.capabilities !== undefined && isObject(at(update, 'capabilities', 'cancel'));

export interface WorkEnd {
  readonly outcome: Outcome;
  readonly exitCode?: number;
}

const callEnds: ReadonlyMap<unknown, Outcome> = new Map<unknown, Outcome>([['completed', 'completed'], ['failed', 'failed'], ['cancelled', 'stopped']]);

const ends: Readonly<Record<BackgroundType, (update: JsonObject) => WorkEnd | undefined>> = {
  terminal(update) {
    const exit = objectOf(update.exitStatus);
    if (exit === undefined) return undefined;
    const exitCode = integerOf(exit.exitCode);
    return defined({ outcome: exitCode === undefined ? 'unknown' as const : exitCode === 0 ? 'completed' as const : 'failed' as const, exitCode });
  },
  tool_call(update) {
    const outcome = callEnds.get(update.status);
    return outcome && { outcome };
  },
  /** A child whose own work goes on has not ended. */
  subagent(update) {
    const [signal] = readSubagentUpdate(update).signals;
    const own = listedWork(objectOf(update.state) ?? {}) ?? [];
    return signal?.type === 'taskEnded' && own.length === 0 ? { outcome: signal.outcome } : undefined;
  },
};

/** How the work of an update ended, where the update says that it did. An exit without a code says nothing of how. */
export function endOfWork(update: JsonObject): WorkEnd | undefined {
  const work = workOfUpdate(update);
  return work && ends[work.type](update);
}
