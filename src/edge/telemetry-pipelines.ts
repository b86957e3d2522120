/**
 * One pipeline a signal: the SDK's provider, and behind it each place that the records go to, with its
 * count. A span or record goes to a file or to stderr when it ends, to a collector in batches. Queues
 * are bounded: what does not fit is lost, and counted.
 */
import { TraceFlags, type Tracer } from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider, SimpleLogRecordProcessor, type LogRecordProcessor } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor, SimpleSpanProcessor, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { withVariables, type Variables } from './telemetry-environment.js';
import { CountedExporter, CountedMetricExporter, fileExporter, lineExporters } from './telemetry-exporters.js';
import { Tally, type Counted } from './telemetry-losses.js';
import { otlpDestination } from './telemetry-otlp.js';
import type { SdkPorts } from './telemetry-sdk.js';
import { isPlain, plainTracer } from './telemetry-spans.js';
import { otelVariable, OWN_PREFIX, type ExporterName, type Signal } from './telemetry-wanted.js';

export interface Setting {
  readonly ports: SdkPorts;
  /** The variables that are ours alone. */
  readonly own: Variables;
  readonly resource: Resource;
}

export interface Pipeline<P> {
  readonly provider: P;
  /** Sends what is left; waits for nobody who is not there. */
  shutdown(): Promise<void>;
  /** Names what was lost. */
  report(): void;
}

const counted: Readonly<Record<Signal, Counted>> = {
  traces: ['span', 'spans'],
  metrics: ['metric export', 'metric exports'],
  logs: ['log record', 'log records'],
};

/** A place, and how the provider reaches it. */
interface Branch<R> {
  readonly tally: Tally;
  /** Whether what goes there is waited for. */
  readonly isFar: boolean;
  readonly reach: R;
  readonly unwatch: () => void;
}

function tallyFor(signal: Signal, place: string, { log }: SdkPorts): Tally {
  return new Tally(counted[signal], place, log, `; ${OWN_PREFIX}OTEL_${signal.toUpperCase()}_EXPORTER=none leaves them out`);
}

/** The branches to the exporters that are asked for. */
function branches<R>({ ports }: Setting, signal: Signal, make: Readonly<Record<ExporterName, () => Promise<Branch<R>>>>): Promise<Branch<R>[]> {
  return Promise.all(ports.wish[signal].map((name) => make[name]()));
}

function pipelineOf<P extends { shutdown(): Promise<void> }>(provider: P, all: readonly Branch<unknown>[]): Pipeline<P> {
  return {
    provider,
    async shutdown() {
      for (const { tally } of all) tally.closing();
      const far = all.filter(({ isFar }) => isFar);
      const nobodyIsThere = Promise.all(far.map(({ tally }) => tally.unreachable));
      await (far.length === 0 ? provider.shutdown() : Promise.race([provider.shutdown(), nobodyIsThere]));
    },
    report() {
      for (const { tally, unwatch } of all) {
        tally.report();
        unwatch();
      }
    },
  };
}

const nothing = (): void => {};

/** Tells the tally of each span that is to be delivered, also of one for which the queue has no room. */
function countedSpans(inner: SpanProcessor, tally: Tally): SpanProcessor {
  return {
    onStart: (span, context) => inner.onStart(span, context),
    onEnd(span) {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0) tally.made(1);
      inner.onEnd(span);
    },
    forceFlush: () => inner.forceFlush(),
    shutdown: () => inner.shutdown(),
  };
}

function countedRecords(inner: LogRecordProcessor, tally: Tally): LogRecordProcessor {
  return {
    onEmit(record, context) {
      tally.made(1);
      inner.onEmit(record, context);
    },
    forceFlush: () => inner.forceFlush(),
    shutdown: () => inner.shutdown(),
  };
}

type Scope = InstrumentationScope & { readonly schemaUrl: string };

/** What makes the spans of a scope. */
interface TracerProvider {
  tracer(scope: Scope): Tracer;
  shutdown(): Promise<void>;
}

/** Where no variable decides about single spans they are made without the SDK's own tracer. Nothing of ours listens to starts. */
function tracerProvider({ ports, own, resource }: Setting, processors: readonly SpanProcessor[]): TracerProvider {
  const provider = withVariables(own, () => new BasicTracerProvider({ resource, spanProcessors: [...processors] }));
  const ended = (span: ReadableSpan): void => {
    for (const processor of processors) processor.onEnd(span);
  };
  const isOurs = isPlain(ports.env);
  return {
    tracer: (scope) => (isOurs ? plainTracer({ resource, scope, ended }) : provider.getTracer(scope.name, scope.version, scope)),
    shutdown: () => provider.shutdown(),
  };
}

