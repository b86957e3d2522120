/**
 * One session at work: feeds the ledger and the lists with what the agent says, and carries out what
 * they decide, in order. All decisions are theirs.
 */
import { keep, type Host, type Outgoing } from 'afterturn/plugin';
import type { JsonObject, Signal } from 'afterturn/protocol';
import { emptyLedger, emptyLists, emptySession, nextTick, reduceLedger, reduceLists } from 'afterturn/state';
import type { Entry, Fact, Item, Ledger, LedgerEvent, ListsEffect, ListsEvent, ListsOptions, SessionLedger, SessionLists } from 'afterturn/state';
import { followOutput, type FollowedOutput } from './output.js';

type WithoutPlace<E> = E extends unknown ? Omit<E, 'at' | 'session' | 'ledger'> : never;

export interface SessionSources {
  /** The async task extension reports tasks. */
  readonly asyncTasks: boolean;
  /** All background work of the session is reported, from the start. */
  readonly reported: boolean;
}

export class BackgroundSession {
  #ledger: Ledger = emptyLedger();
  #lists: SessionLists;
  readonly #outputs = new Map<string, FollowedOutput>();
  readonly #events: WithoutPlace<ListsEvent>[] = [];
  #running = false;
  #out: Outgoing[] | undefined;
  #cancelTick: (() => void) | undefined;

  constructor(
    readonly id: string,
    private readonly host: Host,
    private readonly options: ListsOptions,
    private readonly sources: SessionSources,
    private readonly onFact: (fact: Fact) => void,
    private readonly onExitCode: (session: string, task: string, code: number) => void,
  ) {
    this.#lists = emptyLists(sources.reported);
  }

  get #session(): SessionLedger {
    return this.#ledger.get(this.id) ?? emptySession;
  }

  get native(): boolean {
    return this.#lists.native;
  }

  /** The client is told of background work by us. */
  get lists(): boolean {
    return this.#lists.reported && !this.#lists.native;
  }

  /** Something of it is known to the client that could be cancelled. */
  get hasLiveItems(): boolean {
    return [...this.#lists.entries.values()].some((entry) => entry.phase === 'live');
  }

  /** The live item that the client knows by this id, if it is listed. */
  listed(type: 'terminal' | 'tool_call', id: string): { readonly entry: Entry; readonly item: Item } | undefined {
    const entry = [...this.#lists.entries.values()].find((other) => other.type === type && other.id === id && other.phase === 'live');
    const item = entry && this.#session.items.get(entry.task);
    return entry && item && { entry, item };
  }

  /** An update of the agent: what goes to the client in its place. */
  update(update: JsonObject, signals: readonly Signal[]): readonly Outgoing[] {
    return this.#collect(() => {
      const facts = this.#read(signals);
      this.#run({ type: 'update', update, facts });
    });
  }

  /** Signals that come beside the session's updates. */
  told(signals: readonly LedgerEvent['signal'][]): void {
    const facts = this.#read(signals);
    if (facts.length > 0) this.#run({ type: 'facts', facts });
  }

  closing(): void {
    this.#run({ type: 'closing' });
  }

  closeFailed(): void {
    this.#run({ type: 'closeFailed' });
  }

  /** The session is over: everything of it gets its final state. Nothing is sent afterwards. */
  end(reason: 'closed' | 'agentGone'): readonly Outgoing[] {
    const out = this.#collect(() => this.#run({ type: 'ended', reason }));
    this.dispose();
    return out;
  }

  dispose(): void {
    this.#cancelTick?.();
    for (const output of this.#outputs.values()) output.close();
    this.#outputs.clear();
  }

  #read(signals: readonly LedgerEvent['signal'][]): readonly Fact[] {
    const facts: Fact[] = [];
    for (const signal of signals) {
      const [ledger, told] = reduceLedger(this.#ledger, { session: this.id, at: this.host.now(), signal }, this.sources);
      this.#ledger = ledger;
      facts.push(...told);
    }
    facts.forEach(this.onFact);
    return facts;
  }

  #collect(run: () => void): readonly Outgoing[] {
    const out: Outgoing[] = [];
    this.#out = out;
    try {
      run();
    } finally {
      this.#out = undefined;
    }
    return out;
  }

  #send(update: object): void {
    const params = { sessionId: this.id, update };
    if (this.#out === undefined) this.host.notify('toClient', 'session/update', params);
    else this.#out.push({ method: 'session/update', params });
  }

  /** One event after the other: what happens while one is carried out comes after all of its effects. */
  #run(event: WithoutPlace<ListsEvent>): void {
    this.#events.push(event);
    if (this.#running) return;
    this.#running = true;
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) this.#step(next);
    } finally {
      this.#running = false;
    }
    this.#schedule();
  }

  #step(event: WithoutPlace<ListsEvent>): void {
    const placed = { ...event, session: this.id, at: this.host.now(), ledger: this.#session } as ListsEvent;
    const [lists, effects] = reduceLists(this.#lists, placed, this.options);
    this.#lists = lists;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: ListsEffect): void {
    if (effect.do === 'send') this.#send(effect.update);
    else if (effect.do === 'keep') this.#out?.push(keep);
    else if (effect.do === 'follow') this.#follow(effect.task, effect.path, effect.terminalId);
    else if (effect.do === 'flush') {
      this.#outputs.get(effect.task)?.flush();
      this.#flushed(effect.task);
    } else {
      this.#outputs.get(effect.task)?.flush();
      this.#outputs.get(effect.task)?.close();
      this.#outputs.delete(effect.task);
    }
  }

  #follow(task: string, path: string, terminalId: string): void {
    this.#outputs.get(task)?.close();
    this.#outputs.set(task, followOutput(this.host, path, terminalId, (update) => this.#send(update), () => this.#grown(task)));
  }

  /** The last line may come after the end signal. */
  #grown(task: string): void {
    const entry = this.#lists.entries.get(task);
    if (entry?.phase === 'ending' && entry.until !== undefined && this.#outputs.get(task)?.exitCode() !== undefined) this.#flushed(task);
  }

  #flushed(task: string): void {
    const fileCode = this.#outputs.get(task)?.exitCode();
    if (fileCode !== undefined) this.onExitCode(this.id, task, fileCode);
    this.#run({ type: 'flushed', task, fileCode });
  }

  #schedule(): void {
    this.#cancelTick?.();
    const due = nextTick(this.#lists);
    this.#cancelTick = due === undefined ? undefined : this.host.after(Math.max(0, due - this.host.now()), () => this.#run({ type: 'tick' }));
  }
}
