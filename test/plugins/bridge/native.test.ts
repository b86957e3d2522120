/**
 * Every v1 recording of the corpus, played through the bridge, against what the agent itself says to
 * a v2 client in the same scenario. What is left to the plugin for background work (lists, the
 * ends and the output of listed work) is not compared here.
 */
import { describe, expect, test } from 'vitest';
import { compareFacts, type Difference } from '../../tools/compare-facts.js';
import { factsOf, type Facts } from '../../tools/facts.js';
import { loadRecording, recordingNames, type RecordedMessage } from '../../tools/recording.js';
import { updateOf } from '../../tools/updates.js';
import { playedRecording } from './replayed.js';

const scenarioOf = (name: string): string => name.slice(0, name.lastIndexOf('.'));
const native = new Set(recordingNames('v2'));
const compared = [...recordingNames('legacy'), ...recordingNames('legacyrich')]
  .filter((name) => native.has(`${scenarioOf(name)}.v2`) && !name.startsWith('k_') && !name.includes('/'));

/** Differences between two runs of the agent: its own words, times and ids. */
const runsDiffer: readonly (readonly [scenario: string, path: RegExp])[] = [
  ['f2_model_stops_server', /calls\/toolu_01TaskStop000000000001\/(rawInput|content)$/],
  ['j3_schedule_wakeup', /calls\/toolu_01ScheduleWakeup000001\/content$/],
  ['j4_cron', /calls\/toolu_01CronCreate0000000001\/content$/],
  // v1 words a permission request that a cancel ends in another way.
  ['l4_permission_cancel', /terminals\/toolu_01ForegroundBash000001\/output$/],
  // A v1 client stops a task by its own method.
  ['f_stop_server', /^errors\//],
];

/** What the plugin for background work says, of work that the native agent lists. */
function belongsToBackground({ path }: Difference, facts: Facts): boolean {
  const [session = '', group = '', id = '', name = ''] = path.split('/');
  if (group === 'lists' || group === 'items' || name === 'capabilities') return true;
  const isListed = (type: string): boolean => facts.has(`${session}/items/${type}:${id}/order`);
  return (group === 'terminals' && isListed('terminal')) || (group === 'calls' && name === 'status' && isListed('tool_call'));
}

function unexpected(name: string): Difference[] {
  const theirs = factsOf(loadRecording(`${scenarioOf(name)}.v2`));
  const ours = factsOf(playedRecording(name).clientSide);
  // The bridge tells exit statuses as the native agent does, so nothing explains another one.
  return compareFacts(theirs, ours).filter((difference) =>
    (difference.reason === undefined || difference.path.endsWith('/exitStatus')) && !belongsToBackground(difference, theirs)
    && !runsDiffer.some(([scenario, path]) => scenario === scenarioOf(name) && path.test(difference.path)));
}

test('there is enough to compare', () => {
  expect(compared.length).toBeGreaterThan(35);
});

test.each(compared)('%s: a client knows the same at the end', (name) => {
  expect(unexpected(name)).toEqual([]);
});

/** The order of what a client sees, without lists and without what belongs to listed work. */
function story(records: readonly RecordedMessage[], facts: Facts): string[] {
  const isListed = (type: string, id: unknown): boolean => facts.has(`session/items/${type}:${String(id)}/order`);
  let shown = 'idle';
  const seen = new Set<string>();
  const once = (word: string): string[] => (seen.has(word) ? [] : (seen.add(word), [word]));
  return records.flatMap((record): string[] => {
    const update = updateOf(record)?.update;
    if (record.dir === 'a2c' && record.msg.method === 'session/request_permission') return ['asked'];
    if (record.dir === 'a2c' && typeof (record.msg.result as { messageId?: unknown } | undefined)?.messageId === 'string') return ['taken in'];
    if (update === undefined) return [];
    const { sessionUpdate, toolCallId, terminalId, status, exitStatus, stopReason, messageId, plan } = update as Record<string, unknown>;
    if (sessionUpdate === 'state_update') {
      const isNews = update.state !== shown || stopReason !== undefined;
      shown = String(update.state);
      return isNews ? [stopReason === undefined ? shown : `${shown} ${String(stopReason)}`] : [];
    }
    if (sessionUpdate === 'user_message') return ['user message'];
    if (sessionUpdate === 'agent_message_chunk') return once(`message ${String(messageId)}`).map(() => 'message');
    if (sessionUpdate === 'agent_thought_chunk') return once(`thought ${String(messageId)}`).map(() => 'thought');
    if (sessionUpdate === 'plan_update') return once(`plan ${JSON.stringify(plan)}`);
    if (sessionUpdate === 'terminal_update' && exitStatus && !isListed('terminal', terminalId)) return [`exit ${String(terminalId)}`];
    if (sessionUpdate === 'tool_call_update' && !isListed('tool_call', toolCallId)) return once(`call ${String(toolCallId)} ${status === 'in_progress' ? 'pending' : String(status ?? 'pending')}`);
    return [];
  });
}

test.each(compared)('%s: a client sees it in the same order', (name) => {
  const recorded = loadRecording(`${scenarioOf(name)}.v2`);
  const facts = factsOf(recorded);
  expect(story(playedRecording(name).clientSide, facts)).toEqual(story(recorded, facts));
});

describe('the answers of the agent', () => {
  const resultOf = (records: readonly RecordedMessage[], id: number) => records.find(({ dir, msg }) => dir === 'a2c' && msg.id === id)?.msg.result as Record<string, unknown>;

  test('initialize: the same, but for what it says of extensions', () => {
    const { _meta, ...ours } = resultOf(playedRecording('b_background_exit0.legacyrich').clientSide, 0);
    expect(ours).toEqual(resultOf(loadRecording('b_background_exit0.v2'), 0));
    expect(Object.keys(_meta as object)).toEqual(['jetbrains', 'steering']);
  });

  test('session/new: the same, but for commands, which v1 tells in an update', () => {
    const { clientSide } = playedRecording('b_background_exit0.legacyrich');
    const { sessionId: _, ...ours } = resultOf(clientSide, 1);
    const { sessionId: __, availableCommands, ...theirs } = resultOf(loadRecording('b_background_exit0.v2'), 1);
    expect(ours).toEqual(theirs);
    const update = clientSide.map((record) => updateOf(record)?.update).find((one) => one?.sessionUpdate === 'available_commands_update');
    expect(update?.availableCommands).toEqual(availableCommands);
  });
});

/** Each turn's states: where nothing tells an agent's own turns but its content or the raw feed, they are the same. */
describe('the same states from every source', () => {
  const statesOf = (name: string): unknown => factsOf(playedRecording(name).clientSide).get('session/states');
  const scenarios = ['b_background_exit0', 'c_background_exit3', 'c2_background_silent_fast', 'd_monitor', 'j_workflow', 'o_timeout_to_background'];

  test.each(scenarios)('%s from the raw feed', (scenario) => {
    expect(statesOf(`${scenario}.raw`)).toEqual(factsOf(loadRecording(`${scenario}.v2`)).get('session/states'));
  });

  test.each(scenarios.filter((scenario) => scenario !== 'c2_background_silent_fast'))('%s from content', (scenario) => {
    expect(statesOf(`${scenario}.plain`)).toEqual(factsOf(loadRecording(`${scenario}.v2`)).get('session/states'));
  });

  test.each(['old/b_background_exit0@0.66.0.raw', 'old/b_background_exit0@0.80.0.raw', 'old/b_background_exit0@0.66.0.plain', 'old/b_background_exit0@0.80.0.legacy'])('%s', (name) => {
    expect(statesOf(name)).toEqual(['running', 'idle end_turn', 'running', 'idle end_turn']);
  });
});

test.each(['extra/qc.legacy', 'k_resume_live.legacy', 'k_resume_live.legacyrich', 'extra/res_same.legacy', 'extra/res_diff.legacy', 'extra/wf.legacy', 'extra/wfopt.legacy', ...recordingNames('plain'), ...recordingNames('raw')])(
  '%s: every message is valid, none is malformed, and the session ends idle', (name) => {
    const { clientSide, log } = playedRecording(name);
    const states = clientSide.flatMap((record) => (updateOf(record)?.update.sessionUpdate === 'state_update' ? [updateOf(record)?.update.state] : []));
    expect([states.at(-1), log]).toEqual(['idle', []]);
  });
