import { hostname } from 'node:os';
import { SpanKind } from '@opentelemetry/api';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSdk, type Sdk } from '../../src/edge/telemetry-sdk.js';
import { wishOf, type Environment } from '../../src/edge/telemetry-wanted.js';
import { collector, grpcCollector, hangingCollector, keptCollectors, refusingAddress, type Collector } from './collector.js';

const { kept, closeKept } = keptCollectors();
afterEach(closeKept);

let environment: NodeJS.ProcessEnv;
beforeEach(() => void (environment = { ...process.env }));
afterEach(() => expect(process.env).toEqual(environment));

interface Run {
  readonly sdk: Sdk;
  readonly log: string[];
  readonly stderr: string[];
}

/** The SDK as the proxy has it. `env` is also the process's while it is set up. */
async function made(env: Environment, otlp?: string): Promise<Run> {
  const log: string[] = [];
  const stderr: string[] = [];
  const says = (level: string) => (text: string): void => void log.push(`${level}: ${text}`);
  const saved = { ...process.env };
  Object.assign(process.env, env);
  try {
    const sdk = await createSdk({
      wish: wishOf({ 'trace-file': undefined, otlp, 'follow-up-window': 0 }, process.env),
      file: undefined,
      otlp,
      env: { ...process.env },
      log: { error: says('error'), warn: says('warn'), info: says('info'), debug: () => {} },
      write: (text) => void stderr.push(text),
    });
    return { sdk, log, stderr };
  } finally {
    for (const name of Object.keys(env)) {
      if (saved[name] === undefined) delete process.env[name];
      else process.env[name] = saved[name];
    }
  }
}

/** A span, a log record in its trace, and a number by each instrument. */
function tells({ tracer, logger, meter }: Sdk): void {
  const span = tracer.startSpan('work', { kind: SpanKind.CLIENT, attributes: { text: 'x', whole: 7, part: 0.5, yes: true, list: ['a', 'b'] }, startTime: [1000, 500_000_000] });
  span.addEvent('seen');
  span.end([1002, 0]);
  logger?.emit({ eventName: 'started', body: 'begun', severityNumber: SeverityNumber.INFO, attributes: { whole: 7 }, timestamp: new Date(1_000_500) });
  meter?.createCounter('counted', { unit: '{message}' }).add(3, { kind: 'a' });
  meter?.createUpDownCounter('live').add(2);
  meter?.createHistogram('took', { unit: 's' }).record(1.5);
}

function arrivedAt(one: Collector): void {
  expect(one.spans()).toEqual([
    expect.objectContaining({
      name: 'work', kind: 3, start: 1_000_500, end: 1_002_000, events: ['seen'], scope: 'afterturn',
      attributes: { text: 'x', whole: 7, part: 0.5, yes: true, list: ['a', 'b'] },
      resource: expect.objectContaining({ 'service.name': 'afterturn', 'host.name': hostname(), 'service.instance.id': expect.any(String) as string, 'os.type': process.platform }) as object,
    }),
  ]);
  expect(one.records()).toEqual([expect.objectContaining({ event: 'started', body: 'begun', severity: 9, attributes: { whole: 7 } })]);
  expect(one.metrics().map(({ name, unit, kind, points }) => [name, unit, kind, points[0]?.value])).toEqual([
    ['counted', '{message}', 'counter', 3],
    ['live', '', 'up-down counter', 2],
    ['took', 's', 'histogram', { count: 1, sum: 1.5 }],
  ]);
  const instances = [...one.spans(), ...one.records(), ...one.metrics()].map(({ resource }) => resource['service.instance.id']);
  expect(new Set(instances).size).toBe(1);
}

