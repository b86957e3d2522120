/** OTLP JSON, decoded: one span with its values as plain ones. Follows OTLP "JSON Protobuf Encoding". */
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

interface Request {
  readonly resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: { scope: { name: string }; schemaUrl: string; spans: (Record<string, string> & { kind: number; attributes: KeyValue[]; events: { name: string }[]; links: { spanId: string }[]; status: { code: number } })[] }[];
  }[];
}

function plain(value: KeyValue['value']): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(plain);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue;
}
const plainAll = (attributes: readonly KeyValue[]): Record<string, unknown> => Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));

/** The spans of one `ExportTraceServiceRequest`. Throws when it is none. */
export function spansOf(text: string): DecodedSpan[] {
  const { resourceSpans } = JSON.parse(text) as Request;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, schemaUrl, spans }) =>
      spans.map((span) => {
        if (!/^[0-9a-f]{32}$/.test(span.traceId ?? '') || !/^[0-9a-f]{16}$/.test(span.spanId ?? '')) throw new Error('ids must be hexadecimal');
        return {
          traceId: span.traceId ?? '', spanId: span.spanId ?? '', parentSpanId: span.parentSpanId, name: span.name ?? '', kind: span.kind,
          start: Number(span.startTimeUnixNano) / 1e6, end: Number(span.endTimeUnixNano) / 1e6,
          attributes: plainAll(span.attributes), events: span.events.map(({ name }) => name), links: span.links.map(({ spanId }) => spanId), status: span.status.code,
          resource: plainAll(resource.attributes), scope: scope.name, schemaUrl,
        };
      })));
}

/** The spans of a trace file. */
export const spansOfFile = (text: string): DecodedSpan[] => text.split('\n').filter((line) => line !== '').flatMap(spansOf);
