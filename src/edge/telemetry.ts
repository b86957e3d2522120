/** Telemetry of one session, as the proxy sees it: a plugin, and an end that takes no longer than it may. */
import type { Counting } from '../../plugins/otel/index.js';
import type { Log, Plugin } from '../plugin.js';
import { settledWithin } from './patience.js';
import type { TraceFile } from './telemetry-file.js';
import type { LateSdk } from './telemetry-late.js';
import type { Sdk, SdkPorts } from './telemetry-sdk.js';
import type { Environment, Wish } from './telemetry-wanted.js';

export interface TelemetryOptions {
  readonly 'trace-file': string | undefined;
  readonly otlp: string | undefined;
  readonly 'follow-up-window': number;
  readonly 'pending-spans'?: boolean;
  readonly 'capture-content'?: boolean;
  readonly 'no-propagate'?: boolean;
  readonly 'link-client-trace'?: boolean;
}

export interface TelemetryPorts {
  readonly options: TelemetryOptions;
  readonly wish: Wish;
  readonly file: TraceFile | undefined;
  readonly env: Environment;
  readonly log: Log;
  /** Writes text to stderr. */
  readonly write: (text: string) => void;
}

export interface Telemetry {
  /** For the agent's end of the list. */
  readonly plugin: Plugin;
  /** What counts beside it, where metrics are wished for. */
  readonly counting?: Counting | undefined;
  /** Tells the exit code that the last line of a task's output file names. */
  readonly exitCode: (session: string, task: string, code: number) => void;
  /** Resolves when all is loaded. Hooks wait for that by themselves. */
  ready(): Promise<void>;
  /** After the plugins were closed: sends what is left, names what was lost. Never rejects, and is bounded. */
  shutdown(): Promise<void>;
}

/** The last exports may take this long, so that the process is gone within 2 s of its agent. Milliseconds. */
const flushLimitMs = 1250;

/**
 * How long the SDK, most of what there is to load, is left to the start of the agent, unless a message
 * needs it before. Milliseconds.
 */
const loadAfterMs = 100;

/** Nothing of these messages is told by a span. */
const EXEMPT = ['initialize'];

/** The plugin, and an SDK behind it that is loaded a little later. */
export async function openTelemetry({ options, ...ports }: TelemetryPorts): Promise<Telemetry> {
  const { otel } = await import('../../plugins/otel/index.js');
  const { LateSdk, lateLogger, lateMeter, latePropagator, lateTracer, waitingFor } = await import('./telemetry-late.js');
  const late = new LateSdk(() => loadedSdk({ ...ports, otlp: options.otlp }));
  const { plugin, exitCode, counting } = otel({
    tracer: lateTracer(late),
    propagator: latePropagator(late),
    meter: ports.wish.metrics.length > 0 ? lateMeter(late) : undefined,
    logger: ports.wish.logs.length > 0 ? lateLogger(late) : undefined,
    followUpWindow: options['follow-up-window'],
    pendingSpans: options['pending-spans'] === true,
    captureContent: options['capture-content'] === true,
    propagate: options['no-propagate'] !== true,
    linkClientTrace: options['link-client-trace'] === true,
  });
  const timer = setTimeout(() => void late.ready(), loadAfterMs);
  return {
    plugin: waitingFor(late, EXEMPT, plugin),
    exitCode,
    counting,
    ready: () => late.ready(),
    async shutdown() {
      clearTimeout(timer);
      await settledWithin(flushed(late), flushLimitMs);
      late.sdk?.report();
    },
  };
}

/** What has waited so far is sent too. */
async function flushed(late: LateSdk): Promise<void> {
  if (late.isNeeded) await late.ready();
  await late.sdk?.shutdown();
}

/** What goes wrong here costs telemetry, never the session. */
async function loadedSdk(ports: SdkPorts): Promise<Sdk | undefined> {
  try {
    return await (await import('./telemetry-sdk.js')).createSdk(ports);
  } catch (error) {
    ports.log.error(`telemetry could not be set up, the session goes on without it: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
