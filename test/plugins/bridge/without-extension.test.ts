/**
 * Agents that speak ACP v1 without the async task extension, for an ACP v2 client: the recordings of
 * gemini-cli and opencode, through all built-in plugins. Every message of both sides is held against
 * the strict schema of its version as it goes by.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInPlugins } from '../../../plugins/index.js';
import { check } from '../../../src/check/index.js';
import { parseRecording, withMethods, type RecordedMessage } from '../../tools/recording.js';
import { updateOf, type Json } from '../../tools/updates.js';
import { played, type Played } from './replayed.js';

const CORPUS = new URL('../../corpus/', import.meta.url);
const names = ['gemini', 'opencode'].flatMap((agent) => readdirSync(new URL(agent, CORPUS), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ndjson')).map((file) => `${agent}/${file.slice(0, -'.ndjson'.length)}`)).sort();

const results = new Map<string, Played>();

function bridged(name: string): Played {
  const known = results.get(name);
  if (known) return known;
  const agentCommand = name.startsWith('gemini') ? ['gemini', '--acp'] : ['opencode', 'acp'];
  const plugins = builtInPlugins({ agentProtocol: 'v1', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand });
  const records = parseRecording(readFileSync(new URL(`${name}.ndjson`, CORPUS), 'utf8'));
  const result = played(records, { plugins, agentCommand, silence: 60_000 });
  results.set(name, result);
  return result;
}

const updatesIn = (records: readonly RecordedMessage[]): Json[] => records.flatMap((record) => updateOf(record)?.update ?? []);

/** The states that the client was told, and how each turn ended, by session in the order of their first state. */
function statesIn(records: readonly RecordedMessage[]): string[] {
  return updatesIn(records).flatMap((update) => (update.sessionUpdate === 'state_update' ? [[update.state, update.stopReason].filter((word) => word !== undefined).join(' ')] : []));
}

test('there is enough to play', () => {
  expect(names.length).toBeGreaterThan(110);
});

describe.each(names)('%s', (name) => {
  test('is valid in both versions, keeps the rules, and names nothing malformed', () => {
    const { clientSide, log } = bridged(name);
    expect(check(clientSide)).toEqual([]);
    expect(log).toEqual([]);
  });

  test('background work is not reported', () => {
    expect(updatesIn(bridged(name).clientSide).filter((update) => 'background' in update || update.sessionUpdate === 'subagent_update')).toEqual([]);
  });

  test('every request of the client is answered once', () => {
    const { clientSide } = bridged(name);
    const open = new Map<string, string>();
    for (const { record: { dir, msg }, method } of withMethods(clientSide)) {
      const key = JSON.stringify(msg.id);
      if (dir === 'c2a' && msg.method !== undefined && msg.id !== undefined) open.set(key, msg.method);
      if (dir === 'a2c' && msg.method === undefined) {
        expect(open.get(key), key).toBe(method);
        open.delete(key);
      }
    }
    expect([...open.values()]).toEqual([]);
  });
});
