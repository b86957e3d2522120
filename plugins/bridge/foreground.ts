/**
 * Carries out what `state/turns` decides: prompts are answered when they are taken in, states are
 * told, and questions that nobody waits for any more are withdrawn.
 */
import type { RequestId } from 'afterturn/plugin';
import { isUnmovedByWords, turnsAfter, type TurnEffect, type TurnEvent } from 'afterturn/state';
import type { Bridge } from './bridge.js';
import type { BridgeSession } from './session.js';
import type { Ending } from 'afterturn/protocol';

/** A client's prompt that has no response yet. */
export interface ParkedPrompt {
  readonly id: RequestId;
  readonly content: readonly unknown[];
}

/** An event without its time, which is now. */
export type Happened = TurnEvent extends infer E ? (E extends TurnEvent ? Omit<E, 'at'> : never) : never;

type Carry<T extends TurnEffect['type']> = (session: BridgeSession, effect: Extract<TurnEffect, { type: T }>) => void;

export class Foreground {
  readonly #bridge: Bridge;
  readonly #prompts = new Map<string, ParkedPrompt>();
  readonly #carry: { readonly [T in TurnEffect['type']]: Carry<T> };

  /** `withdraw` takes a question back from the client. */
  constructor(bridge: Bridge, withdraw: (question: string) => void) {
    this.#bridge = bridge;
    this.#carry = {
      insert: (session, { prompt }) => this.#insert(session, prompt),
      refuse: (_, { prompt, error }) => this.#answer(prompt, { error }),
      state: (session, effect) => {
        if (effect.state === 'idle') this.turnEnds(session, effect.ending);
        if (effect.state === 'idle') Object.assign(session, { run: undefined, steered: 0, showsTurn: false });
        bridge.tell(session, stateOf(effect));
      },
      withdraw: (_, { questions: keys }) => keys.forEach(withdraw),
      wake: (session, { at }) => void bridge.host.after(Math.max(0, at - bridge.host.now()), () => this.happened(session, { type: 'woken' })),
    };
  }

  /** Is told before a session is. */
  turnEnds: (session: BridgeSession, ending: Ending) => void = () => {};

  /** Is told of the client's request that has its answer. */
  answered: (id: RequestId) => void = () => {};

  /** Feeds one event and carries out its effects, in order. */
  happened(session: BridgeSession, event: Happened): void {
    if (event.type === 'said' && isUnmovedByWords(session.turns)) return;
    const [state, effects] = turnsAfter(session.turns, { ...event, at: this.#bridge.host.now() });
    session.turns = state;
    for (const effect of effects) (this.#carry[effect.type] as Carry<TurnEffect['type']>)(session, effect);
  }

  /** A prompt that was sent on; `key` names it in events. */
  park(key: string, prompt: ParkedPrompt): void {
    this.#prompts.set(key, prompt);
  }

  #insert(session: BridgeSession, key: string): void {
    const prompt = this.#prompts.get(key);
    if (prompt === undefined) return;
    this.#answer(key, { result: { messageId: this.#showMessage(session, prompt.content) } });
  }

  /** A message was added to the turn that runs. */
  steered(session: BridgeSession, content: readonly unknown[]): void {
    session.steered++;
    this.#showMessage(session, content);
  }

  /** Tells a message of the user under the id that the agent gives it, or one of ours. */
  #showMessage(session: BridgeSession, content: readonly unknown[]): string {
    const named = session.takeUserMessageId();
    const messageId = named ?? this.#bridge.host.uniqueId();
    session.ids.prompted(messageId, content[0], named !== undefined);
    session.run = undefined;
    this.#bridge.send(session.id, { sessionUpdate: 'user_message', messageId, content });
    return messageId;
  }

  #answer(key: string, body: Parameters<Bridge['host']['respond']>[2]): void {
    const prompt = this.#prompts.get(key);
    this.#prompts.delete(key);
    if (prompt === undefined) return;
    this.answered(prompt.id);
    this.#bridge.host.respond('toAgent', prompt.id, body, 'session/prompt');
  }
}

function stateOf(effect: Extract<TurnEffect, { type: 'state' }>): { state: string; [member: string]: unknown } {
  if (effect.state !== 'idle') return { state: effect.state };
  const { stopReason, error, usage, meta } = effect.ending;
  return { state: 'idle', stopReason, ...(error ? { error } : {}), ...(usage ? { usage } : {}), ...(meta ? { _meta: meta } : {}) };
}
