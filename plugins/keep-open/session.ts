/** One session's launching calls at work: feeds the reducer and schedules what it waits for. All decisions are its. */
import type { Host, Outgoing } from 'afterturn/plugin';
import type { JsonObject } from 'afterturn/protocol';
import { concernsLaunch, isAnswered, needsContents, nextKeepOpenTick, nothingKeptOpen, reduceKeepOpen, unheardTask, type KeepOpen, type KeepOpenEffect, type KeepOpenEvent, type KeepOpenOptions, type KeepOpenRule } from 'afterturn/state';

type WithoutTime<E> = E extends unknown ? Omit<E, 'at'> : never;

/** Is told of each update that was changed or made, and by which rules. */
export type OnRule = (rules: readonly KeepOpenRule[], update: JsonObject) => void;

export class KeptSession {
  #state: KeepOpen = nothingKeptOpen;
  #cancelTick: (() => void) | undefined;

  constructor(
    private readonly id: string,
    private readonly host: Host,
    private readonly options: KeepOpenOptions,
    private readonly onRule: OnRule,
  ) {}

  /** Whether an update, or its outline, is of a call that launches or may have launched work. */
  concerns(outline: JsonObject): boolean {
    return concernsLaunch(this.#state, outline, this.options);
  }

  /** Whether such an update has to be read as a whole; what its outline says is enough where not. */
  needsContents(outline: JsonObject): boolean {
    return needsContents(this.#state, outline, this.options);
  }

  /** The agent's update: what goes on in its place, or nothing when it goes on as it came. */
  changed(update: JsonObject): JsonObject | undefined {
    const effect = this.#run({ type: 'update', update }).find((other) => other.do === 'change');
    return effect?.do === 'change' ? effect.update : undefined;
  }

  /** The task that the update's structured answer names, if this session was never told of it. */
  unheardTask(update: JsonObject): string | undefined {
    return unheardTask(this.#state, update);
  }

  /** An answer that names `task` went to a call of the same id in another session; what is this session's own arms its call. */
  strayed({ toolCallId, _meta }: JsonObject, task: string): void {
    if (!isAnswered(this.#state, toolCallId, task)) return;
    const update = { sessionUpdate: 'tool_call_update', toolCallId, _meta };
    [this.#state] = reduceKeepOpen(this.#state, { type: 'update', update, at: this.host.now() }, this.options);
  }

  /** What else happened: the updates of our own that follow. */
  outgoing(event: Exclude<WithoutTime<KeepOpenEvent>, { type: 'update' }>): readonly Exclude<Outgoing, symbol>[] {
    return this.#run(event).flatMap((effect) => (effect.do === 'send' ? [{ method: 'session/update', params: { sessionId: this.id, update: effect.update } }] : []));
  }

  dispose(): void {
    this.#cancelTick?.();
  }

  #run(event: WithoutTime<KeepOpenEvent>): readonly KeepOpenEffect[] {
    const [state, effects] = reduceKeepOpen(this.#state, { ...event, at: this.host.now() } as KeepOpenEvent, this.options);
    if (state !== this.#state && this.options.asyncTasks) this.#schedule(state);
    this.#state = state;
    for (const effect of effects) if (effect.do !== 'pass') this.onRule(effect.rules, effect.update);
    return effects;
  }

  /** Only what the extension tells can have to wait. */
  #schedule(state: KeepOpen): void {
    this.#cancelTick?.();
    const due = nextKeepOpenTick(state);
    this.#cancelTick = due === undefined ? undefined : this.host.after(Math.max(0, due - this.host.now()), () => this.#tick());
  }

  #tick(): void {
    for (const { method, params } of this.outgoing({ type: 'tick' })) this.host.notify('toClient', method, params, 'settled');
  }
}
