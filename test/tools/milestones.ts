/**
 * What a client waits for before it acts: the events of a session that every agent of a scenario
 * must bring, whatever else it says and however often it repeats itself.
 */
import type { RecordedMessage } from './recording.js';
import { background, itemKey, listOf, updateOf, type Item, type Json } from './updates.js';

/**
 * The native agent ends this call at its launch, the bridged one when its work ends: nobody can wait
 * for it at a time that both share.
 */
const ENDS_DIFFER = 'Monitor';

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
  const exempt = new Set<unknown>();
  /** Child sessions are named in the order of their appearance: their ids differ from run to run. */
  const children: string[] = [];
  const childName = (id: unknown): string => {
    if (!children.includes(String(id))) children.push(String(id));
    return `child${children.indexOf(String(id)) + 1}`;
  };
  const keyOf = (item: Item): string => (item.type === 'subagent' ? `subagent:${childName(item.sessionId)}` : itemKey(item));
  const first = (name: string): readonly string[] => (once.has(name) ? [] : (once.add(name), [name]));

  const ofState = (sessionId: string, update: Json): string[] => {
    const before = listed.get(sessionId) ?? new Set();
    const now = new Set((background(update) ?? []).map(keyOf));
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

  const ofCall = ({ toolCallId, name, status }: Json): string[] => {
    if (name === ENDS_DIFFER) exempt.add(toolCallId);
    const settles = FINAL.has(String(status)) && !exempt.has(toolCallId);
    return [...first(`call ${String(toolCallId)}`), ...(settles ? first(`settled ${String(toolCallId)}`) : [])];
  };

  const byKind: Readonly<Record<string, (update: Json, sessionId: string) => readonly string[]>> = {
    state_update: (update, sessionId) => ofState(sessionId, update),
    tool_call_update: ofCall,
    subagent_update: ({ sessionId }) => first(`child ${childName(sessionId)}`),
    terminal_update: ({ exitStatus, terminalId }) => (exitStatus ? first(`exit ${String(terminalId)}`) : []),
    agent_message_chunk: ({ messageId }) => first(`message ${String(messageId)}`).map(() => 'message'),
    user_message: ({ content }) => (listOf(content).length > 0 ? ['user_message'] : []),
  };

  const ofMessage = (record: RecordedMessage, method: string | undefined): readonly string[] => {
    const { msg } = record;
    const found = updateOf(record);
    if (found) return byKind[String(found.update.sessionUpdate)]?.(found.update, found.sessionId) ?? [];
    if (msg.method === undefined) return [`answer ${String(method)}`];
    return msg.id === undefined ? [] : [`asked ${msg.method}`];
  };

  return {
    counts,
    seen(record, method) {
      if (record.dir !== 'a2c') return [];
      const names = ofMessage(record, method);
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
      return names;
    },
  };
}
