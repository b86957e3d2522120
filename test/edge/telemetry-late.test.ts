import { createNoopMeter, trace, type Span } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { expect, test } from 'vitest';
import { otel } from '../../plugins/otel/index.js';
import { LateSdk, lateMeter, standInFor } from '../../src/edge/telemetry-late.js';
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
  expect([said.length, loads(), made.isNeeded]).toEqual([0, 0, true]);
  await Promise.all([made.ready(), made.ready()]);
  expect(loads()).toBe(1);
  expect(said).toEqual([['add c', 1, { a: 'b' }], ['record h', 2], ['add u', -1], ['callback', callback]]);
  counter.add(2);
  expect(said.slice(4)).toEqual([['add c', 2]]);
  expect(made.isNeeded).toBe(false);
});

test('where there is no SDK nothing is kept', async () => {
  const { made } = late(undefined);
  const counter = lateMeter(made).createCounter('c');
  counter.add(1);
  await made.ready();
  counter.add(1);
  expect(made.isNeeded).toBe(false);
});

/** A plugin that notes what it is told. */
function noting(seenBy: string[]): Plugin {
  const note = (what: string) => (message: { readonly params?: unknown; readonly result?: unknown }): undefined => void seenBy.push(`${what} ${JSON.stringify(message.params ?? message.result)}`);
  return {
    name: 'x',
    toAgent: { calls: { initialize: note('initialize'), 'session/prompt': note('prompt') } },
    toClient: { calls: { 'session/update': { tool_call: note('call') } }, replies: { initialize: note('introduced'), 'session/prompt': note('answer') } },
  };
}

test('messages that spans are made of wait for the SDK, in their order; what both sides said of themselves is told first', async () => {
  let load = (): void => {};
  const late = new LateSdk(() => new Promise((resolve) => (load = () => resolve(seen().sdk))));
  const seenBy: string[] = [];
  const { client, agent, settled } = wired([standInFor(late, 'x', () => noting(seenBy))]);
  client.sends({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: { a: 1 } });
  agent.answers('i', { b: 2 });
  expect(client.received()).toHaveLength(1);
  agent.received();
  client.notifies('other', { n: 0 });
  client.sends({ jsonrpc: '2.0', id: 'p', method: 'session/prompt', params: { n: 1 } });
  client.notifies('other', { n: 2 });
  const methods = (): string[] => agent.received().map(({ method }: { method: string }) => method);
  expect([seenBy, methods()]).toEqual([[], ['other']]);
  load();
  await late.ready();
  await settled();
  expect(methods()).toEqual(['session/prompt', 'other']);
  agent.notifies('session/update', { sessionId: 's', update: { sessionUpdate: 'tool_call' } });
  agent.answers('p', { c: 3 });
  expect(seenBy).toEqual(['initialize {"a":1}', 'introduced {"b":2}', 'prompt {"n":1}', 'call {"sessionId":"s","update":{"sessionUpdate":"tool_call"}}', 'answer {"c":3}']);
});

test('where there is no SDK messages pass', async () => {
  const seenBy: string[] = [];
  const { client, agent, settled } = wired([standInFor(late(undefined).made, 'x', () => noting(seenBy))]);
  client.notifies('session/prompt', { n: 1 });
  await settled();
  client.notifies('session/prompt', { n: 2 });
  expect([seenBy, agent.received().length]).toEqual([[], 2]);
});

test('the messages that the stand-in waits for are those that the plugin has hooks for', () => {
  const { plugin } = otel({ tracer: trace.getTracer('none'), propagator: new W3CTraceContextPropagator(), followUpWindow: 0 });
  const stand = standInFor(late(undefined).made, 'otel', () => plugin);
  const names = ({ toAgent, toClient }: Plugin): unknown =>
    [toAgent?.calls, toAgent?.replies, toClient?.calls, toClient?.replies, toClient?.calls?.['session/update']].map((hooks) => Object.keys(hooks ?? {}).sort());
  expect(names(stand)).toEqual(names(plugin));
});
