/** Spans without the SDK's tracer are the SDK's, byte for byte; where a variable decides about spans it is the SDK that makes them. */
import { createTraceState, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Attributes, type HrTime, type Span, type SpanContext, type SpanOptions, type Tracer } from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type IdGenerator, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { createSdk } from '../../src/edge/telemetry-sdk.js';
import { isPlain, plainTracer, randomIds } from '../../src/edge/telemetry-spans.js';

afterEach(() => void vi.unstubAllEnvs());

function countedIds(): IdGenerator {
  let count = 0;
  const next = (length: number): string => (++count).toString(16).padStart(length, '0');
  return { generateTraceId: () => next(32), generateSpanId: () => next(16) };
}

const resource = resourceFromAttributes({ 'service.name': 'afterturn' });
const scope = { name: 'afterturn', version: '1', schemaUrl: 'https://example.org/schema' };

/** Both ways, and what has ended on each. */
function ways(): readonly { readonly tracer: Tracer; readonly ended: () => readonly ReadableSpan[] }[] {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor(exporter)], idGenerator: countedIds() });
  const own: ReadableSpan[] = [];
  return [
    { tracer: provider.getTracer(scope.name, scope.version, { schemaUrl: scope.schemaUrl }), ended: () => exporter.getFinishedSpans() },
    { tracer: plainTracer({ resource, scope, ids: countedIds(), ended: (span) => void ((span.spanContext().traceFlags & 1) === 1 && own.push(span)) }), ended: () => own },
  ];
}

const time: fc.Arbitrary<HrTime> = fc.tuple(fc.integer({ min: 1_700_000_000, max: 1_700_000_100 }), fc.integer({ min: 0, max: 999_999_999 }));
const attributes: fc.Arbitrary<Attributes> = fc.dictionary(fc.constantFrom('a', 'b', 'gen_ai.tool.name', 'error.type'), fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.array(fc.string())));
const hex = (length: number): fc.Arbitrary<string> => fc.string({ unit: fc.constantFrom('0', '1', 'a', 'f'), minLength: length, maxLength: length });
/** Also such that are no context: all zeros. */
const remote: fc.Arbitrary<SpanContext> = fc.record({ traceId: hex(32), spanId: hex(16), traceFlags: fc.constantFrom(0, 1), isRemote: fc.constant(true), traceState: fc.constantFrom(undefined, createTraceState('a=1')) }) as fc.Arbitrary<SpanContext>;

type Step = (span: Span) => void;
const steps: fc.Arbitrary<Step> = fc.oneof(
  attributes.map((given): Step => (span) => void span.setAttributes(given)),
  attributes.map((given): Step => (span) => Object.entries(given).forEach(([key, value]) => void span.setAttribute(key, value ?? ''))),
  fc.tuple(fc.string(), fc.option(attributes, { nil: undefined }), time, fc.constantFrom(1, 1, 1, 70)).map(([name, given, at, times]): Step => (span) => {
    for (let n = 0; n < times; n += 1) span.addEvent(`${name}${n}`, given, at);
  }),
  fc.string().map((name): Step => (span) => void span.updateName(name)),
  fc.constant<Step>((span) => void span.setStatus({ code: SpanStatusCode.ERROR })),
);

interface Made {
  readonly name: string;
  readonly options: SpanOptions;
  /** How far back the parent was made; 0: it has none. */
  readonly above: number;
  readonly remote: SpanContext | undefined;
  readonly steps: readonly Step[];
  readonly lasts: number;
}
const made: fc.Arbitrary<Made> = fc.record({
  name: fc.string(),
  options: fc.record({ kind: fc.constantFrom(SpanKind.CLIENT, SpanKind.INTERNAL), attributes, startTime: time, links: fc.array(remote.map((context) => ({ context })), { maxLength: 2 }) }, { requiredKeys: ['startTime'] }),
  above: fc.nat(3),
  remote: fc.option(remote, { nil: undefined }),
  steps: fc.array(steps, { maxLength: 5 }),
  lasts: fc.nat(100),
});

/** Makes all spans, and ends each other one before the next is made. */
function makes(tracer: Tracer, all: readonly Made[]): SpanContext[] {
  const spans: Span[] = [];
  const ends: (() => void)[] = [];
  all.forEach(({ name, options, above, remote: far, steps: each, lasts }, index) => {
    const parent = far ?? spans[spans.length - above]?.spanContext();
    const span = tracer.startSpan(name, options, parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent));
    for (const step of each) step(span);
    spans.push(span);
    const [seconds, nanos] = options.startTime as HrTime;
    ends.push(() => span.end([seconds + lasts, nanos]));
    if (index % 2 === 1) ends.splice(0).forEach((end) => end());
  });
  ends.forEach((end) => end());
  return spans.map((span) => span.spanContext());
}

