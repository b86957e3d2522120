/**
 * The ids of the messages of one session, where they are ours because the agent told none: a replay
 * of such a message gets the id that the client has of it. Bounded: the oldest are forgotten.
 *
 * A replayed message is recognised by its kind and how its text begins, in the order of the session;
 * what an earlier replay told under an id of the agent's own is none of ours.
 */
import { at, idOf, startOf, textOf, type JsonObject } from 'afterturn/protocol';

/** So much of a message's beginning tells it apart. */
const HEAD = 256;
const MAX_REMEMBERED = 1000;

interface OwnMessage {
  readonly kind: string;
  readonly messageId: string;
  head: string;
  /** The id that the agent has for it. */
  agentId?: string;
}

/** Where a replay is in the session's messages. */
export interface ReplayPlace {
  next: number;
}

const headOf = (content: unknown): string => startOf(textOf(at(content, 'text')) ?? JSON.stringify(content) ?? '', HEAD);
const keyOf = (kind: string, id: string): string => `${kind} ${id}`;

const USER_CHUNK = 'user_message_chunk';

export class MessageIds {
  readonly #own: OwnMessage[] = [];
  /** The same by kind and id; of two with one id the later. */
  readonly #byId = new Map<string, OwnMessage>();
  /** What the client calls a message of the agent's id, by kind. Its own id: it was told under that. */
  readonly #known = new Map<string, string>();

  /** A message that the client has under an id of ours, or more of its text. `content`: a block. */
  note(kind: string, messageId: string, content: unknown): void {
    const last = this.#own[this.#own.length - 1];
    const known = last?.messageId === messageId && last.kind === kind ? last : this.#byId.get(keyOf(kind, messageId));
    if (known !== undefined && known.head.length < HEAD) known.head = (known.head + headOf(content)).slice(0, HEAD);
    else if (known !== undefined) return;
    else this.#add({ kind, messageId, head: headOf(content) });
  }

  /** A prompt's message, which the client has under this id. `isNamed`: it is the agent's. */
  prompted(messageId: string, content: unknown, isNamed: boolean): void {
    this.#add({ kind: USER_CHUNK, messageId, head: headOf(content), ...(isNamed ? { agentId: messageId } : {}) });
  }

  /** The agent has told its id of the last prompt's message only after the client had one of ours for it. */
  named(agentId: string): void {
    const own = this.#own.findLast(({ kind }) => kind === USER_CHUNK);
    if (own !== undefined && own.agentId === undefined) this.#isKnown(own, agentId);
  }

  #add(own: OwnMessage): void {
    this.#own.push(own);
    this.#byId.set(keyOf(own.kind, own.messageId), own);
    const oldest = this.#own.length > MAX_REMEMBERED ? this.#own.shift() : undefined;
    const key = oldest && keyOf(oldest.kind, oldest.messageId);
    if (key !== undefined && this.#byId.get(key) === oldest) this.#byId.delete(key);
  }

  /** The id that the client has of a replayed chunk's message, if it has one. */
  replayed(chunk: JsonObject & { readonly sessionUpdate: string }, place: ReplayPlace): string | undefined {
    const { sessionUpdate: kind } = chunk;
    const agentId = idOf(chunk.messageId);
    const known = agentId === undefined ? undefined : this.#known.get(keyOf(kind, agentId));
    if (known !== undefined) return known;
    const head = headOf(chunk.content);
    const index = this.#own.findIndex((own, at) => at >= place.next && own.kind === kind && own.agentId === undefined && own.head === head);
    const own = this.#own[index];
    if (own !== undefined) {
      place.next = index + 1;
      if (agentId !== undefined) this.#isKnown(own, agentId);
      return own.messageId;
    }
    if (agentId !== undefined) this.#remember(keyOf(kind, agentId), agentId);
    return agentId;
  }

  #isKnown(own: OwnMessage, agentId: string): void {
    own.agentId = agentId;
    this.#remember(keyOf(own.kind, agentId), own.messageId);
  }

  #remember(key: string, id: string): void {
    this.#known.set(key, id);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_REMEMBERED) return;
      this.#known.delete(oldest);
    }
  }
}
