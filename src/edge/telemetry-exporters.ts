/**
 * Where telemetry goes beside the SDK's own exporters: the trace file and stderr. And an exporter that
 * counts what another one loses. Knows records, not sessions.
 */
import { ExportResultCode, hrTimeToMilliseconds, type ExportResult } from '@opentelemetry/core';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { AggregationTemporality, InstrumentType, type PushMetricExporter, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { TraceFile } from './telemetry-file.js';
import type { Tally } from './telemetry-losses.js';

type Done = (result: ExportResult) => void;

/** The form of the SDK's exporters of every signal. */
export interface Exporter<T> {
  export(items: T, done: Done): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** An exporter that is done when it returns. */
function immediateExporter<T>(send: (items: T) => void, close: () => void = () => {}): Exporter<T> {
  return {
    export(items, done) {
      try {
        send(items);
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
export const fileExporter = (file: TraceFile): Exporter<ReadableSpan[]> =>
  immediateExporter((spans) => {
    const request = JsonTraceSerializer.serializeRequest(spans);
    if (request !== undefined) file.append(request);
  }, () => file.close());

const timeOf = (time: ReadableSpan['startTime']): string => new Date(hrTimeToMilliseconds(time)).toISOString();

function spanLine(span: ReadableSpan): object {
  const { traceId, spanId } = span.spanContext();
  return {
    name: span.name,
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    start: timeOf(span.startTime),
    milliseconds: hrTimeToMilliseconds(span.duration),
    ...(span.status.code === 2 ? { error: true } : {}),
    attributes: span.attributes,
    events: span.events.map(({ name }) => name),
    links: span.links.map(({ context }) => context.spanId),
  };
}

function logLine({ hrTime, eventName, body, severityText, attributes, spanContext }: ReadableLogRecord): object {
  return { time: timeOf(hrTime), event: eventName, body, severity: severityText, attributes, traceId: spanContext?.traceId, spanId: spanContext?.spanId };
}

function metricLines({ scopeMetrics }: ResourceMetrics): object[] {
  return scopeMetrics.flatMap(({ metrics }) => metrics.map(({ descriptor: { name, unit }, dataPoints }) => ({ name, unit, points: dataPoints.map(({ attributes, value }) => ({ value, attributes })) })));
}

/** One line a record; `write` writes to stderr (the SDK's own console exporters write to stdout). */
export function lineExporters(write: (text: string) => void): { traces: Exporter<ReadableSpan[]>; logs: Exporter<ReadableLogRecord[]>; metrics: Exporter<ResourceMetrics> } {
  const lines = (what: string, records: readonly object[]): void => {
    for (const record of records) write(`afterturn: ${what}: ${JSON.stringify(record)}\n`);
  };
  return {
    traces: immediateExporter((spans) => lines('span', spans.map(spanLine))),
    logs: immediateExporter((records) => lines('log record', records.map(logLine))),
    metrics: immediateExporter((metrics) => lines('metric', metricLines(metrics))),
  };
}

/** Tells a tally what another exporter delivers and loses. The SDK is told that all went well. */
export class CountedExporter<T> implements Exporter<T> {
  readonly #inner: Exporter<T>;
  readonly #tally: Tally;
  readonly #delivered: (items: T) => void;
  readonly #look: (run: () => void) => void;

  /** `look` runs what reads the environment. */
  constructor(inner: Exporter<T>, tally: Tally, delivered: (items: T) => void, look: (run: () => void) => void = (run) => run()) {
    this.#inner = inner;
    this.#tally = tally;
    this.#delivered = delivered;
    this.#look = look;
  }

  export(items: T, done: Done): void {
    this.#look(() => this.#inner.export(items, ({ code, error }) => {
      if (code === ExportResultCode.SUCCESS) this.#delivered(items);
      else this.#tally.lost(error);
      done({ code: ExportResultCode.SUCCESS });
    }));
  }

  forceFlush(): Promise<void> {
    return this.#inner.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }
}

/** Metrics are counted by exports. Where they are sums from the start, one that arrives makes up for those before. */
export class CountedMetricExporter extends CountedExporter<ResourceMetrics> implements PushMetricExporter {
  readonly selectAggregationTemporality: (type: InstrumentType) => AggregationTemporality;
  readonly #made: () => void;

  constructor(inner: Exporter<ResourceMetrics> & Partial<Pick<PushMetricExporter, 'selectAggregationTemporality'>>, tally: Tally, look?: (run: () => void) => void) {
    const temporality = (type: InstrumentType): AggregationTemporality => inner.selectAggregationTemporality?.(type) ?? AggregationTemporality.CUMULATIVE;
    const isFromStart = temporality(InstrumentType.COUNTER) === AggregationTemporality.CUMULATIVE;
    super(inner, tally, () => (isFromStart ? tally.deliveredAll() : tally.delivered(1)), look);
    this.selectAggregationTemporality = temporality;
    this.#made = () => tally.made(1);
  }

  override export(metrics: ResourceMetrics, done: Done): void {
    this.#made();
    super.export(metrics, done);
  }
}
