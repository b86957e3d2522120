/**
 * What a client waits for before it acts: the events of a session that every agent of a scenario
 * must bring, whatever else it says and however often it repeats itself.
 */
import type { RecordedMessage } from './recording.js';
import { background, itemKey, listOf, updateOf, type Json } from './updates.js';

const FINAL = new Set(['completed', 'failed', 'cancelled']);

/** Counts milestones of one recording as its messages come. */
export interface Milestones {
  /** The milestones that this message brings. `method`: of the request that it answers, or its own. */
  seen(record: RecordedMessage, method: string | undefined): readonly string[];
  /** How often each was seen. */
  readonly counts: ReadonlyMap<string, number>;
}

export function createMilestones(): Milestones {
  const counts = new Map<string, number>();
  const listed = new Map<string, ReadonlySet<string>>();
  const running = new Set<string>();
  const once = new Set<string>();
  const first = (name: string): readonly string[] => (once.has(name) ? [] : (once.add(name), [name]));

  const ofState = (sessionId: string, update: Json): string[] => {
    const before = listed.get(sessionId) ?? new Set();
    const now = new Set((background(update) ?? []).map(itemKey));
    listed.set(sessionId, now);
    const started = update.state === 'running' && !running.has(sessionId);
    if (update.state === 'idle') running.delete(sessionId);
    else running.add(sessionId);
    return [
      ...[...now].filter((key) => !before.has(key)).map((key) => `listed ${key}`),
      ...[...before].filter((key) => !now.has(key)).map((key) => `removed ${key}`),
      ...(started ? ['running'] : []),
      ...(update.state === 'idle' && typeof update.stopReason === 'string' ? ['idle'] : []),
      ...(update.state === 'requires_action' ? ['requires_action'] : []),
    ];
  };

  const ofUpdate = (sessionId: string, update: Json): readonly string[] => {
    switch (update.sessionUpdate) {
      case 'state_update':
        return ofState(sessionId, update);
      case 'tool_call_update':
        return [...first(`call ${String(update.toolCallId)}`), ...(FINAL.has(String(update.status)) ? first(`settled ${String(update.toolCallId)}`) : [])];
      case 'terminal_update':
        return update.exitStatus ? first(`exit ${String(update.terminalId)}`) : [];
      case 'agent_message_chunk':
        return first(`message ${String(update.messageId)}`).map(() => 'message');
      case 'user_message':
        return listOf(update.content).length > 0 ? ['user_message'] : [];
      default:
        return [];
    }
  };

  return {
    counts,
    seen(record, method) {
      const { dir, msg } = record;
      if (dir !== 'a2c') return [];
      const update = updateOf(record);
      const names = update
        ? ofUpdate(update.sessionId, update.update)
        : msg.method === undefined
          ? [`answer ${String(method)}`]
          : msg.id === undefined ? [] : [`asked ${msg.method}`];
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
      return names;
    },
  };
}
