/** Feeds the ledger and the trace reducer in the order of the wire, and has their operations carried out. */
import type { Tracer } from '@opentelemetry/api';
import type { Host } from 'afterturn/plugin';
import type { Signal } from 'afterturn/protocol';
import { emptyLedger, emptyTrace, nextTraceTick, reduceLedger, reduceTrace, type Ledger, type LedgerEvent, type TraceEvent, type TraceOptions, type TraceState, type TurnEnd } from 'afterturn/state';
import { SpanWriter } from './spans.js';

type WithoutTime<E> = E extends unknown ? Omit<E, 'at' | 'wall'> : never;

/** One reading of both clocks: what one message tells happened at one time. */
type Moment = Pick<TraceEvent, 'at' | 'wall'>;
const momentOf = (host: Host): Moment => ({ at: host.now(), wall: host.wallClock() });

export class TraceRecorder {
  /** The agent acknowledged the extension: the raw feed only adds to it. */
  asyncTasks = false;
  readonly #options: TraceOptions;
  readonly #writer: SpanWriter;
  #ledger: Ledger = emptyLedger();
  #trace: TraceState = emptyTrace();
  /** The connection, once something has passed. */
  #host: Host | undefined;
  #due: number | undefined;
  #cancelTick: (() => void) | undefined;

  constructor(tracer: Tracer, options: TraceOptions) {
    this.#writer = new SpanWriter(tracer);
    this.#options = options;
  }

  record(host: Host, event: WithoutTime<TraceEvent>, moment = momentOf(host)): void {
    this.#host = host;
    const [trace, ops] = reduceTrace(this.#trace, { ...event, ...moment }, this.#options);
    this.#trace = trace;
    for (const op of ops) this.#writer.perform(op);
    this.#schedule(host);
  }

  /** Something that no message told. */
  recordBeside(event: WithoutTime<TraceEvent>): void {
    if (this.#host !== undefined) this.record(this.#host, event);
  }

  /** What an update of the agent tells. While history is replayed it ends what is live, and starts nothing. */
  updated(host: Host, session: string, signals: readonly Signal[], end?: TurnEnd): void {
    for (const signal of signals) {
      const counts = !this.#isReplaying(session) || this.#isAboutLiveTask(session, signal);
      this.#tell(host, session, signal, counts, end);
    }
  }

  /** What the raw feed tells. It is never replayed. */
  fed(host: Host, session: string, signals: readonly Signal[]): void {
    for (const signal of signals) this.#tell(host, session, signal, true);
  }

  /** A client's request to stop a task is on its way. */
  stopAsked(host: Host, session: string, task: string): void {
    const moment = momentOf(host);
    this.#reduce(moment, session, { type: 'stopAsked', task });
    this.record(host, { type: 'cancelRequested', session, task }, moment);
  }

  closed(host: Host, session: string): void {
    const moment = momentOf(host);
    this.#reduce(moment, session, { type: 'sessionGone' });
    this.record(host, { type: 'closed', session }, moment);
  }

  #tell(host: Host, session: string, signal: Signal, counts: boolean, end?: TurnEnd): void {
    const moment = momentOf(host);
    const facts = counts ? this.#reduce(moment, session, signal) : [];
    this.record(host, { type: 'signal', session, signal, facts, ...(end === undefined ? {} : { end }) }, moment);
  }

  #reduce({ at }: Moment, session: string, signal: LedgerEvent['signal']): ReturnType<typeof reduceLedger>[1] {
    const [ledger, facts] = reduceLedger(this.#ledger, { session, at, signal }, { asyncTasks: this.asyncTasks });
    this.#ledger = ledger;
    return facts;
  }

  #isReplaying(session: string): boolean {
    return (this.#trace.sessions.get(session)?.replays ?? 0) > 0;
  }

  #isAboutLiveTask(session: string, signal: Signal): boolean {
    if (signal.type !== 'taskEnded' && signal.type !== 'taskChanged') return false;
    const phase = this.#ledger.get(session)?.items.get(signal.task)?.phase;
    return phase === 'foreground' || phase === 'background';
  }

  #schedule(host: Host): void {
    const due = nextTraceTick(this.#trace);
    if (due === this.#due) return;
    this.#due = due;
    this.#cancelTick?.();
    this.#cancelTick = due === undefined ? undefined : host.after(Math.max(0, due - host.now()), () => {
      this.#due = undefined;
      this.record(host, { type: 'tick' });
    });
  }
}
