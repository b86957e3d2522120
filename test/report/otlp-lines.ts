/** Trace files as a test writes them: spans with times in milliseconds and plain attributes. */

type Plain = string | number | boolean | readonly Plain[];

export interface SpanSpec {
  readonly id: string;
  readonly name?: string;
  readonly trace?: string;
  readonly parent?: string;
  readonly from?: number;
  readonly to?: number;
  readonly error?: boolean;
  readonly links?: readonly string[];
  readonly events?: readonly (readonly [name: string, at: number])[];
  readonly attributes?: Readonly<Record<string, Plain>>;
}

/** When the clock of a test's trace files is 0. */
export const EPOCH = Date.UTC(2026, 0, 2, 3, 4, 5);

const nanos = (ms: number): string => `${EPOCH + ms}000000`;

function value(plain: Plain): object {
  if (Array.isArray(plain)) return { arrayValue: { values: plain.map(value) } };
  if (typeof plain === 'string') return { stringValue: plain };
  // A Collector writes 64 bit integers as texts.
  return typeof plain === 'boolean' ? { boolValue: plain } : Number.isInteger(plain) ? { intValue: String(plain) } : { doubleValue: plain };
}

const attributesOf = (attributes: Readonly<Record<string, Plain>> = {}): object[] => Object.entries(attributes).map(([key, plain]) => ({ key, value: value(plain) }));

const spanOf = ({ id, name = id, trace = 't1', parent, from = 0, to, error, links = [], events = [], attributes }: SpanSpec): object => ({
  traceId: trace,
  spanId: id,
  ...(parent === undefined ? {} : { parentSpanId: parent }),
  name,
  kind: 1,
  startTimeUnixNano: nanos(from),
  ...(to === undefined ? {} : { endTimeUnixNano: nanos(to) }),
  attributes: attributesOf(attributes),
  events: events.map(([event, at]) => ({ name: event, timeUnixNano: nanos(at), attributes: [] })),
  links: links.map((link) => ({ traceId: trace, spanId: link })),
  status: error === true ? { code: 2 } : {},
});

/** One line of a trace file. */
export const spanLine = (...spans: readonly SpanSpec[]): string =>
  `${JSON.stringify({ resourceSpans: [{ resource: { attributes: attributesOf({ 'service.name': 'afterturn' }) }, scopeSpans: [{ scope: { name: 'afterturn' }, spans: spans.map(spanOf) }] }] })}\n`;

export interface RecordSpec {
  readonly span?: string;
  readonly trace?: string;
  readonly at: number;
  readonly name?: string;
  readonly attributes: Readonly<Record<string, Plain>>;
}

/** A line of log records. */
export const recordLine = (...records: readonly RecordSpec[]): string => {
  const logRecords = records.map(({ span, trace = 't1', at, name, attributes }) => ({
    timeUnixNano: nanos(at), ...(span === undefined ? {} : { spanId: span, traceId: trace }), ...(name === undefined ? {} : { eventName: name }), attributes: attributesOf(attributes),
  }));
  return `${JSON.stringify({ resourceLogs: [{ resource: {}, scopeLogs: [{ scope: { name: 'afterturn' }, logRecords }] }] })}\n`;
};

const inSession = (session: string): Readonly<Record<string, Plain>> => ({ 'session.id': session, 'gen_ai.conversation.id': session });

/** The spans of a session as tracing makes them. */
export const turnSpan = (spec: SpanSpec, session = 's'): SpanSpec =>
  ({ name: 'invoke_agent agent-x', ...spec, attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'agent-x', 'gen_ai.agent.version': '1.2.3', 'acp.turn.started_by': 'client', ...inSession(session), ...spec.attributes } });
export const callSpan = (spec: SpanSpec, session = 's'): SpanSpec =>
  ({ name: 'execute_tool Bash', ...spec, attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'Bash', 'gen_ai.tool.call.id': `call-${spec.id}`, 'acp.tool_call.status': 'completed', ...inSession(session), ...spec.attributes } });
export const backgroundSpan = (spec: SpanSpec, session = 's'): SpanSpec =>
  ({ name: 'background shell', ...spec, attributes: { 'acp.background.id': `task-${spec.id}`, 'acp.background.type': 'terminal', 'acp.background.task_type': 'shell', 'acp.background.outcome': 'completed', ...inSession(session), ...spec.attributes } });
