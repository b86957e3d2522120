/** Whose trace a turn belongs to, and what the agent is told of it. */
import { describe, expect, test } from 'vitest';
import { traced, type Traced } from './traced.js';

const CLIENT = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };
const TRACEPARENT = `00-${CLIENT.trace}-${CLIENT.span}-01`;
const TURN = 'invoke_agent agent-x';

/** A prompt with this `_meta`, as the agent gets it. */
function prompts(it: Traced, meta?: unknown): { readonly line: string; readonly meta: Record<string, string> } {
  it.agent.received();
  it.client.sends({ jsonrpc: '2.0', id: 7, method: 'session/prompt', params: { sessionId: 's', prompt: [], ...(meta === undefined ? {} : { _meta: meta }) } });
  const line = it.agent.receivedLines()[0] ?? '';
  it.agent.answers(7, { stopReason: 'end_turn' });
  return { line, meta: (JSON.parse(line) as { params: { _meta: Record<string, string> } }).params._meta };
}

const opened = (options: Parameters<typeof traced>[0]): Traced => {
  const it = traced(options);
  it.opens();
  return it;
};

const ownParent = (it: Traced): string => {
  const { traceId, spanId } = it.span(TURN).spanContext();
  return `00-${traceId}-${spanId}-01`;
};

describe('with propagation', () => {
  test('the agent gets the span of its turn in place of the client\'s, and the rest of `_meta` as it was', () => {
    const it = opened({ propagate: true });
    const { meta } = prompts(it, { traceparent: TRACEPARENT, tracestate: 'vendor=1', baggage: 'user=7', other: { kept: true } });
    expect(meta).toEqual({ baggage: 'user=7', other: { kept: true }, traceparent: ownParent(it), tracestate: 'vendor=1' });
    expect(it.span(TURN).spanContext().traceId).toBe(CLIENT.trace);
    expect(it.span(TURN).parentSpanContext).toMatchObject({ spanId: CLIENT.span, isRemote: true });
  });

  test.each([[undefined], [null], [{}]])('a prompt with `_meta` %j gets one', (meta) => {
    const it = opened({ propagate: true });
    expect(prompts(it, meta).meta).toEqual({ traceparent: ownParent(it) });
  });

  test('a `tracestate` of which nothing is valid is left out', () => {
    const it = opened({ propagate: true });
    expect(prompts(it, { traceparent: TRACEPARENT, tracestate: '=,,' }).meta).toEqual({ traceparent: ownParent(it) });
  });

  test.each(['00-0-0-01', `00-${'0'.repeat(32)}-${CLIENT.span}-01`, 7, ''])('a `traceparent` of %j is ignored, with its `tracestate`', (traceparent) => {
    const it = opened({ propagate: true });
    expect(prompts(it, { traceparent, tracestate: 'vendor=1', baggage: 'b=1' }).meta).toEqual({ baggage: 'b=1', traceparent: ownParent(it) });
    expect(it.span(TURN).parentSpanContext).toBeUndefined();
  });

  test('a `_meta` that is none is the client\'s own business', () => {
    const it = opened({ propagate: true });
    expect(prompts(it, 'text').meta).toBe('text');
  });

  test('digits and the other members stay as they were written', () => {
    const it = opened({ propagate: true });
    it.agent.received();
    it.client.sends('{"jsonrpc":"2.0","id":12345678901234567890,"method":"session/prompt","params":{"sessionId":"s","prompt":[],"_meta":{"n":1.0}}}');
    const line = it.agent.receivedLines()[0] ?? '';
    expect(line).toContain('"id":12345678901234567890');
    expect(line).toContain('"_meta":{"n":1.0,"traceparent":"00-');
  });

  test('two prompts are told two spans', () => {
    const it = opened({ propagate: true });
    expect(prompts(it).meta.traceparent).not.toBe(prompts(it).meta.traceparent);
  });
});

test('without propagation every byte passes', () => {
  const it = opened({ propagate: false });
  it.agent.received();
  const line = `{ "jsonrpc":"2.0", "id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[],"_meta":{"traceparent":"${TRACEPARENT}"}}}`;
  it.client.sends(line);
  expect(it.agent.receivedLines()).toEqual([line]);
});

describe('with a link to the client\'s trace', () => {
  test('the turn starts a trace of its own', () => {
    const it = opened({ linkClientTrace: true, propagate: true });
    const { meta } = prompts(it, { traceparent: TRACEPARENT, tracestate: 'vendor=1' });
    const span = it.span(TURN);
    expect(span.parentSpanContext).toBeUndefined();
    expect(span.spanContext().traceId).not.toBe(CLIENT.trace);
    expect(span.links.map(({ context }) => [context.traceId, context.spanId, context.isRemote])).toEqual([[CLIENT.trace, CLIENT.span, true]]);
    expect(meta).toEqual({ traceparent: ownParent(it) });
  });

  test('a client without a trace is linked to nothing', () => {
    const it = opened({ linkClientTrace: true });
    prompts(it);
    expect(it.span(TURN).links).toEqual([]);
  });
});
