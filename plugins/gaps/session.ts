/** One session at work: feeds the reducer of the gaps, and carries out what it decides, in order. */
import type { Host, Outgoing } from 'afterturn/plugin';
import { keep } from 'afterturn/plugin';
import { stringOf, type JsonObject } from 'afterturn/protocol';
import { nextGapsTick, reduceGaps, unseenSession, type GapsEffect, type GapsEvent, type GapsOptions, type NativeSession } from 'afterturn/state';
import type { Outlet } from '../background/outlet.js';
import { Shown } from '../background/shown.js';

type WithoutTime<E> = E extends unknown ? Omit<E, 'at'> : never;

export class GapsSession {
  #state: NativeSession = unseenSession;
  #cancelTick: (() => void) | undefined;
  readonly #shown = new Shown((call) => this.#state.monitors.get(call)?.phase === 'live');

  constructor(
    private readonly id: string,
    private readonly host: Host,
    private readonly options: GapsOptions,
    private readonly outlet: Outlet,
  ) {}

  run(event: WithoutTime<GapsEvent>): void {
    const [state, effects] = reduceGaps(this.#state, { ...event, at: this.host.now() } as GapsEvent, this.options);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
    if (event.type === 'update') this.#saw(event.update);
    this.#schedule();
  }

  /** What `run` tells the client, to go out with the message at hand. */
  collect(event: WithoutTime<GapsEvent>): readonly Outgoing[] {
    return this.outlet.collect(() => this.run(event));
  }

  dispose(): void {
    this.#cancelTick?.();
  }

  #perform(effect: GapsEffect): void {
    if (effect.do === 'keep') this.outlet.keep(keep);
    else this.outlet.send(this.host, { method: 'session/update', params: { sessionId: this.id, update: this.#whole(effect) } });
  }

  #whole(effect: Exclude<GapsEffect, { readonly do: 'keep' }>): JsonObject {
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
    this.#cancelTick = due === undefined ? undefined : this.host.after(Math.max(0, due - this.host.now()), () => this.run({ type: 'tick' }));
  }
}
