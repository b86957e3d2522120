/** Recorded conversations of claude-agent-acp, played through the plugin at their times. */
import { describe, expect, test } from 'vitest';
import { loadRecording, recordingNames, type RecordedMessage } from '../../tools/recording.js';
import { played as playedThrough } from './played.js';
import { treeOf, type Traced } from './traced.js';

async function played(name: string): Promise<Traced & { readonly records: readonly RecordedMessage[] }> {
  const records = loadRecording(name);
  return { ...(await playedThrough(records)), records };
}

const short = (line: string): string => line.replace('@agentclientprotocol/claude-agent-acp', 'claude');

/** The ids of the background items that each turn of the agent's own links to. */
function causes(it: Traced): string[][] {
  const items = new Map(it.spans().map((span) => [span.spanContext().spanId, span.name]));
  return it.spans()
    .filter(({ attributes }) => attributes['acp.turn.started_by'] === 'agent')
    .map(({ links }) => links.map(({ context }) => items.get(context.spanId) ?? 'unknown'));
}

describe('the tree of a recorded conversation', () => {
  test.each<[string, string[], string[][]]>([
    ['b_background_exit0.legacyrich', [
      'invoke_agent claude 1460..1970 [end_turn]',
      '  execute_tool Bash 1685..1879 [completed]',
      '    background shell 1851..5907 [completed] [code 0]',
      'invoke_agent claude 6016..6198',
    ], [['background shell']]],
    ['b_background_exit0.raw', [
      'invoke_agent claude 1411..1867 [end_turn]',
      '  execute_tool Bash 1633..1784 [completed]',
      '    background shell 1757..5896 [completed] [code 0]',
      'invoke_agent claude 5986..6093',
    ], [['background shell']]],
    ['c_background_exit3.legacyrich', [
      'invoke_agent claude 1755..2605 [end_turn]',
      '  execute_tool Bash 2299..2461 [completed]',
      '    background shell 2456..6464 [failed] [code 3] [ERROR failed]',
      'invoke_agent claude 6483..6601',
    ], [['background shell']]],
    ['d_monitor.legacyrich', [
      'invoke_agent claude 1359..1924 [end_turn]',
      '  execute_tool Monitor 1576..1747 [completed]',
      '    background monitor 1705..7745 [completed]',
      'invoke_agent claude 1980..2029',
      'invoke_agent claude 4075..4173',
      'invoke_agent claude 6010..6096',
      'invoke_agent claude 7816..7922',
    ], [[], [], [], ['background monitor']]],
    ['f_stop_server.legacyrich', [
      'invoke_agent claude 2811..4745 [end_turn]',
      '  execute_tool Bash 3846..4656 [completed]',
      '    background shell 4628..6799 [cancelled] [cancel_requested]',
    ], []],
    ['g3_cancel_autonomous.legacyrich', [
      'invoke_agent claude 1801..2657 [end_turn]',
      '  execute_tool Bash 2294..2544 [completed]',
      '    background shell 2513..4616 [completed] [code 0]',
      'invoke_agent claude 4633..6602 [cancelled] [cancel_requested]',
      '  execute_tool Bash 4980..6629 [failed] [ERROR failed]',
    ], [['background shell']]],
    ['h2_close_with_workflow.legacyrich', [
      'invoke_agent claude 1734..2821 [end_turn]',
      '  execute_tool Workflow 2274..2464 [completed]',
      '    background workflow 2420..4345 [unknown] [unfinished: session_closed] [progress]',
      '  execute_tool Monitor 2349..2692 [completed]',
      '    background monitor 2670..4345 [unknown] [unfinished: session_closed]',
    ], []],
    ['j2_workflow_stopped.legacyrich', [
      'invoke_agent claude 1814..3213 [end_turn]',
      '  execute_tool Workflow 2746..3000 [completed]',
      '    background workflow 2969..4728 [cancelled] [progress] [cancel_requested]',
    ], []],
    ['k_resume_live.legacyrich', [
      'invoke_agent claude 2039..3124 [end_turn]',
      '  execute_tool Bash 2668..3023 [completed]',
      '    background shell 2900..7949 [unknown] [unfinished: agent_exited]',
    ], []],
    ['l_permission.v2', [
      'invoke_agent claude 1668..2578 [end_turn]',
      '  execute_tool Bash 1937..2428 [completed]',
      '    session/request_permission 2036..2343',
    ], []],
    ['n2_error_529.legacy', ['invoke_agent claude 2272..4612 [ERROR -32603]'], []],
    ['n2_error_529.v2', ['invoke_agent claude 1608..3880 [error] [ERROR -32603]'], []],
    ['q_prompt_during_autonomous.v2', [
      'invoke_agent claude 2320..2770 [end_turn]',
      '  execute_tool Bash 2524..2680 [completed]',
      '    background shell 2680..4701 [unknown]',
      'invoke_agent claude 4786..8058 [end_turn]',
      '  execute_tool Bash 4853..7971 [completed]',
      'invoke_agent claude 5569..8058 [end_turn]',
    ], [['background shell']]],
    ['old/b_background_exit0@0.80.0.raw', [
      'invoke_agent claude 1240..1765 [end_turn]',
      '  execute_tool Bash 1519..1666 [completed]',
      '    background shell 1592..5683 [completed] [code 0]',
      'invoke_agent claude 5737..5839',
    ], [['background shell']]],
    ['f_stop_server.v2', [
      'invoke_agent claude 1153..2067 [end_turn]',
      '  execute_tool Bash 1574..1910 [completed]',
      '    background shell 1910..4108 [cancelled] [cancel_requested]',
    ], []],
    ['j2_workflow_stopped.v2', [
      'invoke_agent claude 1969..3325 [end_turn]',
      '  execute_tool Workflow 2965..4847 [cancelled]',
      '    background workflow 3150..4847 [cancelled] [cancel_requested]',
    ], []],
    ['k_resume_live.v2', [
      'invoke_agent claude 1576..2590 [end_turn]',
      '  execute_tool Bash 2337..2478 [completed]',
      '    background shell 2479..5923 [unknown] [unfinished: agent_exited]',
    ], []],
    ['e2_foreground_agent.v2', [
      'invoke_agent claude 1282..3443 [end_turn]',
      '  invoke_agent 1919..3314',
      '    execute_tool Bash 2074..3168 [completed]',
    ], []],
    ['e3_agent_with_background_bash.v2', [
      'invoke_agent claude 2194..3231 [end_turn]',
      '  background subagent 2933..3602 [completed]',
      '    execute_tool Bash 3159..3405 [completed]',
      '  background subagent 8402..8491 [completed]',
      'invoke_agent claude 3771..3828 [end_turn]',
      'invoke_agent claude 8603..8695 [end_turn]',
    ], [['background subagent'], ['background subagent']]],
    ['e3_agent_with_background_bash.raw', [
      'invoke_agent claude 1175..1948 [end_turn]',
      '  execute_tool Agent 1377..1488 [completed]',
      '    background subagent 1445..1797 [completed] [progress]',
      '      execute_tool Bash 1615..1682 [completed]',
      '        background shell 1672..6733 [completed] [code 0]',
      '    background subagent 6748..6833 [completed]',
      'invoke_agent claude 6871..6958',
    ], [['background subagent']]],
    ['subagents/g5_cancel_with_background_agent.airraw', [
      'invoke_agent claude 2417..4919 [cancelled] [cancel_requested]',
      '  background subagent 2872..8619 [completed] [progress]',
      '    execute_tool Bash 3224..8619 [unfinished: subagent_ended]',
      '  execute_tool Bash 3280..4907 [failed] [ERROR failed]',
      'invoke_agent claude 8669..8721',
    ], [['background subagent']]],
    ['old/b_background_exit0@0.66.0.raw', [
      'invoke_agent claude 1346..1713 [end_turn]',
      '  execute_tool Bash 1515..1633 [completed]',
      '    background shell 1611..5678 [completed] [code 0]',
      'invoke_agent claude 5767..5846',
    ], [['background shell']]],
    ['old/b_background_exit0@0.80.0.legacy', [
      'invoke_agent claude 1233..1819 [end_turn]',
      '  execute_tool Bash 1498..1704 [completed]',
      '    background shell 1582..5658 [completed] [corrected]',
    ], []],
  ])('%s', async (name, tree, linked) => {
    const it = await played(name);
    expect(it.tree().map(short)).toEqual(tree);
    expect(causes(it)).toEqual(linked);
    expect(it.log).toEqual([]);
  });
});

