/**
 * Whether this session is traced. On the start path of every session: it loads nothing unless the
 * answer is yes.
 */
import type { Log } from '../plugin.js';
import type { Telemetry, TelemetryOptions } from './telemetry.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What stands before a variable of OpenTelemetry that is meant for us alone. */
export const OWN_PREFIX = 'AFTERTURN_';

/** A variable of OpenTelemetry as it holds for us: `AFTERTURN_OTEL_*` wins, an empty one counts as unset. */
export function otelVariable(env: Environment, name: `OTEL_${string}`): string | undefined {
  return env[OWN_PREFIX + name]?.trim() || env[name]?.trim() || undefined;
}

/** The exporters that the variables ask for: `otlp`, `console`, or a name that nobody knows. */
export function exportersOf(env: Environment): readonly string[] {
  const named = otelVariable(env, 'OTEL_TRACES_EXPORTER')?.split(',').map((name) => name.trim().toLowerCase());
  if (named !== undefined) return named.includes('none') ? [] : named.filter((name) => name !== '');
  const endpoint = otelVariable(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? otelVariable(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  return endpoint === undefined ? [] : ['otlp'];
}

const isDisabled = (env: Environment): boolean => otelVariable(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true';

const isAsked = (options: TelemetryOptions): boolean => options['trace-file'] !== undefined || options.otlp !== undefined;

/** Whether an option or a variable asks for spans and no variable forbids them. */
export const tracingWanted = (options: TelemetryOptions, env: Environment): boolean =>
  !isDisabled(env) && (isAsked(options) || exportersOf(env).length > 0);

/**
 * What traces this session; `undefined` where nobody asks for spans.
 * `write` writes text to stderr. Throws a `RelayError` when the trace file cannot be written.
 */
export async function telemetryFor(options: TelemetryOptions, env: Environment, log: Log, write: (text: string) => void): Promise<Telemetry | undefined> {
  if (tracingWanted(options, env)) return (await import('./telemetry.js')).openTelemetry({ options, env, log, write });
  if (isAsked(options)) log.warn('OTEL_SDK_DISABLED is true: no spans are made, whatever --trace-file and --otlp say');
  return undefined;
}
