import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { context, propagation, trace } from '@opentelemetry/api';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Telemetry, TelemetryOptions } from '../../src/edge/telemetry.js';
import { telemetryFor, type Environment } from '../../src/edge/telemetry-wanted.js';
import { wired } from '../pipeline/harness.js';
import { collector, hangingCollector, keptCollectors, refusingAddress, type Collector, type Export } from './collector.js';
import { spansOf, spansOfFile } from './otlp.js';

const folder = mkdtempSync(join(tmpdir(), 'telemetry-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { kept, closeKept } = keptCollectors();
afterEach(closeKept);

let environment: NodeJS.ProcessEnv;
beforeEach(() => void (environment = { ...process.env }));
afterEach(() => expect(process.env).toEqual(environment));

interface Run {
  readonly telemetry: Telemetry | undefined;
  readonly log: string[];
  readonly stderr: string[];
}

/** Opens telemetry as the proxy does. `env` is also the process's while it runs. */
async function opened(options: Partial<TelemetryOptions>, env: Environment = {}): Promise<Run> {
  const log: string[] = [];
  const stderr: string[] = [];
  const says = (level: string) => (text: string): void => void log.push(`${level}: ${text}`);
  const saved = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  try {
    const sink = { error: says('error'), warn: says('warn'), info: says('info'), debug: () => {} };
    const load = telemetryFor({ 'trace-file': undefined, otlp: undefined, 'follow-up-window': 250, ...options }, process.env, sink, (text) => void stderr.push(text));
    const telemetry = await load?.();
    await telemetry?.ready();
    return { telemetry, log, stderr };
  } finally {
    for (const [name, value] of saved) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** A short conversation: a prompt with one background shell, which is left running. */
async function talks({ telemetry }: Run, traceparent?: string): Promise<void> {
  if (telemetry === undefined) throw new Error('tracing is not there');
  const { client, agent, clock, agentExits, relay } = wired([telemetry.plugin]);
  agent.answers(client.requests('initialize', { protocolVersion: 1 }), { protocolVersion: 1, agentInfo: { name: 'agent-x', version: '1' } });
  agent.answers(client.requests('session/new', {}), { sessionId: 's' });
  const prompt = client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'secret' }], _meta: { traceparent } });
  agent.notifies('session/update', { sessionId: 's', update: { sessionUpdate: 'tool_call', toolCallId: 'c', name: 'Bash', status: 'completed' } });
  for (const task of ['t', 'u']) agent.notifies('session/update', { sessionId: 's', update: { sessionUpdate: 'async_task_spawned', asyncTaskId: task, taskType: 'shell', toolCallId: 'c' } });
  clock.advance(100);
  agent.notifies('session/update', { sessionId: 's', update: { sessionUpdate: 'async_task_state_update', asyncTaskId: 't', state: 'failed' } });
  telemetry.exitCode('s', 't', 3);
  agent.answers(prompt, { stopReason: 'end_turn' });
  await agentExits();
  await relay.close();
}

const tracesTo = (one: Collector): readonly Export[] => one.exports.filter(({ signal }) => signal === 'traces');

const NAMES = ['background shell', 'background shell', 'execute_tool Bash', 'invoke_agent agent-x'];

