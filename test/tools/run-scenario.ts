/**
 * Runs one scenario through the built command: the scripted v2 client on one side, the replay agent
 * on the other, both as processes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runClient, type ClientRun, type RunOptions } from './client-process.js';
import { recordingPath } from './recording.js';
import { judged, outputsOf, recordingsOf, type Judgement, type Scenario } from './scenario.js';

export interface ScenarioOptions extends RunOptions {
  /** The command in between, to which the agent's command is added. Default: the built `afterturn --agent-protocol v1 --`. `[]`: none. */
  readonly proxy?: readonly string[];
}

export type ScenarioRun = ClientRun & Judgement;

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** The built command with these options, ready for the agent's command. */
export const afterturn = (...options: readonly string[]): readonly string[] => [process.execPath, path('../../bin/afterturn.js'), ...options, '--'];

/** Waits are at most `longestWait` (default 400 ms) on both sides, well above the follow-up window. */
export async function runScenario(scenario: Scenario, options: ScenarioOptions = {}): Promise<ScenarioRun> {
  const { proxy = afterturn('--agent-protocol', 'v1'), longestWait = 400, speed = 1 } = options;
  const folder = mkdtempSync(join(tmpdir(), 'afterturn-scenario-'));
  try {
    const outputs = join(folder, 'outputs.json');
    writeFileSync(outputs, JSON.stringify(outputsOf(scenario)));
    const agent = [
      process.execPath, path('replay-agent.mjs'), recordingPath(scenario.replayed),
      '--speed', String(speed), '--longest-wait', String(longestWait), '--outputs', outputs, '--out-dir', folder,
    ];
    const { native } = recordingsOf(scenario);
    const run = await runClient([...proxy, ...agent], native, { ...options, longestWait, speed });
    return { ...run, ...judged(run.recording, native) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
