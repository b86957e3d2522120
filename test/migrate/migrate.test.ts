import { describe, expect, test } from 'vitest';
import type { Connection, Side } from '../../src/check/index.js';
import { legacyIn, legacyKinds, type Legacy } from '../../src/migrate/index.js';
import { corpusNames, loadCorpus } from '../tools/recording.js';

const connection = (name: string, side?: Side): Connection => ({ side, continues: false, startedAt: undefined, messages: loadCorpus(name) });
const brief = ({ kind, messages, cell }: Legacy): string => `${messages} ${kind} | ${cell}`;

describe('what is left of legacy traffic', () => {
  test('is counted by agent, version, client and kind, over recordings', () => {
    const found = legacyIn([connection('claude/b_background_exit0.legacy'), connection('claude/f_stop_server.legacy'), connection('claude/old/b_background_exit0@0.80.0.legacy')]);
    const tasks = found.filter(({ kind }) => kind === 'async_task_* updates');
    expect(tasks.map(({ agentVersion, row, column, recordings }) => [agentVersion, row, column, recordings])).toEqual([['0.101.0', 'v1+async', 'v1+async', 2], ['0.80.0', 'v1+async', 'v1+async', 1]]);
    expect(tasks[0]).toMatchObject({ agent: '@agentclientprotocol/claude-agent-acp', client: 'lab-client', clientVersion: '1.0.0', cell: 'client v2, agent v1+async: bridged, with lists and cancel' });
    const count = (name: string): number => loadCorpus(name).filter(({ msg }) => JSON.stringify(msg).includes('"sessionUpdate":"async_task_')).length;
    expect(tasks[0]?.messages).toBe(count('claude/b_background_exit0.legacy') + count('claude/f_stop_server.legacy'));
  });

  test('names the cell that removes it: by what the agent speaks, beside the agent by a newer one', () => {
    const cells = (name: string, side?: Side) => [...new Set(legacyIn([connection(name, side)]).map(({ cell }) => cell))];
    expect(cells('opencode/l4_permission_cancel.plain')).toEqual(['client v2, agent v1: bridged']);
    expect(cells('claude/b_background_exit0.raw')).toEqual(['client v2, agent v1+async: bridged, with lists and cancel']);
    expect(cells('codex/b.v2air')).toEqual(['client v2, agent v2+async: rewritten to lists and cancel']);
    expect(cells('claude/b_background_exit0.legacy', 'agent')).toEqual(['client v2, agent v2+background: as it is (a newer agent)']);
  });

  test('is nothing in the native v2 recordings of claude-agent-acp', () => {
    const names = corpusNames().filter((name) => /^claude\/[^/]*\.v2$/.test(name));
    expect(names.length).toBeGreaterThan(30);
    expect(names.flatMap((name) => legacyIn([connection(name)]).map((one) => `${name}: ${brief(one)}`))).toEqual([]);
  });

  test('a stop is one, and every kind is in some native recording', () => {
    expect(legacyIn([connection('claude/f_stop_server.legacy')]).map(({ kind }) => kind)).toContain('_session/async_task/* requests');
    const seen = new Set(corpusNames().flatMap((name) => legacyIn([connection(name)]).map(({ kind }) => kind)));
    expect([...seen].sort()).toEqual(legacyKinds.map(({ name }) => name).sort());
  });

  test('a recording without an initialize has names of neither', () => {
    const messages = [{ t: 0, dir: 'a2c' as const, msg: { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'tool_call', toolCallId: 'c' } } } }];
    expect(legacyIn([{ side: undefined, continues: true, startedAt: undefined, messages }])).toMatchObject([{ agent: 'an unnamed agent', client: 'an unnamed client', row: 'v1', column: 'v1' }]);
    expect(legacyIn([])).toEqual([]);
  });
});
