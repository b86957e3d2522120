/**
 * Subagents of the recorded agent for a v2 client, through all built-in plugins, against what the agent
 * itself tells a v2 client of the same scenario.
 */
import { describe, expect, test } from 'vitest';
import { builtInPlugins, type Settings } from '../../plugins/index.js';
import { wired } from '../pipeline/harness.js';
import { unexplained } from '../tools/compare-facts.js';
import { factsOf } from '../tools/facts.js';
import { runInMemory, type InMemoryRun } from '../tools/scenario-in-memory.js';
import { objectOf, updateOf } from '../tools/updates.js';

const names = { e: 'e_background_agent', e2: 'e2_foreground_agent', e3: 'e3_agent_with_background_bash', f3: 'f3_stop_subagent', g5: 'g5_cancel_with_background_agent' };
type Scenario = keyof typeof names;

const settings: Settings = { agentProtocol: 'v1', source: 'auto', followUpWindow: 250, stale: 'off', staleAfter: 2000, agentCommand: ['claude-agent-acp'] };

async function run(scenario: Scenario, guise: string, source: Settings['source'] = 'auto'): Promise<InMemoryRun> {
  const folder = guise === 'raw' || guise === 'plain' ? '' : 'subagents/';
  return runInMemory({ native: `${names[scenario]}.v2`, replayed: `${folder}${names[scenario]}.${guise}` }, builtInPlugins({ ...settings, source }), { giveUpAfter: 8000 });
}

const isSound = ({ schemaErrors, checkFindings, log }: InMemoryRun): void => expect([schemaErrors, checkFindings, log]).toEqual([[], [], []]);

describe('what the agent is told of the client', () => {
  const declared = (protocolVersion: 1 | 2, source: Settings['source']): unknown => {
    const on = wired(builtInPlugins({ ...settings, source }), { agentCommand: ['claude-agent-acp'] });
    on.client.requests('initialize', { protocolVersion, ...(protocolVersion === 2 ? { info: { name: 'c', version: '1' }, capabilities: {} } : { clientCapabilities: {} }) });
    const { subagents, _meta } = on.agent.received()[0].params.clientCapabilities;
    return [subagents, _meta?.jetbrains?.air.capabilities];
  };

  test('a client of v2 knows subagents, and takes them in the background', () => {
    expect(declared(2, 'auto')).toEqual([{}, ['asyncTasks', 'nativeSubagentSessions', 'backgroundSubagents']]);
    expect(declared(2, 'none')).toEqual([{}, undefined]);
  });

  test('a client of v1 does not', () => {
    expect(declared(1, 'async-tasks')).toEqual([undefined, ['asyncTasks']]);
    expect(declared(1, 'auto')).toEqual([undefined, undefined]);
  });
});

describe('in the form of the extension, beside the raw feed', () => {
  // A child is listed once while its own work runs between its runs; one that a cancel cut off says nothing more.
  const unmet: Partial<Record<Scenario, readonly string[]>> = { e3: ['listed subagent:child1', 'removed subagent:child1'], g5: ['message'] };

  test.each(['e', 'e2', 'e3', 'g5'] as const)('%s: a client knows the same, but for a closed list of reasons', async (scenario) => {
    const played = await run(scenario, 'airraw');
    isSound(played);
    expect(unexplained(played.differences)).toEqual([]);
    expect(played.missing).toEqual(unmet[scenario] ?? []);
  });

  test('f3: it cannot be stopped by its own, and so no such capability is told', async () => {
    const played = await run('f3', 'airraw');
    isSound(played);
    const updates = played.recording.map((record) => updateOf(record)?.update);
    expect(updates.filter((update) => update?.sessionUpdate === 'subagent_update').map((update) => update?.capabilities)).toEqual([{}]);
    expect(factsOf(played.recording).get('session/lists')).toEqual([[], ['subagent:child1']]);
  });
});

describe('in the form of the extension alone', () => {
  test.each(['e', 'e3'] as const)('%s: it has detached when the turn ends', async (scenario) => {
    const played = await run(scenario, 'legacyair', 'async-tasks');
    isSound(played);
    expect(unexplained(played.differences)).toEqual(scenario === 'e3' ? [] : ['session/items/subagent:child1/listedIn: native ["running"], ours ["idle"]']);
  });

  test('e2: one that the turn waits for is in no list', async () => {
    const played = await run('e2', 'legacyrich', 'async-tasks');
    isSound(played);
    expect([unexplained(played.differences), played.missing]).toEqual([[], []]);
  });

  test.each([['e', 'legacyrich'], ['e3', 'legacyrich'], ['g5', 'legacyair'], ['f3', 'legacyair']] as const)('%s.%s is sound', async (scenario, guise) => isSound(await run(scenario, guise, 'async-tasks')));
});

describe('flattened', () => {
  const guises = [
    ['e', 'legacy', 'async-tasks'], ['e2', 'legacy', 'async-tasks'], ['e3', 'legacy', 'async-tasks'], ['g5', 'legacy', 'async-tasks'],
    ['e', 'raw', 'claude-raw'], ['e2', 'raw', 'claude-raw'], ['e3', 'raw', 'claude-raw'], ['e', 'plain', 'none'], ['g5', 'plain', 'none'],
  ] as const;

  test.each(guises)('%s.%s: what it does is told in a session of its own', async (scenario, guise, source) => {
    const played = await run(scenario, guise, source);
    isSound(played);
    const facts = factsOf(played.recording);
    expect(facts.get('child1/calls/toolu_01SubagentBash0000001/name')).toBe('Bash');
    expect(facts.has('session/calls/toolu_01SubagentBash0000001/name')).toBe(false);
    expect((facts.get('child1/states') as string[]).at(-1)).toMatch(scenario === 'g5' ? /^idle cancelled$/ : /^idle end_turn$/);
    expect([['subagent:child1'], [], ['not reported']]).toContainEqual((facts.get('session/lists') as string[][]).at(-1));
  });

  test.each([['e', 'legacy', 'async-tasks'], ['e', 'raw', 'claude-raw'], ['e3', 'raw', 'claude-raw']] as const)('%s.%s: it is listed while it or its own work runs', async (scenario, guise, source) => {
    const lists = factsOf((await run(scenario, guise, source)).recording).get('session/lists') as string[][];
    expect(lists.slice(1)).toEqual([['subagent:child1'], []]);
  });

  test('the launching call stays in the parent, and ends as the agent says', async () => {
    const { recording } = await run('e', 'legacy', 'async-tasks');
    expect(factsOf(recording).get('session/calls/toolu_01AgentSubagent000001/status')).toBe('completed');
  });

  test('what it was sent, and what it answered, are messages between the two sessions', async () => {
    const { recording } = await run('e2', 'legacy', 'async-tasks');
    const messages = recording.flatMap((record) => {
      const found = updateOf(record);
      return found?.update.sessionUpdate === 'session_message' ? [[found.sessionId === found.update.senderSessionId ? 'sent' : 'received', found.update.messageId, JSON.stringify(objectOf(found.update).content)]] : [];
    });
    const prompt = JSON.stringify([{ type: 'text', text: 'Search the project for the answer by running slow.sh' }]);
    expect(messages).toEqual([
      ['sent', 'toolu_01AgentSubagent000001', prompt], ['received', 'toolu_01AgentSubagent000001', prompt],
      ['received', 'toolu_01AgentSubagent000001:reply', JSON.stringify([{ type: 'text', text: '<tools-used-before-summary>Bash</tools-used-before-summary>\n' }, { type: 'text', text: 'The subagent found it.' }])],
    ]);
  });
});
