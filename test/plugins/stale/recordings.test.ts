import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RecordedMessage } from '../../tools/recording.js';
import { inputEnded, killed, recordings, type Row } from './recordings.table.js';
import { corpusRecording, replayed, type Ending } from './replayed.js';

const GRACE = 2000;
const CORPUS = new URL('../../corpus/', import.meta.url);
const endingOf = (name: string): Ending => (inputEnded.has(name) ? 'inputEnds' : killed.has(name) ? 'killed' : 'silence');

interface Params {
  readonly sessionId?: string;
  readonly update?: { readonly sessionUpdate: string; readonly toolCallId?: string; readonly status?: string };
  readonly toolCall?: { readonly toolCallId: string };
}
const paramsOf = (record: RecordedMessage): Params => (record.msg.params ?? {}) as Params;
const callOf = (record: RecordedMessage): string | undefined => {
  const { update, toolCall } = paramsOf(record);
  return update?.sessionUpdate.startsWith('tool_call') ? update.toolCallId : toolCall?.toolCallId;
};
const isFinal = (record: RecordedMessage): boolean => ['completed', 'failed'].includes(paramsOf(record).update?.status ?? '');

/** The sessions in the order in which they have calls. */
const sessionsOf = (records: readonly RecordedMessage[]): string[] => [...new Set(records.filter((record) => callOf(record) !== undefined).map((record) => paramsOf(record).sessionId ?? ''))];

/** The time of the answer to the last request of this method that `matches`. */
function answeredAt(records: readonly RecordedMessage[], method: string, matches: (request: RecordedMessage) => boolean): number | undefined {
  const request = records.findLast((record) => record.msg.method === method && matches(record));
  return request && records.find((record) => record.msg.method === undefined && record.dir !== request.dir && record.msg.id === request.msg.id && record.t >= request.t)?.t;
}

/** When the last thing that spoke for the call's being alive was gone. */
function deadSince(records: readonly RecordedMessage[], [call, index, owner]: Row): number | undefined {
  const session = sessionsOf(records)[index];
  const ofSession = records.filter((record) => paramsOf(record).sessionId === session);
  const answered = answeredAt(records, 'session/request_permission', (request) => paramsOf(request).toolCall?.toolCallId === call) ?? 0;
  const mentioned = ofSession.findLast((record) => (callOf(record) === call && !isFinal(record)) || (owner === 'history' && record.t <= historyEnd(records, session) && callOf(record) !== undefined))?.t ?? 0;
  if (owner === 'history') return quietAfter(records, session, Math.max(mentioned, historyEnd(records, session), answered));
  const turnOver = answeredAt(records, 'session/prompt', (request) => `prompt ${String(request.msg.id)}` === owner);
  return turnOver === undefined ? undefined : Math.max(mentioned, answered, turnOver);
}

/** The end of the first history that came for the session: with the answer to its request, or, where it goes on after that, with its last call. */
function historyEnd(records: readonly RecordedMessage[], session: string | undefined): number {
  const first = records.findIndex((record) => record.msg.method === 'session/load' || record.msg.method === 'session/fork');
  const request = records[first];
  const answer = request && records.find((record, i) => i > first && record.msg.method === undefined && record.msg.id === request.msg.id);
  const prompted = records.findIndex((record, i) => i > first && record.msg.method === 'session/prompt');
  const tail = records.filter((record, i) => (prompted === -1 || i < prompted) && answer && record.t - answer.t < GRACE && paramsOf(record).sessionId === session && callOf(record) !== undefined);
  return Math.max(answer?.t ?? 0, tail.at(-1)?.t ?? 0);
}

/** History waits for prompts that are sent before its grace period is over. */
function quietAfter(records: readonly RecordedMessage[], session: string | undefined, since: number): number {
  const prompt = records.find((record) => record.msg.method === 'session/prompt' && paramsOf(record).sessionId === session && record.t >= since && record.t < since + GRACE);
  const over = prompt && answeredAt(records, 'session/prompt', (request) => request.msg.id === prompt.msg.id);
  return over === undefined ? since : quietAfter(records, session, over);
}

test('the table names every recording of the corpus', () => {
  const files = ['gemini', 'opencode'].flatMap((agent) => readdirSync(new URL(agent, CORPUS)).filter((file) => file.endsWith('.ndjson')).map((file) => `${agent}/${file.slice(0, -'.ndjson'.length)}`));
  expect(Object.keys(recordings).sort()).toEqual(files.sort());
});

describe.each(Object.entries(recordings))('%s', (name, rows) => {
  const records = corpusRecording(name);
  const sessions = sessionsOf(records);

  test('every call ends as the table says, and nothing else changes', async () => {
    const { ends, passed } = await replayed(records, {}, endingOf(name));
    const endsOf = ([call, session]: Row): string[] =>
      ends.filter((end) => end.call === call && end.session === sessions[session]).map(({ by, status, reason }) => `${by} ${status}${reason === undefined ? '' : `: ${reason}`}`);
    expect(rows.map((row) => [...row.slice(0, 3), ...endsOf(row)])).toEqual(rows);
    expect(ends).toHaveLength(rows.flatMap(([, , , ...all]) => all).length);
    expect(passed.a2c).toEqual(records.filter(({ dir }) => dir === 'a2c').map(({ msg }) => JSON.stringify(msg)));
    expect(passed.c2a).toEqual(records.filter(({ dir }) => dir === 'c2a').map(({ msg }) => JSON.stringify(msg)));
  });

  test.for(rows.filter(([, , , end]) => end.startsWith('proxy')))('%s of session %i is settled at its time', async (row) => {
    const [call, session, , end] = row;
    const { settled } = await replayed(records, {}, endingOf(name));
    const mine = settled.filter((each) => each.call === call && each.session === sessions[session]);
    expect(mine).toHaveLength(1);
    const last = records.at(-1)?.t ?? 0;
    if (end.endsWith('was closed')) expect(mine[0]?.t).toBe(answeredAt(records, 'session/close', () => true));
    else if (end.endsWith('input ended') || end.endsWith('exited')) expect(mine[0]?.t).toBe(last);
    else expect(mine[0]?.t).toBe((deadSince(records, row) ?? NaN) + GRACE);
  });

  /** What the table says of owners shows when the agent's own end is taken out of the recording. */
  test.for(rows.filter(([, , , end]) => end.startsWith('agent')))('%s of session %i would be settled with its owner', async (row) => {
    const [call, session, owner] = row;
    const lost = records.filter((record) => !(callOf(record) === call && paramsOf(record).sessionId === sessions[session] && isFinal(record)));
    const { settled } = await replayed(lost);
    const mine = settled.filter((each) => each.call === call && each.session === sessions[session]);
    if (!lost.some((record) => callOf(record) === call && paramsOf(record).sessionId === sessions[session])) return expect(mine).toEqual([]);
    expect(mine).toHaveLength(1);
    const dead = deadSince(lost, row);
    if (owner === 'nobody' || dead === undefined) expect(mine[0]?.reason).toBe('the agent exited');
    else expect(mine[0]?.t).toBe(dead + GRACE);
  });

  test('nothing is settled where it is turned off', async () => {
    const { settled, passed } = await replayed(records, { mode: 'off' }, endingOf(name));
    expect(settled).toEqual([]);
    expect(passed.a2c).toEqual(records.filter(({ dir }) => dir === 'a2c').map(({ msg }) => JSON.stringify(msg)));
  });
});
