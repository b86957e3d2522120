/** Feeds the ledger and the trace reducer in the order of the wire, and has their operations carried out. */
import type { SpanContext } from '@opentelemetry/api';
import type { Host, RequestId } from 'afterturn/plugin';
import { readRunUpdate, readUpdate, type JsonObject, type Signal, type WorkRef } from 'afterturn/protocol';
import { emptyLedger, emptySession, emptyTrace, isReplaying, listedTask, nativeSignals, nextTraceTick, noNativeWork, promptSpan, reduceLedger, reduceTrace, type CallContent, type Fact, type Ledger, type LedgerEvent, type NativeWork, type TraceEvent, type TraceOptions, type TraceState, type TurnEnd } from 'afterturn/state';
import { callContent } from './content.js';
import { quietCallOf } from './reading.js';
import type { SpanMetrics } from './metrics.js';
import { SpanWriter, type SpanOutlets } from './spans.js';
import { Family } from '../family.js';
import { BoundedMap } from '../bounded.js';

type WithoutTime<E> = E extends unknown ? Omit<E, 'at' | 'wall'> : never;

/** One reading of both clocks: what one message tells happened at one time. */
type Moment = Pick<TraceEvent, 'at' | 'wall'>;
const noFacts: readonly Fact[] = [];
const momentOf = (host: Host): Moment => ({ at: host.now(), wall: host.wallClock() });

export class TraceRecorder {
  /** The agent acknowledged the extension: the raw feed only adds to it. */
  asyncTasks = false;
  readonly #options: TraceOptions;
  readonly #writer: SpanWriter;
  readonly #metrics: SpanMetrics | undefined;
  /** What each session's own lists name. */
  readonly #native = new BoundedMap<string, NativeWork>();
  readonly #family = new Family();
  #ledger: Ledger = emptyLedger();
  #trace: TraceState = emptyTrace();
  /** The connection, once something has passed. */
  #host: Host | undefined;
  #due: number | undefined;
  #cancelTick: (() => void) | undefined;

  constructor(outlets: SpanOutlets, options: TraceOptions, metrics: SpanMetrics | undefined) {
    this.#metrics = metrics;
    this.#writer = new SpanWriter(outlets);
    this.#options = options;
  }

  /** The event belongs to the recorder. */
  record(host: Host, event: WithoutTime<TraceEvent>, moment = momentOf(host)): void {
    this.#happened(host, Object.assign(event, { at: moment.at, wall: moment.wall }));
  }

  #happened(host: Host, event: TraceEvent): void {
    this.#host = host;
    const [trace, ops] = reduceTrace(this.#trace, event, this.#options);
    this.#trace = trace;
    if (event.type === 'agent') this.#metrics?.agentIs(event.name, event.version);
    for (const op of ops) {
      this.#writer.perform(op);
      this.#metrics?.perform(op);
    }
    if ('session' in event && event.type !== 'facts') this.#followTurns(host, event.session, event);
    this.#schedule(host);
  }

