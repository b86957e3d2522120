/** A recording played through the tracing plugin at its times, and its trees as text. */
import type { RecordedMessage } from '../../tools/recording.js';
import { treeOf, traced, type Traced, type TracedOptions } from './traced.js';

/** Plays it, then what waits for corrections, then the agent's exit. */
export async function played(records: readonly RecordedMessage[], options: TracedOptions = {}): Promise<Traced> {
  const it = traced(options);
  for (const { t, dir, msg } of records) {
    it.clock.advance(Math.max(0, t - it.clock.now()));
    (dir === 'c2a' ? it.client : it.agent).sends(msg);
  }
  it.clock.advance(300);
  await it.agentExits();
  await it.relay.close();
  return it;
}

/** The trees with times, outcomes, events and the work that turns link to; the names of agents shortened. */
export function treesOf(it: Traced): string[] {
  const names = new Map(it.spans().map((span) => [span.spanContext().spanId, span.name]));
  const linked = it.spans().flatMap(({ name, startTime, links }) => (links.length === 0 ? [] : [[`${name} ${startTime.join()}`, links.map(({ context }) => names.get(context.spanId) ?? 'unknown').join(', ')] as const]));
  const marked = it.spans().map((span) => {
    const target = linked.find(([key]) => key === `${span.name} ${span.startTime.join()}`)?.[1];
    return target === undefined ? span : Object.assign(Object.create(span) as typeof span, { attributes: { ...span.attributes, 'test.link': target } });
  });
  return treeOf(marked).map((line) => line.replace('@agentclientprotocol/', ''));
}
