/**
 * One session at work: feeds the ledger and the lists with what the agent says, and carries out what
 * they decide, in order. All decisions are theirs.
 */
import { keep, type Host, type Outgoing } from 'afterturn/plugin';
import { Reason, type JsonObject, type Signal } from 'afterturn/protocol';
import { byCall, emptyLedger, emptyLists, emptySession, entriesOf, entryPhase, isListed, itemsShownBy, leavesAsItIs, nextTick, reduceLedger, reduceLists } from 'afterturn/state';
import type { Entry, Fact, Item, Ledger, LedgerEvent, ListsEffect, ListsEvent, ListsOptions, SessionLedger, SessionLists, UsedIds } from 'afterturn/state';
import { Outputs } from './outputs.js';
import { Resuming } from './resuming.js';
import { Shown, withTerminal } from './shown.js';
import type { SessionPorts, SessionSources, WithoutPlace } from './session-ports.js';
import type { ListedCall, ListedTerminal } from './permission.js';

export class BackgroundSession {
  #ledger: Ledger = emptyLedger();
  #lists: SessionLists;
  readonly #outputs: Outputs;
  readonly #events: WithoutPlace<ListsEvent>[] = [];
  #running = false;
  #cancelTick: (() => void) | undefined;
  #resuming: Resuming | undefined;
  readonly #shown = new Shown((call) => this.#session.items.where(byCall, call).some(({ phase }) => phase !== 'ended'));

