/**
 * One replay of a session's history: which messages it has begun, and what is known beside it. What
 * replayed reports become is `protocol/bridge`'s business.
 */
import { toV2EmptyMessage, toV2Replayed, type JsonObject, type KnownCall, type V2Update } from 'afterturn/protocol';
import { BoundedMap, BoundedSet } from '../bounded.js';
import type { Happened } from './foreground.js';
import type { ReplayPlace } from './message-ids.js';

export class Replay implements ReplayPlace {
  next = 0;
  readonly #begun = new BoundedSet<string>();
  /** Calls that the client knows as cancelled: v1 has no word for that, and calls them failed. */
  readonly #cancelled: ReadonlySet<string>;
  /** Own turns that the agent began meanwhile: they are no history. */
  readonly turns = new BoundedSet<string>();
  /** The ends of own turns that began before it, by their ids: they may have been on their way when it was asked for. */
  readonly ends = new BoundedMap<string, Happened>();
  /** Is told of each update, while the end of the history is waited for. */
  onUpdate: (kind: string) => void = () => {};

  constructor(calls: ReadonlyMap<string, KnownCall>) {
    this.#cancelled = new Set([...calls].filter(([, { fields }]) => fields.status === 'cancelled').map(([id]) => id));
  }

  wasCancelled = (call: string): boolean => this.#cancelled.has(call);

  /** What an update says of the agent's own turns. */
  turn(event: Happened): void {
    if (event.type === 'ownStarted') this.turns.add(event.id);
    else if (event.type === 'ownEnded' && !this.turns.delete(event.id)) this.ends.set(event.id, event);
  }

  /** This replay was asked for while that one ran: what it knows of turns is still to be told. */
  takesOver({ turns, ends }: Replay): void {
    for (const turn of turns) this.turns.add(turn);
    for (const [turn, end] of ends) this.ends.set(turn, end);
  }

  /** What goes before a chunk of this message. */
  before(kind: string, messageId: string): V2Update[] {
    const key = `${kind} ${messageId}`;
    if (this.#begun.has(key)) return [];
    this.#begun.add(key);
    return [toV2EmptyMessage(kind, messageId)];
  }

  /** The updates of a report, as they replace what the client has. `held`: the call as it was known before, with marks that it never saw. */
  anew(report: JsonObject, updates: readonly V2Update[], held: KnownCall | undefined): V2Update[] {
    return toV2Replayed(report, updates, Object.keys(held?.meta ?? {}).filter((key) => key !== 'jetbrains'));
  }
}

/** What a replay tells of the past. A replay that the client did not ask for is kept from it; the session's own state is not. */
const historyKinds: ReadonlySet<string> = new Set([
  'user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_call_update', 'plan', 'plan_update', 'plan_removed',
  'compaction_update', 'compaction_summary_chunk', 'notice',
]);

export const isHistory = (kind: string): boolean => historyKinds.has(kind);
