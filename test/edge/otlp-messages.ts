/**
 * The messages of OTLP 1.11 in protobuf, as far as they are used here: field numbers and types by the
 * names that OTLP's JSON form has. Makes of bytes what that form would say.
 */
import protobuf from 'protobufjs';

type Fields = Readonly<Record<string, readonly [number: number, type: string, rule?: 'repeated']>>;

const attributes = (number: number) => ({ attributes: [number, 'KeyValue', 'repeated'], droppedAttributesCount: [number + 1, 'uint32'] }) as const;
const envelope = (scoped: string, type: string): Fields => ({ resource: [1, 'Resource'], [scoped]: [2, type, 'repeated'], schemaUrl: [3, 'string'] });
const scope = (items: string, type: string): Fields => ({ scope: [1, 'InstrumentationScope'], [items]: [2, type, 'repeated'], schemaUrl: [3, 'string'] });

const messages: Readonly<Record<string, Fields>> = {
  KeyValue: { key: [1, 'string'], value: [2, 'AnyValue'] },
  AnyValue: { stringValue: [1, 'string'], boolValue: [2, 'bool'], intValue: [3, 'int64'], doubleValue: [4, 'double'], arrayValue: [5, 'ArrayValue'], kvlistValue: [6, 'KeyValueList'], bytesValue: [7, 'bytes'] },
  ArrayValue: { values: [1, 'AnyValue', 'repeated'] },
  KeyValueList: { values: [1, 'KeyValue', 'repeated'] },
  InstrumentationScope: { name: [1, 'string'], version: [2, 'string'], ...attributes(3) },
  Resource: attributes(1),

  ExportTraceServiceRequest: { resourceSpans: [1, 'ResourceSpans', 'repeated'] },
  ResourceSpans: envelope('scopeSpans', 'ScopeSpans'),
  ScopeSpans: scope('spans', 'Span'),
  Span: {
    traceId: [1, 'bytes'], spanId: [2, 'bytes'], traceState: [3, 'string'], parentSpanId: [4, 'bytes'], name: [5, 'string'], kind: [6, 'int32'],
    startTimeUnixNano: [7, 'fixed64'], endTimeUnixNano: [8, 'fixed64'], ...attributes(9),
    events: [11, 'Event', 'repeated'], droppedEventsCount: [12, 'uint32'], links: [13, 'Link', 'repeated'], droppedLinksCount: [14, 'uint32'], status: [15, 'Status'], flags: [16, 'fixed32'],
  },
  Event: { timeUnixNano: [1, 'fixed64'], name: [2, 'string'], ...attributes(3) },
  Link: { traceId: [1, 'bytes'], spanId: [2, 'bytes'], traceState: [3, 'string'], ...attributes(4), flags: [6, 'fixed32'] },
  Status: { message: [2, 'string'], code: [3, 'int32'] },

  ExportLogsServiceRequest: { resourceLogs: [1, 'ResourceLogs', 'repeated'] },
  ResourceLogs: envelope('scopeLogs', 'ScopeLogs'),
  ScopeLogs: scope('logRecords', 'LogRecord'),
  LogRecord: {
    timeUnixNano: [1, 'fixed64'], severityNumber: [2, 'int32'], severityText: [3, 'string'], body: [5, 'AnyValue'], ...attributes(6), flags: [8, 'fixed32'],
    traceId: [9, 'bytes'], spanId: [10, 'bytes'], observedTimeUnixNano: [11, 'fixed64'], eventName: [12, 'string'],
  },

  ExportMetricsServiceRequest: { resourceMetrics: [1, 'ResourceMetrics', 'repeated'] },
  ResourceMetrics: envelope('scopeMetrics', 'ScopeMetrics'),
  ScopeMetrics: scope('metrics', 'Metric'),
  Metric: { name: [1, 'string'], description: [2, 'string'], unit: [3, 'string'], gauge: [5, 'Gauge'], sum: [7, 'Sum'], histogram: [9, 'Histogram'] },
  Gauge: { dataPoints: [1, 'NumberDataPoint', 'repeated'] },
  Sum: { dataPoints: [1, 'NumberDataPoint', 'repeated'], aggregationTemporality: [2, 'int32'], isMonotonic: [3, 'bool'] },
  Histogram: { dataPoints: [1, 'HistogramDataPoint', 'repeated'], aggregationTemporality: [2, 'int32'] },
  NumberDataPoint: { startTimeUnixNano: [2, 'fixed64'], timeUnixNano: [3, 'fixed64'], asDouble: [4, 'double'], asInt: [6, 'sfixed64'], attributes: [7, 'KeyValue', 'repeated'], flags: [8, 'uint32'] },
  HistogramDataPoint: {
    startTimeUnixNano: [2, 'fixed64'], timeUnixNano: [3, 'fixed64'], count: [4, 'fixed64'], sum: [5, 'double'], bucketCounts: [6, 'fixed64', 'repeated'], explicitBounds: [7, 'double', 'repeated'],
    attributes: [9, 'KeyValue', 'repeated'], flags: [10, 'uint32'], min: [11, 'double'], max: [12, 'double'],
  },
};

const root = protobuf.Root.fromJSON({
  nested: Object.fromEntries(Object.entries(messages).map(([name, fields]) =>
    [name, { fields: Object.fromEntries(Object.entries(fields).map(([field, [id, type, rule]]) => [field, { id, type, ...(rule === undefined ? {} : { rule }) }])) }])),
});

export const requests = { traces: 'ExportTraceServiceRequest', metrics: 'ExportMetricsServiceRequest', logs: 'ExportLogsServiceRequest' } as const;

const ids = new Set(['traceId', 'spanId', 'parentSpanId']);

/** OTLP's JSON form has ids in hexadecimal (OTLP "JSON Protobuf Encoding"). */
function hexIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hexIds);
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, ids.has(key) ? Buffer.from(each as Uint8Array).toString('hex') : hexIds(each)]));
}

/** A request of this signal, as its JSON form would say it. Throws when the bytes are none. */
export function decodedRequest(signal: keyof typeof requests, bytes: Uint8Array): unknown {
  const type = root.lookupType(requests[signal]);
  return hexIds(type.toObject(type.decode(bytes), { longs: String, arrays: true }));
}
