import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, test } from 'vitest';
import { UnusableLine } from '../../src/check/index.js';
import { readTraceText } from '../../src/report/otlp.js';
import { EPOCH, recordLine, spanLine } from './otlp-lines.js';

test('a line is read as spans with plain values and milliseconds', () => {
  const text = spanLine({ id: 'a', name: 'x', from: 5, to: 7, parent: 'p', error: true, links: ['l'], events: [['progress', 6]], attributes: { n: 3, d: 0.5, b: false, t: 'text', list: ['one', 'two'] } });
  expect(readTraceText(text)).toEqual({
    spans: [{
      trace: 't1', id: 'a', parent: 'p', name: 'x', start: EPOCH + 5, end: EPOCH + 7, isError: true, links: ['l'],
      values: { n: 3, d: 0.5, b: false, t: 'text', list: ['one', 'two'] },
      events: [{ name: 'progress', at: EPOCH + 6, values: {} }],
      resource: { 'service.name': 'afterturn' },
    }],
    records: [],
    isCut: false,
  });
});

test("the SDK's own lines are read", () => {
  const exporter = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('x');
  tracer.startSpan('one', { startTime: [100, 5e6], attributes: { count: 2, words: ['a'] } }).end([101, 0]);
  const line = new TextDecoder().decode(JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans()));
  expect(readTraceText(line).spans).toMatchObject([{ name: 'one', start: 100_005, end: 101_000, isError: false, values: { count: 2, words: ['a'] } }]);
});

test('start records are read, metrics and empty lines are passed over', () => {
  const text = `${recordLine({ at: 3, span: 'a', name: 'started', attributes: { k: 'v' } })}\n{"resourceMetrics":[{"scopeMetrics":[]}]}\n${spanLine({ id: 'b' })}`;
  const { spans, records } = readTraceText(text);
  expect(records).toEqual([{ trace: 't1', span: 'a', at: EPOCH + 3, name: 'started', values: { k: 'v' }, resource: {} }]);
  expect(spans.map(({ id }) => id)).toEqual(['b']);
});

test('a span without an end has no length, one that ends before its start neither', () => {
  expect(readTraceText(spanLine({ id: 'a', from: 4 }, { id: 'b', from: 4, to: 1 })).spans.map(({ start, end }) => end - start)).toEqual([0, 0]);
});

describe('what cannot be read', () => {
  test.each([
    ['{"dir":"c2a"}', 'line 2: expected an OTLP export with one of resourceSpans, resourceLogs, resourceMetrics, but got dir'],
    ['[1]', 'line 2: expected an OTLP export with one of resourceSpans, resourceLogs, resourceMetrics, but got array'],
    ['rubbish', 'line 2: expected one JSON object a line, but it cannot be parsed'],
    ['{"resourceSpans":"secret"}', 'line 2: expected "resourceSpans" to be an array, but got string'],
    ['{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"secret"}]}]}]}', 'line 2: expected a span with "traceId", "spanId", "name" and "startTimeUnixNano", but it has name'],
    ['{"resourceSpans":[{"scopeSpans":[{"spans":[7]}]}]}', 'line 2: expected a span with "traceId", "spanId", "name" and "startTimeUnixNano", but it has number'],
  ])('%s is told with its line, without its contents', (line, message) => {
    expect(() => readTraceText(`${spanLine({ id: 'a' })}${line}\n`)).toThrow(new UnusableLine(2, message.slice('line 2: '.length)));
  });

  test('of the last line, without its end, is what a kill left behind', () => {
    const { spans, isCut } = readTraceText(`${spanLine({ id: 'a' })}{"resourceSp`);
    expect([spans.length, isCut]).toEqual([1, true]);
  });

  test.each(['{"resourceSpans":[{}]}', '{"resourceSpans":[null,3,{"scopeSpans":[null,{"spans":[]}]}]}', '{"resourceLogs":[{"scopeLogs":[{"logRecords":[null,{}]}]}]}'])('%s tells nothing', (line) => {
    expect(readTraceText(line)).toEqual({ spans: [], records: [], isCut: false });
  });
});
