// What spans cost when nothing has to be found out for them: those of a trace file, made again with
// OpenTelemetry's SDK as often as asked, and sent to a collector. Prints their number and the CPU time
// after the SDK was loaded, in milliseconds. No metrics, no log records.
import { readFileSync } from 'node:fs';
import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

const [file, repeat, otlp] = process.argv.slice(2);
const valueOf = (value) => (value.arrayValue === undefined ? Object.values(value)[0] : value.arrayValue.values.map(valueOf));
const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
const recorded = lines.flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
const parents = new Set(recorded.map(({ parentSpanId }) => parentSpanId));
const spans = recorded
  .sort((a, b) => (BigInt(a.startTimeUnixNano) < BigInt(b.startTimeUnixNano) ? -1 : 1))
  .map(({ spanId, parentSpanId, name, kind, attributes, events = [] }) => ({ id: spanId, parent: parentSpanId, name, kind: kind - 1, attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)])), events: events.map((event) => event.name) }));

const resource = resourceFromAttributes({ 'service.name': 'bench', 'service.version': '1' });
const provider = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${otlp}/v1/traces` }))] });
const tracer = provider.getTracer('bench', '1');

const before = process.cpuUsage();
for (let n = 0; n < Number(repeat); n += 1) {
  const open = new Map();
  for (const { id, parent, name, kind, attributes, events } of spans) {
    const now = Date.now();
    const time = [Math.floor(now / 1000), (now % 1000) * 1e6];
    const above = open.get(parent);
    const span = tracer.startSpan(name, { kind, attributes, startTime: time }, above === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, above));
    for (const event of events) span.addEvent(event, time);
    if (parents.has(id)) open.set(id, span);
    span.end(time);
  }
  // The exporter gets its turn.
  await new Promise((resolve) => setTimeout(resolve, 1));
}
await provider.shutdown();
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ spans: spans.length, ms: (user + system) / 1000 }));
