/**
 * Nothing of what users, models and tools say leaves unless it is asked for: every recording of every
 * agent is played with all that exports on, and all that was exported is searched.
 */
import { trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { expect, test } from 'vitest';
import { otel } from '../../../plugins/otel/index.js';
import { corpusNames, loadCorpus, type RecordedMessage } from '../../tools/recording.js';
import { metered } from './metered.js';
import { played } from './played.js';

const SECRET = 'a secret of the client';

/** A copy whose `_meta` members all hold a secret, which also stands where there is none yet. */
function withSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSecrets);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withSecrets(member)] as const);
  return { ...Object.fromEntries(members), ...('sessionUpdate' in value || 'prompt' in value || 'type' in value ? { _meta: { ...(value as { _meta?: object })._meta, key: SECRET } } : {}) };
}

/** All that is exported of a recording, as one text. */
async function exported(records: readonly RecordedMessage[], captureContent: boolean): Promise<string> {
  const meter = metered();
  const it = await played(records, { meter: meter.meter, pendingSpans: true, propagate: true, captureContent });
  const spans = it.spans().map(({ name, attributes, events, links, status }) => [name, attributes, events, links.map((link) => link.attributes), status]);
  const text = JSON.stringify([spans, it.logs.map(({ eventName, body, attributes }) => [eventName, body, attributes]), await meter.attributes()]);
  await meter.close();
  expect(it.log).toEqual([]);
  return text;
}

/** What may leave: who the agent says that it is, and the names of ACP. */
const isPublic = (text: string, records: readonly RecordedMessage[]): boolean =>
  records.some(({ msg }) => [msg.method, ...['agentInfo', 'info'].flatMap((key) => Object.values((msg.result as Record<string, Record<string, unknown>> | undefined)?.[key] ?? {}))].includes(text));

/** The texts of a message that hold more than one word, or a path: nothing that names a type or an id does. */
function textsIn(value: unknown, found: Set<string>): void {
  if (typeof value === 'string' && value.length > 3 && /[\s/]/.test(value)) found.add(value);
  else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) textsIn(member, found);
}

test.each(corpusNames())('%s: no text and no path leaves', async (name) => {
  const records = loadCorpus(name);
  const found = new Set<string>();
  for (const { msg } of records) textsIn(msg, found);
  const out = await exported(records, false);
  expect([...found].filter((text) => !isPublic(text, records) && (out.includes(text) || out.includes(JSON.stringify(text).slice(1, -1))))).toEqual([]);
});

test('no chunk is read: spans are of turns, calls and items', () => {
  const { plugin } = otel({ tracer: trace.getTracer('none'), propagator: new W3CTraceContextPropagator(), followUpWindow: 250, captureContent: true });
  const hooks = plugin.toClient?.calls?.['session/update'];
  expect(typeof hooks).toBe('object');
  expect(Object.keys(hooks ?? {}).filter((kind) => /chunk|usage|plan|thought/.test(kind))).toEqual([]);
  expect(plugin.toClient?.calls).not.toHaveProperty('*');
});

const some = corpusNames().filter((name) => /\/(b|c_|f|j_|l|m|e_)[^/]*$/.test(name));

test.each(some)('%s: where contents are asked for they leave, and nothing of `_meta`', async (name) => {
  const records = loadCorpus(name).map((record) => ({ ...record, msg: withSecrets(record.msg) as RecordedMessage['msg'] }));
  const out = await exported(records, true);
  expect(out).not.toContain(SECRET);
  expect(out).toContain('gen_ai.input.messages');
});
