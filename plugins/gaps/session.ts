/** One session at work: feeds the reducer of the gaps, and gives what it decides, in order. */
import { drop, instead, keep, ruled, type Host, type Outcome, type Outgoing } from 'afterturn/plugin';
import { stringOf, type JsonObject } from 'afterturn/protocol';
import { nextGapsTick, reduceGaps, unseenSession, type GapsEffect, type GapsEvent, type GapsOptions, type NativeSession } from 'afterturn/state';
import { Shown } from '../background/shown.js';

type WithoutTime<E> = E extends unknown ? Omit<E, 'at'> : never;
export type Happened = WithoutTime<GapsEvent>;

const isTold = (effect: GapsEffect): effect is Extract<GapsEffect, { readonly update: JsonObject }> => 'update' in effect;

export class GapsSession {
  #state: NativeSession = unseenSession;
  #cancelTick: (() => void) | undefined;
  readonly #shown = new Shown((call) => this.#state.monitors.get(call)?.phase === 'live');

  constructor(
    private readonly id: string,
    private readonly host: Host,
    private readonly options: GapsOptions,
  ) {}

  /** What is to be told is told at once. */
  happened(event: Happened): void {
    for (const effect of this.#reduce(event)) if (isTold(effect)) this.host.notify('toClient', 'session/update', this.#params(effect), effect.gap);
  }

  /** What becomes of the agent's update at hand. */
  onUpdate(update: JsonObject): Outcome {
    const effects = this.#reduce({ type: 'update', update });
    this.#saw(update);
    const [first] = effects;
    if (first?.do === 'keep' && effects.length === 1) return undefined;
    const out = effects.flatMap((effect): Outgoing[] => (effect.do === 'keep' ? [keep] : isTold(effect) ? [{ method: 'session/update', params: this.#params(effect) }] : []));
    return ruled(effects.flatMap((effect) => (effect.do === 'keep' ? [] : effect.gap))[0] ?? 'removals', out.length === 0 ? drop() : instead(...out));
  }

  /** What is told before the answer at hand. */
  beforeAnswer(event: Happened): Outcome {
    const effects = this.#reduce(event).filter(isTold);
    const [first] = effects;
    return first === undefined ? undefined : ruled(first.gap, instead(...effects.map((effect) => ({ method: 'session/update', params: this.#params(effect) })), keep));
  }

  dispose(): void {
    this.#cancelTick?.();
  }

  #reduce(event: Happened): readonly GapsEffect[] {
    const [state, effects] = reduceGaps(this.#state, { ...event, at: this.host.now() } as GapsEvent, this.options);
    this.#state = state;
    this.#schedule();
    return effects;
  }

  #params(effect: Extract<GapsEffect, { readonly update: JsonObject }>): JsonObject {
    return { sessionId: this.id, update: this.#whole(effect) };
  }

  #whole(effect: Extract<GapsEffect, { readonly update: JsonObject }>): JsonObject {
    const { update } = effect;
    if (effect.do === 'sendCall') return { ...this.#shown.call(String(update.toolCallId)), ...update };
    const data = effect.do === 'sendTerminal' ? this.#shown.output(String(update.terminalId)) : undefined;
    return data === undefined ? update : { ...update, output: { data } };
  }

  /** What may have to be shown again: Monitors, and the output of terminals. History is not what they show now. */
  #saw(update: JsonObject): void {
    if (this.#state.resuming?.replays === true) return;
    const isCall = String(update.sessionUpdate).startsWith('tool_call_');
    if (!isCall || this.#state.monitors.has(stringOf(update.toolCallId) ?? '')) this.#shown.saw(update);
  }

  #schedule(): void {
    const due = nextGapsTick(this.#state);
    this.#cancelTick?.();
    this.#cancelTick = due === undefined ? undefined : this.host.after(Math.max(0, due - this.host.now()), () => this.happened({ type: 'tick' }));
  }
}
