/**
 * A client that knows the rules of the v2 Background Work RFD and of this project's design, and what
 * the agent really did. It judges what it is sent. It shares no code with the reducers: lives and
 * their detaching are told here once more, from the rules.
 */
import type { Json } from '../tools/updates.js';

export type Kind = 'terminal' | 'tool_call';

/** One life of a task, as it really went. */
interface Life {
  readonly task: string;
  readonly number: number;
  readonly born: number;
  readonly kind: Kind;
  readonly canCancel: boolean;
  call: string | undefined;
  run: string | undefined;
  readonly earlierRun: string | undefined;
  inRawFeed: boolean;
  detached: boolean;
  ended: boolean;
  /** When it was first said to have ended. */
  endedAt: number | undefined;
  /** Since when it is `stopped` without anybody having asked, or anything certain. */
  doubtfulSince: number | undefined;
  stopAsked: boolean;
  /** By what id it is listed. */
  id: string | undefined;
  /** How often its end was told, and how often it may be. */
  told: number;
  ends: number;
}

interface Task {
  readonly name: string;
  readonly kind: Kind;
  readonly canCancel: boolean;
  /** Facts that came before its start, or its end did. */
  before: { call: string | undefined; run: string | undefined; inRawFeed: boolean; ended: boolean };
  lives: Life[];
}

interface Call {
  final: boolean;
  marked: boolean;
}

/** Something that the client was told of. */
interface Entity {
  ended: boolean;
  cancellable: boolean;
}

export interface ModelOptions {
  readonly window: number;
  readonly startsTurns: boolean;
  /** The exit that comes with a launch is not the command's. */
  readonly exitAtLaunch: boolean;
  /** A `stopped` that nobody asked for may be corrected at once, and so is not told at once. */
  readonly correctsStops: boolean;
}

/** A rule that was broken, by its number in the design. */
export class Broken extends Error {
  constructor(readonly rule: string, what: string) {
    super(`${rule}: ${what}`);
  }
}

const keyOf = (item: Json): string => `${String(item.type)} ${String(item.terminalId ?? item.toolCallId)}`;
const isOwn = (key: string): boolean => key.includes(' afterturn:');
const isFinal = (status: unknown): boolean => status === 'completed' || status === 'failed' || status === 'cancelled';

export class ModelClient {
  readonly #tasks = new Map<string, Task>();
  readonly #calls = new Map<string, Call>();
  readonly #entities = new Map<string, Entity>();
  readonly #owners = new Map<string, Life>();
  readonly #left = new Set<string>();
  #list: readonly string[] = [];
  #foreground = false;
  #state = 'idle';
  #snapshots = 0;
  /** The last removal while idle, with nothing new in the same list. */
  #removal: { readonly at: number; readonly endedAt: number } | undefined;
  /** Ends of foreground work that were said and not yet shown. */
  readonly #spans = new Map<unknown, number>();
  #over = false;
  #births = 0;
  #exitSaid: string | undefined;
  /** Lives that began or detached in this step: a list may go out before they are announced. */
  readonly #fresh = new Set<Life>();
  /** Ends may be told early: the session ends, or a new life begins. */
  #cut = false;

  constructor(private readonly options: ModelOptions, tasks: readonly { readonly name: string; readonly kind: Kind; readonly canCancel: boolean }[]) {
    for (const { name, kind, canCancel } of tasks) this.#tasks.set(name, { name, kind, canCancel, before: { call: undefined, run: undefined, inRawFeed: false, ended: false }, lives: [] });
  }

  // What the agent did.

  isOpenCall = (id: string): boolean => this.#calls.get(id)?.final === false;

  /** The end of work that it launched was not told yet, or that is still listed. */
  hasWork = (id: string): boolean => this.#list.some((key) => key.endsWith(` ${id}`)) || [...this.#tasks.values()].some(({ lives }) => lives.some((life) => life.call === id && (life.detached || life.kind === 'terminal') && life.told === 0));

  get isRunning(): boolean {
    return this.#foreground;
  }

  spawned(name: string, call: string | undefined): void {
    const task = this.#task(name);
    const life = task.lives.at(-1);
    if (life !== undefined && !life.ended) this.#hasCall(life, call);
    else this.#starts(task, call, life);
  }

