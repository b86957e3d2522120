/**
 * What the bridge remembers of one session of a v2 agent: its entities as the agent tells them and as
 * the v1 client was told. Bounded: what has ended is forgotten, oldest first.
 */
import { hasEnded, type DownCall, type Plans, type ToldMessage, type V2Options, type V2Terminal } from 'afterturn/protocol';
import { noV1Prompts, type V1Prompts } from 'afterturn/state';

const MAX_MESSAGES = 1000;
const MAX_CALLS = 1000;
const MAX_TERMINALS = 1000;

/** What a history tells anew. */
export interface Transcript {
  readonly messages: Map<string, ToldMessage>;
  readonly calls: Map<string, DownCall>;
  readonly terminals: Map<string, V2Terminal>;
  plans: Plans;
}

export const newTranscript = (): Transcript => ({ messages: new Map(), calls: new Map(), terminals: new Map(), plans: new Map() });

export class DownSession {
  readonly id: string;
  transcript = newTranscript();
  options: V2Options | undefined;
  prompts: V1Prompts = noV1Prompts;
  /** The messages that the client's own prompts became. */
  readonly ownMessages = new Set<string>();
  /** The history is being told. */
  replays = false;
  /** Nothing more is said of it. */
  closed = false;
  /** Calls whose last status waits for the list that their work may be on, with that status. */
  readonly held = new Map<string, unknown>();
  releasing: (() => void) | undefined;
  /** Calls whose text shows a terminal that has changed. */
  readonly changed = new Set<string>();
  flushing: (() => void) | undefined;

  constructor(id: string) {
    this.id = id;
  }

  /** Remembers the message of one of the client's prompts. */
  own(message: string): void {
    this.ownMessages.add(message);
    for (const oldest of this.ownMessages) if (this.ownMessages.size > MAX_MESSAGES) this.ownMessages.delete(oldest);
  }

  rememberMessage(key: string, message: ToldMessage): void {
    const { messages } = this.transcript;
    messages.delete(key);
    messages.set(key, message);
    for (const oldest of messages.keys()) if (messages.size > MAX_MESSAGES) messages.delete(oldest);
  }

  rememberCall(id: string, call: DownCall): void {
    const { calls } = this.transcript;
    calls.set(id, call);
    if (calls.size <= MAX_CALLS) return;
    const oldest = [...calls].find(([, known]) => hasEnded(known))?.[0];
    if (oldest !== undefined) calls.delete(oldest);
  }

  rememberTerminal(id: string, terminal: V2Terminal): void {
    const { terminals } = this.transcript;
    terminals.set(id, terminal);
    if (terminals.size <= MAX_TERMINALS) return;
    const oldest = [...terminals].find(([, known]) => known.exit !== undefined)?.[0];
    if (oldest !== undefined) terminals.delete(oldest);
  }
}