export async function tracePipeline(setting: Setting): Promise<Pipeline<TracerProvider> | undefined> {
  const { ports, own } = setting;
  const counting = (tally: Tally) => (spans: readonly unknown[]): void => tally.delivered(spans.length);
  const atOnce = (place: string, exporter: ReturnType<typeof fileExporter>): Branch<SpanProcessor> => {
    const tally = tallyFor('traces', place, ports);
    return { tally, isFar: false, unwatch: nothing, reach: countedSpans(new SimpleSpanProcessor(new CountedExporter(exporter, tally, counting(tally))), tally) };
  };
  const all = await branches<SpanProcessor>(setting, 'traces', {
    async otlp() {
      const { exporter, place, look, watch } = await otlpDestination(ports, own, 'traces');
      const tally = tallyFor('traces', place, ports);
      const processor = withVariables(own, () => new BatchSpanProcessor(new CountedExporter(exporter, tally, counting(tally), look)));
      return { tally, isFar: true, unwatch: watch(tally), reach: countedSpans(processor, tally) };
    },
    console: async () => atOnce('stderr', lineExporters(ports.write).traces),
  });
  if (ports.file !== undefined) all.unshift(atOnce(ports.file.path, fileExporter(ports.file)));
  if (all.length === 0) return undefined;
  return pipelineOf(tracerProvider(setting, all.map(({ reach }) => reach)), all);
}

/** A variable that is a number above 0; another value is named and left out. */
function numberOf({ env, log }: SdkPorts, name: `OTEL_${string}`): number | undefined {
  const text = otelVariable(env, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  log.warn(`${name} expects a number above 0, got ${JSON.stringify(text)}; left out`);
  return undefined;
}

/** The limits of the queue of log records (SDK environment variables "Batch LogRecord Processor"), as far as they are set. */
function recordLimits(ports: SdkPorts): Record<string, number> {
  const limits = {
    scheduledDelayMillis: numberOf(ports, 'OTEL_BLRP_SCHEDULE_DELAY'),
    exportTimeoutMillis: numberOf(ports, 'OTEL_BLRP_EXPORT_TIMEOUT'),
    maxQueueSize: numberOf(ports, 'OTEL_BLRP_MAX_QUEUE_SIZE'),
    maxExportBatchSize: numberOf(ports, 'OTEL_BLRP_MAX_EXPORT_BATCH_SIZE'),
  };
  return Object.fromEntries(Object.entries(limits).filter((entry): entry is [string, number] => entry[1] !== undefined));
}

export async function logPipeline(setting: Setting): Promise<Pipeline<LoggerProvider> | undefined> {
  const { ports, own, resource } = setting;
  const counting = (tally: Tally) => (records: readonly unknown[]): void => tally.delivered(records.length);
  const all = await branches<LogRecordProcessor>(setting, 'logs', {
    async otlp() {
      const { exporter, place, look, watch } = await otlpDestination(ports, own, 'logs');
      const tally = tallyFor('logs', place, ports);
      const processor = new BatchLogRecordProcessor({ exporter: new CountedExporter(exporter, tally, counting(tally), look), ...recordLimits(ports) });
      return { tally, isFar: true, unwatch: watch(tally), reach: countedRecords(processor, tally) };
    },
    async console() {
      const tally = tallyFor('logs', 'stderr', ports);
      const exporter = new CountedExporter(lineExporters(ports.write).logs, tally, counting(tally));
      return { tally, isFar: false, unwatch: nothing, reach: countedRecords(new SimpleLogRecordProcessor({ exporter }), tally) };
    },
  });
  if (all.length === 0) return undefined;
  return pipelineOf(withVariables(own, () => new LoggerProvider({ resource, processors: all.map(({ reach }) => reach) })), all);
}

const exportIntervalMs = 60_000;
const exportTimeoutMs = 30_000;

export async function metricPipeline(setting: Setting): Promise<Pipeline<MeterProvider> | undefined> {
  const { ports, own, resource } = setting;
  const exportIntervalMillis = numberOf(ports, 'OTEL_METRIC_EXPORT_INTERVAL') ?? exportIntervalMs;
  const exportTimeoutMillis = Math.min(exportIntervalMillis, numberOf(ports, 'OTEL_METRIC_EXPORT_TIMEOUT') ?? exportTimeoutMs);
  const read = (exporter: CountedMetricExporter): PeriodicExportingMetricReader => new PeriodicExportingMetricReader({ exporter, exportIntervalMillis, exportTimeoutMillis });
  const all = await branches<PeriodicExportingMetricReader>(setting, 'metrics', {
    async otlp() {
      const { exporter, place, look, watch } = await otlpDestination(ports, own, 'metrics');
      const tally = tallyFor('metrics', place, ports);
      return { tally, isFar: true, unwatch: watch(tally), reach: read(new CountedMetricExporter(exporter, tally, look)) };
    },
    async console() {
      const tally = tallyFor('metrics', 'stderr', ports);
      return { tally, isFar: false, unwatch: nothing, reach: read(new CountedMetricExporter(lineExporters(ports.write).metrics, tally)) };
    },
  });
  if (all.length === 0) return undefined;
  return pipelineOf(new MeterProvider({ resource, readers: all.map(({ reach }) => reach) }), all);
}
