/**
 * A recording played through the plugin alone, both sides as recorded, on a clock that stands at each
 * message's recorded time. What the plugin said is told apart from what passed.
 */
import { readFileSync } from 'node:fs';
import { stale, type StaleSettings } from '../../../plugins/stale/index.js';
import { wired, type Wired } from '../../pipeline/harness.js';
import { parseRecording, type RecordedMessage } from '../../tools/recording.js';

/** A call that the plugin ended. */
export interface Settled {
  readonly t: number;
  readonly session: string;
  readonly call: string;
  readonly status: string;
  readonly reason: string;
}

/** A word about a call's end, the agent's or the plugin's. */
export interface End extends Omit<Settled, 'reason'> {
  readonly by: 'agent' | 'proxy';
  readonly reason: string | undefined;
}

export interface Replayed {
  readonly wired: Wired;
  readonly settled: readonly Settled[];
  /** Every final status that the client saw, in order. */
  readonly ends: readonly End[];
  /** The lines that left, without the plugin's own. */
  readonly passed: { readonly c2a: readonly string[]; readonly a2c: readonly string[] };
}

/** How the connection ends after the last record. `silence`: a minute passes, then the agent exits. */
export type Ending = 'silence' | 'inputEnds' | 'killed';

const FINAL: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

interface Line {
  readonly params?: {
    readonly sessionId: string;
    readonly update?: { readonly toolCallId: string; readonly status?: string; readonly _meta?: { readonly afterturn?: { readonly settled?: boolean; readonly reason: string } } };
  };
}

/** A recording of the corpus by its path there, such as `gemini/l7_permission_two_calls.plain`. */
export const corpusRecording = (name: string): RecordedMessage[] => parseRecording(readFileSync(new URL(`../../corpus/${name}.ndjson`, import.meta.url), 'utf8'));

export async function replayed(records: readonly RecordedMessage[], settings: Partial<StaleSettings> = {}, ending: Ending = 'silence'): Promise<Replayed> {
  const conversation = wired([stale({ mode: 'auto', grace: 2000, ...settings })]);
  const { client, agent, clock } = conversation;
  const ends: End[] = [];
  const passed = { c2a: [] as string[], a2c: [] as string[] };
  const collect = (): void => {
    for (const line of client.receivedLines()) {
      const { params } = JSON.parse(line) as Line;
      const update = params?.update;
      const mark = update?._meta?.afterturn;
      if (params && update && FINAL.has(update.status)) ends.push({ t: clock.now(), session: params.sessionId, call: update.toolCallId, status: update.status ?? '', by: mark?.settled ? 'proxy' : 'agent', reason: mark?.reason });
      if (!mark?.settled) passed.a2c.push(line);
    }
    passed.c2a.push(...agent.receivedLines());
  };
  /** In small steps as long as a timer waits, so that what it says is seen at its time. */
  const until = (t: number): void => {
    while (clock.now() < t) {
      clock.advance(clock.pending() === 0 ? t - clock.now() : 1);
      collect();
    }
  };
  for (const { t, dir, msg } of records) {
    until(t);
    (dir === 'c2a' ? client : agent).sends(msg);
    collect();
  }
  if (ending === 'inputEnds') await client.ends();
  collect();
  if (ending !== 'killed') until(clock.now() + 60_000);
  await conversation.agentExits();
  collect();
  const settled = ends.flatMap(({ by, reason, ...end }) => (by === 'proxy' ? [{ ...end, reason: reason ?? '' }] : []));
  return { wired: conversation, settled, ends, passed };
}
