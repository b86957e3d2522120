/**
 * Every v2 recording of codex-acp with the extension declared, through all built-in plugins, for a v2 client
 * that knows the standard only: the extension becomes lists and cancels, with the same facts as where Codex
 * is spoken to in v1.
 */
import { describe, expect, test } from 'vitest';
import { codexV2Reasons } from '../../tools/codex-v2-reasons.js';
import { compareFacts, unexplained } from '../../tools/compare-facts.js';
import { runCodex, type CodexRun } from '../../tools/codex.js';
import { listOf } from '../../tools/updates.js';
import { expectations } from './recordings.table.js';

/** A failing turn is followed by work that nothing waits for any more. */
const QUIET: Readonly<Record<string, number>> = { 'n-bg': 9000 };

/** What Codex says itself that is not valid, and passes as it came. */
const ofTheAgent = /result\/configOptions\/1\/category/;

const sound = { checkFindings: [], schemaErrors: [], log: [], missing: [] };
const judged = ({ checkFindings, schemaErrors, log, missing }: CodexRun): object => ({
  checkFindings, schemaErrors: schemaErrors.filter((error) => !ofTheAgent.test(error)), log, missing: missing.filter((name) => !/ terminal:call_mock_0001$/.test(name)),
});

const inV2 = (scenario: string): Promise<CodexRun> => runCodex(scenario, { agentProtocol: 'v2', quiet: QUIET[scenario] ?? 2000 });
const used = new Set<string | undefined>();

describe('a v2 client of Codex that is spoken to in v2', () => {
  test.each([...Object.keys(expectations), 'v'])('%s: learns what it learns where Codex is spoken to in v1', async (scenario) => {
    const run = await inV2(scenario);
    const inV1 = await runCodex(scenario);
    expect(judged(run)).toEqual(sound);
    const differences = compareFacts(inV1.facts, run.facts, codexV2Reasons);
    expect(unexplained(differences)).toEqual([]);
    for (const { reason } of differences) used.add(reason);
    // Reported from the start, with every state.
    expect(listOf(run.facts.get('session/lists'))).not.toContainEqual(['not reported']);
  });

  test('differs for the listed reasons only, and each is needed', () => {
    expect(used).toEqual(new Set(codexV2Reasons.map(({ reason }) => reason)));
  });

  test('sees a subagent as a child session, with its states, its list, and a cancel of its command', async () => {
    const run = await inV2('v-native');
    expect(judged(run)).toEqual(sound);
    const facts = Object.fromEntries(['child1/states', 'child1/lists', 'child1/items/terminal:call_mock_0002/order', 'child1/calls/call_mock_0002/status', 'child1/terminals/call_mock_0002/exitStatus', 'session/lists', 'session/states'].map((path) => [path, run.facts.get(path)]));
    expect(facts).toEqual({
      'child1/states': ['running', 'idle end_turn'],
      'child1/lists': [[], ['terminal:call_mock_0002'], []],
      'child1/items/terminal:call_mock_0002/order': ['announce', 'list with cancel', 'settle', 'remove'],
      'child1/calls/call_mock_0002/status': 'cancelled',
      'child1/terminals/call_mock_0002/exitStatus': {},
      'session/lists': [[]],
      'session/states': ['running', 'idle end_turn'],
    });
  });

  test.each(['k', 'k-resume'])('%s: nothing of the process before is listed when it resumes', async (scenario) => {
    const run = await inV2(scenario);
    expect(judged(run)).toEqual(sound);
    expect([run.facts.get('session/lists'), run.facts.get('session/states')]).toEqual([[[]], ['idle', 'running', 'idle end_turn']]);
  });
});
