/**
 * OpenTelemetry's SDK, set up from our options and its own variables. The only file that knows the
 * SDK; loaded late. Nothing global is registered but the diagnostics logger.
 */
import { diag, DiagLogLevel, type DiagLogger, type Meter, type TextMapPropagator, type Tracer } from '@opentelemetry/api';
import type { Logger } from '@opentelemetry/api-logs';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, SimpleSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../plugin.js';
import { CONVENTION_SCHEMA } from '../state/trace-names.js';
import { ownVariables, withVariables, type Variables } from './telemetry-environment.js';
import { CountedExporter, fileExporter, lineExporter } from './telemetry-exporters.js';
import type { TraceFile } from './telemetry-file.js';
import { exportersOf, otelVariable, type Environment } from './telemetry-wanted.js';
import { packageVersion } from './version.js';

export interface TracingPorts {
  readonly file: TraceFile | undefined;
  /** Where `--otlp` sends spans. */
  readonly otlp: string | undefined;
  readonly env: Environment;
  readonly log: Log;
  /** Writes text to stderr. */
  readonly write: (text: string) => void;
}

export interface Tracing {
  readonly tracer: Tracer;
  readonly propagator: TextMapPropagator;
  readonly meter?: Meter | undefined;
  readonly logger?: Logger | undefined;
  /** Sends what is left. The caller bounds the wait. */
  shutdown(): Promise<void>;
  /** Names what was lost. */
  report(): void;
}

type OtlpExporter = new (config: { url?: string }) => SpanExporter;

/** One row a protocol; the variable's values. */
const otlpExporters: Readonly<Record<string, () => Promise<OtlpExporter>>> = {
  'http/protobuf': async () => (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter,
  'http/json': async () => (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter,
  grpc: async () => (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter,
};
const DEFAULT_PROTOCOL = 'http/protobuf';

/** OTLP over HTTP has a path per signal (OTLP "Request"); a URL that names it already is taken as it is. */
export function tracesUrl(base: string): string {
  const url = new URL(base);
  if (!/\/v1\/traces\/?$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}

/** The address without what may be secret in it. */
function placeName(address: string): string {
  const { host, pathname, protocol } = URL.canParse(address) ? new URL(address) : { host: '', pathname: '', protocol: '' };
  return host === '' ? 'the OTLP endpoint' : `${protocol}//${host}${pathname}`;
}

function protocolOf({ env, log }: TracingPorts, httpOnly: boolean): string {
  const named = otelVariable(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? otelVariable(env, 'OTEL_EXPORTER_OTLP_PROTOCOL') ?? DEFAULT_PROTOCOL;
  if (httpOnly && named === 'grpc') return DEFAULT_PROTOCOL;
  if (Object.hasOwn(otlpExporters, named)) return named;
  log.warn(`the OTLP protocol ${JSON.stringify(named)} is none of ${Object.keys(otlpExporters).join(', ')}; using ${DEFAULT_PROTOCOL}`);
  return DEFAULT_PROTOCOL;
}

async function otlpExporter(ports: TracingPorts, own: Variables): Promise<CountedExporter> {
  const { env, log, otlp } = ports;
  const url = otlp === undefined ? undefined : tracesUrl(otlp);
  const Exporter = await otlpExporters[protocolOf(ports, otlp !== undefined)]?.();
  if (Exporter === undefined) throw new Error('no row for the OTLP protocol');
  const inner = withVariables(own, () => new Exporter(url === undefined ? {} : { url }));
  const address = url ?? otelVariable(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? otelVariable(env, 'OTEL_EXPORTER_OTLP_ENDPOINT') ?? 'http://localhost/';
  // The gRPC exporter reads its certificates when it first sends.
  return new CountedExporter(inner, placeName(address), log, (run) => withVariables(own, run));
}

/** A span is written to a file or to stderr when it ends, and to a collector in batches. */
async function exporters(ports: TracingPorts, own: Variables): Promise<{ counted: CountedExporter; batched: boolean }[]> {
  const { file, otlp, env, log, write } = ports;
  const named = new Set(exportersOf(env));
  const made: { counted: CountedExporter; batched: boolean }[] = [];
  if (file !== undefined) made.push({ counted: new CountedExporter(fileExporter(file), file.path, log), batched: false });
  if (otlp !== undefined || named.has('otlp')) made.push({ counted: await otlpExporter(ports, own), batched: true });
  if (named.has('console')) made.push({ counted: new CountedExporter(lineExporter(write), 'stderr', log), batched: false });
  for (const name of named) if (name !== 'otlp' && name !== 'console') log.warn(`OTEL_TRACES_EXPORTER names ${JSON.stringify(name)}, which is none of otlp, console and none; left out`);
  return made;
}

const partOf = (part: unknown): string[] => (typeof part === 'string' ? [part] : part instanceof Error ? [part.message] : []);

/** The SDK's own words, never the objects that it hands along: they can be whole spans. */
function diagnosticsTo(log: Log): DiagLogger {
  const say = (level: 'warn' | 'debug') => (...parts: unknown[]): void => log[level](`OpenTelemetry: ${parts.flatMap(partOf).join(' ')}`);
  return { error: say('warn'), warn: say('warn'), info: say('debug'), debug: say('debug'), verbose: () => {} };
}

/** The tracer and what it needs. `undefined` where nothing is left to send spans to. */
export async function createTracing(ports: TracingPorts): Promise<Tracing | undefined> {
  diag.setLogger(diagnosticsTo(ports.log), { logLevel: DiagLogLevel.INFO, suppressOverrideMessage: true });
  const own = ownVariables(ports.env);
  const made = await exporters(ports, own);
  if (made.length === 0) return undefined;
  const version = packageVersion();
  const provider = withVariables(own, () => {
    const spanProcessors = made.map(({ counted, batched }): SpanProcessor => (batched ? new BatchSpanProcessor(counted) : new SimpleSpanProcessor(counted)));
    const ourselves = resourceFromAttributes({ 'service.name': 'afterturn', 'service.version': version, 'service.instance.id': crypto.randomUUID() });
    const resource = defaultResource().merge(ourselves).merge(detectResources({ detectors: [envDetector] }));
    return new BasicTracerProvider({ resource, spanProcessors });
  });
  return {
    tracer: provider.getTracer('afterturn', version, { schemaUrl: CONVENTION_SCHEMA }),
    propagator: new W3CTraceContextPropagator(),
    shutdown: () => provider.shutdown(),
    report: () => made.forEach(({ counted }) => counted.report()),
  };
}
