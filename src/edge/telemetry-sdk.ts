/**
 * OpenTelemetry's SDK, set up from our options and its own variables: one pipeline a signal. Loaded
 * late. Nothing global is registered but the diagnostics logger.
 */
import { hostname } from 'node:os';
import { diag, DiagLogLevel, type DiagLogger, type Meter, type TextMapPropagator, type Tracer } from '@opentelemetry/api';
import type { Logger } from '@opentelemetry/api-logs';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, osDetector, resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import type { Log } from '../plugin.js';
import { CONVENTION_SCHEMA } from '../state/trace-names.js';
import { ownVariables, withVariables, type Variables } from './telemetry-environment.js';
import { logPipeline, metricPipeline, tracePipeline, type Pipeline } from './telemetry-pipelines.js';
import type { OtlpPorts } from './telemetry-otlp.js';
import { noTracer } from './telemetry-spans.js';
import type { TraceFile } from './telemetry-file.js';
import type { Wish } from './telemetry-wanted.js';
import { packageVersion } from './version.js';

export interface SdkPorts extends OtlpPorts {
  readonly wish: Wish;
  readonly file: TraceFile | undefined;
  /** Writes text to stderr. */
  readonly write: (text: string) => void;
}

export interface Sdk {
  readonly tracer: Tracer;
  readonly propagator: TextMapPropagator;
  /** `undefined` where nobody asks for metrics; likewise `logger`. */
  readonly meter: Meter | undefined;
  readonly logger: Logger | undefined;
  /** Sends what is left. The caller bounds the wait. */
  shutdown(): Promise<void>;
  /** Names what was lost. */
  report(): void;
}

const partOf = (part: unknown): string[] => (typeof part === 'string' ? [part] : part instanceof Error ? [part.message] : []);

/** What is lost we count ourselves. */
const isAboutLosses = (text: string): boolean => /maxQueueSize reached|export timed out/.test(text);

/** The SDK's own words, never the objects that it hands along: they can be whole spans. */
function diagnosticsTo(log: Log): DiagLogger {
  const say = (level: 'warn' | 'debug') => (...parts: unknown[]): void => {
    const text = parts.flatMap(partOf).join(' ');
    log[isAboutLosses(text) ? 'debug' : level](`OpenTelemetry: ${text}`);
  };
  return { error: say('warn'), warn: say('warn'), info: say('debug'), debug: say('debug'), verbose: () => {} };
}

/** Who we are and where; the variables win. */
function ownResource(version: string): Resource {
  const ourselves = resourceFromAttributes({ 'service.name': 'afterturn', 'service.version': version, 'service.instance.id': crypto.randomUUID(), 'host.name': hostname() });
  return defaultResource().merge(detectResources({ detectors: [osDetector] })).merge(ourselves).merge(detectResources({ detectors: [envDetector] }));
}

/** What holds for each signal is said once. */
function sayingOnce(log: Log): Log {
  const said = new Set<string>();
  return {
    ...log,
    warn(text) {
      if (!said.has(text)) log.warn(text);
      said.add(text);
    },
  };
}

/** The signals that are asked for. */
export async function createSdk(given: SdkPorts): Promise<Sdk> {
  const ports = { ...given, log: sayingOnce(given.log) };
  diag.setLogger(diagnosticsTo(given.log), { logLevel: DiagLogLevel.INFO, suppressOverrideMessage: true });
  const own: Variables = ownVariables(ports.env);
  const version = packageVersion();
  const setting = { ports, own, resource: withVariables(own, () => ownResource(version)) };
  const [traces, metrics, logs] = await Promise.all([tracePipeline(setting), metricPipeline(setting), logPipeline(setting)]);
  const pipelines = [traces, metrics, logs].filter((pipeline): pipeline is Pipeline<never> => pipeline !== undefined);
  const scope = { name: 'afterturn', version, schemaUrl: CONVENTION_SCHEMA };
  return {
    tracer: traces?.provider.tracer(scope) ?? noTracer,
    propagator: new W3CTraceContextPropagator(),
    meter: metrics?.provider.getMeter(scope.name, version, scope),
    logger: logs?.provider.getLogger(scope.name, version, scope),
    shutdown: async () => void (await Promise.all(pipelines.map((pipeline) => pipeline.shutdown()))),
    report: () => pipelines.forEach((pipeline) => pipeline.report()),
  };
}
