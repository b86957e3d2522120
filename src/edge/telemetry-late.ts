/**
 * What is there of tracing before OpenTelemetry's SDK is: what is counted meanwhile waits, and the first
 * message that spans are made of waits too. Knows names of messages, not what they mean.
 */
import type { Attributes, Meter, MetricOptions, ObservableGauge } from '@opentelemetry/api';
import { wanted } from '../../plugins/otel/wanted.js';
import { become, type Call, type Host, type Outcome, type Plugin, type Reply } from '../plugin.js';
import type { Sdk } from './telemetry-sdk.js';

/** Nothing of this message is told by a span: it waits for nothing. */
const INITIALIZE = 'initialize';

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

type Hook = (message: unknown, host: Host) => Outcome | Promise<Outcome>;

/**
 * What stands in the list for the plugin that makes spans, until a message comes that spans are made of:
 * that waits for the SDK, and then meets the plugin, which is told what the sides said of themselves
 * before. `make` is called once. Where there is no SDK nothing is traced.
 */
export function standInFor(late: LateSdk, name: string, make: (sdk: Sdk) => Plugin): Plugin {
  let plugin: Plugin | undefined;
  /** The last `initialize`, and the last answer to one. */
  const told: { params?: unknown; result?: unknown } = {};

  const made = (sdk: Sdk, host: Host): Plugin => {
    const now = make(sdk);
    const [asked, answered] = [now.toAgent?.calls?.[INITIALIZE], now.toClient?.replies?.[INITIALIZE]];
    if ('params' in told && typeof asked === 'function') void asked({ params: told.params } as Call, host);
    if ('result' in told) void answered?.({ result: told.result } as Reply, host);
    return now;
  };
  const becomes = (host: Host): Outcome => {
    if (late.sdk === undefined) return void host.leave();
    return become((plugin ??= made(late.sdk, host)));
  };
  const hook: Hook = (_message, host) => (late.isLoaded ? becomes(host) : late.ready().then(() => becomes(host)));
  const table = (names: readonly string[]): Record<string, Hook> => Object.fromEntries(names.map((each) => [each, hook]));
  return {
    name,
    toAgent: {
      calls: { ...table(wanted.toAgent.calls), [INITIALIZE]: ({ params }) => void (told.params = params) },
      replies: table(wanted.toAgent.replies),
    },
    toClient: {
      calls: { ...table(wanted.toClient.calls), 'session/update': table(wanted.toClient.kinds) },
      replies: {
        ...table(wanted.toClient.replies),
        [INITIALIZE]: ({ result }) => {
          if (result !== undefined) told.result = result;
        },
      },
    },
  };
}
