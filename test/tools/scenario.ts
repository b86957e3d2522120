/**
 * A scenario of the corpus: the recording that the agent replays, the native v2 recording that the
 * outcome is compared with, and the judgement on what a v2 client received.
 */
import { check, type Finding } from '../../src/check/index.js';
import { compareFacts, type Difference } from './compare-facts.js';
import { factsOf } from './facts.js';
import { loadRecording, recordingNames, withMethods, type RecordedMessage } from './recording.js';
import { validateToClient } from './schema.js';
import { outputsFromSibling } from './sibling-outputs.js';
import type { Outputs } from '../../src/replay/index.js';

export interface Scenario {
  /** Names in the corpus. */
  readonly replayed: string;
  readonly native: string;
}

export interface Judgement {
  /** Broken rules of background work. */
  readonly checkFindings: readonly Finding[];
  /** Messages to the client that are not valid, with their line. */
  readonly schemaErrors: readonly string[];
  /** What differs from the native recording, with the reason where there is one. */
  readonly differences: readonly Difference[];
}

/** The native recording of a scenario by its letter (`b`) or name. */
function nativeOf(scenario: string): string {
  const name = recordingNames('v2').find((each) => each === `${scenario}.v2` || each.startsWith(`${scenario}_`));
  if (name === undefined) throw new Error(`no scenario ${scenario} in test/corpus/claude`);
  return name;
}

/**
 * A scenario in a guise: `('b', 'legacy')`; `('b', 'legacy', '0.80.0')` for an older agent, whose
 * outcome is compared with the native recording of the newest.
 */
export function scenarioOf(scenario: string, guise: string, version?: string): Scenario {
  const native = nativeOf(scenario);
  const name = native.replace(/\.v2$/, '');
  return { native, replayed: version === undefined ? `${name}.${guise}` : `old/${name}@${version}.${guise}` };
}

export const recordingsOf = ({ replayed, native }: Scenario): { readonly replayed: RecordedMessage[]; readonly native: RecordedMessage[] } => ({
  replayed: loadRecording(replayed),
  native: loadRecording(native),
});

/** What the output files of the replayed recording hold. */
export const outputsOf = (scenario: Scenario): Outputs => {
  const { replayed, native } = recordingsOf(scenario);
  return outputsFromSibling(replayed, native);
};

/** The messages to a v2 client that are not valid, as `line: fault`. */
export const schemaErrorsOf = (recording: readonly RecordedMessage[]): string[] =>
  withMethods(recording).flatMap(({ record, method }, index) =>
    record.dir === 'a2c' ? validateToClient('v2', record.msg, { method }).map((error) => `${index + 1}: ${error}`) : []);

/** The judgement on a client-side recording. */
export const judged = (recording: readonly RecordedMessage[], native: readonly RecordedMessage[]): Judgement => ({
  checkFindings: check(recording),
  schemaErrors: schemaErrorsOf(recording),
  differences: compareFacts(factsOf(native), factsOf(recording)),
});