  constructor(
    readonly id: string,
    private readonly host: Host,
    private readonly options: ListsOptions,
    private readonly sources: SessionSources,
    private readonly ports: SessionPorts,
  ) {
    this.#outputs = new Outputs({
      host,
      send: (update) => this.#send(update as JsonObject),
      awaited: () => this.#awaited(),
      completed: (task) => this.#flushed(task),
    });
    this.#lists = emptyLists(sources.reported, sources.ids);
  }

  get #session(): SessionLedger {
    return this.#ledger.get(this.id) ?? emptySession;
  }

  get native(): boolean {
    return this.#lists.native;
  }

  /** The state that the client was told last. */
  get state(): string {
    return this.#lists.state;
  }

  /** What no item of a session that comes back may be called. */
  get usedIds(): UsedIds {
    return this.#lists;
  }

  /** A resume that was asked for after its close is on its way: it comes back to life when it ends. */
  get isRevived(): boolean {
    return this.#resuming?.revives === true;
  }

  /** The client is told of background work by us. */
  get lists(): boolean {
    return this.#lists.reported && !this.#lists.native;
  }

  /** Something of it is known to the client that could be cancelled. */
  get hasLiveItems(): boolean {
    return this.#lists.entries.where(entryPhase, 'live').length > 0 || [...this.#lists.children.values()].some(isListed);
  }

  /** The live item that the client knows by this id, if it is listed. */
  listed(type: 'terminal' | 'tool_call', id: string): { readonly entry: Entry; readonly item: Item } | undefined {
    const entry = entriesOf(this.#lists, type, id).find(({ phase }) => phase === 'live');
    const item = entry && this.#session.items.get(entry.task);
    return entry && item && { entry, item };
  }

  /** The listed item that a tool call is, or that it launched. */
  #listedBy(toolCallId: string): Entry | undefined {
    const launched = this.#session.items.where(byCall, toolCallId).flatMap(({ task }) => this.#lists.entries.get(task) ?? []);
    return [...entriesOf(this.#lists, 'tool_call', toolCallId), ...launched].find(({ phase, unlisted }) => phase !== 'settled' && !unlisted);
  }

  /** Whether a question about this call is one about listed work. If it is, the client is told of the list before what is sent next. */
  covers(toolCallId: string): boolean {
    if (!this.lists || this.#listedBy(toolCallId) === undefined) return false;
    this.#run({ type: 'asked' });
    return true;
  }

  /** The listed work that a call launched: a terminal, with what is known of its command, or the call that shows it. */
  workOf(toolCallId: string): ListedTerminal | ListedCall | undefined {
    const entry = this.#listedBy(toolCallId);
    if (entry?.type !== 'terminal') return entry && { toolCallId: entry.id };
    const terminal = this.#session.terminals.get(entry.id);
    return { terminalId: entry.id, command: terminal?.command, cwd: terminal?.cwd };
  }

  /** An update of the agent. What goes to the client in its place is sent. */
  update(update: JsonObject, signals: readonly Signal[]): void {
    const resuming = this.#resuming;
    if (resuming === undefined) return this.#live(update, this.#read(signals));
    const isState = update.sessionUpdate === 'state_update';
    if (isState && resuming.rebuilt) this.#lost();
    resuming.touched ||= resuming.replays && !isState;
    const facts = this.#read([...resuming.now(this.#session, signals), ...(isState ? resuming.takeStarts(this.#session) : [])]);
    this.#run({ type: 'update', update, facts, resuming: resuming.replays ? 'history' : 'live' });
  }

  /** An update while nothing is resumed. */
  #live(update: JsonObject, facts: readonly Fact[]): void {
    if (facts.length > 0 || this.#running || !leavesAsItIs(this.#lists, this.#session, update)) return this.#run({ type: 'update', update, facts });
    this.ports.outlet.keep(keep);
    this.#shown.saw(update);
  }

  /** Signals that come beside the session's updates. */
  told(signals: readonly LedgerEvent['signal'][]): void {
    const facts = this.#read(this.#resuming?.now(this.#session, signals) ?? signals);
    if (facts.length > 0) this.#run({ type: 'facts', facts });
  }

  /** Its parent reports background work, and so it does too. */
  report(): void {
    if (!this.#lists.reported) this.#run({ type: 'reported' });
  }

  /** A session that is told of while the one that it belongs to is resumed is resumed with that. */
  resumesAs(parent: BackgroundSession | undefined): void {
    const resuming = parent === undefined ? undefined : parent.#resuming;
    if (resuming !== undefined) for (let open = 0; open < resuming.open; open++) this.resumes(resuming.replays, false);
  }

  /** A `session/resume` goes to the agent. `rebuilt`: it asks for another session than there is. */
  resumes(replays: boolean, rebuilt: boolean): void {
    const one = new Resuming(replays, rebuilt, this.#lists.closing);
    this.#resuming = this.#resuming?.with(one) ?? one;
    this.#run({ type: 'resuming' });
  }

  /** Its response is about to pass. A refused one ends nothing, and what it disturbed is told anew. */
  answersResume(accepted: boolean): void {
    const resuming = this.#resuming;
    if (resuming === undefined || resuming.open > 1) return;
    const facts = this.#read(resuming.takeStarts(this.#session));
    if (facts.length > 0) this.#run({ type: 'facts', facts });
    if (!accepted && resuming.touched && this.hasLiveItems) this.#run({ type: 'restore', state: true });
  }

  /** What it lists is told anew, as the one whose child it is tells it. */
  restore(): void {
    this.#run({ type: 'restore', state: false });
  }

  /** Its response has passed: what was told meanwhile of live items counts. */
  resumed(): void {
    const resuming = this.#resuming;
    if (resuming === undefined || --resuming.open > 0) return;
    this.#resuming = undefined;
    this.#run({ type: 'resumed' });
    this.told(resuming.takeNews(this.#session));
  }

  /** What lived here is gone without a word. */
  #lost(): void {
    const live = [...this.#session.items.values()].filter(({ phase }) => phase === 'foreground' || phase === 'background');
    if (live.length === 0) return;
    this.#run({ type: 'lost', reason: Reason.sessionRebuilt });
    this.#read(live.map(({ task }) => ({ type: 'taskEnded', source: 'async', task, outcome: 'unknown', facts: {} })));
  }

  cancelAsked(): void {
    this.#run({ type: 'cancelAsked' });
  }

  closing(): void {
    this.#run({ type: 'closing' });
  }

  closeFailed(): void {
    if (this.#resuming !== undefined) this.#resuming.revives = false;
    this.#run({ type: 'closeFailed' });
  }

  /** The session is over: everything of it gets its final state. Nothing is sent afterwards. */
  end(reason: 'closed' | 'agentGone'): readonly Outgoing[] {
    const out = this.ports.outlet.collect(() => this.#run({ type: 'ended', reason }));
    this.dispose();
    return out;
  }

  dispose(): void {
    this.#cancelTick?.();
    this.#outputs.dispose();
  }

  #read(signals: readonly LedgerEvent['signal'][]): readonly Fact[] {
    const facts: Fact[] = [];
    for (const signal of signals) {
      const [ledger, told] = reduceLedger(this.#ledger, { session: this.id, at: this.host.now(), signal }, this.sources);
      this.#ledger = ledger;
      facts.push(...told);
    }
    facts.forEach(this.ports.onFact);
    return facts;
  }

  #send(update: JsonObject, sessionId = this.id, isPast = false): void {
    if (sessionId === this.id && !isPast) this.#shown.saw(update);
    const parent = sessionId === this.id && update.sessionUpdate === 'state_update' ? this.ports.parent() : undefined;
    if (parent?.lists === true) parent.#run({ type: 'childState', child: this.id, update });
    else this.ports.outlet.send(this.host, { method: 'session/update', params: { sessionId, update } });
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
    const update = event.type === 'update' ? event.update : undefined;
    const isPast = update !== undefined && this.#isPastOutput(update);
    for (const effect of effects) this.#perform(effect, update, isPast);
  }

  /** Replayed output of a live terminal: it is not what the terminal shows now. */
  #isPastOutput(update: JsonObject): boolean {
    if (this.#resuming === undefined || !String(update.sessionUpdate).startsWith('terminal_')) return false;
    return this.#isLiveTerminal(String(update.terminalId)) && this.#resuming.isPastOutput(update);
  }

  #isLiveTerminal(id: string): boolean {
    return entriesOf(this.#lists, 'terminal', id).some(({ phase }) => phase !== 'settled') || itemsShownBy(this.#session, id).some(({ phase }) => phase === 'foreground');
  }

  /** `update`: the agent's, which is at hand. */
  #perform(effect: ListsEffect, update: JsonObject | undefined, isPast: boolean): void {
    if (effect.do === 'send') this.#send(effect.update, this.id, isPast);
    else if (effect.do === 'sendCall') this.#sendCall(effect.update, effect.terminal);
    else if (effect.do === 'sendTerminal') this.#sendTerminal(effect.update);
    else if (effect.do === 'restoreChild') this.ports.session(effect.child)?.restore();
    else if (effect.do === 'sendFor') this.#send(effect.update, effect.child);
    else if (effect.do === 'keep') {
      this.ports.outlet.keep(keep);
      if (update !== undefined && !isPast) this.#shown.saw(update);
    }
    else if (effect.do === 'follow') this.#outputs.follow(effect.task, effect.path, effect.terminalId);
    else if (effect.do === 'flush') {
      this.#outputs.flush(effect.task);
      this.#flushed(effect.task);
    } else this.#outputs.unfollow(effect.task);
  }

  #sendCall(update: JsonObject, terminal: string | undefined): void {
    const { sessionUpdate, toolCallId, ...news } = update;
    const known = this.#shown.call(String(toolCallId));
    if (known === undefined && Object.keys(news).length === 0) return;
    const call = terminal === undefined ? known : withTerminal(known ?? {}, terminal);
    this.#send({ sessionUpdate, toolCallId, ...call, ...news });
  }

  #sendTerminal(update: JsonObject): void {
    const data = this.#shown.output(String(update.terminalId));
    this.#send(data === undefined ? update : { ...update, output: { data } });
  }

  /** The tasks whose end is known and waits. */
  #awaited(): readonly string[] {
    return this.#lists.entries.where(entryPhase, 'ending').filter(({ until }) => until !== undefined).map(({ task }) => task);
  }

  #flushed(task: string): void {
    const fileCode = this.#outputs.exitCode(task);
    if (fileCode !== undefined) this.ports.onExitCode(this.id, task, fileCode);
    this.#run({ type: 'flushed', task, fileCode, complete: this.#outputs.isComplete(task) });
  }

  #schedule(): void {
    this.#outputs.readOn();
    this.#cancelTick?.();
    const due = nextTick(this.#lists);
    this.#cancelTick = due === undefined ? undefined : this.host.after(Math.max(0, due - this.host.now()), () => this.#run({ type: 'tick' }));
  }
}
