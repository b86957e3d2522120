/** A session of a scripted agent of ACP v2, as the agent knows it. */
import type { Message } from '../../pipeline/harness.js';
import type { Call, Item } from './v2-agent-words.js';

export interface Question {
  readonly about: Call;
  /** It is about listed work, which goes on whatever becomes of the turn. */
  readonly isListed: boolean;
}

export class V2AgentSession {
  word: 'idle' | 'running' | 'requires_action' = 'idle';
  /** Prompts that are not taken in. */
  prompts: { readonly id: unknown; readonly text: string }[] = [];
  /** A session/cancel fell into the work that goes on. */
  isCancelled = false;
  calls: Call[] = [];
  items: Item[] = [];
  asks = new Map<unknown, Question>();
  closes: unknown[] = [];
  isClosed = false;
  setUps: { readonly id: unknown; readonly replays: boolean }[] = [];
  stops: { readonly id: unknown; readonly item: Item | undefined }[] = [];
  /** What a replay tells, and the calls that it tells as they are. */
  history: (Message | Call)[] = [];
  isFed = false;
  told = 0;

  constructor(readonly parent: string | undefined) {}

  get isAtWork(): boolean {
    return this.word !== 'idle';
  }

  /** Something is asked of the session that has to be answered first. */
  get isBusy(): boolean {
    return this.setUps.length > 0;
  }

  get isOver(): boolean {
    return this.isClosed || this.closes.length > 0;
  }

  /** Foreground work waits for an answer. */
  get isAsking(): boolean {
    return [...this.asks.values()].some(({ isListed }) => !isListed);
  }

  isAbout(call: Call | undefined): boolean {
    return call !== undefined && [...this.asks.values()].some(({ about }) => about === call);
  }
}
