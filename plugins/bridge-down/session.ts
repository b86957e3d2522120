/**
 * What the bridge remembers of one session of a v2 agent: its entities as the agent tells them and as
 * the v1 client was told. Bounded: what has ended is forgotten, oldest first.
 */
import { hasEnded, type DownCall, type Plans, type ToldMessage, type V2Options, type V2Terminal } from 'afterturn/protocol';
import { noV1Prompts, type V1Prompts } from 'afterturn/state';
import { BoundedMap, BoundedSet } from '../bounded.js';
import { Revivals } from '../revivals.js';

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

export const newTranscript = (): Transcript => ({ messages: new BoundedMap(MAX_MESSAGES), calls: new BoundedMap(), terminals: new BoundedMap(), plans: new Map() });

/** Forgets the oldest that has ended where more than `limit` are held. The limit from now on: where all live, they are not looked through at each update. */
function limited<V>(held: Map<string, V>, limit: number, hasGone: (value: V) => boolean): number {
  if (held.size <= limit) return limit;
  for (const [oldest, known] of held) {
    if (!hasGone(known)) continue;
    held.delete(oldest);
    return limit;
  }
  return Math.floor(held.size * 1.125);
}

export class DownSession {
  readonly id: string;
  transcript = newTranscript();
  options: V2Options | undefined;
  prompts: V1Prompts = noV1Prompts;
  /** The messages that the client's own prompts became. */
  readonly ownMessages = new BoundedSet<string>(MAX_MESSAGES);
  /** What was told before the history that is being told. */
  earlier: Transcript | undefined;
  /** The history is being told. */
  replays = false;
  /** Exits that the history tells, of terminals that may be listed as live behind it. */
  readonly pastExits = new BoundedMap<string, unknown>();
  /** The terminals that the state told last lists as live. */
  live: ReadonlySet<string> = new Set();
  /** Nothing more is said of it. */
  closed = false;
  readonly revivals = new Revivals();
  /** Calls whose last status waits for the list that their work may be on, with that status. */
  readonly held = new Map<string, unknown>();
  releasing: (() => void) | undefined;
  /** Calls whose text shows a terminal that has changed. */
  readonly changed = new Set<string>();
  flushing: (() => void) | undefined;

  #callLimit = MAX_CALLS;
  #terminalLimit = MAX_TERMINALS;

  constructor(id: string) {
    this.id = id;
  }

  /** Remembers the message of one of the client's prompts. */
  own(message: string): void {
    this.ownMessages.add(message);
  }

  rememberMessage(key: string, message: ToldMessage): void {
    const { messages } = this.transcript;
    messages.delete(key);
    messages.set(key, message);
  }

  rememberCall(id: string, call: DownCall): void {
    const { calls } = this.transcript;
    calls.set(id, call);
    this.#callLimit = limited(calls, this.#callLimit, hasEnded);
  }

  rememberTerminal(id: string, terminal: V2Terminal): void {
    const { terminals } = this.transcript;
    terminals.set(id, terminal);
    this.#terminalLimit = limited(terminals, this.#terminalLimit, ({ exit }) => exit !== undefined);
  }
}
