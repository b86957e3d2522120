/**
 * Recordings of agents of ACP v2 through the built command, for a v2 client: claude-agent-acp, which lists its
 * background work itself, and codex-acp with the extension. All of them with `AFTERTURN_RUNS=100`, else those
 * in which something has to be done.
 */
import { describe, expect, it } from 'vitest';
import { check } from '../../src/check/index.js';
import { codexRecording, ofStandardClient, runCodex, withoutRunIds } from '../tools/codex.js';
import { codexV2Reasons } from '../tools/codex-v2-reasons.js';
import { compareFacts, unexplained } from '../tools/compare-facts.js';
import { factsOf } from '../tools/facts.js';
import { recordingNames } from '../tools/recording.js';
import { afterturn, runScenario } from '../tools/run-scenario.js';
import { schemaErrorsOf } from '../tools/scenario.js';
import { expectations } from '../plugins/codex/recordings.table.js';
import { root } from './session.js';
import { runClient } from '../tools/client-process.js';

const PATIENCE_MS = 120_000;
const all = Number(process.env.AFTERTURN_RUNS ?? 0) >= 100;
const proxy = afterturn('--agent-protocol', 'v2');

const CLAUDE = ['b_background_exit0.v2', 'd_monitor.v2raw', 'h2_close_with_workflow.v2raw', 'k_resume_live.v2'];
/** A state at the close of a running session carries no list. */
const OF_THE_AGENT = 'q3_close_with_queued.v2';

describe('claude-agent-acp', () => {
  it.concurrent.each(all ? [...recordingNames('v2'), ...recordingNames('v2raw')].filter((name) => name !== OF_THE_AGENT) : CLAUDE)('%s', { timeout: PATIENCE_MS }, async (name) => {
    const run = await runScenario({ replayed: name, native: name }, { proxy });
    expect({ findings: run.checkFindings, schema: run.schemaErrors, unexplained: unexplained(run.differences), stderr: run.stderr }).toEqual({ findings: [], schema: [], unexplained: [], stderr: '' });
  });
});

const CODEX = ['b', 'd', 'f', 'l-bg', 'n-bg'];
/** Something is due in a pause of this length: a call that nothing ends. */
const PAUSES: Readonly<Record<string, number>> = { p: 4000 };
/** And after all that is waited for: the end of what a failing turn left. */
const QUIET: Readonly<Record<string, number>> = { 'n-bg': 4000, p: 4000 };
const ofTheAgent = /result\/configOptions\/1\/category/;

describe('codex-acp', () => {
  it.concurrent.each(all ? Object.keys(expectations) : CODEX)('%s', { timeout: PATIENCE_MS }, async (scenario) => {
    const pause = PAUSES[scenario] ?? 400;
    const agent = [process.execPath, `${root}test/tools/replay-agent.mjs`, `${root}test/corpus/codex/${scenario}.v2air.ndjson`, '--longest-wait', String(pause)];
    const { recording, stderr } = await runClient([...proxy, ...agent], ofStandardClient(codexRecording(`${scenario}.v2air`)), { longestWait: pause, quiet: QUIET[scenario] ?? 600 });
    const ours = JSON.parse(withoutRunIds(JSON.stringify(recording))) as typeof recording;
    const { facts } = await runCodex(scenario);
    expect({ findings: check(ours), schema: schemaErrorsOf(ours).filter((error) => !ofTheAgent.test(error)), unexplained: unexplained(compareFacts(facts, factsOf(ours), codexV2Reasons)), stderr }).toEqual({ findings: [], schema: [], unexplained: [], stderr: '' });
  });
});
