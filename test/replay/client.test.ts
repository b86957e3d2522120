import { describe, expect, test } from 'vitest';
import type { RecordedJson, RecordedMessage } from '../../src/check/index.js';
import { clientReplay, createReplay, type ClientOptions } from '../../src/replay/index.js';
import { createClock } from '../tools/clock.js';
import { corpusNames, loadCorpus } from '../tools/recording.js';

/** The recorded client against the recorded agent, which calls things what `named` makes of it. */
function played(recording: readonly RecordedMessage[], named: (text: string) => string, options: ClientOptions = {}) {
  const clock = createClock();
  const said: RecordedMessage[] = [];
  const live = (message: RecordedJson): RecordedJson => JSON.parse(named(JSON.stringify(message))) as RecordedJson;
  const agent = createReplay(recording.map((record) => ({ ...record, msg: live(record.msg) })), {}, {
    ...clock,
    send: (msg) => (said.push({ t: 0, dir: 'a2c', msg }), clock.after(0, () => client.receive(msg))),
  });
  const client = clientReplay(recording, options, {
    ...clock,
    send: (msg) => (said.push({ t: 0, dir: 'c2a', msg }), clock.after(0, () => agent.receive(msg))),
  });
  client.start();
  clock.runOut();
  return { said, finished: [client.finished, agent.finished] };
}

const ways = (records: readonly RecordedMessage[], dir: 'c2a' | 'a2c') => records.filter((record) => record.dir === dir).map(({ msg }) => msg);
const NAMES = corpusNames().filter((name) => /^(?:claude|codex|gemini|opencode)\/[a-z]\d?_?[^/]*$/.test(name));

describe('the client of a recording', () => {
  test('says to its own agent what it said, and both play to the end', () => {
    expect(NAMES.length).toBeGreaterThan(150);
    const broken = NAMES.filter((name) => {
      const recording = loadCorpus(name);
      const { said, finished } = played(recording, (text) => text);
      return !finished[0] || JSON.stringify(ways(said, 'c2a')) !== JSON.stringify(ways(recording, 'c2a'));
    });
    expect(broken).toEqual([]);
  });

  test('calls sessions, calls and terminals what the live agent calls them', () => {
    const recording = loadCorpus('claude/f_stop_server.v2');
    const session = (recording.find(({ msg }) => msg.method === 'session/prompt')?.msg.params as { sessionId: string }).sessionId;
    const named = (text: string): string => text.replaceAll(session, 'another-session').replaceAll('toolu_01BashBackground000001', 'another-call');
    const { said, finished } = played(recording, named);
    expect(finished).toEqual([true, true]);
    expect(ways(said, 'c2a').map((msg) => JSON.stringify(msg))).toEqual(ways(recording, 'c2a').map((msg) => named(JSON.stringify(msg))));
    expect(JSON.stringify(said)).toContain('another-call');
  });

  test('begins its sessions where it is told to', () => {
    const { said } = played(loadCorpus('claude/a_foreground_bash.v2'), (text) => text, { cwd: '/elsewhere' });
    expect(said.find(({ msg }) => msg.method === 'session/new')?.msg.params).toMatchObject({ cwd: '/elsewhere' });
  });

  test('waits for an answer that does not come, and passes over an update that does not', () => {
    const clock = createClock();
    const sent: RecordedJson[] = [];
    const client = clientReplay(loadCorpus('claude/a_foreground_bash.v2'), {}, { ...clock, send: (message) => sent.push(message) });
    client.start();
    clock.runOut();
    expect(sent.map(({ method }) => method)).toEqual(['initialize']);
    expect(client.finished).toBe(false);
  });
});
