import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/index.js';
import { corpusNames, loadCorpus, loadRecording, recordingNames } from '../tools/recording.js';

/** What is really wrong in the native recordings, each looked at by hand. Every other one is sound. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  // `idle` without the item, and within 250 ms `running` for the agent's own turn.
  'claude/b_background_exit0.v2': ['6377 5.7 no-removal-then-running'],
  'claude/c_background_exit3.v2': ['7288 5.7 no-removal-then-running'],
  'claude/e_background_agent.v2': ['4184 5.7 no-removal-then-running'],
  'claude/e3_agent_with_background_bash.v2': ['3771 5.7 no-removal-then-running', '8603 5.7 no-removal-then-running'],
  'claude/f3_stop_subagent.v2': ['4993 5.7 no-removal-then-running'],
  'claude/g2_cancel_idle.v2': ['7167 5.7 no-removal-then-running'],
  'claude/g3_cancel_autonomous.v2': ['4487 5.7 no-removal-then-running'],
  'claude/g4_cancel_autonomous_by_session_cancel.v2': ['5241 5.7 no-removal-then-running'],
  'claude/g5_cancel_with_background_agent.v2': ['8248 5.7 no-removal-then-running'],
  'claude/j_workflow.v2': ['3896 5.7 no-removal-then-running'],
  'claude/o_timeout_to_background.v2': ['8539 5.7 no-removal-then-running'],
  'claude/q_prompt_during_autonomous.v2': ['4786 5.7 no-removal-then-running'],
  'claude/b_background_exit0.v2raw': ['6011 5.7 no-removal-then-running'],
  'claude/c_background_exit3.v2raw': ['5741 5.7 no-removal-then-running'],
  'claude/e3_agent_with_background_bash.v2raw': ['1973 5.7 no-removal-then-running', '7024 5.7 no-removal-then-running'],
  'claude/e_background_agent.v2raw': ['4364 5.7 no-removal-then-running'],
  'claude/g2_cancel_idle.v2raw': ['6617 5.7 no-removal-then-running'],
  'claude/j_workflow.v2raw': ['3520 5.7 no-removal-then-running'],
  'claude/o_timeout_to_background.v2raw': ['7708 5.7 no-removal-then-running'],
  // The replay says exit 0 of a server that runs on, and the state after it lists the server.
  'claude/k_resume_live.v2': ['5622 5.1 listed-after-end'],
  // The last state before the response to the close has no list, where those before it had one.
  'claude/q3_close_with_queued.v2': ['3489 5.2 always-reported', '3489 5.10 close-empties-list'],
  // The client asked for subagents, which v1 tells by `subagent_update`.
  'claude/subagents/e2_foreground_agent.legacyrich': ['2326 V1.1 v1-kinds', '3736 V1.1 v1-kinds'],
  'claude/subagents/e3_agent_with_background_bash.legacyrich': ['1739 V1.1 v1-kinds', '2185 V1.1 v1-kinds', '7211 V1.1 v1-kinds', '7310 V1.1 v1-kinds'],
  'claude/subagents/e_background_agent.legacyrich': ['2130 V1.1 v1-kinds', '4528 V1.1 v1-kinds'],
  // The permission request comes while the session is still `running`.
  'codex/l-bg.v2air': ['3934 5.12 action-before-request'],
  'codex/l-cancel.v2': ['4377 5.12 action-before-request'],
  'codex/l-cancel.v2air': ['4476 5.12 action-before-request'],
  // The client allows what was asked, although it has cancelled the turn; it chooses what is no option.
  'gemini/l6_permission_cancel_then_allow.plain': ['9581 V1.16 v1-permission-cancelled'],
  'opencode/l6_permission_late_answer.plain': ['19267 V1.16 v1-permission-cancelled'],
  'gemini/more/l9_permission_bad_answer.plain': ['9466 A.3 option-offered'],
  // The cancelled turn ends with `end_turn`.
  'opencode/g6_cancel_then_prompt.plain': ['17812 V1.6 v1-cancelled-told'],
  'opencode/more/n_error_500.plain': ['30115 V1.6 v1-cancelled-told'],
  // The close is answered while the prompt, and in `l8` its permission request, is still open.
  'opencode/h3_close_then_load.plain': ['15114 V1.5 v1-prompt-answered', '15394 V1.9 v1-close-is-last'],
  'opencode/l8_permission_close.plain': ['18763 V1.5 v1-prompt-answered', '18989 V1.9 v1-close-is-last', '18989 V1.8 v1-permission-in-turn'],
};

describe('the native recordings, of every agent in both versions', () => {
  test.each(corpusNames())('%s', (name) => {
    const found = check(loadCorpus(name)).map(({ t, rule, name: rowName }) => `${t} ${rule} ${rowName}`);
    expect(found).toEqual(FOUND[name] ?? []);
  });

  test('are all there', () => {
    expect(corpusNames()).toEqual(expect.arrayContaining(Object.keys(FOUND)));
    expect(recordingNames('v2').length).toBeGreaterThan(30);
    expect(corpusNames().length).toBeGreaterThan(250);
  });
});

test('a finding says where and what', () => {
  const [finding] = check(loadRecording('b_background_exit0.v2'));
  expect(finding).toMatchObject({
    rule: '5.7',
    section: 'The background list on state snapshots',
    t: 6377,
    line: 42,
    session: 'b8138c15-abe1-461f-a886-20afe29c9841',
    expected: 'one running that drops terminal:toolu_01BashBackground000001',
    came: 'idle without it, and running 137 ms later',
  });
});

test('the window is an option', () => {
  expect(check(loadRecording('b_background_exit0.v2'), { window: 100 })).toEqual([]);
});

test('a recording with lost, repeated and reordered messages is checked without an error', () => {
  const messages = recordingNames('v2').flatMap(loadRecording);
  fc.assert(
    fc.property(fc.array(fc.nat(messages.length - 1), { maxLength: 60 }), (places) => {
      const mixed = places.flatMap((place) => messages[place] ?? []);
      expect(Array.isArray(check(mixed))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('what has no meaning is not looked at', () => {
  expect(check([])).toEqual([]);
  expect(check([
    { t: 0, dir: 'a2c', msg: {} },
    { t: 0, dir: 'a2c', msg: { jsonrpc: '2.0', method: 'session/update', params: null } },
    { t: 0, dir: 'a2c', msg: { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: 7 } } },
    { t: 0, dir: 'a2c', msg: { jsonrpc: '2.0', id: 9, result: null } },
    { t: 0, dir: 'c2a', msg: { jsonrpc: '2.0', method: 'toString', params: { sessionId: '__proto__' } } },
  ])).toEqual([]);
});
