/**
 * Counts the traffic from before ACP v2 and its background work that passes at one place in the list:
 * beside the client, or beside the agent. It reads no message that is not of such a kind, but the
 * `_meta` of tool calls.
 */
import type { Call, CallHook, CallHooks, Plugin } from 'afterturn/plugin';
import { at, legacyKinds, MARKED_UPDATES, type LegacyMessage } from 'afterturn/protocol';

export interface LegacyCounterOptions {
  readonly place: LegacyMessage['from'];
  /** Is told the kind's name in telemetry. */
  readonly seen: (word: string) => void;
}

const marked = legacyKinds.filter(({ isMarked }) => isMarked !== undefined);

export function legacyCounter({ place, seen }: LegacyCounterOptions): Plugin {
  const byMethod = (from: LegacyMessage['from']): CallHooks =>
    Object.fromEntries(legacyKinds.flatMap(({ word, methods }) => (methods?.[from] ?? []).map((method): [string, CallHook] => [method, () => void seen(word)])));
  const countMarks = ({ outline }: Call): void => {
    const meta = at(outline, 'update', '_meta');
    if (meta !== undefined) for (const { word, isMarked } of marked) if (isMarked?.(meta) === true) seen(word);
  };
  const updates = new Map<string, CallHook>(legacyKinds.flatMap(({ word, updates: kinds = [] }) => kinds.map((kind): [string, CallHook] => [kind, () => void seen(word)])));
  for (const kind of MARKED_UPDATES) {
    const counted = updates.get(kind);
    updates.set(kind, (call, host) => {
      void counted?.(call, host);
      countMarks(call);
    });
  }
  return {
    name: `legacy-counter-${place}`,
    toAgent: { calls: byMethod('client') },
    toClient: { calls: { ...byMethod('agent'), 'session/update': Object.fromEntries(updates) } },
  };
}
