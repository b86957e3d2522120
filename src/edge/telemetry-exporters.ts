/**
 * Where spans go beside the SDK's own exporters: the trace file and stderr. And the count of what
 * could not be delivered. Knows spans, not sessions.
 */
import { ExportResultCode, hrTimeToMilliseconds, type ExportResult } from '@opentelemetry/core';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../plugin.js';
import type { TraceFile } from './telemetry-file.js';

type Done = (result: ExportResult) => void;

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** An exporter that is done when it returns. */
function immediateExporter(send: (spans: ReadableSpan[]) => void, close: () => void = () => {}): SpanExporter {
  return {
    export(spans, done) {
      try {
        send(spans);
      } catch (error) {
        return done({ code: ExportResultCode.FAILED, error: errorOf(error) });
      }
      done({ code: ExportResultCode.SUCCESS });
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(close()),
  };
}

/** OTLP JSON, one `ExportTraceServiceRequest` a line. Closes the file at shutdown. */
export const fileExporter = (file: TraceFile): SpanExporter =>
  immediateExporter((spans) => {
    const request = JsonTraceSerializer.serializeRequest(spans);
    if (request !== undefined) file.append(request);
  }, () => file.close());

function spanLine(span: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext();
  return JSON.stringify({
    name: span.name,
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    start: new Date(hrTimeToMilliseconds(span.startTime)).toISOString(),
    milliseconds: hrTimeToMilliseconds(span.duration),
    ...(span.status.code === 2 ? { error: true } : {}),
    attributes: span.attributes,
    events: span.events.map(({ name }) => name),
    links: span.links.map(({ context }) => context.spanId),
  });
}

/** One line a span; `write` writes to stderr (the SDK's own console exporter writes to stdout). */
export const lineExporter = (write: (text: string) => void): SpanExporter =>
  immediateExporter((spans) => {
    for (const span of spans) write(`afterturn: span: ${spanLine(span)}\n`);
  });

/** Counts what an exporter loses, and names the first loss. The SDK is told that all went well. */
export class CountedExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #place: string;
  readonly #log: Log;
  readonly #look: (run: () => void) => void;
  #waiting = 0;
  #lost = 0;
  #reason = 'not accepted in time';

  /** `place` names where spans go; `look` runs what reads the environment. */
  constructor(inner: SpanExporter, place: string, log: Log, look: (run: () => void) => void = (run) => run()) {
    this.#inner = inner;
    this.#place = place;
    this.#log = log;
    this.#look = look;
  }

  export(spans: ReadableSpan[], done: Done): void {
    this.#waiting += spans.length;
    this.#look(() => this.#inner.export(spans, ({ code, error }) => {
      this.#waiting -= spans.length;
      if (code !== ExportResultCode.SUCCESS) this.#lose(spans.length, error);
      done({ code: ExportResultCode.SUCCESS });
    }));
  }

  forceFlush(): Promise<void> {
    return this.#inner.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }

  /** Says how many spans were not delivered. For the end, when nothing more is waited for. */
  report(): void {
    const missing = this.#lost + this.#waiting;
    if (missing > 0) this.#log.warn(`${missing} spans were not delivered to ${this.#place}: ${this.#reason}`);
  }

  #lose(count: number, error: Error | undefined): void {
    this.#reason = reasonOf(error);
    if (this.#lost === 0) this.#log.warn(`spans cannot be delivered to ${this.#place}: ${this.#reason}; further losses are only counted`);
    this.#lost += count;
  }
}

/** A response of a collector can be long; an error that groups others has no message of its own. */
function reasonOf(error: (Error & { readonly code?: unknown }) | undefined): string {
  const text = error === undefined ? 'no reason was given' : error.message || String(error.code ?? error.name);
  return (text.split('\n')[0] ?? '').slice(0, 200);
}