const all = ['legacy', 'legacyrich', 'legacyair', 'airraw', 'plain', 'raw', 'v2'].flatMap(recordingNames);

/** Texts of these members must never leave; a title that is one word is the tool's name. */
const content = new Set(['text', 'command', 'title', 'description', 'cwd', 'path', 'outputFilePath', 'summary', 'data']);

function textsOf(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return content.has(key) && /[\s/]/.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsOf(member, name));
}

test.each(all)('%s: every parent is there, every byte passes, and no content leaves', async (name) => {
  const it = await played(name);
  const ids = new Set(it.spans().map((span) => span.spanContext().spanId));
  expect(it.spans().flatMap(({ parentSpanContext }) => parentSpanContext?.spanId ?? []).filter((id) => !ids.has(id))).toEqual([]);
  expect(treeOf(it.spans())).toHaveLength(it.spans().length);
  const sent = (dir: string): string[] => it.records.filter((record) => record.dir === dir).map(({ msg }) => JSON.stringify(msg));
  expect(it.agent.receivedLines()).toEqual(sent('c2a'));
  expect(it.client.receivedLines()).toEqual(sent('a2c'));
  const left = JSON.stringify(it.spans().map(({ name: span, attributes, events, status }) => [span, attributes, events, status]));
  expect([...new Set(it.records.flatMap(({ msg }) => textsOf(msg)))].filter((text) => left.includes(text))).toEqual([]);
  expect(it.log).toEqual([]);
});
