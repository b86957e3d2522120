/**
 * v2 to v1 and to v2 again: a v2 client, the bridge up, the bridge down and a v2 agent. What the client
 * knows at the end is what it knows of the agent itself, but for what a closed list names.
 */
import { describe, expect, it } from 'vitest';
import { background } from '../../../plugins/background/index.js';
import { bridge } from '../../../plugins/bridge/index.js';
import { bridgeDown } from '../../../plugins/bridge-down/index.js';
import { LegacyClient } from '../../../plugins/legacy-client.js';
import { legacySubagents } from '../../../plugins/legacy-subagents/index.js';
import { legacyTasks } from '../../../plugins/legacy-tasks/index.js';
import { sources } from '../../../plugins/sources.js';
import type { Plugin } from '../../../src/plugin.js';
import { codexReasons } from '../../tools/codex-reasons.js';
import { compareFacts, unexplained, type Explanation } from '../../tools/compare-facts.js';
import { factsOf } from '../../tools/facts.js';
import { corpusNames, loadCorpus, withMethods, type RecordedMessage } from '../../tools/recording.js';
import { playInMemory } from '../../tools/scenario-in-memory.js';
import { downReasons } from './reasons.js';

/** In the middle there is v1 with the whole extension. */
function thereAndBack(): Plugin[] {
  const { atClient, atAgent } = sources({ source: 'async-tasks' });
  const client = new LegacyClient();
  const legacy = legacyTasks({ source: 'async-tasks', client });
  const up = [background({ followUpWindow: 250, asksForRawFeed: () => false }), bridge({ agentProtocol: 'v1' })];
  return [atClient, ...up, atAgent, client.observer, bridgeDown({ agentProtocol: 'v2' }), legacySubagents({ client }), legacy.plugin];
}

/** Without the stops that go no further here: there is no such task. The recorded agent would wait for them. */
function withoutStops(records: readonly RecordedMessage[]): readonly RecordedMessage[] {
  return withMethods(records).filter(({ method }) => method !== '_session/async_task/stop').map(({ record }) => record);
}

describe.each([
  ['claude', 'claude-agent-acp', downReasons],
  ['codex', 'codex-acp', [...downReasons, ...codexReasons]],
] as const)('%s', (agent, command, reasons: readonly Explanation<string>[]) => {
  it.each(corpusNames().filter((name) => name.startsWith(`${agent}/`) && name.endsWith('.v2')))('%s', async (name) => {
    const native = withoutStops(loadCorpus(name));
    const run = await playInMemory({ replayed: native, native }, thereAndBack(), { agentCommand: [command] });
    expect(run.log).toEqual([]);
    expect(unexplained(compareFacts(factsOf(native), factsOf(run.recording), reasons))).toEqual([]);
  });
});
