/**
 * OpenTelemetry's API in front of an SDK that is loaded later. What is counted meanwhile waits; hooks
 * that make spans wait too, so that each span is the SDK's own. Knows hooks, not messages.
 */
import { INVALID_SPAN_CONTEXT, trace, type Attributes, type Meter, type MetricOptions, type ObservableGauge, type TextMapPropagator, type Tracer } from '@opentelemetry/api';
import type { Logger } from '@opentelemetry/api-logs';
import type { CallHooks, Host, Outcome, Plugin, ReplyHooks } from '../plugin.js';
import type { Sdk } from './telemetry-sdk.js';

export class LateSdk {
  readonly #load: () => Promise<Sdk | undefined>;
  #loading: Promise<void> | undefined;
  #sdk: Sdk | undefined;
  #isLoaded = false;
  #waiting: ((sdk: Sdk) => void)[] = [];

  /** `load` never rejects. */
  constructor(load: () => Promise<Sdk | undefined>) {
    this.#load = load;
  }

  /** `undefined` before it is loaded, and where there is none. */
  get sdk(): Sdk | undefined {
    return this.#sdk;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Whether something waits for it. */
  get isNeeded(): boolean {
    return this.#waiting.length > 0;
  }

  /** Loads it, once. */
  ready(): Promise<void> {
    return (this.#loading ??= this.#load().then((sdk) => {
      this.#sdk = sdk;
      this.#isLoaded = true;
      const waiting = this.#waiting;
      this.#waiting = [];
      if (sdk !== undefined) for (const run of waiting) run(sdk);
    }));
  }

  /** Runs it now, or when the SDK is there; never where there is none. */
  whenThere(run: (sdk: Sdk) => void): void {
    if (this.#sdk !== undefined) run(this.#sdk);
    else if (!this.#isLoaded) this.#waiting.push(run);
  }
}

export const lateTracer = (late: LateSdk): Tracer => ({
  startSpan: (...start) => late.sdk?.tracer.startSpan(...start) ?? trace.wrapSpanContext(INVALID_SPAN_CONTEXT),
  startActiveSpan() {
    throw new Error('startActiveSpan needs a context manager, and none is registered');
  },
});

export const latePropagator = (late: LateSdk): TextMapPropagator => ({
  inject: (...into) => late.sdk?.propagator.inject(...into),
  extract: (context, ...from) => late.sdk?.propagator.extract(context, ...from) ?? context,
  fields: () => late.sdk?.propagator.fields() ?? [],
});

export const lateLogger = (late: LateSdk): Logger => ({
  enabled: (options) => late.sdk?.logger?.enabled(options) ?? true,
  emit: (record) => late.whenThere(({ logger }) => logger?.emit(record)),
});

/** An instrument is made when the SDK is there, and gets what was recorded before. */
export function lateMeter(late: LateSdk): Meter {
  type Name = 'createCounter' | 'createUpDownCounter' | 'createHistogram' | 'createGauge';
  type Observable = 'createObservableCounter' | 'createObservableUpDownCounter' | 'createObservableGauge';
  type Record = [value: number, attributes?: Attributes];

  const instrument = (make: Name) => (name: string, options?: MetricOptions) => {
    let made: { add?(...record: Record): void; record?(...record: Record): void } | undefined;
    late.whenThere(({ meter }) => void (made = meter?.[make](name, options)));
    return {
      add: (...record: Record): void => (made === undefined ? late.whenThere(() => made?.add?.(...record)) : made.add?.(...record)),
      record: (...record: Record): void => (made === undefined ? late.whenThere(() => made?.record?.(...record)) : made.record?.(...record)),
    };
  };
  const observable = (make: Observable) => (name: string, options?: MetricOptions): ObservableGauge => {
    let made: ObservableGauge | undefined;
    late.whenThere(({ meter }) => void (made = meter?.[make](name, options)));
    return {
      addCallback: (callback) => late.whenThere(() => made?.addCallback(callback)),
      removeCallback: (callback) => late.whenThere(() => made?.removeCallback(callback)),
    };
  };
  return {
    createCounter: instrument('createCounter'),
    createUpDownCounter: instrument('createUpDownCounter'),
    createHistogram: instrument('createHistogram'),
    createGauge: instrument('createGauge'),
    createObservableCounter: observable('createObservableCounter'),
    createObservableUpDownCounter: observable('createObservableUpDownCounter'),
    createObservableGauge: observable('createObservableGauge'),
    addBatchObservableCallback: (...batch) => late.whenThere(({ meter }) => meter?.addBatchObservableCallback(...batch)),
    removeBatchObservableCallback: (...batch) => late.whenThere(({ meter }) => meter?.removeBatchObservableCallback(...batch)),
  };
}

type Hook = (message: never, host: Host) => Outcome | Promise<Outcome>;

/** The plugin, whose hooks wait for the SDK, all but those of `exempt` methods. */
export function waitingFor(late: LateSdk, exempt: readonly string[], plugin: Plugin): Plugin {
  const waiting = (hook: Hook): Hook => (message, host) => (late.isLoaded ? hook(message, host) : late.ready().then(() => hook(message, host)));
  const table = <T extends CallHooks | ReplyHooks>(hooks: T | undefined): T => {
    const rows = Object.entries<Hook | Readonly<Record<string, Hook>>>(hooks ?? {}).map(([method, hook]) => {
      if (exempt.includes(method)) return [method, hook];
      return [method, typeof hook === 'function' ? waiting(hook) : Object.fromEntries(Object.entries(hook).map(([kind, each]) => [kind, waiting(each)]))];
    });
    return Object.fromEntries(rows) as T;
  };
  const side = (hooks: Plugin['toAgent']): Plugin['toAgent'] => ({ calls: table(hooks?.calls), replies: table(hooks?.replies) });
  return { ...plugin, toAgent: side(plugin.toAgent), toClient: side(plugin.toClient) };
}
