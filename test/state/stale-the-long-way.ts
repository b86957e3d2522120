/**
 * The watch over unfinished tool calls, said in the simplest words: plain lists, every clock looked at
 * anew with every event. What `reduceStale` does must be what this does.
 */
import type { Revival, SessionEnd, Settle, StaleEvent, StaleOptions, TurnEnding } from 'afterturn/state';

interface Call {
  readonly id: string;
  status: string;
  owner: { of: 'prompt'; prompt: string; end: TurnEnding | undefined; waits: string[] } | { of: 'history' } | { of: 'nobody' };
  parent: string | undefined;
  terminals: readonly string[];
  keptOpen: boolean;
  questions: string[];
  refused: boolean;
  canCancel: boolean;
  staleSince: number | undefined;
}

const FINAL = ['completed', 'failed', 'cancelled'];
const UNFINISHED = ['pending', 'in_progress', 'paused'];
const END_WORDS: Readonly<Record<SessionEnd, string>> = { closed: 'the session was closed', deleted: 'the session was deleted', inputEnded: "the client's input ended", agentExited: 'the agent exited' };
const TURN_WORDS = { ended: 'its turn ended without ending it', cancelled: 'its turn was cancelled without ending it', failed: 'its turn failed without ending it' } as const;

type Prompt = { readonly id: string; inserted: boolean; cancelled: boolean };
type Task = { readonly id: string; call: string | undefined; state: 'live' | 'completed' | 'failed' };
type ListedWork = { readonly calls: ReadonlySet<string>; readonly terminals: ReadonlySet<string> };

export class LongWay {
  calls: Call[] = [];
  #finished: { id: string; was: 'agent' | Pick<Call, 'status' | 'canCancel'> }[] = [];
  #revived: Revival[] = [];
  #prompts: Prompt[] = [];
  #tasks: Task[] = [];
  #terminals = new Set<string>();
  #list: ListedWork | 'unreported' | 'lost' = 'unreported';
  #running = false;
  #replays = 0;
  #historyUntil: number | undefined;