const seed = Number(process.env.AFTERTURN_SEED ?? Date.now() % 1_000_000);

test(`random spans, with parents near and far, leave as the same bytes (seed ${seed})`, () => {
  fc.assert(fc.property(fc.array(made, { minLength: 1, maxLength: 6 }), (all) => {
    const [sdks, ours] = ways().map(({ tracer, ended }) => {
      const contexts = makes(tracer, all).map(({ traceId, spanId, traceFlags, traceState }) => [traceId, spanId, traceFlags, traceState?.serialize()]);
      const spans = [...ended()];
      const bytes = [JsonTraceSerializer, ProtobufTraceSerializer].map((serializer) => Buffer.from(serializer.serializeRequest(spans) ?? []).toString('latin1'));
      return { contexts, bytes, durations: spans.map(({ duration, ended: isEnded }) => [duration, isEnded]) };
    });
    expect(ours).toEqual(sdks);
  }), { seed, numRuns: Number(process.env.AFTERTURN_RUNS ?? 100) });
});

test('a span that has ended stays as it is, and is told once', () => {
  const [, { tracer, ended }] = ways() as [unknown, ReturnType<typeof ways>[number]];
  const given = { a: 1 };
  const span = tracer.startSpan('one', { attributes: given, startTime: [1, 0] }, ROOT_CONTEXT);
  span.setAttribute('b', 2);
  expect(span.isRecording()).toBe(true);
  span.end([2, 0]);
  span.setAttribute('c', 3).updateName('two').addEvent('late').setStatus({ code: SpanStatusCode.ERROR }).end([9, 0]);
  expect(span.isRecording()).toBe(false);
  expect(ended().map(({ name, attributes: told, events, status, endTime }) => ({ name, told, events, status, endTime }))).toEqual([{ name: 'one', told: { a: 1, b: 2 }, events: [], status: { code: SpanStatusCode.UNSET }, endTime: [2, 0] }]);
  expect(given).toEqual({ a: 1 });
});

test('ids are hexadecimal, no two are the same, and none is all zero', () => {
  const ids = randomIds();
  const traces = Array.from({ length: 500 }, () => ids.generateTraceId());
  const spans = Array.from({ length: 500 }, () => ids.generateSpanId());
  for (const id of traces) expect(id).toMatch(/^[0-9a-f]{32}$/);
  for (const id of spans) expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set([...traces, ...spans]).size).toBe(1000);
  const fewZeros = randomIds(() => `${'0'.repeat(40)}${'a'.repeat(40)}`);
  expect([fewZeros.generateSpanId(), fewZeros.generateTraceId()]).toEqual(['00000000aaaaaaaa', `${'a'.repeat(32)}`]);
});

const deciding: readonly (readonly [string, string])[] = [
  ['OTEL_TRACES_SAMPLER', 'always_off'],
  ['OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', '1'],
  ['OTEL_ATTRIBUTE_COUNT_LIMIT', '1'],
  ['OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT', '2'],
  ['OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT', '2'],
  ['OTEL_SPAN_EVENT_COUNT_LIMIT', '1'],
  ['OTEL_SPAN_LINK_COUNT_LIMIT', '1'],
  ['OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT', '1'],
];

test.each(deciding.flatMap(([name, value]) => [[name, value], [`AFTERTURN_${name}`, value]]))('%s=%s holds', async (name, value) => {
  expect(isPlain({})).toBe(true);
  expect(isPlain({ [name]: value })).toBe(false);
  vi.stubEnv(name, value);
  const lines: string[] = [];
  const silent = (): void => {};
  const sdk = await createSdk({ wish: { traces: ['console'], metrics: [], logs: [] }, file: undefined, otlp: undefined, env: process.env, log: { error: silent, warn: silent, info: silent, debug: silent }, write: (text) => void lines.push(text) });
  const link = { context: { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 } };
  sdk.tracer.startSpan('work', { attributes: { one: 'abc', two: 'abc' }, links: [link, link] }, ROOT_CONTEXT).addEvent('a', { one: 1, two: 2 }).addEvent('b').end();
  await sdk.shutdown();
  const [told] = lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))) as { attributes: Attributes; events: string[]; links: string[] });
  if (name.endsWith('SAMPLER')) expect(told).toBeUndefined();
  else if (name.includes('PER_EVENT')) expect(told?.events).toEqual(['a', 'b']);
  else if (name.includes('VALUE')) expect(told?.attributes).toEqual({ one: 'ab', two: 'ab' });
  else expect([Object.keys(told?.attributes ?? {}).length, told?.events.length, told?.links.length]).toEqual([name.includes('ATTRIBUTE_COUNT') ? 1 : 2, name.includes('EVENT') ? 1 : 2, name.includes('LINK') ? 1 : 2]);
});
