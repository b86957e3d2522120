/**
 * Spans as the SDK makes them where no variable changes its sampler or limits, without what it does for
 * those at each attribute: a tenth of its work for a span. The SDK's processors and exporters take them
 * as their own. Knows no attribute's name.
 */
import { randomBytes } from 'node:crypto';
import { diag, INVALID_SPAN_CONTEXT, isSpanContextValid, SpanKind, SpanStatusCode, trace, TraceFlags, type Attributes, type AttributeValue, type Context, type Exception, type HrTime, type Link, type Span, type SpanContext, type SpanOptions, type SpanStatus, type TimeInput, type Tracer } from '@opentelemetry/api';
import { hrTimeDuration, timeInputToHrTime, type InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { IdGenerator, ReadableSpan, TimedEvent } from '@opentelemetry/sdk-trace-base';
import { otelVariable, type Environment } from './telemetry-wanted.js';

/** What makes the SDK look at each span, attribute, event and link (SDK environment variables "General", "Attribute Limits", "Span Limits"). */
const deciding = [
  'OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_ATTRIBUTE_COUNT_LIMIT', 'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT', 'OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', 'OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT',
  'OTEL_SPAN_EVENT_COUNT_LIMIT', 'OTEL_SPAN_LINK_COUNT_LIMIT', 'OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT', 'OTEL_SPAN_ATTRIBUTE_PER_LINK_COUNT_LIMIT',
] as const;

/** Whether each span is recorded whose parent is, with the limits that hold where nothing is said. */
export const isPlain = (env: Environment): boolean => deciding.every((name) => otelVariable(env, name) === undefined);

/** The SDK's limit of events. Of attributes and links no span of ours has so many. */
const MOST_EVENTS = 128;

const none: never[] = [];

const hrTimeOf = (time: TimeInput = Date.now()): HrTime => timeInputToHrTime(time);

export interface PlainTracerOptions {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  /** Is given each span that has ended. */
  readonly ended: (span: ReadableSpan) => void;
  readonly ids?: IdGenerator;
}

class PlainSpan implements Span, ReadableSpan {
  readonly resource: Resource;
  readonly instrumentationScope: InstrumentationScope;
  readonly kind: SpanKind;
  readonly parentSpanContext: SpanContext | undefined;
  readonly startTime: HrTime;
  readonly droppedAttributesCount = 0;
  readonly droppedLinksCount = 0;
  name: string;
  attributes: Attributes;
  links: Link[];
  events: TimedEvent[] = none;
  droppedEventsCount = 0;
  status: SpanStatus = { code: SpanStatusCode.UNSET };
  endTime: HrTime = [0, 0];
  ended = false;
  readonly #context: SpanContext;
  readonly #tell: (span: ReadableSpan) => void;
  /** The attributes are the caller's, which never changes them. */
  #isShared = true;

  constructor({ resource, scope, ended }: PlainTracerOptions, name: string, context: SpanContext, parent: SpanContext | undefined, { kind = SpanKind.INTERNAL, attributes = {}, links = none, startTime }: SpanOptions) {
    this.resource = resource;
    this.instrumentationScope = scope;
    this.kind = kind;
    this.parentSpanContext = parent;
    this.startTime = hrTimeOf(startTime);
    this.name = name;
    this.attributes = attributes;
    this.links = links.length === 0 ? none : links.map(linkOf);
    this.#context = context;
    this.#tell = ended;
  }

  get duration(): HrTime {
    return this.ended ? hrTimeDuration(this.startTime, this.endTime) : [-1, -1];
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  isRecording(): boolean {
    return !this.ended;
  }

  setAttribute(key: string, value: AttributeValue): this {
    return this.setAttributes({ [key]: value });
  }

  setAttributes(attributes: Attributes): this {
    if (this.ended) return this;
    if (this.#isShared) this.attributes = { ...this.attributes };
    this.#isShared = false;
    for (const key in attributes) this.attributes[key] = attributes[key];
    return this;
  }

  addEvent(name: string, attributesOrTime?: Attributes | TimeInput, time?: TimeInput): this {
    if (this.ended) return this;
    const isTime = typeof attributesOrTime === 'number' || Array.isArray(attributesOrTime) || attributesOrTime instanceof Date;
    const attributes = isTime ? undefined : (attributesOrTime as Attributes | undefined);
    if (this.events === none) this.events = [];
    if (this.events.length >= MOST_EVENTS) {
      this.events.shift();
      this.droppedEventsCount += 1;
    }
    this.events.push({ name, attributes: attributes ?? {}, time: hrTimeOf(time ?? (isTime ? attributesOrTime : undefined)), droppedAttributesCount: 0 });
    return this;
  }

  addLink(link: Link): this {
    return this.addLinks([link]);
  }

  addLinks(links: Link[]): this {
    if (!this.ended) this.links = [...this.links, ...links.map(linkOf)];
    return this;
  }

  recordException(exception: Exception, time?: TimeInput): void {
    this.addEvent('exception', { 'exception.message': typeof exception === 'string' ? exception : (exception.message ?? '') }, time);
  }

  setStatus(status: SpanStatus): this {
    if (!this.ended) this.status = status;
    return this;
  }

  updateName(name: string): this {
    if (!this.ended) this.name = name;
    return this;
  }

  end(time?: TimeInput): void {
    if (this.ended) return;
    this.endTime = hrTimeOf(time);
    this.ended = true;
    if (this.droppedEventsCount > 0) diag.warn(`Dropped ${this.droppedEventsCount} events because eventCountLimit reached`);
    this.#tell(this);
  }
}

const linkOf = ({ context, attributes }: Link): Link => (attributes === undefined ? { context } : { context, attributes });

/** The parent that a context holds, if it is one. One that was made here is. */
function parentIn(context: Context): SpanContext | undefined {
  const span = trace.getSpan(context);
  if (span === undefined) return undefined;
  const parent = span.spanContext();
  return span instanceof PlainSpan || isSpanContextValid(parent) ? parent : undefined;
}

/** So many digits are asked for at once. */
const DIGITS = 4096;
const notZero = /[^0]/;

/** Ids as the W3C's Trace Context has them: random hexadecimal digits, not all of them zero. */
export function randomIds(digits: () => string = () => randomBytes(DIGITS / 2).toString('hex')): IdGenerator {
  let pool = '';
  let at = 0;
  const next = (length: number): string => {
    if (at + length > pool.length) {
      pool = digits();
      at = 0;
    }
    const id = pool.slice(at, (at += length));
    return notZero.test(id) ? id : next(length);
  };
  return { generateTraceId: () => next(32), generateSpanId: () => next(16) };
}

/**
 * A tracer of which every span is recorded but those whose parent was not (SDK "Built-in samplers",
 * `parentbased_always_on`). Attributes that it is given belong to it, and are words, numbers, truths and
 * lists of words.
 */
export function plainTracer(options: PlainTracerOptions): Tracer {
  const ids = options.ids ?? randomIds();
  return {
    startSpan(name, span = {}, context) {
      const parent = context === undefined || span.root === true ? undefined : parentIn(context);
      const isRecorded = parent === undefined || (parent.traceFlags & TraceFlags.SAMPLED) !== 0;
      const spanId = ids.generateSpanId();
      const own: SpanContext = { traceId: parent?.traceId ?? ids.generateTraceId(), spanId, traceFlags: isRecorded ? TraceFlags.SAMPLED : TraceFlags.NONE };
      if (parent?.traceState !== undefined) own.traceState = parent.traceState;
      return isRecorded ? new PlainSpan(options, name, own, parent, span) : trace.wrapSpanContext(own);
    },
    startActiveSpan: noActiveSpan,
  };
}

/** A tracer whose spans nobody sees. */
export const noTracer: Tracer = { startSpan: () => trace.wrapSpanContext(INVALID_SPAN_CONTEXT), startActiveSpan: noActiveSpan };

/** Nothing of ours makes a span the one at hand of what is called. */
export function noActiveSpan(): never {
  throw new Error('startActiveSpan needs a context manager, and none is registered');
}
