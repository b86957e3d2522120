/** The list of reasons is closed: what a recording broken in one place differs in has none. */
import { describe, expect, test } from 'vitest';
import { runCodex } from './codex.js';
import { codexReasons } from './codex-reasons.js';
import { compareFacts, unexplained } from './compare-facts.js';
import { factsOf, type Facts } from './facts.js';
import { codexRecording, ofStandardClient } from './codex.js';

const ours = async (scenario: string): Promise<Facts> => (await runCodex(scenario)).facts;
const native = (scenario: string): Facts => factsOf(ofStandardClient(codexRecording(`${scenario}.v2air`)));
const changed = (facts: Facts, path: string, value: unknown): Facts => new Map([...facts].filter(([key]) => key !== path).concat(value === undefined ? [] : [[path, value]]));

const CALL = 'session/calls/call_mock_0001';
const TERMINAL = 'session/terminals/call_mock_0001';

describe('not explained is', () => {
  test.each<[string, string, string, unknown]>([
    ['a lost exit code', 'b', `${TERMINAL}/exitStatus`, {}],
    ['another exit code', 'c', `${TERMINAL}/exitStatus`, { exitCode: 1 }],
    ['an exit that is not told', 'b', `${TERMINAL}/exitStatus`, undefined],
    ['a code of a stop', 'f', `${TERMINAL}/exitStatus`, { exitCode: 137 }],
    ['a stopped call that completed', 'f', `${CALL}/status`, 'completed'],
    ['a failed call that was cancelled', 'c', `${CALL}/status`, 'cancelled'],
    ['lost output', 'b', `${TERMINAL}/output`, 'line 2\n'],
    ['output that is told twice', 'b', `${TERMINAL}/output`, 'line 2\nline 2\n'],
    ['less output than its own v2 tells', 'd', `${TERMINAL}/output`, ''],
    ['content that is no terminal', 'd', `${CALL}/content`, []],
    ['another command', 'b', `${TERMINAL}/command`, 'sleep 1'],
    ['a call that is left open', 'h', `${CALL}/status`, 'pending'],
    ['a stop that was refused', 'f-talk', 'errors/0', ['terminal/cancel', -32603]],
    ['a prompt that was refused', 'b', 'errors/0', ['session/prompt', -32602]],
    ['a state too many', 'b', 'session/states', ['running', 'idle end_turn', 'running', 'idle end_turn']],
    ['an ending that is lost', 'n', 'session/turns/0/stopReason', 'end_turn'],
    ['a message that is lost', 'b', 'session/messages', []],
  ])('%s', async (_, scenario, path, value) => {
    const told = compareFacts(native(scenario), changed(await ours(scenario), path, value), codexReasons);
    expect(unexplained(told).map((line) => line.slice(0, line.indexOf(':')))).toContain(path);
  });
});
