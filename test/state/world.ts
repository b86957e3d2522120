/**
 * A session for tests of the reducers: an agent that speaks ACP v2 with the private extension, ledger
 * and lists, a client that reads, a fake clock, and output files whose last line names a code. It
 * reads as a conversation:
 *
 *     agent.spawned('b', { toolCallId: 'c' });
 *     expect(agent.client()).toEqual([...]);     // what the client saw since the last call
 *     agent.wait(250);                           // runs the ticks that are due
 */
import { expect } from 'vitest';
import { readRawFeed, readUpdate, type JsonObject } from 'afterturn/protocol';
import {
  emptyLedger, emptyLists, emptySession, isTaskSignal, nextTick, pastSignal, reduceLedger, reduceLists, type Fact, type Ledger, type LedgerEvent, type ListsEffect, type ListsEvent,
  type ListsOptions, type Resuming, type SessionLedger, type SessionLists,
} from 'afterturn/state';
import { validateToClient } from '../tools/schema.js';
import type { Json } from '../tools/updates.js';

type Bare<E> = E extends unknown ? Omit<E, 'at' | 'session' | 'ledger'> : never;

/** Habits of the agents that the tests play. */
export const agents = {
  claude: { window: 250, exitAtLaunch: true, startsTurns: true, correctsStops: true },
  codex: { window: 250, exitAtLaunch: false, startsTurns: false, correctsStops: false },
  other: { window: 250, exitAtLaunch: false, startsTurns: true, correctsStops: true },
} as const satisfies Record<string, ListsOptions>;

export interface WorldOptions extends Partial<ListsOptions> {
  readonly agent?: keyof typeof agents;
  /** The agent promised to report background work. Default true. */
  readonly reported?: boolean;
  /** The extension reports tasks. Default true. */
  readonly asyncTasks?: boolean;
  readonly reduce?: typeof reduceLists;
}

export interface Sent {
  readonly at: number;
  readonly update: Json;
}

const SESSION = 's';

export class World {
  at = 0;
  ledger: Ledger = emptyLedger();
  lists: SessionLists;
  /** Everything that the client was sent. */
  readonly sent: Sent[] = [];
  /** What the output files' last lines say, by task. */
  readonly fileCodes = new Map<string, number>();
  readonly options: ListsOptions;
  #seen = 0;
  #other: string[] = [];
  readonly #asyncTasks: boolean;
  readonly #reduce: typeof reduceLists;

  constructor({ agent = 'claude', reported = true, asyncTasks = true, reduce = reduceLists, ...habits }: WorldOptions = {}) {
    this.options = { ...agents[agent], ...habits };
    this.lists = emptyLists(reported);
    this.#asyncTasks = asyncTasks;
    this.#reduce = reduce;
  }

  get session(): SessionLedger {
    return this.ledger.get(SESSION) ?? emptySession;
  }

  /** The agent's update reaches us. */
  says(sessionUpdate: string, members: JsonObject = {}): void {
    const update = { sessionUpdate, ...members };
    this.#run({ type: 'update', update, facts: this.#hear(readUpdate(update).signals) }, update);
  }

  /** As `says`, between a resume and its response. What it tells of tasks does not count. */
  resumes(sessionUpdate: string, members: JsonObject = {}, resuming: Resuming = 'history'): void {
    const update = { sessionUpdate, ...members };
    const signals = readUpdate(update).signals.filter((signal) => !isTaskSignal(signal)).map((signal) => pastSignal(this.session, signal));
    this.#run({ type: 'update', update, facts: this.#hear(signals), resuming }, update);
  }

  /** A resume goes to the agent, its response has passed. */
  resuming(): void {
    this.#run({ type: 'resuming' });
  }

  resumed(): void {
    this.#run({ type: 'resumed' });
  }

  lost(reason: string): void {
    this.#run({ type: 'lost', reason });
  }

  restored(): void {
    this.#run({ type: 'restore', state: true });
  }

  spawned(asyncTaskId: string, members: JsonObject = {}): void {
    this.says('_async_task_spawned', { asyncTaskId, taskType: 'shell', canStop: true, ...members });
  }

  progress(asyncTaskId: string, members: JsonObject): void {
    this.says('_async_task_progress', { asyncTaskId, ...members });
  }

  ended(asyncTaskId: string, state: string, members: JsonObject = {}): void {
    this.says('_async_task_state_update', { asyncTaskId, state, ...members });
  }

  call(toolCallId: string, status?: string, members: JsonObject = {}): void {
    this.says('tool_call_update', { toolCallId, ...(status === undefined ? {} : { status }), ...members });
  }

  /** A call whose content is the terminal of the same id, announced first. */
  command(id: string, status = 'pending', command = './run.sh'): void {
    this.says('terminal_update', { terminalId: id, command });
    this.call(id, status, { content: [{ type: 'terminal', terminalId: id }] });
  }

  /** The extension's mark, as Codex sends it before the spawn. */
  marked(toolCallId: string): void {
    this.call(toolCallId, undefined, { _meta: { jetbrains: { air: { asyncTasks: { backgrounded: true } } } } });
  }

  exited(terminalId: string, exitStatus: JsonObject = {}): void {
    this.says('terminal_update', { terminalId, exitStatus });
  }

  running(): void {
    this.says('state_update', { state: 'running' });
  }

  idle(stopReason: string | undefined = 'end_turn'): void {
    this.says('state_update', { state: 'idle', ...(stopReason === undefined ? {} : { stopReason }) });
  }

