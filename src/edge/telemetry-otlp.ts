/**
 * OTLP: which protocol, which address, and the SDK's exporter for both. Only the one that is chosen
 * is loaded.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../plugin.js';
import { withVariables, type Variables } from './telemetry-environment.js';
import type { Exporter } from './telemetry-exporters.js';
import type { Tally } from './telemetry-losses.js';
import { otelVariable, ownVariable, type Environment, type Signal } from './telemetry-wanted.js';

export interface Exporters {
  readonly traces: Exporter<ReadableSpan[]>;
  readonly metrics: PushMetricExporter;
  readonly logs: Exporter<ReadableLogRecord[]>;
}

type Made<S extends Signal> = new (config: { url?: string }) => Exporters[S];
type Row = { readonly [S in Signal]: () => Promise<Made<S>> };

/** One row a protocol; the variable's values. */
const protocols: Readonly<Record<string, Row>> = {
  'http/protobuf': {
    traces: async () => (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter,
    metrics: async () => (await import('@opentelemetry/exporter-metrics-otlp-proto')).OTLPMetricExporter,
    logs: async () => (await import('@opentelemetry/exporter-logs-otlp-proto')).OTLPLogExporter,
  },
  'http/json': {
    traces: async () => (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter,
    metrics: async () => (await import('@opentelemetry/exporter-metrics-otlp-http')).OTLPMetricExporter,
    logs: async () => (await import('@opentelemetry/exporter-logs-otlp-http')).OTLPLogExporter,
  },
  grpc: {
    traces: async () => (await import('./telemetry-grpc.js')).OTLPTraceExporter,
    metrics: async () => (await import('./telemetry-grpc.js')).OTLPMetricExporter,
    logs: async () => (await import('./telemetry-grpc.js')).OTLPLogExporter,
  },
};
const DEFAULT_PROTOCOL = 'http/protobuf';
const GRPC = 'grpc';

/** Where `--otlp` sends a signal. OTLP over HTTP has a path per signal (OTLP "Request"); one that the URL names already is put in its place. */
export function signalUrl(base: string, signal: Signal): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/v1\/(traces|metrics|logs)\/?$/, '').replace(/\/$/, '')}/v1/${signal}`;
  return url.href;
}

/** The address without what may be secret in it. */
function placeName(address: string): string {
  const { host, pathname, protocol } = URL.canParse(address) ? new URL(address) : { host: '', pathname: '', protocol: '' };
  return host === '' ? 'the OTLP endpoint' : `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

export interface OtlpPorts {
  /** Where `--otlp` sends to. */
  readonly otlp: string | undefined;
  readonly env: Environment;
  readonly log: Log;
}

/** The protocol of a signal. What the variables say to everybody does not make `--otlp`, which is HTTP, gRPC. */
function protocolOf({ env, log, otlp }: OtlpPorts, signal: Signal): string {
  const names = [`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_PROTOCOL`, 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;
  const first = (read: typeof otelVariable): string | undefined => read(env, names[0]) ?? read(env, names[1]);
  const named = first(otelVariable) ?? DEFAULT_PROTOCOL;
  if (otlp !== undefined && named === GRPC && first(ownVariable) !== GRPC) return DEFAULT_PROTOCOL;
  if (Object.hasOwn(protocols, named)) return named;
  log.warn(`the OTLP protocol ${JSON.stringify(named)} is none of ${Object.keys(protocols).join(', ')}; using ${DEFAULT_PROTOCOL}`);
  return DEFAULT_PROTOCOL;
}

/** Where a signal is sent to, as the exporter will read it out of the variables (OTLP Exporter "Endpoint URLs for OTLP/HTTP"). */
function addressOf(env: Environment, signal: Signal, protocol: string): string {
  const own = otelVariable(env, `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`);
  const base = otelVariable(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  if (protocol === GRPC) return own ?? base ?? 'http://localhost:4317';
  if (own !== undefined) return own;
  return signalUrl(base !== undefined && URL.canParse(base) ? base : 'http://localhost:4318', signal);
}

export interface OtlpDestination<S extends Signal> {
  readonly exporter: Exporters[S];
  /** The address as it may be shown. */
  readonly place: string;
  /** Runs what reads the environment. */
  readonly look: (run: () => void) => void;
  /** Tells the tally of attempts that the exporter keeps to itself, until the result is called. */
  readonly watch: (tally: Tally) => () => void;
}

export async function otlpDestination<S extends Signal>(ports: OtlpPorts, own: Variables, signal: S): Promise<OtlpDestination<S>> {
  const { env, otlp } = ports;
  const protocol = protocolOf(ports, signal);
  const row = protocols[protocol];
  if (row === undefined) throw new Error(`no row for the OTLP protocol ${protocol}`);
  const url = otlp === undefined ? undefined : protocol === GRPC ? otlp : signalUrl(otlp, signal);
  const Made = await row[signal]();
  const address = url ?? addressOf(env, signal, protocol);
  return {
    exporter: withVariables(own, () => new Made(url === undefined ? {} : { url })),
    place: placeName(address),
    // The gRPC exporter reads its certificates when it first sends.
    look: (run) => withVariables(own, run),
    watch: (tally) => (protocol === GRPC || !URL.canParse(address) ? () => {} : watchedRequests(new URL(address), tally)),
  };
}

interface Seen {
  readonly request: ClientRequest;
  readonly response?: IncomingMessage;
  readonly error?: Error;
}

/** While it tries again, the exporter over HTTP tells nobody why. Node's own diagnostics do. */
function watchedRequests({ host, pathname, search }: URL, tally: Tally): () => void {
  const look = (message: unknown): void => {
    const { request, response, error } = message as Seen;
    if (request.getHeader('host') !== host || request.path !== pathname + search) return;
    if (error !== undefined) tally.tried(error);
    else if (response !== undefined && (response.statusCode ?? 0) >= 400) tally.tried(new Error(`${response.statusCode} ${response.statusMessage}`));
  };
  const channels = ['http.client.request.error', 'http.client.response.finish'];
  for (const channel of channels) subscribe(channel, look);
  return () => channels.forEach((channel) => unsubscribe(channel, look));
}
