/**
 * A recorded conversation as the spans that tracing makes of it: the recording is played through the
 * tracing plugin, on a clock that is the recording's, and read like a trace file. So both give the same
 * picture. Nothing leaves the process.
 */
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type IdGenerator } from '@opentelemetry/sdk-trace-base';
import { otel } from '../../plugins/otel/index.js';
import type { Connection } from '../check/index.js';
import { createRelay, type Ports } from '../relay.js';
import { readTraceText, type Span } from '../report/index.js';
import { Attribute } from '../state/trace-names.js';
import { optionRow } from './options.js';

export interface PlayedSpans {
  /** Times are milliseconds since the epoch if the recording tells when it began, else since `zero`. */
  readonly spans: readonly Span[];
  readonly zero: number;
}

/** A recording that does not tell when it began begins at this time: 0 means "no time" in OTLP. */
const ZERO = Date.UTC(2000, 0, 1);

/** Ids in order, so that the same recording gives the same report. */
function countedIds(): IdGenerator {
  let count = 0;
  const next = (length: number): string => (++count).toString(16).padStart(length, '0');
  return { generateTraceId: () => next(32), generateSpanId: () => next(16) };
}

/** Time that passes only when it is told to, and runs what is due on the way. */
class RecordedClock {
  #now = 0;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** What is due by `at` runs in its order; a time in the past changes nothing. */
  moveTo(at: number): void {
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= at).sort((one, other) => one.at - other.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
    }
    this.#now = Math.max(this.#now, at);
  }
}

const silent = (): void => {};

function ports(clock: RecordedClock, zero: number): Ports {
  return {
    write: () => true,
    resume: silent,
    stray: silent,
    log: { error: silent, warn: silent, info: silent, debug: silent },
    agentCommand: [],
    now: () => clock.now(),
    wallClock: () => zero + clock.now(),
    after: (ms, run) => clock.after(ms, run),
    // The files of a recorded session are not those of this machine.
    follow: () => ({ flush: silent, close: silent }),
    uniqueId: () => 'report',
  };
}

const ways = { c2a: 'toAgent', a2c: 'toClient' } as const;

/** The spans of a conversation. Where a message has no time, its place is its time. */
export async function spansOf({ startedAt, messages }: Connection): Promise<PlayedSpans> {
  const zero = startedAt ?? ZERO;
  const clock = new RecordedClock();
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)], idGenerator: countedIds() });
  const followUpWindow = Number(optionRow('follow-up-window').default);
  const { plugin } = otel({ tracer: provider.getTracer('afterturn'), propagator: new W3CTraceContextPropagator(), followUpWindow });
  const relay = createRelay({ plugins: [plugin] }, ports(clock, zero));
  messages.forEach(({ t, dir, msg }, index) => {
    clock.moveTo(Number.isNaN(t) ? index : t);
    relay.push(ways[dir], Buffer.from(`${JSON.stringify(msg)}\n`));
  });
  const end = clock.now();
  // What has ended may wait for more about its end; what has not stays as it is.
  clock.moveTo(end + followUpWindow);
  await relay.close();
  const bytes = JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans());
  const { spans } = readTraceText(bytes === undefined ? '' : new TextDecoder().decode(bytes));
  return { zero, spans: spans.map((span) => asRecorded(span, zero + end)) };
}

/** Nothing is known from after the last message; what was open then was not ended by a proxy. */
function asRecorded(span: Span, latest: number): Span {
  const { values, start, end } = span;
  const isOpen = values[Attribute.endReason] === 'proxy_ended';
  return { ...span, end: Math.max(start, Math.min(end, latest)), values: isOpen ? { ...values, [Attribute.endReason]: 'recording_ended' } : values };
}

