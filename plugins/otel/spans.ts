/** Carries out span operations with the OpenTelemetry API. Decides nothing. */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type HrTime, type Link, type Span, type SpanContext, type Tracer } from '@opentelemetry/api';
import { SeverityNumber, type Logger } from '@opentelemetry/api-logs';
import { Attribute, type SpanOp, type SpanParent } from 'afterturn/state';
import { BoundedMap } from '../bounded.js';

type Op<D extends SpanOp['do']> = Extract<SpanOp, { do: D }>;

/** Ended spans that can still become parents or be linked to; the oldest are forgotten. */
const REMEMBERED = 4096;
/** So many spans are open at once; with more the oldest end as unfinished. */
const MOST_OPEN = 100_000;

export interface SpanOutlets {
  readonly tracer: Tracer;
  /** For the start records of background work. */
  readonly logger?: Logger | undefined;
  /** Each span that starts is announced by one without length, its child. */
  readonly pendingSpans?: boolean;
}

const kinds = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** Seconds and nanoseconds: a plain number could be taken for a time since the process started. */
const timeOf = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];

interface OpenSpan {
  readonly span: Span;
  readonly start: number;
  /** For its children, once it has one. */
  context: Context | undefined;
}

export class SpanWriter {
  readonly #outlets: SpanOutlets;
  readonly #open = new BoundedMap<string, OpenSpan>(MOST_OPEN, ({ span, start }) => {
    span.setAttribute(Attribute.unfinished, true);
    span.end(timeOf(start));
  });
  readonly #ended = new Map<string, SpanContext>();

  constructor(outlets: SpanOutlets) {
    this.#outlets = outlets;
  }

  perform(op: SpanOp): void {
    if (op.do === 'start') this.#start(op);
    else if (op.do === 'set') this.#set(op);
    else if (op.do === 'event') this.#open.get(op.key)?.span.addEvent(op.name, op.attributes, timeOf(op.time));
    else if (op.do === 'end') this.#end(op);
    else if (op.do === 'announce') this.#announce(op);
    else this.#open.delete(op.key);
  }

  /** The context of a span that was started here. */
  contextOf(key: string): SpanContext | undefined {
    return this.#open.get(key)?.span.spanContext() ?? this.#ended.get(key);
  }

  #contextOf(span: SpanParent): SpanContext | undefined {
    return 'key' in span ? this.contextOf(span.key) : { ...span.remote, isRemote: true };
  }

  #parent(parent: SpanParent | undefined): Context {
    const open = parent !== undefined && 'key' in parent ? this.#open.get(parent.key) : undefined;
    if (open !== undefined) return (open.context ??= trace.setSpan(ROOT_CONTEXT, open.span));
    const context = parent && this.#contextOf(parent);
    return context === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, context);
  }

  #start({ key, name, kind, parent, attributes, time, links }: Op<'start'>): void {
    const linked = links.length === 0 ? undefined : this.#links(links);
    const { tracer, pendingSpans } = this.#outlets;
    const startTime = timeOf(time);
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes, startTime, links: linked }, this.#parent(parent));
    this.#open.set(key, { span, start: time, context: undefined });
    if (pendingSpans !== true) return;
    const above = parent && this.#contextOf(parent)?.spanId;
    const marks = { [Attribute.pending]: true, ...(above === undefined ? {} : { [Attribute.pendingParent]: above }) };
    const pending = tracer.startSpan(name, { kind: kinds[kind], attributes: { ...attributes, ...marks }, startTime }, trace.setSpan(ROOT_CONTEXT, span));
    pending.end(startTime);
  }

  #links(links: readonly SpanParent[]): Link[] {
    return links.flatMap((link): Link[] => {
      const context = this.#contextOf(link);
      return context === undefined ? [] : [{ context }];
    });
  }

  #announce({ key, name, time, attributes }: Op<'announce'>): void {
    const context = this.contextOf(key);
    if (context === undefined) return;
    this.#outlets.logger?.emit({ eventName: name, severityNumber: SeverityNumber.INFO, timestamp: timeOf(time), attributes, context: trace.setSpanContext(ROOT_CONTEXT, context) });
  }

  #set({ key, attributes, name }: Op<'set'>): void {
    const span = this.#open.get(key)?.span;
    span?.setAttributes(attributes);
    if (name !== undefined) span?.updateName(name);
  }

  #end({ key, time, failed }: Op<'end'>): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    if (failed) open.span.setStatus({ code: SpanStatusCode.ERROR });
    // The wall clock may have been set back in between.
    open.span.end(timeOf(Math.max(time, open.start)));
    this.#open.delete(key);
    this.#ended.set(key, open.span.spanContext());
    if (this.#ended.size <= REMEMBERED) return;
    for (const oldest of this.#ended.keys()) {
      if (this.#ended.size <= REMEMBERED) break;
      this.#ended.delete(oldest);
    }
  }
}
