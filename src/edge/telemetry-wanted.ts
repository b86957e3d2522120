/**
 * What telemetry this session is to give. On the start path of every session: it loads nothing unless
 * somebody asks for some.
 */
import type { Log } from '../plugin.js';
import { openTraceFile, type TraceFile } from './telemetry-file.js';
import type { Telemetry, TelemetryOptions } from './telemetry.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export const signals = ['traces', 'metrics', 'logs'] as const;
export type Signal = (typeof signals)[number];

const exporters = ['otlp', 'console'] as const;
export type ExporterName = (typeof exporters)[number];

/** The exporters of each signal. */
export type Wish = Readonly<Record<Signal, readonly ExporterName[]>>;

/** What stands before a variable of OpenTelemetry that is meant for us alone. */
export const OWN_PREFIX = 'AFTERTURN_';

type Name = `OTEL_${string}`;

const shared = (env: Environment, name: Name): string | undefined => env[name]?.trim() || undefined;

/** A variable of OpenTelemetry that is meant for us alone, `AFTERTURN_OTEL_*`; an empty one counts as unset. */
export const ownVariable = (env: Environment, name: Name): string | undefined => env[OWN_PREFIX + name]?.trim() || undefined;

/** A variable of OpenTelemetry as it holds for us: ours wins. */
export const otelVariable = (env: Environment, name: Name): string | undefined => ownVariable(env, name) ?? shared(env, name);

const exporterVariable = (signal: Signal): Name => `OTEL_${signal.toUpperCase()}_EXPORTER`;

const isKnown = (name: string): name is ExporterName => exporters.some((each) => each === name);

const namesIn = (list: string): string[] => list.split(',').map((name) => name.trim().toLowerCase()).filter((name) => name !== '');

/** The exporters that the variables ask for, also such that nobody knows. */
export function exportersOf(env: Environment, signal: Signal): readonly string[] {
  const named = otelVariable(env, exporterVariable(signal));
  if (named !== undefined) return namesIn(named).includes('none') ? [] : namesIn(named);
  const endpoint = otelVariable(env, `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`) ?? otelVariable(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  return endpoint === undefined ? [] : ['otlp'];
}

/** What the variables and `--otlp` ask for. The option wins over a variable that may be the agent's. */
export function wishOf({ otlp }: TelemetryOptions, env: Environment): Wish {
  const wanted = (signal: Signal): readonly ExporterName[] => {
    const isLeftOut = namesIn(ownVariable(env, exporterVariable(signal)) ?? '').includes('none');
    return [...new Set([...(otlp === undefined || isLeftOut ? [] : (['otlp'] as const)), ...exportersOf(env, signal).filter(isKnown)])];
  };
  return { traces: wanted('traces'), metrics: wanted('metrics'), logs: wanted('logs') };
}

const isDisabled = (env: Environment): boolean => otelVariable(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true';

const isAsked = (options: TelemetryOptions): boolean => options['trace-file'] !== undefined || options.otlp !== undefined;

/** Whether an option or a variable asks for anything, and no variable forbids it. */
export const telemetryWanted = (options: TelemetryOptions, env: Environment): boolean =>
  !isDisabled(env) && (options['trace-file'] !== undefined || Object.values(wishOf(options, env)).some((exporters) => exporters.length > 0));

function nameUnknown(names: readonly string[], variable: string, log: Log): void {
  for (const name of names) if (!isKnown(name)) log.warn(`${variable} names ${JSON.stringify(name)}, which is none of ${exporters.join(', ')} and none; left out`);
}

/**
 * Loads what watches this session; `undefined` where nobody asks for anything. The trace file is open
 * when this returns; the rest is loaded when the result is called, for the agent can start meanwhile.
 * `write` writes text to stderr. Throws a `RelayError` when the trace file cannot be written.
 */
export function telemetryFor(options: TelemetryOptions, env: Environment, log: Log, write: (text: string) => void): (() => Promise<Telemetry | undefined>) | undefined {
  if (!isDisabled(env)) for (const signal of signals) nameUnknown(exportersOf(env, signal), exporterVariable(signal), log);
  if (telemetryWanted(options, env)) {
    const path = options['trace-file'];
    const file: TraceFile | undefined = path === undefined ? undefined : openTraceFile(path, options['capture-content']);
    return async () => (await import('./telemetry.js')).openTelemetry({ options, env, log, write, file, wish: wishOf(options, env) });
  }
  if (isDisabled(env) && isAsked(options)) log.warn('OTEL_SDK_DISABLED is true: nothing is traced, whatever --trace-file and --otlp say');
  return undefined;
}
