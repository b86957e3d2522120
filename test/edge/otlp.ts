/** OTLP, decoded: spans, log records and metrics with their values as plain ones. Follows OTLP "JSON Protobuf Encoding". */
export interface DecodedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  readonly links: readonly string[];
  readonly status: number;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly scope: string;
  readonly schemaUrl: string;
}

interface KeyValue {
  readonly key: string;
  readonly value: { stringValue?: string; intValue?: number | string; boolValue?: boolean; doubleValue?: number; arrayValue?: { values: KeyValue['value'][] } };
}

interface Scoped {
  readonly scope: { readonly name: string };
  readonly schemaUrl: string;
}
interface Grouped {
  readonly resource: { readonly attributes: KeyValue[] };
}
type Raw = Record<string, string> & { kind: number; attributes: KeyValue[]; events?: { name: string }[]; links?: { spanId: string }[]; status?: { code?: number }; body?: KeyValue['value']; severityNumber?: number };
interface Point {
  readonly attributes?: KeyValue[];
  readonly asInt?: string | number;
  readonly asDouble?: number;
  readonly count?: string | number;
  readonly sum?: number;
}
interface RawMetric {
  readonly name: string;
  readonly unit?: string;
  readonly gauge?: { readonly dataPoints: Point[] };
  readonly sum?: { readonly dataPoints: Point[]; readonly isMonotonic?: boolean; readonly aggregationTemporality: number };
  readonly histogram?: { readonly dataPoints: Point[]; readonly aggregationTemporality: number };
}

function plain(value: KeyValue['value']): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(plain);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue;
}
const plainAll = (attributes: readonly KeyValue[] = []): Record<string, unknown> => Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
const milliseconds = (nanoseconds: string | undefined): number => Number(nanoseconds) / 1e6;

/** The spans of one `ExportTraceServiceRequest` in its JSON form. Throws when it is none. */
export function spansIn(request: unknown): DecodedSpan[] {
  const { resourceSpans } = request as { resourceSpans: (Grouped & { scopeSpans: (Scoped & { spans: Raw[] })[] })[] };
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, schemaUrl, spans }) =>
      spans.map((span) => {
        if (!/^[0-9a-f]{32}$/.test(span.traceId ?? '') || !/^[0-9a-f]{16}$/.test(span.spanId ?? '')) throw new Error('ids must be hexadecimal');
        return {
          traceId: span.traceId ?? '', spanId: span.spanId ?? '', parentSpanId: span.parentSpanId || undefined, name: span.name ?? '', kind: span.kind,
          start: milliseconds(span.startTimeUnixNano), end: milliseconds(span.endTimeUnixNano),
          attributes: plainAll(span.attributes), events: (span.events ?? []).map(({ name }) => name), links: (span.links ?? []).map(({ spanId }) => spanId), status: span.status?.code ?? 0,
          resource: plainAll(resource.attributes), scope: scope.name, schemaUrl,
        };
      })));
}

/** The spans of one line of a trace file. */
export const spansOf = (text: string): DecodedSpan[] => spansIn(JSON.parse(text));

/** The spans of a trace file. */
export const spansOfFile = (text: string): DecodedSpan[] => text.split('\n').filter((line) => line !== '').flatMap(spansOf);

export interface DecodedRecord {
  readonly event: string | undefined;
  readonly body: unknown;
  readonly severity: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly resource: Readonly<Record<string, unknown>>;
}

export function recordsIn(request: unknown): DecodedRecord[] {
  const { resourceLogs } = request as { resourceLogs: (Grouped & { scopeLogs: (Scoped & { logRecords: Raw[] })[] })[] };
  return resourceLogs.flatMap(({ resource, scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map(({ eventName, body, severityNumber, attributes, traceId, spanId }) =>
        ({ event: eventName, body: body && plain(body), severity: severityNumber ?? 0, attributes: plainAll(attributes), traceId, spanId, resource: plainAll(resource.attributes) }))));
}

export interface DecodedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: 'gauge' | 'counter' | 'up-down counter' | 'histogram';
  /** 1 delta, 2 cumulative. */
  readonly temporality: number | undefined;
  /** A histogram's value is its count and its sum. */
  readonly points: readonly { readonly value: unknown; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly resource: Readonly<Record<string, unknown>>;
}

const valueOf = ({ count, sum, asInt, asDouble }: Point): unknown => (count === undefined ? Number(asInt ?? asDouble) : { count: Number(count), sum });

export function metricsIn(request: unknown): DecodedMetric[] {
  const { resourceMetrics } = request as { resourceMetrics: (Grouped & { scopeMetrics: (Scoped & { metrics: RawMetric[] })[] })[] };
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.map(({ name, unit, gauge, sum, histogram }) => {
        const points = (gauge ?? sum ?? histogram)?.dataPoints ?? [];
        return {
          name, unit: unit ?? '',
          kind: gauge ? 'gauge' : histogram ? 'histogram' : sum?.isMonotonic ? 'counter' : 'up-down counter',
          temporality: (sum ?? histogram)?.aggregationTemporality,
          points: points.map((point) => ({ value: valueOf(point), attributes: plainAll(point.attributes) })),
          resource: plainAll(resource.attributes),
        };
      })));
}