  /** An agent that speaks v1 tells no states: its foreground work is its turns. */
  #followTurns(host: Host, session: string, moment: Moment): void {
    const trace = this.#trace.sessions.get(session);
    if (this.#trace.agent.protocol === 2 || trace === undefined) return;
    const running = trace.turns.length > 0;
    if (running === (this.#ledger.get(session)?.running ?? false)) return;
    const facts = this.#reduce(moment, session, { type: 'foreground', state: running ? 'running' : 'idle' });
    if (facts.length > 0) this.record(host, { type: 'facts', session, facts }, moment);
  }

  /** The span context of an open prompt. */
  promptContext(session: string, id: RequestId): SpanContext | undefined {
    const key = promptSpan(this.#trace.sessions.get(session), id);
    return key === undefined ? undefined : this.#writer.contextOf(key);
  }

  /** Something that no message told. */
  recordBeside(event: WithoutTime<TraceEvent>): void {
    if (this.#host !== undefined) this.record(this.#host, event);
  }

  /** Whether an update of a tool call changes nothing in a span. */
  #isQuiet(session: string, update: JsonObject): boolean {
    const call = quietCallOf(update);
    const { homes } = this.#trace;
    if (call === undefined || this.#options.captureContent === true || (homes.size > 0 && homes.has(session))) return false;
    return this.#trace.sessions.get(session)?.calls.has(call) === true && this.#ledger.get(session)?.calls.has(call) === true;
  }

  /** What an update of the agent tells. While history is replayed it ends what is live, and starts nothing. */
  updated(host: Host, session: string, update: JsonObject, end?: TurnEnd): void {
    if (this.#isQuiet(session, update)) return;
    const isReplay = isReplaying(this.#trace, session);
    const moment = momentOf(host);
    const known = this.#native.get(session) ?? noNativeWork;
    const [native, listed] = nativeSignals(known, this.#ledger.get(session) ?? emptySession, update, isReplay);
    if (native !== known) this.#native.set(session, native);
    const content = this.#options.captureContent === true ? callContent(update) : undefined;
    for (const signal of listed) this.#tell(host, moment, this.#ownerOf(session, signal), signal, true, end);
    const told = readUpdate(update).signals;
    // No kind has both.
    for (const signal of told.length > 0 ? told : readRunUpdate(update).signals) {
      const owner = this.#ownerOf(session, signal);
      if (this.#isOverruled(owner, signal)) continue;
      this.#tell(host, moment, owner, signal, !isReplay || this.#isAboutLiveTask(owner, signal), end, signal.type === 'toolCall' ? content : undefined);
    }
  }

  /**
   * Whose a signal of `session` is. A subagent stays the one of the session that told of it first, whichever of
   * the family tells of a later run; of the root's where only the raw feed has told of it.
   */
  #ownerOf(session: string, signal: Signal): string {
    if (!('task' in signal)) return session;
    const root = this.#family.rootOf(session);
    if (signal.source === 'native') {
      if (this.#family.parentOf(signal.task) === undefined && signal.type === 'taskStarted' && signal.facts.taskType === 'subagent') this.#family.adopt(signal.task, session);
      const parent = this.#family.parentOf(signal.task);
      if (parent !== undefined && this.#family.rootOf(parent) === root) return this.#ledger.get(root)?.items.has(signal.task) === true ? root : this.#owned(parent, signal);
    }
    return this.#owned(session, signal);
  }

  #owned(session: string, signal: Signal): string {
    if (signal.type === 'taskStarted') this.#family.owns(session, [signal]);
    return session;
  }

  /** What the raw feed tells, of all the family's work under the session of its root. It is never replayed. */
  fed(host: Host, session: string, signals: readonly Signal[]): void {
    const moment = momentOf(host);
    for (const [owner, its] of this.#family.routed(session, signals)) for (const signal of its) this.#tell(host, moment, owner, signal, true);
  }

  /** A client's request to stop a task is on its way. */
  stopAsked(host: Host, session: string, task: string): void {
    const moment = momentOf(host);
    this.#reduce(moment, session, { type: 'stopAsked', task });
    this.record(host, { type: 'cancelRequested', session, task }, moment);
  }

  /** A client's request to cancel listed work is on its way. Returns what is to be done should the agent refuse. */
  cancelAsked(host: Host, session: string, work: WorkRef): () => void {
    const task = listedTask(this.#native.get(session) ?? noNativeWork, work);
    if (task === undefined) return () => {};
    this.stopAsked(host, session, task);
    return () => void this.#reduce(momentOf(host), session, { type: 'stopRefused', task });
  }

  /** A client asked for the end of the session's turns; a subagent's session is all of it one piece of work. */
  turnsCancelled(host: Host, session: string): void {
    const home = this.#trace.homes.get(session);
    if (home === undefined) this.record(host, { type: 'cancelRequested', session });
    else this.stopAsked(host, home.session, home.task);
  }

  closed(host: Host, session: string): void {
    this.#native.delete(session);
    this.#family.forget(session);
    const moment = momentOf(host);
    this.#reduce(moment, session, { type: 'sessionGone' });
    this.record(host, { type: 'closed', session }, moment);
  }

  #tell(host: Host, moment: Moment, session: string, signal: Signal, counts: boolean, end?: TurnEnd, content?: CallContent): void {
    // What the ledger knows of terminals tells nobody here anything.
    const facts = counts && signal.type !== 'terminal' ? this.#reduce(moment, session, signal) : noFacts;
    if (facts.length === 0 && this.#isNoSpans(signal)) return;
    this.#happened(host, { type: 'signal', session, signal, facts, end, content, at: moment.at, wall: moment.wall });
  }

  /** What is known of terminals alone: spans are made of their exits, and of contents. A subagent's span opens with whatever its session tells. */
  #isNoSpans(signal: Signal): boolean {
    return signal.type === 'terminal' && signal.facts.exit === undefined && this.#options.captureContent !== true && this.#trace.homes.size === 0;
  }

  #reduce({ at }: Moment, session: string, signal: LedgerEvent['signal']): ReturnType<typeof reduceLedger>[1] {
    const [ledger, facts] = reduceLedger(this.#ledger, { session, at, signal }, { asyncTasks: this.asyncTasks });
    this.#ledger = ledger;
    return facts;
  }

  /** After the cancel of its parent a subagent can be called `cancelled` that goes on: the raw feed knows. */
  #isOverruled(session: string, signal: Signal): boolean {
    if (signal.type !== 'taskEnded' || signal.source !== 'native' || signal.outcome !== 'stopped') return false;
    return this.#ledger.get(session)?.items.get(signal.task)?.inRawFeed === true;
  }

  #isAboutLiveTask(session: string, signal: Signal): boolean {
    if (signal.type !== 'taskEnded' && signal.type !== 'taskChanged') return false;
    const phase = this.#ledger.get(session)?.items.get(signal.task)?.phase;
    return phase === 'foreground' || phase === 'background';
  }

  /** A tick that comes too early changes nothing, so one that is on its way is left alone. */
  #schedule(host: Host): void {
    const due = nextTraceTick(this.#trace);
    if (due === undefined || (this.#due !== undefined && this.#due <= due)) return;
    this.#due = due;
    this.#cancelTick?.();
    this.#cancelTick = host.after(Math.max(0, due - host.now()), () => {
      this.#due = undefined;
      this.record(host, { type: 'tick' });
    });
  }
}
