/**
 * A conversation with the tracing plugin at its place, and its spans as a tree of text:
 *
 *     const { client, agent, clock, tree } = traced();
 *     ...
 *     expect(tree()).toEqual(['invoke_agent agent-x 0..900', '  execute_tool Bash 100..200']);
 *
 * Times are milliseconds since the start of the conversation.
 */
import type { Tracer } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { LogRecord } from '@opentelemetry/api-logs';
import { otel, type Otel, type OtelOptions } from '../../../plugins/otel/index.js';
import type { Plugin } from '../../../src/plugin.js';
import { wired, type Wired } from '../../pipeline/harness.js';

const EPOCH = Date.UTC(2025, 0, 1);

export interface Traced extends Wired {
  readonly exitCode: Otel['exitCode'];
  /** What the logger was given. */
  readonly logs: readonly LogRecord[];
  /** The spans that have ended, in the order of their ends. */
  spans(): readonly ReadableSpan[];
  /** The one ended span with this name. */
  span(name: string): ReadableSpan;
  /** Ended spans as lines, children indented under their parents, siblings by start. */
  tree(): string[];
  /** `initialize` and `session/new`, answered. */
  opens(options?: { protocol?: 1 | 2; name?: string; extension?: boolean; session?: string }): void;
  /** A `session/update` of the agent. */
  updates(update: object, session?: string): void;
  /** A message of the raw feed. */
  feeds(message: object, session?: string): void;
}

export const msOf = ([seconds, nanos]: readonly [number, number]): number => seconds * 1000 + nanos / 1e6 - EPOCH;

/** The events of a span, as `name@time`. */
export const eventsOf = (span: ReadableSpan): string[] => span.events.map(({ name, time }) => `${name}@${msOf(time)}`);

function lineOf(span: ReadableSpan): string {
  const { attributes, status } = span;
  const marks = [
    attributes['acp.background.outcome'] ?? attributes['acp.tool_call.status'] ?? (attributes['gen_ai.response.finish_reasons'] as string[] | undefined)?.[0],
    attributes['process.exit.code'] === undefined ? undefined : `code ${String(attributes['process.exit.code'])}`,
    status.code === 2 ? `ERROR ${String(attributes['error.type'])}` : undefined,
    attributes['acp.unfinished'] === true || attributes['acp.background.unfinished'] === true ? `unfinished: ${String(attributes['acp.end_reason'])}` : undefined,
    ...span.events.map(({ name }) => name),
    attributes['test.link'] === undefined ? undefined : `because of ${String(attributes['test.link'])}`,
  ].filter((mark) => mark !== undefined);
  return `${span.name} ${msOf(span.startTime)}..${msOf(span.endTime)}${marks.map((mark) => ` [${String(mark)}]`).join('')}`;
}

export function treeOf(spans: readonly ReadableSpan[]): string[] {
  const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
  const known = new Set(spans.map(idOf));
  const below = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter((span) => (parent === undefined ? !known.has(span.parentSpanContext?.spanId ?? '') : span.parentSpanContext?.spanId === parent))
      .sort((a, b) => msOf(a.startTime) - msOf(b.startTime))
      .flatMap((span) => [`${'  '.repeat(depth)}${lineOf(span)}`, ...below(idOf(span), depth + 1)]);
  return below(undefined, 0);
}

/** `tracer`: makes the spans in place of one of memory; `spans` has none then. */
export type TracedOptions = { readonly window?: number; readonly before?: readonly Plugin[]; readonly tracer?: Tracer } & Pick<OtelOptions, 'meter' | 'pendingSpans' | 'captureContent' | 'propagate' | 'linkClientTrace'>;

export function traced({ window = 250, before = [], tracer, ...options }: TracedOptions = {}): Traced {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const logs: LogRecord[] = [];
  const logger = { emit: (record: LogRecord) => void logs.push(record), enabled: () => true };
  const { plugin, exitCode } = otel({ ...options, logger, tracer: tracer ?? provider.getTracer('test'), propagator: new W3CTraceContextPropagator(), followUpWindow: window });
  const wire = wired([...before, plugin], { epoch: EPOCH });
  const { client, agent } = wire;
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  return {
    ...wire,
    exitCode,
    logs,
    spans,
    span: (name) => {
      const found = spans().filter((span) => span.name === name);
      if (found.length !== 1) throw new Error(`expected one span "${name}", got ${found.length} among ${spans().map((span) => span.name).join(', ')}`);
      return found[0] as ReadableSpan;
    },
    tree: () => treeOf(spans()),
    opens({ protocol = 1, name = 'agent-x', extension = true, session = 's' } = {}) {
      const info = { name, version: '1.2.3' };
      const meta = extension ? { _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } } : {};
      client.sends({ jsonrpc: '2.0', id: 'init', method: 'initialize', params: { protocolVersion: protocol, ...(extension ? { [protocol === 1 ? 'clientCapabilities' : 'capabilities']: meta } : {}) } });
      agent.answers('init', { protocolVersion: protocol, ...(protocol === 1 ? { agentInfo: info } : { info }), ...meta });
      client.sends({ jsonrpc: '2.0', id: 'new', method: 'session/new', params: { cwd: '/project', mcpServers: [] } });
      agent.answers('new', { sessionId: session });
      client.received();
      agent.received();
    },
    updates: (update, session = 's') => agent.notifies('session/update', { sessionId: session, update }),
    feeds: (message, session = 's') => agent.notifies('_claude/sdkMessage', { sessionId: session, message: { type: 'system', ...message } }),
  };
}
