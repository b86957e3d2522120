/**
 * Edits of recordings, for tests that break a sound one in one place.
 */
import type { RecordedMessage } from './recording.js';
import { updateOf, type Json } from './updates.js';

export type Picks = (record: RecordedMessage) => boolean;

/** A message of the agent whose update has these members (and maybe others). */
export const update = (members: Json): Picks => (record) => {
  const found = updateOf(record)?.update;
  return found !== undefined && Object.entries(members).every(([name, value]) => JSON.stringify(found[name]) === JSON.stringify(value));
};

/** The agent's answer to the last request with this method before it. */
export const answerTo = (records: readonly RecordedMessage[], method: string): Picks => {
  const request = records.find(({ dir, msg }) => dir === 'c2a' && msg.method === method);
  return ({ dir, msg }) => dir === 'a2c' && msg.method === undefined && msg.id === request?.msg.id;
};

export const request = (method: string): Picks => ({ msg }) => msg.method === method;

function placeOf(records: readonly RecordedMessage[], picks: Picks, nth = 0): number {
  const places = records.flatMap((record, index) => (picks(record) ? [index] : []));
  const place = places.at(nth);
  if (place === undefined) throw new Error(`the recording has no message ${nth} of this kind`);
  return place;
}

/** Without the `nth` message that `picks` takes (`-1`: the last). */
export function without(records: readonly RecordedMessage[], picks: Picks, nth = 0): RecordedMessage[] {
  const place = placeOf(records, picks, nth);
  return records.filter((_, index) => index !== place);
}

/** The same messages, the `nth` that `picks` takes with other members of its update (`undefined` drops one). */
export function changed(records: readonly RecordedMessage[], picks: Picks, members: Json, nth = 0): RecordedMessage[] {
  const place = placeOf(records, picks, nth);
  return records.map((record, index) => {
    if (index !== place) return record;
    const params = record.msg.params as { readonly update: Json };
    const edited = Object.fromEntries(Object.entries({ ...params.update, ...members }).filter(([, value]) => value !== undefined));
    return { ...record, msg: { ...record.msg, params: { ...params, update: edited } } };
  });
}

/** A session update at the time of the message that it follows. */
export const saying = (sessionId: string, members: Json) => (t: number): RecordedMessage =>
  ({ t, dir: 'a2c', msg: { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update: members } } });

/** With new messages before the `nth` that `picks` takes. */
export function before(records: readonly RecordedMessage[], picks: Picks, made: readonly ((t: number) => RecordedMessage)[], nth = 0): RecordedMessage[] {
  const place = placeOf(records, picks, nth);
  const { t } = records[place] as RecordedMessage;
  return [...records.slice(0, place), ...made.map((make) => make(t)), ...records.slice(place)];
}

/** With new messages at the end, `gap` milliseconds after the last. */
export function after(records: readonly RecordedMessage[], made: readonly ((t: number) => RecordedMessage)[], gap = 10): RecordedMessage[] {
  const last = records.at(-1)?.t ?? 0;
  return [...records, ...made.map((make, index) => make(last + gap * (index + 1)))];
}

/** The id of the first session of a recording. */
export const sessionOf = (records: readonly RecordedMessage[]): string =>
  records.map((record) => updateOf(record)?.sessionId).find((id) => id !== undefined) ?? '';
