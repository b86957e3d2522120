import { createNoopMeter, trace, type Span } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { LateSdk, lateLogger, lateMeter, latePropagator, lateTracer, waitingFor } from '../../src/edge/telemetry-late.js';
import type { Sdk } from '../../src/edge/telemetry-sdk.js';
import type { Plugin } from '../../src/plugin.js';
import { wired } from '../pipeline/harness.js';

/** An SDK that tells what reaches it. */
function seen() {
  const said: unknown[] = [];
  const tells = (what: string) => (...args: unknown[]): void => void said.push([what, ...args]);
  const instrument = (name: string) => ({ add: tells(`add ${name}`), record: tells(`record ${name}`) });
  const sdk: Sdk = {
    tracer: { startSpan: (name: string) => (tells('span')(name), trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 }) as Span), startActiveSpan: () => undefined },
    propagator: { inject: tells('inject'), extract: (context) => context.setValue(Symbol.for('seen'), true), fields: () => ['traceparent'] },
    meter: { ...createNoopMeter(), createCounter: instrument, createUpDownCounter: instrument, createHistogram: instrument, createObservableGauge: () => ({ addCallback: tells('callback'), removeCallback: tells('no callback') }) },
    logger: { emit: tells('emit'), enabled: () => false },
    shutdown: () => Promise.resolve(),
    report: () => {},
  };
  return { said, sdk };
}

function late(sdk: Sdk | undefined) {
  let loads = 0;
  const made = new LateSdk(() => (loads++, Promise.resolve(sdk)));
  return { made, loads: () => loads };
}

test('what is counted before the SDK is there reaches it, in its order, and what follows at once', async () => {
  const { said, sdk } = seen();
  const { made, loads } = late(sdk);
  const meter = lateMeter(made);
  const counter = meter.createCounter('c');
  counter.add(1, { a: 'b' });
  meter.createHistogram('h').record(2);
  meter.createUpDownCounter('u').add(-1);
  const callback = (): void => {};
  meter.createObservableGauge('g').addCallback(callback);
  lateLogger(made).emit({ body: 'x' });
  expect([said.length, loads(), made.isNeeded]).toEqual([0, 0, true]);
  await Promise.all([made.ready(), made.ready()]);
  expect(loads()).toBe(1);
  expect(said).toEqual([['add c', 1, { a: 'b' }], ['record h', 2], ['add u', -1], ['callback', callback], ['emit', { body: 'x' }]]);
  counter.add(2);
  lateLogger(made).emit({ body: 'y' });
  expect(said.slice(5)).toEqual([['add c', 2], ['emit', { body: 'y' }]]);
  expect([made.isNeeded, lateLogger(made).enabled()]).toEqual([false, false]);
});

test('the tracer and the propagator do nothing before, and are the SDK\'s afterwards', async () => {
  const { said, sdk } = seen();
  const { made } = late(sdk);
  const [tracer, propagator] = [lateTracer(made), latePropagator(made)];
  expect(tracer.startSpan('early').isRecording()).toBe(false);
  expect(propagator.fields()).toEqual([]);
  await made.ready();
  expect(tracer.startSpan('late').spanContext().spanId).toBe('2'.repeat(16));
  expect(propagator.fields()).toEqual(['traceparent']);
  expect(said).toEqual([['span', 'late']]);
});

test('where there is no SDK nothing is kept', async () => {
  const { made } = late(undefined);
  const counter = lateMeter(made).createCounter('c');
  counter.add(1);
  await made.ready();
  counter.add(1);
  expect(made.isNeeded).toBe(false);
  expect(lateTracer(made).startSpan('x').isRecording()).toBe(false);
});

test('messages that spans are made of wait for the SDK, in their order; what is exempt and what nobody wants do not', async () => {
  let load = (): void => {};
  const made = new LateSdk(() => new Promise((resolve) => (load = () => resolve(seen().sdk))));
  const seenBy: string[] = [];
  const note = (what: string) => (): undefined => void seenBy.push(`${what} ${made.isLoaded}`);
  const plugin: Plugin = {
    name: 'x',
    toAgent: { calls: { initialize: note('initialize'), 'session/prompt': note('prompt') } },
    toClient: { calls: { 'session/update': { tool_call: note('call') } }, replies: { 'session/prompt': note('answer') } },
  };
  const { client, agent, settled } = wired([waitingFor(made, ['initialize'], plugin)]);
  client.requests('initialize', {});
  client.notifies('session/prompt', { n: 1 });
  client.notifies('other', {});
  const methods = (): string[] => agent.received().map(({ method }: { method: string }) => method);
  expect([seenBy, methods()]).toEqual([['initialize false'], ['initialize']]);
  load();
  await made.ready();
  await settled();
  expect(methods()).toEqual(['session/prompt', 'other']);
  agent.notifies('session/update', { sessionId: 's', update: { sessionUpdate: 'tool_call' } });
  expect(seenBy).toEqual(['initialize false', 'prompt true', 'call true']);
});
