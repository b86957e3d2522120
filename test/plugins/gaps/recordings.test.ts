/**
 * Every v2 recording of claude-agent-acp 0.101.0, which reports background work itself, for a v2 client:
 * bytes pass as they came but for the lines of the table, each named by its gap.
 */
import { describe, expect, test } from 'vitest';
import { builtInPlugins } from '../../../plugins/index.js';
import { GAPS } from '../../../src/state/index.js';
import { unexplained } from '../../tools/compare-facts.js';
import { loadRecording, recordingNames, type RecordedMessage } from '../../tools/recording.js';
import { playInMemory } from '../../tools/scenario-in-memory.js';
import { judged } from '../../tools/scenario.js';
import { rawMessage } from '../../tools/updates.js';
import { changes } from './recordings.table.js';
import { AGENT, played } from './replayed.js';

const names = [...recordingNames('v2'), ...recordingNames('v2raw')];
const asksForFeed = (name: string): boolean => name.endsWith('.v2raw');
const isSetUp = (change: string): boolean => /^\d+ session\/(?:new|resume)$/.test(change);

describe.each(names)('%s', (name) => {
  test('without gaps to fill it passes byte for byte, in both directions', () => {
    expect(played(name, [])).toMatchObject({ changed: [], log: [] });
  });

  test('what does not pass as it came is in the table, under its gap', () => {
    const by = Object.fromEntries(GAPS.map((gap) => [gap, played(name, [gap]).changed.filter((change) => !isSetUp(change))]));
    expect(by).toEqual({ removals: [], monitors: [], replays: [], ends: [], ...changes[name] });
    const all = played(name);
    expect(new Set(all.changed.filter((change) => !isSetUp(change)))).toEqual(new Set(Object.values(by).flat()));
    // The feed is asked for where the client did not ask for it; later requests carry what the first did.
    expect(all.passed.filter(({ record, got }) => isSetUp(`0 ${String(record.msg.method)}`) && !got[0]?.includes('"emitRawSDKMessages"'))).toEqual([]);
  });
});

/** A client that did not ask for the feed. */
const withoutFeed = (recording: readonly RecordedMessage[]): RecordedMessage[] =>
  JSON.parse(JSON.stringify(recording.filter((record) => rawMessage(record) === undefined)).replaceAll(/,"_meta":\{"claudeCode":\{"emitRawSDKMessages":\[[^\]]*\]\}\}/g, '')) as RecordedMessage[];

/** At the close of a running session its state carries no list: it is not reported from then on, and nothing is filled. */
const LOST: Readonly<Record<string, readonly string[]>> = { 'q3_close_with_queued.v2': ['always-reported', 'close-empties-list'] };

describe('what a client learns', () => {
  test.each(names)('%s: the checker is silent, the schema valid, and the same but for the filled gaps', async (name) => {
    const recording = loadRecording(name);
    const native = withoutFeed(recording);
    const plugins = builtInPlugins({ agentProtocol: 'auto', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: [`${AGENT[0]}@0.101.0`] });
    const run = await playInMemory({ replayed: recording, native }, plugins, { agentCommand: [`${AGENT[0]}@0.101.0`], quiet: 3000 });
    const { checkFindings, schemaErrors, differences } = judged(run.recording, native);
    expect({ findings: checkFindings.map((finding) => finding.name), schemaErrors, missing: run.missing, log: run.log }).toEqual({ findings: LOST[name] ?? [], schemaErrors: [], missing: [], log: [] });
    expect(unexplained(differences)).toEqual([]);
    const reasons = [...new Set(differences.map(({ reason }) => reason))];
    expect(reasons.filter((reason) => !['no-removal-then-running', 'monitor-listed', 'survives-its-replay'].includes(reason ?? ''))).toEqual([]);
    expect(run.recording.some((record) => rawMessage(record) !== undefined)).toBe(false);
    if (asksForFeed(name)) expect(JSON.stringify(native)).not.toContain('emitRawSDKMessages');
  });
});