describe('spans, log records and metrics arrive as they were made', () => {
  test.each<[string, () => Promise<Collector>, (url: string) => [Environment, string?]]>([
    ['by http/protobuf', () => collector(), (url) => [{ OTEL_EXPORTER_OTLP_ENDPOINT: url }]],
    ['by http/json', () => collector(), (url) => [{ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }]],
    ['by gRPC', () => grpcCollector(), (url) => [{ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }]],
    ['by --otlp', () => collector(), (url) => [{}, url]],
    ['by --otlp, which the agent\'s protocol does not change', () => collector(), (url) => [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, url]],
    ['by --otlp and gRPC, where our own variable says so', () => grpcCollector(), (url) => [{ AFTERTURN_OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, url]],
    ['by an address of each signal', () => collector(), (url) => [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${url}/m/v1/metrics`, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${url}/l/v1/logs` }]],
    ['by a protocol of each signal', () => collector(), (url) => [{ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/json' }]],
    ['compressed', () => collector(), (url) => [{ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }]],
    ['compressed, by gRPC', () => grpcCollector(), (url) => [{ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }]],
  ])('%s', async (_what, receiver, asked) => {
    const one = await kept(receiver());
    const [env, otlp] = asked(one.url);
    const { sdk, log } = await made(env, otlp);
    tells(sdk);
    await sdk.shutdown();
    sdk.report();
    expect(log).toEqual([]);
    arrivedAt(one);
  });

  test('to stderr, one line each', async () => {
    const { sdk, stderr } = await made({ OTEL_TRACES_EXPORTER: 'console', OTEL_METRICS_EXPORTER: 'console', OTEL_LOGS_EXPORTER: 'console' });
    tells(sdk);
    await sdk.shutdown();
    expect(stderr.map((line) => line.split(':', 2).join(':'))).toEqual(['afterturn: span', 'afterturn: log record', 'afterturn: metric', 'afterturn: metric', 'afterturn: metric']);
    for (const line of stderr) expect(JSON.parse(line.replace(/^afterturn: [a-z ]+: /, ''))).toBeTypeOf('object');
    expect(stderr.every((line) => line.endsWith('}\n'))).toBe(true);
  });

  test('metrics by the temporality that is asked for, and repeatedly', async () => {
    const one = await kept(collector());
    const { sdk } = await made({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${one.url}/v1/metrics`, OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta', OTEL_METRIC_EXPORT_INTERVAL: '50' });
    const counter = sdk.meter?.createCounter('counted');
    for (let n = 1; n <= 2; n++) {
      counter?.add(n);
      for (const until = Date.now() + 10_000; one.exports.length < n && Date.now() < until; ) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(one.metrics()[0]).toMatchObject({ name: 'counted', temporality: 1, points: [{ value: n }] });
    }
    await sdk.shutdown();
    expect(sdk.logger).toBeUndefined();
  });

  test('with the headers that are ours alone, which the agent does not get', async () => {
    for (const [receiver, protocol] of [[collector, 'http/protobuf'], [grpcCollector, 'grpc']] as const) {
      const one = await kept(receiver());
      const { sdk } = await made({ AFTERTURN_OTEL_EXPORTER_OTLP_ENDPOINT: one.url, AFTERTURN_OTEL_EXPORTER_OTLP_PROTOCOL: protocol, AFTERTURN_OTEL_EXPORTER_OTLP_HEADERS: 'x-team=ours', OTEL_EXPORTER_OTLP_HEADERS: 'x-team=theirs' });
      tells(sdk);
      await sdk.shutdown();
      expect(one.exports.map(({ headers }) => headers['x-team'])).toEqual(['ours', 'ours', 'ours']);
    }
  });

  test('and who we are, as the variables say it', async () => {
    const one = await kept(collector());
    const { sdk } = await made({ AFTERTURN_OTEL_RESOURCE_ATTRIBUTES: 'host.name=desk-7,deployment.environment.name=test', OTEL_SERVICE_NAME: 'theirs', AFTERTURN_OTEL_SERVICE_NAME: 'ours' }, one.url);
    tells(sdk);
    await sdk.shutdown();
    for (const { resource } of [...one.spans(), ...one.records(), ...one.metrics()]) expect(resource).toMatchObject({ 'service.name': 'ours', 'host.name': 'desk-7', 'deployment.environment.name': 'test' });
  });
});

test('a number that is none is named, and left out', async () => {
  const { sdk, log } = await made({ OTEL_METRICS_EXPORTER: 'console', OTEL_METRIC_EXPORT_INTERVAL: 'often' });
  await sdk.shutdown();
  expect(log).toEqual([expect.stringContaining('OTEL_METRIC_EXPORT_INTERVAL expects a number above 0, got "often"')]);
});

describe('a collector that is not what it should be', () => {
  const all = (reason: RegExp) => ['1 span was', '1 log record was', '1 metric export was'].map((what) => expect.stringMatching(new RegExp(`^warn: ${what} not delivered to http://[^ ]+: ${reason.source}`)) as string);

  /** Ends a session with one record of each signal, and tells how long that took. */
  async function ended({ sdk, log }: Run): Promise<{ ms: number; log: string[] }> {
    tells(sdk);
    const started = performance.now();
    let timer: NodeJS.Timeout | undefined;
    // The caller bounds the wait.
    await Promise.race([sdk.shutdown(), new Promise((resolve) => (timer = setTimeout(resolve, 1500)))]);
    clearTimeout(timer);
    sdk.report();
    return { ms: performance.now() - started, log: [...log].sort().reverse() };
  }
  const sorted = (lines: string[]): string[] => [lines[0], lines[2], lines[1]] as string[];

  test('is not there: the reason is named, and nobody waits for it', async () => {
    const { ms, log } = await ended(await made({}, await refusingAddress()));
    expect(log).toEqual(sorted(all(/connect ECONNREFUSED 127\.0\.0\.1:\d+$/)));
    expect(ms).toBeLessThan(1000);
  });

  test('is not there, by gRPC', async () => {
    const { ms, log } = await ended(await made({ OTEL_EXPORTER_OTLP_ENDPOINT: await refusingAddress(), OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }));
    expect(log).toEqual(sorted(all(/.*ECONNREFUSED/)));
    expect(ms).toBeLessThan(1400);
  });

  test.each([['http/protobuf'], ['grpc']])('hangs, by %s', async (protocol) => {
    const one = await kept(hangingCollector());
    const { log } = await ended(await made({ OTEL_EXPORTER_OTLP_ENDPOINT: one.url, OTEL_EXPORTER_OTLP_PROTOCOL: protocol }));
    expect(log).toEqual(sorted(all(/no answer in time$/)));
  });

  test('is overloaded for ever', async () => {
    const { log } = await ended(await made({}, (await kept(collector(503))).url));
    expect(log).toEqual(sorted(all(/503 Service Unavailable$/)));
  });

  test('refuses, by gRPC', async () => {
    const { log } = await ended(await made({ OTEL_EXPORTER_OTLP_ENDPOINT: (await kept(grpcCollector(status.PERMISSION_DENIED))).url, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }));
    expect(log).toEqual(sorted(all(/7 PERMISSION_DENIED: as it was told$/)));
  });

  test('is slow: it gets all', async () => {
    const one = await kept(collector(200, { delay: 300 }));
    const { log } = await ended(await made({}, one.url));
    expect(log).toEqual([]);
    arrivedAt(one);
  });

  test('has no way in for metrics and log records: how to leave them out is said', async () => {
    const one = await kept(collector(200, { only: ['traces'] }));
    const { log } = await ended(await made({}, one.url));
    expect(log).toEqual([
      expect.stringMatching(/^warn: 1 metric export was not delivered to http:[^ ]+\/v1\/metrics: Not Found; AFTERTURN_OTEL_METRICS_EXPORTER=none leaves them out$/),
      expect.stringMatching(/^warn: 1 log record was not delivered to http:[^ ]+\/v1\/logs: Not Found; AFTERTURN_OTEL_LOGS_EXPORTER=none leaves them out$/),
    ]);
    expect(one.spans()).toHaveLength(1);
  });

  test('comes back: what was kept arrives, nothing is said, and metrics tell all since the start', async () => {
    const address = await refusingAddress();
    const { sdk, log } = await made({ OTEL_BSP_SCHEDULE_DELAY: '1', OTEL_METRIC_EXPORT_INTERVAL: '200' }, address);
    tells(sdk);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const one = await kept(collector(200, { port: Number(new URL(address).port) }));
    for (const until = Date.now() + 10_000; one.spans().length === 0 && Date.now() < until; ) await new Promise((resolve) => setTimeout(resolve, 50));
    await sdk.shutdown();
    sdk.report();
    expect(log).toEqual([]);
    expect(one.spans()).toHaveLength(1);
    expect(one.metrics()[0]?.points[0]?.value).toBe(3);
  });

  test('hangs for long: what is kept is bounded, and every loss counted', async () => {
    const one = await kept(hangingCollector());
    const { sdk, log } = await made({ OTEL_BSP_MAX_QUEUE_SIZE: '100', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '100', OTEL_BLRP_MAX_QUEUE_SIZE: '100', OTEL_BLRP_MAX_EXPORT_BATCH_SIZE: '50' }, one.url);
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 20_000; i++) {
      sdk.tracer.startSpan('work', { attributes: { text: 'x'.repeat(500) } }).end();
      sdk.logger?.emit({ body: 'x'.repeat(500) });
    }
    expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(80);
    void sdk.shutdown();
    sdk.report();
    expect(log).toContainEqual(expect.stringMatching(/^warn: 20000 spans were not delivered/));
    expect(log).toContainEqual(expect.stringMatching(/^warn: 20000 log records were not delivered/));
  });
});