  raw(subtype: string, members: JsonObject): void {
    const facts = this.#hear(readRawFeed({ message: { type: 'system', subtype, ...members } }).signals);
    if (facts.length > 0) this.#run({ type: 'facts', facts });
  }

  /** The client asks to stop a task: from here on a `stopped` was asked for. */
  stopAsked(task: string): void {
    this.#hear([{ type: 'stopAsked', task }]);
  }

  /** A question about listed work is about to be asked. */
  asked(): void {
    this.#run({ type: 'asked' });
  }

  /** The client cancels the foreground work. */
  cancelAsked(): void {
    this.#run({ type: 'cancelAsked' });
  }

  closing(): void {
    this.#run({ type: 'closing' });
  }

  closeFailed(): void {
    this.#run({ type: 'closeFailed' });
  }

  over(reason: 'closed' | 'agentGone' = 'closed'): void {
    this.#run({ type: 'ended', reason });
    this.ledger = this.ledger.delete(SESSION);
  }

  /** The output file grew; its last line names a code now. */
  fileEnds(task: string, code: number): void {
    this.fileCodes.set(task, code);
    const entry = this.lists.entries.get(task);
    if (entry?.phase === 'ending' && entry.until !== undefined) this.#run({ type: 'flushed', task, fileCode: code });
  }

  wait(ms: number): void {
    const until = this.at + ms;
    for (let due = nextTick(this.lists), rounds = 0; due !== undefined && due <= until; due = nextTick(this.lists), rounds++) {
      expect(rounds, 'ticks that change nothing').toBeLessThan(100);
      this.at = Math.max(this.at, due);
      this.#run({ type: 'tick' });
    }
    this.at = until;
  }

  /** What the client saw since the last call. */
  client(): string[] {
    const seen = this.sent.slice(this.#seen).map(({ update }) => inShort(update));
    this.#seen = this.sent.length;
    return seen;
  }

  /** What happened to output files since the last call. */
  files(): string[] {
    return this.#other.splice(0);
  }

  /** What the client saw that the schema does not allow. */
  invalid(): string[] {
    const message = (update: Json): object => ({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: SESSION, update } });
    return this.sent.flatMap(({ update }) => validateToClient('v2', message(update)).map((error) => `${inShort(update)}: ${error}`));
  }

  #hear(signals: readonly LedgerEvent['signal'][]): readonly Fact[] {
    return signals.flatMap((signal) => {
      const [ledger, facts] = reduceLedger(this.ledger, { session: SESSION, at: this.at, signal }, { asyncTasks: this.#asyncTasks });
      this.ledger = ledger;
      return facts;
    });
  }

  #run(event: Bare<ListsEvent>, original?: Json): void {
    const placed = { ...event, session: SESSION, at: this.at, ledger: this.session } as ListsEvent;
    const [lists, effects] = this.#reduce(this.lists, placed, this.options);
    this.lists = lists;
    const flushed: string[] = [];
    for (const effect of effects) this.#perform(effect, original, flushed);
    for (const task of flushed) this.#run({ type: 'flushed', task, fileCode: this.fileCodes.get(task) });
  }

  #perform(effect: ListsEffect, original: Json | undefined, flushed: string[]): void {
    if (effect.do === 'send' || effect.do === 'sendCall' || effect.do === 'sendTerminal') this.sent.push({ at: this.at, update: effect.update });
    else if (effect.do === 'keep') this.sent.push({ at: this.at, update: original ?? {} });
    else if (effect.do === 'follow') this.#other.push(`follow ${effect.path} into ${effect.terminalId}`);
    else if (effect.do === 'unfollow') this.#other.push(`unfollow ${effect.task}`);
    else if (effect.do === 'flush') flushed.push(effect.task);
  }
}

const json = (value: unknown): string => JSON.stringify(value);

function capability(update: Json): string[] {
  if (!('capabilities' in update)) return [];
  return [update.capabilities === null ? 'not cancellable' : 'cancellable'];
}

function listText(update: Json): string {
  if (!Array.isArray(update.background)) return 'no list';
  const items = update.background as readonly Json[];
  return `[${items.map((item) => `${String(item.type)} ${String(item.terminalId ?? item.toolCallId)}`).join(', ')}]`;
}

const shown: Readonly<Record<string, (update: Json) => readonly (string | undefined)[]>> = {
  state_update: (update) => [String(update.state), update.stopReason === undefined ? undefined : `(${String(update.stopReason)})`, listText(update)],
  terminal_update: (update) => [
    'terminal', String(update.terminalId), update.command === undefined ? undefined : json(update.command), update.output === undefined ? undefined : 'output',
    update.exitStatus === undefined ? undefined : `exited ${json(update.exitStatus)}`, ...capability(update),
  ],
  tool_call_update: (update) => [
    'call', String(update.toolCallId), update.title === undefined ? undefined : json(update.title), update.status === undefined ? undefined : String(update.status),
    update.content === undefined ? undefined : 'content', ...capability(update),
  ],
  tool_call_content_chunk: (update) => ['call', String(update.toolCallId), '+', `terminal ${String((update.content as Json).terminalId)}`],
};

/** An update in one line. */
export function inShort(update: Json): string {
  const show = shown[String(update.sessionUpdate)];
  const reason = (update._meta as Json | undefined)?.afterturn as Json | undefined;
  const parts = show === undefined ? [String(update.sessionUpdate)] : [...show(update), reason === undefined ? undefined : `because ${String(reason.reason)}`];
  return parts.filter((part) => part !== undefined).join(' ');
}
