/**
 * Tracing of one session, as the proxy sees it: a plugin, and an end that takes no longer than it may.
 * What goes wrong here costs spans, never the session.
 */
import type { Log, Plugin } from '../plugin.js';
import { settledWithin } from './patience.js';
import { openTraceFile, type TraceFile } from './telemetry-file.js';
import type { Environment } from './telemetry-wanted.js';

export interface TelemetryOptions {
  readonly 'trace-file': string | undefined;
  readonly otlp: string | undefined;
  readonly 'follow-up-window': number;
}

export interface TelemetryPorts {
  readonly options: TelemetryOptions;
  readonly env: Environment;
  readonly log: Log;
  /** Writes text to stderr. */
  readonly write: (text: string) => void;
}

export interface Telemetry {
  /** For the agent's end of the list. */
  readonly plugin: Plugin;
  /** Tells the exit code that the last line of a task's output file names. */
  readonly exitCode: (session: string, task: string, code: number) => void;
  /** After the plugins were closed: sends what is left, names what was lost. Never rejects, and is bounded. */
  shutdown(): Promise<void>;
}

/** The last spans may take this long, so that the process is gone within 2 s of its agent. Milliseconds. */
const flushLimitMs = 1500;

/**
 * Opens the trace file, if any, and loads the SDK. `undefined` where tracing could not be set up, which
 * the log says. Rejects with a `RelayError` when the trace file cannot be written.
 */
export async function openTelemetry(ports: TelemetryPorts): Promise<Telemetry | undefined> {
  const path = ports.options['trace-file'];
  const file = path === undefined ? undefined : openTraceFile(path);
  try {
    return await traced(ports, file);
  } catch (error) {
    ports.log.error(`tracing could not be set up, the session goes on without it: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

async function traced({ options, env, log, write }: TelemetryPorts, file: TraceFile | undefined): Promise<Telemetry | undefined> {
  const { createTracing } = await import('./telemetry-sdk.js');
  const { otel } = await import('../../plugins/otel/index.js');
  const tracing = await createTracing({ file, otlp: options.otlp, env, log, write });
  if (tracing === undefined) return undefined;
  const { tracer, propagator, meter, logger } = tracing;
  return {
    ...otel({ tracer, propagator, meter, logger, followUpWindow: options['follow-up-window'] }),
    async shutdown() {
      await settledWithin(tracing.shutdown(), flushLimitMs);
      tracing.report();
    },
  };
}
