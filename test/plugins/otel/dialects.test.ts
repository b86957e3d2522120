/**
 * One scenario, one tree: whichever way claude-agent-acp and codex-acp tell what they do, the trees are
 * the same but for what a form of traffic cannot tell. Each such difference has a name and a rule here,
 * and each is needed.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { corpusNames, loadCorpus, parseRecording, type RecordedMessage } from '../../tools/recording.js';
import { played, treesOf } from './played.js';

type Rewrite = (lines: readonly string[], scenario: string) => readonly string[];

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Without these lines; what hangs under one moves up to where it was. */
const without = (isGone: (line: string) => boolean): Rewrite => (lines) => {
  const gone: number[] = [];
  return lines.flatMap((line) => {
    while (gone.length > 0 && indentOf(line) <= (gone.at(-1) ?? 0)) gone.pop();
    const up = gone.length * 2;
    if (isGone(line)) {
      gone.push(indentOf(line));
      return [];
    }
    return [line.slice(up)];
  });
};

const each = (change: (line: string) => string): Rewrite => (lines) => lines.map(change);
const marks = (lines: RegExp, mark: RegExp, to = ''): Rewrite => each((line) => (lines.test(line) ? line.replace(mark, to) : line));

/** What cannot be told in each form, as what is taken out of all trees before they are compared. */
const differences: Readonly<Record<string, Rewrite>> = {
  'times are those of each run': each((line) => line.replace(/ \d+\.\.\d+/, '')),
  'ACP v2 says of a command in the background only that it is over': marks(/^ *background shell/, / \[(?:completed|failed|unknown|code \d+|ERROR failed)\]/g),
  'progress is told by the private forms only': marks(/^/, / \[progress\]/),
  'a turn of the agent\'s own has a stop reason in ACP v2 only': marks(/^invoke_agent \S+ ?(?:\[end_turn\])? ?\[because of|^invoke_agent \S+ \[end_turn\]$/, / \[end_turn\]/),
  'ACP v2 has `cancelled` for a call, which is `failed` in v1': marks(/execute_tool/, / \[failed\] \[ERROR failed\]| \[cancelled\]/, ' [not done]'),
  'the call of a workflow is done when it is launched in v1, and with its work in ACP v2': marks(/execute_tool Workflow/, / \[(?:completed|not done)\]/),
  'a subagent with a session of its own has no call that launched it': without((line) => /execute_tool Agent/.test(line)),
  'a subagent that is waited for is its call where it has no session': without((line) => /^ +invoke_agent$/.test(line.replace(/ \[.*$/, ''))),
  'what a subagent says after the cancel of its parent is lost in v1': marks(/execute_tool/, / \[unfinished: subagent_ended\]/, ' [completed]'),
  'a Monitor is not listed in ACP v2': (lines, scenario) => without((line) => /background monitor/.test(line))(lines.map((line) => line.replace(/ \[because of background monitor\]/, '')), scenario),
  'the end of what a close ends is told in ACP v2': (lines, scenario) => (scenario.includes('close') ? marks(/^ *background/, /(?: \[(?:unknown|cancelled)\])?(?: \[unfinished: session_closed\])?$/)(lines, scenario) : lines),
};

const shapeOf = async (scenario: string, records: readonly RecordedMessage[], rewrites: readonly Rewrite[]): Promise<readonly string[]> =>
  rewrites.reduce((lines, rewrite) => rewrite(lines, scenario), treesOf(await played(records)) as readonly string[]);

const v2raw = (scenario: string): RecordedMessage[] => parseRecording(readFileSync(new URL(`../../fixtures/v2raw/${scenario}.ndjson`, import.meta.url), 'utf8'));

/** The recordings of a scenario in every form that tells of background work. */
function forms(agent: string, scenario: string, names: readonly string[]): (readonly [string, RecordedMessage[]])[] {
  return names.map((form) => [form, form === 'v2raw' ? v2raw(scenario) : loadCorpus(form.includes('/') ? `${agent}/${form.split('/')[0] ?? ''}/${scenario}.${form.split('/')[1] ?? ''}` : `${agent}/${scenario}.${form}`)]);
}

const claude: readonly (readonly [scenario: string, ...forms: string[]])[] = [
  ['a2_foreground_bash_fails', 'legacy', 'raw', 'v2'],
  ['b_background_exit0', 'legacy', 'legacyrich', 'raw', 'v2', 'v2raw'],
  ['c_background_exit3', 'legacy', 'legacyrich', 'raw', 'v2', 'v2raw'],
  ['d_monitor', 'legacy', 'legacyrich', 'raw', 'v2', 'v2raw'],
  ['e2_foreground_agent', 'raw', 'v2', 'v2raw', 'subagents/legacy', 'subagents/legacyrich', 'subagents/airraw'],
  ['e_background_agent', 'v2', 'v2raw', 'subagents/legacyair', 'subagents/airraw'],
  ['e3_agent_with_background_bash', 'v2raw', 'subagents/legacyair', 'subagents/airraw'],
  ['g5_cancel_with_background_agent', 'v2', 'subagents/airraw'],
  ['f_stop_server', 'legacy', 'legacyrich', 'v2', 'v2raw'],
  ['g4_cancel_autonomous_by_session_cancel', 'legacy', 'legacyrich', 'v2'],
  ['h_close_session', 'legacy', 'legacyrich', 'raw', 'v2'],
  ['h2_close_with_workflow', 'legacy', 'legacyrich', 'raw', 'v2', 'v2raw'],
  ['j_workflow', 'legacy', 'legacyrich', 'v2', 'v2raw'],
  ['j2_workflow_stopped', 'legacy', 'legacyrich', 'v2', 'v2raw'],
  ['k_resume_live', 'legacy', 'legacyrich', 'raw', 'v2'],
  ['l_permission', 'legacy', 'legacyrich', 'v2'],
  ['l4_permission_cancel', 'legacy', 'v2'],
  ['m_file_changes', 'legacy', 'legacyrich', 'v2'],
  ['o_timeout_to_background', 'legacy', 'legacyrich', 'raw', 'v2', 'v2raw'],
  ['q_prompt_during_autonomous', 'legacy', 'v2'],
];

/** The scenarios of codex-acp that are recorded with the extension in both versions. */
const codex = corpusNames().flatMap((name) => (name.startsWith('codex/') && name.endsWith('.v2air') ? [name.slice('codex/'.length, -'.v2air'.length)] : []));

const rewrites = Object.values(differences);

describe('claude-agent-acp', () => {
  test.each(claude)('%s', async (scenario, ...names) => {
    const shapes = await Promise.all(forms('claude', scenario, names).map(async ([form, records]) => [form, await shapeOf(scenario, records, rewrites)] as const));
    for (const [form, shape] of shapes) expect({ form, shape }).toEqual({ form, shape: shapes[0]?.[1] });
  });

  test('each difference is one', async () => {
    const all = claude.map(([scenario, ...names]) => ({ scenario, recordings: forms('claude', scenario, names) }));
    for (const [name, rewrite] of Object.entries(differences)) {
      const others = rewrites.filter((other) => other !== rewrite);
      let differ = false;
      for (const { scenario, recordings } of all) {
        const shapes = await Promise.all(recordings.map(async ([, records]) => (await shapeOf(scenario, records, others)).join('\n')));
        if (new Set(shapes).size > 1) differ = true;
        if (differ) break;
      }
      expect(differ, name).toBe(true);
    }
  });
});

/** What codex-acp does otherwise in its two versions. */
const codexDifferences: Readonly<Record<string, string>> = {
  'n-bg': 'the turn that fails is answered as ended in v1',
  n: 'the turn that fails is answered as ended in v1',
  o: 'what a close ends is told in v1 only',
};

describe('codex-acp', () => {
  test.each(codex.filter((scenario) => !Object.hasOwn(codexDifferences, scenario)))('%s', async (scenario) => {
    const [legacy, v2] = await Promise.all(['legacy', 'v2air'].map((form) => shapeOf(scenario, loadCorpus(`codex/${scenario}.${form}`), rewrites.slice(0, 1))));
    expect(v2).toEqual(legacy);
  });

  test.each(Object.keys(codexDifferences))('%s: its versions differ', async (scenario) => {
    const [legacy, v2] = await Promise.all(['legacy', 'v2air'].map((form) => shapeOf(scenario, loadCorpus(`codex/${scenario}.${form}`), rewrites.slice(0, 1))));
    expect(v2).not.toEqual(legacy);
  });
});
