/** Recorded conversations of both agents, through each exporter: their trees arrive as they were made. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tracer } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { openTraceFile } from '../../../src/edge/telemetry-file.js';
import { createSdk } from '../../../src/edge/telemetry-sdk.js';
import { wishOf } from '../../../src/edge/telemetry-wanted.js';
import { collector, grpcCollector, keptCollectors, type Collector } from '../../edge/collector.js';
import { spansOfFile, type DecodedSpan } from '../../edge/otlp.js';
import { loadCorpus } from '../../tools/recording.js';
import { played } from './played.js';

const folder = mkdtempSync(join(tmpdir(), 'exported-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { kept, closeKept } = keptCollectors();
afterEach(closeKept);
afterEach(() => void vi.unstubAllEnvs());

/** A span, as both sides can tell it. */
type Told = Omit<DecodedSpan, 'resource' | 'scope' | 'schemaUrl'>;

/** Nanoseconds since the epoch are more than a number of JavaScript holds: microseconds are compared. */
const inMicroseconds = (milliseconds: number): number => Math.round(milliseconds * 1000);
const timeOf = ([seconds, nanoseconds]: readonly [number, number]): number => inMicroseconds(seconds * 1000 + nanoseconds / 1e6);

const asMade = (span: ReadableSpan): Told => ({
  traceId: span.spanContext().traceId,
  spanId: span.spanContext().spanId,
  parentSpanId: span.parentSpanContext?.spanId,
  name: span.name,
  // OTLP counts the kinds from 1 on.
  kind: span.kind + 1,
  start: timeOf(span.startTime),
  end: timeOf(span.endTime),
  attributes: span.attributes,
  events: span.events.map(({ name }) => name),
  links: span.links.map(({ context }) => context.spanId),
  status: span.status.code,
});

function asArrived(span: DecodedSpan): Told {
  const { resource: _, scope: __, schemaUrl: ___, ...told } = span;
  return { ...told, start: inMicroseconds(told.start), end: inMicroseconds(told.end) };
}

const inOrder = (spans: readonly Told[]): Told[] => [...spans].sort((a, b) => (a.spanId < b.spanId ? -1 : 1));

/** The tracer, and all that it makes. */
function watched(tracer: Tracer): { readonly tracer: Tracer; readonly made: readonly ReadableSpan[] } {
  const made: ReadableSpan[] = [];
  const startSpan: Tracer['startSpan'] = (...start) => {
    const span = tracer.startSpan(...start);
    made.push(span as unknown as ReadableSpan);
    return span;
  };
  return { tracer: { startSpan, startActiveSpan: tracer.startActiveSpan.bind(tracer) }, made };
}

/** Where spans go, and what came there. */
interface Way {
  readonly env: NodeJS.ProcessEnv;
  readonly file?: string;
  arrived(): DecodedSpan[];
}

async function to(receiver: Promise<Collector>, env: NodeJS.ProcessEnv): Promise<Way> {
  const one = await kept(receiver);
  return { env: { OTEL_EXPORTER_OTLP_ENDPOINT: one.url, ...env }, arrived: () => one.spans() };
}

const ways: readonly (readonly [string, (scenario: string) => Promise<Way>])[] = [
  ['http/protobuf', () => to(collector(), { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' })],
  ['http/json', () => to(collector(), { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' })],
  ['gRPC', () => to(grpcCollector(), { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })],
  ['a trace file', async (scenario) => {
    const file = join(folder, `${scenario.replaceAll('/', '-')}.ndjson`);
    return { env: {}, file, arrived: () => spansOfFile(readFileSync(file, 'utf8')) };
  }],
];

const scenarios = ['claude/b_background_exit0.legacyrich', 'claude/e_background_agent.raw', 'claude/f_stop_server.legacyrich', 'codex/b.legacy', 'codex/b.v2', 'codex/f.legacy'];

describe.each(ways)('by %s', (_way, open) => {
  test.each(scenarios)('the spans of %s arrive with their ids, parents, links, times and attributes', async (scenario) => {
    const { env, file, arrived } = await open(scenario);
    // The exporters read the process's.
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const stderr: string[] = [];
    const says = (text: string): void => void stderr.push(text);
    const log = { error: says, warn: says, info: says, debug: () => {} };
    const sdk = await createSdk({
      wish: wishOf({ 'trace-file': file, otlp: undefined, 'follow-up-window': 250 }, env),
      file: file === undefined ? undefined : openTraceFile(file),
      otlp: undefined,
      env,
      log,
      write: says,
    });
    const { tracer, made } = watched(sdk.tracer);
    await played(loadCorpus(scenario), { tracer });
    await sdk.shutdown();
    sdk.report();
    expect(stderr).toEqual([]);
    expect(made.length).toBeGreaterThan(1);
    expect(inOrder(arrived().map(asArrived))).toEqual(inOrder(made.map(asMade)));
  });
});
