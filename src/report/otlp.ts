/**
 * The text of a trace file as spans and start records: OTLP JSON, one export a line, as `--trace-file`
 * and the file exporter of an OpenTelemetry Collector write it. Follows OTLP "JSON Protobuf Encoding".
 * Knows the form, not what a span is about.
 */
import { UnusableLine } from '../check/index.js';
import { arrayOf, at, idOf, isObject, stringOf, typeName, type JsonObject } from '../protocol/index.js';

export type Value = string | number | boolean | readonly Value[];
export type Values = Readonly<Record<string, Value>>;

export interface SpanEvent {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly values: Values;
}

export interface Span {
  readonly trace: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  readonly isError: boolean;
  readonly values: Values;
  readonly events: readonly SpanEvent[];
  /** The ids of the spans that it links to. */
  readonly links: readonly string[];
  /** Of the process that told it. */
  readonly resource: Values;
}

/** A log record that names a span, or something that has one. */
export interface LogRecord {
  readonly trace: string | undefined;
  readonly span: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly name: string;
  readonly values: Values;
  readonly resource: Values;
}

export interface TraceText {
  readonly spans: readonly Span[];
  readonly records: readonly LogRecord[];
  /** The last line was cut off, and is left out. */
  readonly isCut: boolean;
}

/** The members of a line that an export can have, and where what it tells stands in it. */
const signals = {
  resourceSpans: ['scopeSpans', 'spans'],
  resourceLogs: ['scopeLogs', 'logRecords'],
  resourceMetrics: ['scopeMetrics', 'metrics'],
} as const;
const signalNames = Object.keys(signals) as (keyof typeof signals)[];

/** Whether a line of a file is an export of OTLP. */
export const isExport = (value: unknown): value is JsonObject => isObject(value) && signalNames.some((name) => Object.hasOwn(value, name));

function valueOf(value: unknown): Value | undefined {
  if (!isObject(value)) return undefined;
  const integer = value.intValue;
  if (integer !== undefined) return Number(integer);
  const { stringValue, boolValue, doubleValue } = value;
  for (const plain of [stringValue, boolValue, doubleValue]) if (typeof plain === 'string' || typeof plain === 'boolean' || typeof plain === 'number') return plain;
  const parts = arrayOf(at(value, 'arrayValue', 'values'));
  return parts?.map(valueOf).filter((part) => part !== undefined);
}

function valuesOf(attributes: unknown): Values {
  const pairs = (arrayOf(attributes) ?? []).map((attribute) => [at(attribute, 'key'), valueOf(at(attribute, 'value'))] as const);
  return Object.fromEntries(pairs.filter((pair): pair is readonly [string, Value] => typeof pair[0] === 'string' && pair[1] !== undefined));
}

/** Nanoseconds, as a text or a number, in milliseconds: whole microseconds, which are exact in a double. 0 is no time. */
function timeOf(value: unknown): number | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,20}$/.test(text)) return undefined;
  return Number(BigInt(text) / 1000n) / 1000 || undefined;
}

const eventOf = (event: unknown): SpanEvent[] => {
  const time = timeOf(at(event, 'timeUnixNano'));
  return time === undefined ? [] : [{ name: stringOf(at(event, 'name')) ?? '', at: time, values: valuesOf(at(event, 'attributes')) }];
};

function spanOf(span: unknown, resource: Values, line: number): Span {
  const [trace, id, name, start] = [idOf(at(span, 'traceId')), idOf(at(span, 'spanId')), stringOf(at(span, 'name')), timeOf(at(span, 'startTimeUnixNano'))];
  if (trace === undefined || id === undefined || name === undefined || start === undefined) {
    const members = isObject(span) ? Object.keys(span).join(', ') || 'no members' : typeName(span);
    throw new UnusableLine(line, `expected a span with "traceId", "spanId", "name" and "startTimeUnixNano", but it has ${members}`);
  }
  return {
    trace, id, name, start,
    parent: idOf(at(span, 'parentSpanId')),
    end: Math.max(start, timeOf(at(span, 'endTimeUnixNano')) ?? start),
    isError: [2, 'STATUS_CODE_ERROR'].includes(at(span, 'status', 'code') as never),
    values: valuesOf(at(span, 'attributes')),
    events: (arrayOf(at(span, 'events')) ?? []).flatMap(eventOf),
    links: (arrayOf(at(span, 'links')) ?? []).flatMap((link) => idOf(at(link, 'spanId')) ?? []),
    resource,
  };
}

function recordOf(record: unknown, resource: Values): LogRecord[] {
  const time = timeOf(at(record, 'timeUnixNano')) ?? timeOf(at(record, 'observedTimeUnixNano'));
  if (time === undefined) return [];
  return [{
    trace: idOf(at(record, 'traceId')),
    span: idOf(at(record, 'spanId')),
    at: time,
    name: stringOf(at(record, 'eventName')) ?? stringOf(at(record, 'body', 'stringValue')) ?? '',
    values: valuesOf(at(record, 'attributes')),
    resource,
  }];
}

/** What an export tells of one signal, with the resource that told it. */
function told<T>(value: JsonObject, signal: keyof typeof signals, line: number, read: (one: unknown, resource: Values) => T[]): T[] {
  if (value[signal] === undefined) return [];
  const [scopes, members] = signals[signal];
  const groups = arrayOf(value[signal]);
  if (groups === undefined) throw new UnusableLine(line, `expected "${signal}" to be an array, but got ${typeName(value[signal])}`);
  return groups.flatMap((group) => {
    const resource = valuesOf(at(group, 'resource', 'attributes'));
    return (arrayOf(at(group, scopes)) ?? []).flatMap((scope) => (arrayOf(at(scope, members)) ?? []).flatMap((one) => read(one, resource)));
  });
}

function parsed(text: string, line: number): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnusableLine(line, 'expected one JSON object a line, but it cannot be parsed');
  }
  if (!isExport(value)) throw new UnusableLine(line, `expected an OTLP export with one of ${signalNames.join(', ')}, but got ${isObject(value) ? Object.keys(value).join(', ') || 'no members' : typeName(value)}`);
  return value;
}

/** What a trace file says. Throws an `UnusableLine`. A last line that a kill cut off is left out: `isCut`. */
export function readTraceText(text: string): TraceText {
  const lines = text.split('\n');
  const spans: Span[] = [];
  const records: LogRecord[] = [];
  let isCut = false;
  lines.forEach((line, index) => {
    if (line.trim() === '') return;
    const number = index + 1;
    try {
      const value = parsed(line, number);
      for (const span of told(value, 'resourceSpans', number, (one, resource) => [spanOf(one, resource, number)])) spans.push(span);
      for (const record of told(value, 'resourceLogs', number, recordOf)) records.push(record);
    } catch (error) {
      if (index === 0 || index !== lines.length - 1) throw error;
      isCut = true;
    }
  });
  return { spans, records, isCut };
}
