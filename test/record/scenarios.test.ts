/**
 * Masking and bridging commute: the bridged conversation of a redacted recording is the redacted one
 * of the whole recording.
 */
import { expect, test } from 'vitest';
import { builtInPlugins } from '../../plugins/index.js';
import { check, type RecordedMessage } from '../../src/check/index.js';
import { redacted } from '../../src/record/redact.js';
import { compareFacts, type Difference } from '../tools/compare-facts.js';
import { factsOf } from '../tools/facts.js';
import { loadRecording, recordingNames } from '../tools/recording.js';
import { playInMemory } from '../tools/scenario-in-memory.js';

const redactedAll = (records: readonly RecordedMessage[]): RecordedMessage[] => records.map((record) => ({ ...record, msg: redacted(record.msg) as RecordedMessage['msg'] }));
const plugins = () => builtInPlugins({ agentProtocol: 'v1', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: ['claude-agent-acp'] });

/** Lines that differ in letters or digits only are equal when masked: the diff that is made of them has no hunk for them. */
const withoutPatch = (value: unknown): string => JSON.stringify(value, (key, member: unknown) => (key === 'patch' ? undefined : member));

/** Output is as long as before. An exit code that only a text told is masked with it, and then there is none: never another one. */
const isExpected = ({ path, native, ours }: Difference<string>): boolean =>
  (path.endsWith('/output') && typeof native === 'string' && typeof ours === 'string' && native.length === ours.length) ||
  (path.endsWith('/exitStatus') && JSON.stringify(ours) === '{}') ||
  (path.endsWith('/content') && withoutPatch(native) === withoutPatch(ours));

const natives = new Set(recordingNames('v2'));
const SCENARIOS = recordingNames('legacy').filter((name) => !name.includes('/') && natives.has(name.replace(/\.legacy$/, '.v2')));

test.each(SCENARIOS)('%s: the same facts from the redacted recording', async (name) => {
  const replayed = loadRecording(name);
  const native = loadRecording(name.replace(/\.legacy$/, '.v2'));
  const whole = await playInMemory({ replayed, native }, plugins());
  const masked = await playInMemory({ replayed: redactedAll(replayed), native: redactedAll(native) }, plugins());
  expect(masked.missing).toEqual(whole.missing);
  const differences = compareFacts(factsOf(redactedAll(whole.recording)), factsOf(redactedAll(masked.recording)), []);
  expect(differences.filter((difference) => !isExpected(difference))).toEqual([]);
  expect(check(masked.recording).map(({ name: rule }) => rule)).toEqual(check(whole.recording).map(({ name: rule }) => rule));
});

test('that is many scenarios', () => {
  expect(SCENARIOS.length).toBeGreaterThan(25);
});
