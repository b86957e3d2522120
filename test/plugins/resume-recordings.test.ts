/**
 * Recordings of sessions that were resumed, and of prompts that waited, through all built-in plugins
 * with an ACP v2 client in front: what a client knows at the end is what the agent's own v2 tells it.
 * Codex lists nothing itself: what is listed there is said here.
 */
import { describe, expect, test } from 'vitest';
import { builtInPlugins } from '../../plugins/index.js';
import { unexplained } from '../tools/compare-facts.js';
import { factsOf } from '../tools/facts.js';
import type { RecordedMessage } from '../tools/recording.js';
import { runInMemory, type InMemoryRun } from '../tools/scenario-in-memory.js';
import { objectOf, updateOf, type Json } from '../tools/updates.js';

async function run(replayed: string, native: string, agent: string): Promise<InMemoryRun> {
  const plugins = builtInPlugins({ agentProtocol: 'v1', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: [agent] });
  return runInMemory({ replayed, native }, plugins, { agentCommand: [agent] });
}

const updatesIn = (records: readonly RecordedMessage[]): Json[] => records.flatMap((record): Json[] => {
  const at = updateOf(record);
  return at === undefined ? [] : [at.update];
});

/** The updates between the last resume and its response, messages and what is said of the session left out. */
function lastResume(records: readonly RecordedMessage[]): Json[] {
  const from = records.findLastIndex(({ dir, msg }) => dir === 'c2a' && msg.method === 'session/resume');
  const to = records.findIndex(({ dir, msg }, index) => index > from && dir === 'a2c' && msg.id === records[from]?.msg.id);
  return updatesIn(records.slice(from, to)).filter(({ sessionUpdate }) => /^(?:tool_call|terminal|state)_/.test(String(sessionUpdate)));
}

const idsOf = (records: readonly RecordedMessage[]): string[] => [...new Set(updatesIn(records).flatMap(({ messageId, sessionUpdate }) => (messageId === undefined ? [] : [`${String(sessionUpdate).replace('_chunk', '')} ${String(messageId)}`])))];

const SHELL = 'toolu_01BashBackground000001';

describe('claude-agent-acp: a client knows the same as one of its own v2', () => {
  test.each([
    ['k_resume_live.legacy', 'k_resume_live.v2', [`exit ${SHELL}`]],
    ['k_resume_live.legacyrich', 'k_resume_live.v2', [`exit ${SHELL}`]],
    ['k2_cold_resume_part2.legacyrich', 'k2_cold_resume_part2.v2', []],
    ['k2_cold_resume_part2.legacyfull', 'k2_cold_resume_part2.v2', []],
    ['q2_prompt_during_turn.legacyfull', 'q2_prompt_during_turn.v2', []],
    ['q3_close_with_queued.legacyfull', 'q3_close_with_queued.v2', []],
    ['q_prompt_during_autonomous.legacy', 'q_prompt_during_autonomous.v2', []],
    ['extra/qc.legacy', 'extra/qc.v2', []],
  ])('%s', async (replayed, native, missing) => {
    const { recording, ...result } = await run(replayed, native, 'claude-agent-acp');
    // Its own v2 says of a listed terminal that it exited: that never comes from here.
    expect(result.missing).toEqual(missing);
    expect([unexplained(result.differences), result.checkFindings, result.schemaErrors, result.log]).toEqual([[], [], [], []]);
    expect(updatesIn(recording).some(({ sessionUpdate }) => sessionUpdate === 'state_update')).toBe(true);
  });

  test('a live terminal is told last with what it printed, and as running', async () => {
    const { recording } = await run('k_resume_live.legacyrich', 'k_resume_live.v2', 'claude-agent-acp');
    const [call, terminal, state] = lastResume(recording).slice(-3);
    expect(call).toMatchObject({ sessionUpdate: 'tool_call_update', toolCallId: SHELL, title: './server.sh', status: 'completed' });
    expect(terminal).toEqual({
      sessionUpdate: 'terminal_update', terminalId: SHELL, command: './server.sh', capabilities: { cancel: {} }, output: { data: Buffer.from('listening on port 3000\n').toString('base64') },
    });
    expect(state).toEqual({ sessionUpdate: 'state_update', state: 'idle', background: [{ type: 'terminal', terminalId: SHELL }] });
    expect(updatesIn(recording).filter(({ exitStatus }) => objectOf(exitStatus).exitCode !== undefined)).toEqual([]);
  });

  test.each(['k_resume_live.legacyrich', 'q2_prompt_during_turn.legacyfull'])('%s: every message is replayed under the id that it had', async (replayed) => {
    const { recording } = await run(replayed, replayed.replace(/[^.]+$/, 'v2'), 'claude-agent-acp');
    const from = recording.findLastIndex(({ msg }) => msg.method === 'session/resume');
    expect(idsOf(recording.slice(from))).toEqual(idsOf(recording.slice(0, from)));
  });
});

describe('codex-acp', () => {
  const played = async (scenario: string): Promise<InMemoryRun> => run(`../codex/${scenario}.legacy`, `../codex/${scenario}.v2`, 'codex-acp');

  test.each<[string, unknown[][]]>([
    ['k-live', [[], ['terminal:call_mock_0001'], []]],
    ['k-live-resume', [[], ['terminal:call_mock_0001'], []]],
    ['k', [[]]],
    ['k-resume', [[]]],
  ])('%s: the lists', async (scenario, lists) => {
    const result = await played(scenario);
    expect([result.missing, result.checkFindings, result.schemaErrors, result.log]).toEqual([[], [], [], []]);
    expect(factsOf(result.recording).get('session/lists')).toEqual(lists);
  });

  test.each(['k-live', 'k-live-resume'])('%s: the running command is told with all that it printed, once', async (scenario) => {
    const [call, terminal, state] = lastResume((await played(scenario)).recording);
    expect(call).toMatchObject({ toolCallId: 'call_mock_0001', status: 'in_progress', content: [{ type: 'terminal', terminalId: 'call_mock_0001' }] });
    expect(terminal).toMatchObject({ terminalId: 'call_mock_0001', cwd: '/workspace/project', capabilities: { cancel: {} }, output: { data: Buffer.from('tick 2\ntick 3\n').toString('base64') } });
    expect(state).toEqual({ sessionUpdate: 'state_update', state: 'idle', background: [{ type: 'terminal', terminalId: 'call_mock_0001' }] });
  });

  test('k-live: it goes on, and is stopped', async () => {
    const facts = factsOf((await played('k-live')).recording);
    expect(facts.get('session/terminals/call_mock_0001/output')).toBe('tick 2\ntick 3\ntick 4\ntick 5\ntick 6\n');
    expect(facts.get('session/items/terminal:call_mock_0001/order')).toEqual(['announce', 'list with cancel', 'settle', 'remove']);
  });

  test('k: what another process ran has ended, as the history says', async () => {
    const facts = factsOf((await played('k')).recording);
    expect([1, 2, 3].map((number) => facts.get(`session/terminals/call_mock_000${number}/exitStatus`))).toEqual([{ exitCode: 0 }, { exitCode: 3 }, { exitCode: -1 }]);
    expect([1, 2, 3].map((number) => facts.get(`session/calls/call_mock_000${number}/status`))).toEqual(['completed', 'failed', 'failed']);
  });
});
