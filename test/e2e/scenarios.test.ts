/**
 * Every legacy recording of claude-agent-acp, replayed through the built command, gives a v2 client the
 * same facts as the agent's own v2. Each difference has its reason in the closed list of `compare-facts`.
 */
import { describe, expect, it } from 'vitest';
import { unexplained } from '../tools/compare-facts.js';
import { recordingNames } from '../tools/recording.js';
import { runScenario } from '../tools/run-scenario.js';
import { scenarioOf } from '../tools/scenario.js';

const PATIENCE_MS = 120_000;
const SCENARIOS = ['a', 'a2', 'b', 'c', 'c2', 'd', 'f', 'f2', 'g2', 'g3', 'g4', 'h', 'h2', 'j', 'j2', 'j3', 'j4', 'l', 'l2', 'l4', 'm', 'm3', 'm4', 'n', 'n2', 'n3', 'o', 'q'];

const recorded = (guise: string): readonly string[] => SCENARIOS.filter((letter) => recordingNames(guise).some((name) => name.startsWith(`${letter}_`)));

it('has a legacy recording of every scenario', () => {
  expect(recorded('legacy')).toEqual(SCENARIOS);
});

describe.each(['legacy', 'legacyrich'])('the recordings of the guise %s', (guise) => {
  it.concurrent.each(recorded(guise))('%s', { timeout: PATIENCE_MS }, async (scenario) => {
    const run = await runScenario(scenarioOf(scenario, guise));
    expect({ findings: run.checkFindings, schema: run.schemaErrors, unexplained: unexplained(run.differences) }).toEqual({ findings: [], schema: [], unexplained: [] });
  });
});