  #starts(task: Task, call: string | undefined, earlier: Life | undefined): void {
    const { before } = task;
    const life: Life = {
      task: task.name, number: task.lives.length + 1, born: this.#births++, kind: task.kind, canCancel: task.canCancel, call: call ?? before.call, run: before.run, earlierRun: earlier?.run,
      inRawFeed: before.inRawFeed, detached: false, ended: before.ended, endedAt: undefined, doubtfulSince: undefined, stopAsked: false, id: undefined, told: 0, ends: 0,
    };
    task.lives.push(life);
    task.before = { call: undefined, run: undefined, inRawFeed: false, ended: false };
    if (life.call !== undefined && this.#calls.get(life.call)?.marked === true && !life.ended) life.detached = true;
    this.#fresh.add(life);
    this.#cut = true;
  }

  progressed(name: string, call: string): void {
    const task = this.#task(name);
    const life = task.lives.at(-1);
    if (life === undefined) task.before.call = call;
    else if (!life.ended) this.#hasCall(life, call);
  }

  /** A call that comes when it has detached only gets a reference. */
  #hasCall(life: Life, call: string | undefined): void {
    if (!life.detached) life.call = call ?? life.call;
  }

  /** The raw feed names it as live. */
  inLiveSet(name: string, run: string | undefined): void {
    const task = this.#task(name);
    const life = task.lives.at(-1);
    if (life === undefined) {
      if (run === undefined || task.before.run === undefined || task.before.run === run) task.before = { ...task.before, inRawFeed: true, run: run ?? task.before.run };
    } else if (run !== undefined && run === life.earlierRun && run !== life.run) return;
    else if (run === undefined || life.run === undefined || life.run === run) {
      if (!(life.ended && run !== undefined && life.run === run)) life.inRawFeed = true;
      life.run ??= run;
    } else if (life.ended) task.before = { ...task.before, run, inRawFeed: true };
    else {
      life.ended = true;
      life.endedAt = -Infinity;
      task.before = { call: undefined, run, inRawFeed: true, ended: false };
      this.#starts(task, undefined, life);
    }
  }

  ended(name: string, outcome: string, at: number, { run, certain }: { readonly run?: string | undefined; readonly certain: boolean }): void {
    const task = this.#task(name);
    const life = task.lives.at(-1);
    if (life === undefined) {
      if (run === undefined || task.before.run === undefined || task.before.run === run) task.before = { ...task.before, ended: true, run: run ?? task.before.run };
      return;
    }
    if (run !== undefined && ((life.run !== undefined && life.run !== run) || (run === life.earlierRun && run !== life.run))) return;
    life.run ??= run;
    life.inRawFeed ||= certain;
    if (!life.ended || life.endedAt !== -Infinity) {
      life.ended = true;
      life.endedAt ??= at;
      life.ends++;
      const isDoubtful = this.options.correctsStops && outcome === 'stopped' && !life.stopAsked && !certain;
      life.doubtfulSince = isDoubtful ? (life.ends === 1 ? at : life.doubtfulSince) : undefined;
    }
  }

  stopAsked(name: string): void {
    const life = this.#task(name).lives.at(-1);
    if (life !== undefined && !life.ended) life.stopAsked = true;
  }

  callStarted(id: string): void {
    this.#calls.set(id, { final: false, marked: false });
    const entity = this.#entities.get(`tool_call ${id}`);
    if (entity !== undefined) entity.ended = false;
    for (const key of [`tool_call ${id}`, `terminal ${id}`]) if ((this.#owners.get(key)?.told ?? 0) > 0) this.#owners.delete(key);
  }

  /** The agent itself tells the exit of one of its terminals, which one of ours may stand for. */
  exited(id: string): void {
    this.#exitSaid = `terminal ${id}`;
  }

  callEnded(id: string): void {
    this.#calls.set(id, { marked: this.#calls.get(id)?.marked ?? false, final: true });
  }

  marked(id: string): void {
    this.#calls.set(id, { final: this.#calls.get(id)?.final ?? false, marked: true });
  }

  runs(): void {
    this.#foreground = true;
  }

  /** Foreground work ends; `span` names this end in what the client is sent. */
  idles(span: unknown): void {
    this.#foreground = false;
    if (span !== undefined) this.#spans.set(span, 0);
  }

  /** A close was refused: what waited for its answer goes out. */
  closeFailed(): void {
    this.#cut = true;
  }

  /** The session is closed, or its agent gone. */
  ends(): void {
    this.#cut = true;
    for (const { lives } of this.#tasks.values()) for (const life of lives) life.ended = true;
  }

  /** To be called after each of the above: works out what has detached by now. */
  settled(): void {
    for (const { lives } of this.#tasks.values()) {
      const life = lives.at(-1);
      if (life === undefined || life.ended || life.detached) continue;
      const acknowledged = life.call !== undefined && this.#calls.get(life.call)?.final === true;
      const outlivesTurn = !this.#foreground && (life.call !== undefined || life.kind === 'terminal' || life.inRawFeed);
      life.detached = acknowledged || outlivesTurn;
      if (life.detached) this.#fresh.add(life);
    }
  }

  // What the client is sent.

  sees(update: Json, at: number): void {
    if (this.#over) throw new Broken('5.10', 'something was sent after the end of the session');
    const kind = update.sessionUpdate;
    if (kind === 'terminal_update') this.#entity(`terminal ${String(update.terminalId)}`, update, typeof update.exitStatus === 'object' && update.exitStatus !== null, at);
    else if (kind === 'tool_call_update') this.#entity(`tool_call ${String(update.toolCallId)}`, update, isFinal(update.status), at);
    else if (kind === 'state_update') this.#snapshot(update, at);
    else if (String(kind).includes('async_task')) throw new Broken('1', 'the private extension reached the client');
  }

  /** A step is over. */
  stepped(): void {
    this.#cut = false;
    this.#exitSaid = undefined;
    this.#fresh.clear();
  }

  /** An own turn of the agent begins while the session is idle: no removal may just have been shown. */
  ownTurn(at: number): void {
    const { startsTurns, window } = this.options;
    if (startsTurns && this.#removal !== undefined && at - this.#removal.endedAt < window) throw new Broken('5.7', `a removal at ${this.#removal.at} is followed by the agent's own running at ${at}`);
  }

  /** Nothing happens any more and every wait is over, but for that of a close. */
  atRest(): void {
    const live = [...this.#tasks.values()].flatMap(({ lives }) => lives.filter((life) => life.detached && !life.ended));
    for (const { lives } of this.#tasks.values()) for (const life of lives) if (life.ended && life.id !== undefined && life.told === 0) throw new Broken('5.1', `${life.id} has ended and its end was never told`);
    const listed = this.#list.map((key) => this.#owners.get(key));
    for (const life of live) if (!listed.includes(life)) throw new Broken('5.2', `${life.task}#${life.number} runs and is not listed`);
    if (listed.length !== live.length) throw new Broken('5.2', 'something is listed that does not run');
    for (const [span, shown] of this.#spans) if (shown !== 1) throw new Broken('5.12', `the end of span ${String(span)} was shown ${shown} times`);
    if (this.#snapshots > 0 && this.#state !== (this.#foreground ? 'running' : 'idle')) throw new Broken('5.12', `the client thinks that the session is ${this.#state}`);
  }

  /** The session has ended: everything has. */
  afterEnd(): void {
    this.#over = true;
    for (const [key, entity] of this.#entities) if (!entity.ended) throw new Broken('5.10', `${key} has no end`);
    if (this.#list.length > 0) throw new Broken('5.10', 'the last list is not empty');
    if (this.#snapshots > 0 && this.#state !== 'idle') throw new Broken('5.10', 'the last state is not idle');
    for (const [span, shown] of this.#spans) if (shown !== 1) throw new Broken('5.12', `the end of span ${String(span)} was shown ${shown} times`);
  }

  #task(name: string): Task {
    const task = this.#tasks.get(name);
    if (task === undefined) throw new Error(`no task ${name}`);
    return task;
  }

  #entity(key: string, update: Json, ends: boolean, at: number): void {
    const known = this.#entities.get(key) ?? { ended: false, cancellable: false };
    if (isOwn(key) && !this.#entities.has(key)) this.#owns(this.#lifeOf(key, () => true), key);
    this.#entities.set(key, known);
    if ('capabilities' in update) known.cancellable = update.capabilities !== null;
    if (!ends) return;
    if (!known.ended && this.options.exitAtLaunch) this.#launchExit(key);
    known.ended = true;
    if (!this.#owners.has(key)) this.#owns(this.#lifeOf(key, ({ ended }) => ended), key);
    const life = this.#owners.get(key);
    if (life === undefined) return;
    if (!life.ended) throw new Broken('5.1', `${key} got an end that nobody told`);
    if (known.cancellable) throw new Broken('5.1', `${key} ended and can still be cancelled`);
    const { doubtfulSince } = life;
    if (life.told === 0 && !this.#cut && doubtfulSince !== undefined && at - doubtfulSince < this.options.window) throw new Broken('4', `${key} was told as stopped, which may be corrected`);
    // One of ours may stand for any terminal of its launching call, which is also known late.
    const isSaid = this.#exitSaid === key || (isOwn(key) && this.#exitSaid !== undefined);
    if (isSaid && life.told > 0) return;
    life.told++;
    if (life.told > Math.max(1, life.ends)) throw new Broken('4', `the end of ${key} was told ${life.told} times`);
  }

  /** A command that goes to the background has not exited when it is launched. */
  #launchExit(key: string): void {
    const isLaunching = (life: Life | undefined): boolean => life?.kind === 'terminal' && !life.ended && !life.detached && `terminal ${life.call}` === key;
    if ([...this.#tasks.values()].some(({ lives }) => isLaunching(lives.at(-1)))) throw new Broken('5.4', `${key} was told as exited at its launch`);
  }

  #snapshot(update: Json, at: number): void {
    if (!Array.isArray(update.background)) throw new Broken('5.2', `a ${String(update.state)} without a list`);
    const list = (update.background as readonly Json[]).map(keyOf);
    if (new Set(list).size !== list.length) throw new Broken('5.3', 'the list names something twice');
    this.#identify(list);
    for (const key of list) this.#listed(key);
    const gone = this.#list.filter((key) => !list.includes(key));
    for (const key of gone) this.#removed(key);
    for (const { lives } of this.#tasks.values()) {
      for (const life of lives) {
        const isDue = life.detached && life.told === 0 && !(life.ended && life.id === undefined) && !(this.#fresh.has(life) && life.id === undefined);
        if (isDue && !(life.id !== undefined && list.includes(life.id))) throw new Broken('5.2', `${life.task}#${life.number} has detached and is not listed`);
      }
    }
    if (gone.length > 0 && update.state === 'idle' && !this.#cut && list.every((key) => this.#list.includes(key))) {
      this.#removal = { at, endedAt: Math.max(...gone.map((key) => this.#owners.get(key)?.endedAt ?? -Infinity)) };
    } else if (gone.length > 0) this.#removal = undefined;
    this.#list = list;
    this.#state = String(update.state);
    this.#snapshots++;
    if (update.stopReason !== undefined && this.#spans.has(update.stopReason)) this.#spans.set(update.stopReason, (this.#spans.get(update.stopReason) ?? 0) + 1);
  }

  /**
   * The life that an id stands for: one of our own names its task, and its announcement is about the
   * newest life; one of the agent's is that of the launching call, and the oldest life has it.
   */
  #lifeOf(key: string, fits: (life: Life) => boolean): Life | undefined {
    const [type = '', id = ''] = key.split(' ');
    const named = /^afterturn:([^:]+)(?::\d+)?$/.exec(id)?.[1];
    const isIts = (life: Life): boolean => life.kind === type && life.id === undefined && life.detached && (named === undefined ? life.call === id : life.task === named);
    const found = [...this.#tasks.values()].flatMap(({ lives }) => lives).filter((life) => isIts(life) && fits(life)).sort((a, b) => a.born - b.born);
    return named === undefined ? found[0] : found.at(-1);
  }

  #owns(life: Life | undefined, key: string): void {
    if (life === undefined) return;
    life.id = key;
    this.#owners.set(key, life);
  }

  #identify(list: readonly string[]): void {
    for (const key of list) {
      if (this.#owners.has(key)) continue;
      if (!this.#entities.has(key)) throw new Broken('5.1', `${key} is listed and was never announced`);
      const life = isOwn(key) ? undefined : this.#lifeOf(key, () => true);
      if (life === undefined) throw new Broken('5.3', `${key} is listed and is no piece of work of its own that has detached`);
      this.#owns(life, key);
    }
  }

  #listed(key: string): void {
    const entity = this.#entities.get(key);
    const life = this.#owners.get(key);
    if (entity === undefined || life === undefined) throw new Broken('5.1', `${key} is listed and was never announced`);
    if (entity.ended) throw new Broken('5.1', `${key} is listed after its end`);
    if (this.#left.has(key)) throw new Broken('5.4b', `${key} is listed for a second time`);
    if (!this.#list.includes(key) && entity.cancellable !== life.canCancel) throw new Broken('5.1', `${key} ${life.canCancel ? 'can be cancelled, and was not announced so' : 'cannot be cancelled, and was announced so'}`);
  }

  #removed(key: string): void {
    this.#left.add(key);
    if (this.#entities.get(key)?.ended !== true) throw new Broken('5.1', `${key} leaves the list without an end`);
  }
}
