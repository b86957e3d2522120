/** Telemetry of one session, as the proxy sees it: a plugin, and an end that takes no longer than it may. */
import { countingBeside, type Counting } from '../../plugins/otel/counts.js';
import type { Otel, OtelOptions } from '../../plugins/otel/index.js';
import type { Log, Plugin } from '../plugin.js';
import { settledWithin } from './patience.js';
import type { TraceFile } from './telemetry-file.js';
import { LateSdk, lateMeter, standInFor } from './telemetry-late.js';
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

/** What stands for the plugin, and an SDK behind it that is loaded a little later. */
export async function openTelemetry({ options, ...ports }: TelemetryPorts): Promise<Telemetry> {
  let tracing: Otel | undefined;
  let make: Loaded['otel'] | undefined;
  const late = new LateSdk(async () => {
    const loaded = await loadedWith({ ...ports, otlp: options.otlp });
    make = loaded?.otel;
    return loaded?.sdk;
  });
  const plugin = standInFor(late, 'otel', ({ tracer, propagator, meter, logger }) => {
    if (make === undefined) throw new Error('the plugin is loaded with the SDK');
    tracing = make({
      tracer, propagator, meter, logger,
      followUpWindow: options['follow-up-window'],
      pendingSpans: options['pending-spans'] === true,
      captureContent: options['capture-content'] === true,
      propagate: options['no-propagate'] !== true,
      linkClientTrace: options['link-client-trace'] === true,
    });
    return tracing.plugin;
  });
  const counting = ports.wish.metrics.length > 0 ? countingBeside(lateMeter(late)) : undefined;
  const timer = setTimeout(() => void late.ready(), loadAfterMs);
  return {
    plugin,
    exitCode: (...read) => void tracing?.exitCode(...read),
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

interface Loaded {
  readonly sdk: Sdk;
  /** What makes spans: there are none without the SDK. */
  readonly otel: (options: OtelOptions) => Otel;
}

/** What goes wrong here costs telemetry, never the session. */
async function loadedWith(ports: SdkPorts): Promise<Loaded | undefined> {
  try {
    const [{ createSdk }, { otel }] = await Promise.all([import('./telemetry-sdk.js'), import('../../plugins/otel/index.js')]);
    return { sdk: await createSdk(ports), otel };
  } catch (error) {
    ports.log.error(`telemetry could not be set up, the session goes on without it: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