describe('a trace file', () => {
  test('has one export a line, every parent, true times, and the code that came beside', async () => {
    const path = join(folder, 'trace.jsonl');
    writeFileSync(path, '');
    const run = await opened({ 'trace-file': path });
    await talks(run, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines.pop()).toBe('');
    const spans = lines.flatMap(spansOf);
    expect(spans).toHaveLength(lines.length);
    expect(spans.map(({ name }) => name).sort()).toEqual(NAMES);
    const ids = new Set([...spans.map(({ spanId }) => spanId), 'b7ad6b7169203331']);
    for (const span of spans) expect(ids.has(span.parentSpanId ?? 'none')).toBe(true);
    for (const span of spans) expect(span).toMatchObject({ traceId: '0af7651916cd43dd8448eb211c80319c', scope: 'afterturn', schemaUrl: expect.stringContaining('gen-ai') as string });
    const ended = spans.find(({ attributes }) => attributes['acp.background.id'] === 't');
    expect(ended).toMatchObject({ status: 2, attributes: { 'acp.background.outcome': 'failed', 'process.exit.code': 3 } });
    expect(ended && ended.end - ended.start).toBe(100);
    expect(spans.find(({ attributes }) => attributes['acp.background.id'] === 'u')?.attributes).toMatchObject({ 'acp.background.outcome': 'unknown', 'acp.background.unfinished': true });
    expect(readFileSync(path, 'utf8')).not.toContain('secret');
    await run.telemetry?.shutdown();
    expect(run.log).toEqual([]);
  });

  test('says who we are, as the variables say it', async () => {
    const path = join(folder, 'resource.jsonl');
    const run = await opened({ 'trace-file': path }, { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test', OTEL_SERVICE_NAME: 'theirs', AFTERTURN_OTEL_SERVICE_NAME: 'ours' });
    await talks(run);
    await run.telemetry?.shutdown();
    const [first] = spansOfFile(readFileSync(path, 'utf8'));
    expect(first?.resource).toMatchObject({ 'service.name': 'ours', 'service.version': expect.stringMatching(/^\d/) as string, 'service.instance.id': expect.any(String) as string, 'deployment.environment.name': 'test' });
    expect(Object.keys(first?.resource ?? {}).filter((key) => key.startsWith('process.'))).toEqual([]);
  });

  test('that takes no more costs spans, which are counted, and nothing else', async () => {
    const run = await opened({ 'trace-file': '/dev/full' });
    await talks(run);
    await run.telemetry?.shutdown();
    expect(run.log).toEqual([
      expect.stringMatching(/^warn: spans cannot be delivered to \/dev\/full: ENOSPC/),
      expect.stringMatching(/^warn: 4 spans were not delivered to \/dev\/full: ENOSPC/),
    ]);
  });

  test('that cannot be opened is an error at the start', async () => {
    await expect(opened({ 'trace-file': join(folder, 'no', 'file') })).rejects.toMatchObject({ code: 'UNWRITABLE_TRACE_FILE' });
  });
});

describe('a collector', () => {
  test('gets OTLP over HTTP, in protobuf', async () => {
    const there = await kept(collector());
    const run = await opened({ otlp: there.url }, { OTEL_EXPORTER_OTLP_HEADERS: 'x-team=blue' });
    await talks(run, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
    await run.telemetry?.shutdown();
    expect(tracesTo(there)).toHaveLength(1);
    expect(tracesTo(there)[0]).toMatchObject({ url: '/v1/traces', headers: { 'content-type': 'application/x-protobuf', 'x-team': 'blue' } });
    expect(tracesTo(there)[0]?.body.includes(Buffer.from('0af7651916cd43dd8448eb211c80319c', 'hex'))).toBe(true);
    expect(tracesTo(there)[0]?.body.includes('background shell')).toBe(true);
    expect(run.log).toEqual([]);
  });

  test('gets OTLP JSON by the standard variables, of which ours win', async () => {
    const [theirs, ours] = [await kept(collector()), await kept(collector())];
    const run = await opened({}, { OTEL_EXPORTER_OTLP_ENDPOINT: theirs.url, AFTERTURN_OTEL_EXPORTER_OTLP_ENDPOINT: `${ours.url}/base`, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' });
    await talks(run);
    await run.telemetry?.shutdown();
    expect(theirs.exports).toEqual([]);
    expect(tracesTo(ours).map(({ url }) => url)).toEqual(['/base/v1/traces']);
    expect(spansOf(tracesTo(ours)[0]?.body.toString() ?? '').map(({ name }) => name).sort()).toEqual(NAMES);
  });

  test('gets what the sampler leaves', async () => {
    const there = await kept(collector());
    const run = await opened({ otlp: there.url }, { OTEL_TRACES_SAMPLER: 'always_off' });
    await talks(run);
    await run.telemetry?.shutdown();
    expect(tracesTo(there)).toEqual([]);
    expect(run.log).toEqual([]);
  });

  test('gets the file\'s spans too', async () => {
    const there = await kept(collector());
    const path = join(folder, 'both.jsonl');
    const run = await opened({ otlp: there.url, 'trace-file': path });
    await talks(run);
    await run.telemetry?.shutdown();
    expect(tracesTo(there)).toHaveLength(1);
    expect(spansOfFile(readFileSync(path, 'utf8'))).toHaveLength(4);
  });

  test('that refuses what it is sent: the loss is named and counted', async () => {
    const there = await kept(collector(400));
    const run = await opened({ otlp: there.url.replace('http://', 'http://user:secret@') });
    await talks(run);
    await run.telemetry?.shutdown();
    expect(run.log.filter((line) => line.includes('spans'))).toEqual([
      expect.stringMatching(/^warn: 4 spans were not delivered to http:\/\/127\.0\.0\.1:\d+\/v1\/traces: Bad Request/),
    ]);
    expect(run.log.join()).not.toContain('secret');
  });

  test.each<[string, () => Promise<string>, string]>([
    ['hangs', async () => (await kept(hangingCollector())).url, 'http/protobuf'],
    ['refuses connections', refusingAddress, 'http/protobuf'],
    ['hangs, by gRPC', async () => (await kept(hangingCollector())).url, 'grpc'],
    ['refuses connections, by gRPC', refusingAddress, 'grpc'],
    ['has no address', () => Promise.resolve('http://host.invalid:4318'), 'http/protobuf'],
  ])('that %s holds the end no longer than it may', async (_what, address, protocol) => {
    const run = await opened({}, { OTEL_EXPORTER_OTLP_ENDPOINT: await address(), OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
    await talks(run);
    const started = performance.now();
    await run.telemetry?.shutdown();
    expect(performance.now() - started).toBeLessThan(2000);
    expect(run.log).toContainEqual(expect.stringMatching(/^warn: 4 spans were not delivered to http:/));
  });
});

test('the console exporter writes lines to stderr, and nothing to stdout', async () => {
  const run = await opened({}, { OTEL_TRACES_EXPORTER: 'console' });
  await talks(run);
  await run.telemetry?.shutdown();
  expect(run.stderr).toHaveLength(4);
  for (const line of run.stderr) expect(JSON.parse(line.replace(/^afterturn: span: /, ''))).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as string });
});

test('exporters that nobody knows are named, and with none left there is no tracing', async () => {
  const run = await opened({}, { OTEL_TRACES_EXPORTER: 'zipkin' });
  expect(run.telemetry).toBeUndefined();
  expect(run.log).toEqual([expect.stringMatching(/^warn: OTEL_TRACES_EXPORTER names "zipkin"/)]);
});

test('an unknown protocol is named, and the default is used', async () => {
  const there = await kept(collector());
  const run = await opened({ otlp: there.url }, { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/xml' });
  await talks(run);
  await run.telemetry?.shutdown();
  expect(run.log).toEqual([expect.stringMatching(/^warn: the OTLP protocol "http\/xml" is none of/)]);
  expect(tracesTo(there)).toHaveLength(1);
});

test('nothing global is registered', async () => {
  const run = await opened({ 'trace-file': join(folder, 'global.jsonl') });
  expect(trace.getTracer('x').startSpan('y').isRecording()).toBe(false);
  expect(propagation.fields()).toEqual([]);
  expect(context.active()).toBe(context.active());
  await run.telemetry?.shutdown();
});