  happened(event: StaleEvent, options: StaleOptions): readonly (Settle | Revival)[] {
    this.#revived = [];
    this.#handle(event, options);
    const word = event.type === 'call' || event.type === 'contentAdded' ? event.call : undefined;
    for (const call of this.calls) {
      const restarts = word === call.id || (word !== undefined && call.owner.of === 'history');
      const since = restarts ? event.at : (call.staleSince ?? event.at);
      call.staleSince = this.#applies(options) && this.#isStale(call) ? since : undefined;
    }
    if (event.type !== 'tick' && event.type !== 'sessionEnded') return this.#revived;
    const settles: Settle[] = [];
    for (const call of [...this.calls]) {
      const isDue = event.type === 'tick' ? call.staleSince !== undefined && event.at >= call.staleSince + options.grace : this.#applies(options) && !(event.why === 'inputEnded' && this.#isLive(call));
      if (!isDue) continue;
      settles.push(this.#settled(call, event.type === 'sessionEnded' ? event.why : undefined, options));
      this.#finish(call.id, { status: call.status, canCancel: call.canCancel }, options);
    }
    return settles;
  }

  nextTick({ grace }: StaleOptions): number | undefined {
    const times = this.calls.flatMap(({ staleSince }) => (staleSince === undefined ? [] : [staleSince + grace]));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #handle(event: StaleEvent, options: StaleOptions): void {
    const { at } = event;
    switch (event.type) {
      case 'promptSent':
        this.#prompts = [...this.#prompts.filter(({ id }) => id !== event.prompt), { id: event.prompt, inserted: false, cancelled: false }];
        this.#historyUntil = undefined;
        return;
      case 'promptInserted':
        for (const prompt of this.#prompts) if (prompt.id === event.prompt) prompt.inserted = true;
        return;
      case 'promptEnded':
        return this.#endPrompt(event.prompt, event.end);
      case 'cancelSent':
        for (const prompt of this.#prompts) prompt.cancelled = true;
        return;
      case 'state': {
        const was = this.#running;
        for (const id of event.list === 'unreported' ? [] : event.list.calls) this.#revive(id, at, options);
        this.#list = event.list === 'unreported' && this.#list !== 'unreported' ? 'lost' : event.list;
        this.#running = event.running;
        if (was && !event.running) for (const { id, inserted } of [...this.#prompts]) if (inserted) this.#endPrompt(id, event.end);
        return;
      }
      case 'call':
        return this.#seen(event, options);
      case 'contentAdded': {
        const call = this.#call(event.call);
        if (call !== undefined && event.terminal !== undefined && !call.terminals.includes(event.terminal)) call.terminals = [...call.terminals, event.terminal];
        return;
      }
      case 'asked': {
        const isOver = this.#finished.some(({ id, was }) => id === event.call && was === 'agent');
        if (event.creates && this.#call(event.call) === undefined && !isOver) this.#begin(event.call, event.status === undefined || FINAL.includes(event.status) ? 'pending' : event.status, at, options);
        this.#call(event.call)?.questions.push(event.question);
        return;
      }
      case 'answered': {
        const call = this.calls.find(({ questions }) => questions.includes(event.question));
        if (call === undefined) return;
        call.refused = event.refused;
        call.questions = call.questions.filter((question) => question !== event.question);
        return;
      }
      case 'taskLive': {
        const known = this.#tasks.find(({ id }) => id === event.task);
        if (!event.starts && known?.state !== 'live') return;
        if (known === undefined) this.#tasks.push({ id: event.task, call: event.call, state: 'live' });
        else Object.assign(known, { call: event.call ?? known.call, state: 'live' });
        return;
      }
      case 'taskEnded': {
        const known = this.#tasks.find(({ id }) => id === event.task);
        if (known === undefined) return;
        known.state = event.completed ? 'completed' : 'failed';
        const ended = this.#tasks.filter(({ state }) => state !== 'live');
        const gone = ended.slice(0, Math.max(0, ended.length - (options.remembered ?? 256)));
        this.#tasks = this.#tasks.filter((task) => !gone.includes(task));
        return;
      }
      case 'terminalLive':
        return void this.#terminals.add(event.terminal);
      case 'terminalEnded':
        return void this.#terminals.delete(event.terminal);
      case 'replayStarted':
        this.#replays++;
        return;
      case 'replayEnded':
        this.#replays = Math.max(0, this.#replays - 1);
        this.#historyUntil = options.historyAfterLoad ? at + options.grace : undefined;
        return;
      case 'tick':
      case 'sessionEnded':
    }
  }

  #seen(event: Extract<StaleEvent, { type: 'call' }>, options: StaleOptions): void {
    const { call: id, status, at } = event;
    if (this.#historyUntil !== undefined && this.#isReplaying(at)) this.#historyUntil = at + options.grace;
    const isOver = this.#finished.some((each) => each.id === id);
    if (status !== undefined && FINAL.includes(status)) {
      if (!isOver || this.#call(id) !== undefined) this.#finish(id, 'agent', options);
      return;
    }
    if (this.#call(id) === undefined && (isOver ? status !== undefined || event.starts : event.creates)) this.#begin(id, status ?? 'pending', at, options);
    const call = this.#call(id);
    if (call === undefined) return;
    call.status = status ?? call.status;
    call.parent = event.parent ?? call.parent;
    call.terminals = event.terminals ?? call.terminals;
    call.keptOpen = event.keptOpen ?? call.keptOpen;
    call.canCancel = event.canCancel ?? call.canCancel;
  }

  #call(id: string): Call | undefined {
    return this.calls.find((call) => call.id === id);
  }

  #isReplaying(at: number): boolean {
    return this.#replays > 0 || (this.#historyUntil !== undefined && at < this.#historyUntil);
  }

  #begin(id: string, status: string, at: number, options: StaleOptions): void {
    const open = this.#prompts.filter(({ inserted }) => options.version === 1 || inserted).map((prompt) => prompt.id);
    const prompt = open.at(-1);
    const owner: Call['owner'] = prompt !== undefined ? { of: 'prompt', prompt, end: undefined, waits: options.queuesPrompts ? open : [prompt] } : { of: this.#isReplaying(at) ? 'history' : 'nobody' };
    this.#finished = this.#finished.filter((each) => each.id !== id);
    this.calls.push({ id, status, owner, parent: undefined, terminals: [], keptOpen: false, questions: [], refused: false, canCancel: false, staleSince: undefined });
  }

  #revive(id: string, at: number, options: StaleOptions): void {
    const was = this.#finished.find((each) => each.id === id)?.was;
    if (typeof was !== 'object') return;
    this.#begin(id, was.status, at, options);
    Object.assign(this.#call(id) ?? {}, { canCancel: was.canCancel });
    this.#revived.push({ call: id, ...was });
  }

  #finish(id: string, was: 'agent' | Pick<Call, 'status' | 'canCancel'>, options: StaleOptions): void {
    this.calls = this.calls.filter((call) => call.id !== id);
    this.#finished = [...this.#finished.filter((each) => each.id !== id), { id, was }].slice(-(options.remembered ?? 256));
  }

  #endPrompt(id: string, end: TurnEnding): void {
    const open = this.#prompts.find((prompt) => prompt.id === id);
    if (open === undefined) return;
    const how = open.cancelled && end === 'ended' ? 'cancelled' : end;
    for (const { owner } of this.calls) {
      if (owner.of !== 'prompt' || !owner.waits.includes(id)) continue;
      if (owner.prompt === id) owner.end = how;
      owner.waits = owner.waits.filter((other) => other !== id);
    }
    this.#prompts = this.#prompts.filter((prompt) => prompt.id !== id);
  }

  #workOf(id: string): Task | undefined {
    return this.#tasks.filter(({ call }) => call === id).at(-1);
  }

  #isLive(call: Call, depth = 0): boolean {
    const { keptOpen, terminals, id, parent } = call;
    const list = typeof this.#list === 'object' ? this.#list : undefined;
    if (keptOpen || list?.calls.has(id) || terminals.some((terminal) => list?.terminals.has(terminal) || this.#terminals.has(terminal))) return true;
    if (this.#workOf(id)?.state === 'live') return true;
    const above = parent === undefined || depth === 16 ? undefined : this.#call(parent);
    return above !== undefined && this.#isLive(above, depth + 1);
  }

  #applies({ settles }: StaleOptions): boolean {
    return this.#list !== 'lost' && (settles || typeof this.#list === 'object');
  }

  #isStale(call: Call): boolean {
    const { owner, status, questions } = call;
    const isOver = owner.of === 'prompt' ? owner.waits.length === 0 : owner.of === 'history' && this.#prompts.length === 0 && !this.#running;
    return UNFINISHED.includes(status) && questions.length === 0 && this.#replays === 0 && isOver && !this.#isLive(call);
  }

  #settled(call: Call, end: SessionEnd | undefined, { version }: StaleOptions): Settle {
    const { owner, refused, id } = call;
    const work = this.#workOf(id)?.state;
    const isCut = end !== undefined && (call.questions.length > 0 || this.#isLive(call) || owner.of === 'nobody' || (owner.of === 'prompt' && owner.waits.length > 0));
    const byTurn = owner.of === 'prompt' && owner.end !== 'ended' ? 'failed' : 'completed';
    const v1 = refused || isCut ? 'failed' : work !== undefined && work !== 'live' ? work : byTurn;
    const ofPrompt = owner.of === 'prompt' ? (owner.end ?? 'ended') : undefined;
    const reason = work !== undefined ? 'its work in the background ended without ending it'
      : ofPrompt === undefined ? 'it was replayed unfinished'
      : refused && ofPrompt === 'ended' ? 'its permission was refused, and its turn ended without ending it' : TURN_WORDS[ofPrompt];
    return { call: id, status: version === 2 ? 'cancelled' : v1, reason: end === undefined ? reason : END_WORDS[end] };
  }
}
