/**
 * Recorded traffic through the plugins for a v1 client, line by line and in both directions: every line
 * that is not the one that came has a rule, and the calls tell the truth about their work.
 */
import { describe, expect, it } from 'vitest';
import { hiddenExtension } from '../../../plugins/hidden-extension.js';
import { keepOpen } from '../../../plugins/keep-open/index.js';
import { sources, type Source } from '../../../plugins/sources.js';
import { keepOpenRules } from '../../../src/state/index.js';
import { wired, type Message } from '../../pipeline/harness.js';
import { loadRecording, recordingNames, type RecordedMessage } from '../../tools/recording.js';
import { validateToClient } from '../../tools/schema.js';
import { WINDOW } from './conversation.js';

/** Rules of lines that the sources change or hold back. */
const sourceRules = {
  asked: 'a set-up request asks for the raw feed',
  declared: '`initialize` declares the extension',
  feedHidden: 'the raw feed that the client did not ask for is held back',
  extensionHidden: 'what comes with the extension is held back',
} as const;
const allRules = new Set<string>([...Object.keys(keepOpenRules), ...Object.keys(sourceRules)]);

interface Run {
  /** What each line became, where it was changed or new or held back: the rule, or what is wrong. */
  readonly rules: string[];
  /** Per call, its statuses in the order of the wire, repeats left out. */
  readonly statuses: Map<string, string[]>;
  /** Per call, the last update that had `_meta.claudeCode.taskStatus`. */
  readonly ends: Map<string, Message>;
  readonly invalid: string[];
  /** How many lines to the client have a mark of the extension. */
  marked: number;
}

const isSetup = ({ method }: Message): boolean => /^session\/(new|load|resume|fork)$/.test(method ?? '');
/** Without what comes with the extension. */
const stripped = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (key, member) => (['jetbrains', 'promptSuggestions', 'subagents'].includes(key) ? undefined : member))
  .replaceAll(/,"_meta":\{\}|"_meta":\{\},?/g, ''));

/** Sends the records through, at their own times, and names the rule of each line that is not the one that came. */
async function played(records: readonly RecordedMessage[], source: Source): Promise<Run> {
  const reported: { readonly rules: readonly string[]; readonly update: string }[] = [];
  const { atClient, atAgent } = sources({ source });
  const on = wired([atClient, hiddenExtension({ source }), keepOpen({ source, followUpWindow: WINDOW, onRule: (rules, update) => reported.push({ rules, update: JSON.stringify(stripped(update)) }) }), atAgent]);
  const run: Run = { rules: [], statuses: new Map(), ends: new Map(), invalid: [], marked: 0 };

  const ruleFor = (line: string, input: Message | undefined): string[] => {
    const message = JSON.parse(line) as Message;
    const place = reported.findIndex(({ update }) => JSON.stringify(message.params?.update) === update);
    if (place !== -1) return [...(reported.splice(place, 1)[0]?.rules ?? [])];
    if (input !== undefined && JSON.stringify(stripped(input)) === JSON.stringify(stripped(message)) && !line.includes('"jetbrains"')) return ['extensionHidden'];
    return [`unexplained: ${line.slice(0, 300)}`];
  };
  const sees = (line: string): void => {
    const { method, params } = JSON.parse(line) as Message;
    if (method !== 'session/update' || params.update.toolCallId === undefined) return;
    const { toolCallId, status, _meta } = params.update;
    const seen = run.statuses.get(toolCallId) ?? [];
    if (status !== undefined && seen.at(-1) !== status) seen.push(status);
    run.statuses.set(toolCallId, seen);
    if (_meta?.claudeCode?.taskStatus !== undefined) run.ends.set(toolCallId, params.update);
  };
  const toClient = (input: Message | undefined): void => {
    const came = input === undefined ? undefined : JSON.stringify(input);
    const lines = on.client.receivedLines();
    if (came !== undefined && !lines.includes(came) && !lines.some((line) => JSON.stringify(JSON.parse(line).params?.update?.toolCallId) === JSON.stringify(input.params?.update?.toolCallId))) {
      if (input.method === '_claude/sdkMessage') run.rules.push('feedHidden');
      else if (JSON.stringify(input).includes('async_task_') || JSON.stringify(input).includes('promptSuggestions')) run.rules.push('extensionHidden');
      else run.rules.push(`lost: ${came.slice(0, 200)}`);
    }
    for (const line of lines) {
      sees(line);
      if (/"jetbrains"|"async_task_|"promptSuggestions"/.test(line)) run.marked += 1;
      if (line === came) continue;
      run.rules.push(...ruleFor(line, input));
      const message = JSON.parse(line) as Message;
      if (message.method === 'session/update') run.invalid.push(...validateToClient('v1', message));
    }
  };
  const toAgent = (input: Message): void => {
    const lines = on.agent.receivedLines();
    expect(lines).toHaveLength(1);
    if (lines[0] === JSON.stringify(input)) return;
    run.rules.push(isSetup(input) ? 'asked' : input.method === 'initialize' ? 'declared' : `unexplained: ${lines[0]}`);
  };

  for (const { t, dir, msg } of records) {
    on.clock.advance(Math.max(0, t - on.clock.now()));
    toClient(undefined);
    if (dir === 'c2a') {
      on.client.sends(msg);
      toAgent(msg);
      toClient(undefined);
    } else {
      on.agent.sends(msg);
      toClient(msg);
    }
  }
  on.clock.advance(60_000);
  toClient(undefined);
  await on.agentExits(0);
  toClient(undefined);
  expect(reported).toEqual([]);
  expect(on.log).toEqual([]);
  return run;
}

/** The same conversation by a client that asked for nothing: the agent sends of the feed what was asked for in its name. */
function plainOf(records: readonly RecordedMessage[]): RecordedMessage[] {
  const wanted = new Set(['task_started', 'task_updated', 'task_progress', 'task_notification', 'background_tasks_changed', 'session_state_changed']);
  return records.flatMap((record) => {
    const { msg } = record as { readonly msg: Message };
    if (msg.method === '_claude/sdkMessage') return wanted.has(msg.params.message.subtype) ? [record] : [];
    if (!isSetup(msg) || msg.params._meta === undefined) return [record];
    const { _meta, ...params } = msg.params;
    return [{ ...record, msg: { ...msg, params } }];
  });
}

/** The same conversation by a client that did not declare the extension. */
const undeclared = (records: readonly RecordedMessage[]): RecordedMessage[] =>
  records.map((record) => (record.msg.method === 'initialize' ? { ...record, msg: stripped(record.msg) as RecordedMessage['msg'] } : record));

const counted = (rules: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const rule of rules) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
};
const isExplained = (run: Run): void => {
  expect(run.rules.filter((rule) => !allRules.has(rule))).toEqual([]);
  expect(run.invalid).toEqual([]);
};

const BASH = 'toolu_01BashBackground000001';
const MONITOR = 'toolu_01MonitorWatch0000001';
const WORKFLOW = 'toolu_01Workflow000000000001';
const AGENT = 'toolu_01AgentSubagent000001';
const SUBAGENT_BASH = 'toolu_01SubagentBash0000001';
const OPEN = ['pending', 'in_progress'];

/** Per recording: the launching calls, their statuses, and the harness's own word on their end. */
const truths: Readonly<Record<string, Readonly<Record<string, readonly [readonly string[], string]>>>> = {
  'a2_foreground_bash_fails': {},
  'b_background_exit0': { [BASH]: [[...OPEN, 'completed'], 'completed'] },
  'c_background_exit3': { [BASH]: [[...OPEN, 'failed'], 'failed'] },
  'c2_background_silent_fast': { [BASH]: [[...OPEN, 'completed'], 'completed'] },
  'd_monitor': { [MONITOR]: [[...OPEN, 'completed'], 'completed'] },
  'e_background_agent': { [AGENT]: [[...OPEN, 'completed'], 'completed'] },
  'e2_foreground_agent': {},
  'e3_agent_with_background_bash': { [AGENT]: [[...OPEN, 'completed', 'in_progress', 'completed'], 'completed'], [SUBAGENT_BASH]: [[...OPEN, 'completed'], 'completed'] },
  'f_stop_server': { [BASH]: [[...OPEN, 'failed'], 'unknown'] },
  'g2_cancel_idle': { [BASH]: [[...OPEN, 'completed'], 'completed'] },
  'h_close_session': { [BASH]: [[...OPEN, 'failed'], 'unknown'] },
  'h2_close_with_workflow': { [WORKFLOW]: [[...OPEN, 'failed'], 'unknown'], [MONITOR]: [[...OPEN, 'failed'], 'unknown'] },
  'j_workflow': { [WORKFLOW]: [[...OPEN, 'completed'], 'completed'] },
  'j2_workflow_stopped': { [WORKFLOW]: [[...OPEN, 'failed'], 'unknown'] },
  'j3_schedule_wakeup': {},
  'k_resume_live': { [BASH]: [[...OPEN, 'failed'], 'unknown'] },
  'o_timeout_to_background': { 'toolu_01ForegroundBash000001': [[...OPEN, 'completed'], 'completed'] },
  'old/b_background_exit0@0.66.0': { [BASH]: [[...OPEN, 'completed'], 'completed'] },
  'old/b_background_exit0@0.80.0': { [BASH]: [[...OPEN, 'completed'], 'completed'] },
};

function tellsTheTruth(run: Run, name: string): void {
  const truth = truths[name] ?? {};
  for (const [call, [statuses, word]] of Object.entries(truth)) {
    expect([call, run.statuses.get(call)]).toEqual([call, statuses]);
    expect(run.ends.get(call)._meta.claudeCode.taskStatus).toBe(word);
  }
  expect([...run.ends.keys()].sort()).toEqual(Object.keys(truth).sort());
}

describe('with the raw feed', () => {
  const names = recordingNames('raw').map((name) => name.slice(0, -'.raw'.length));

  it('every recording has its truth', () => expect(names).toEqual(Object.keys(truths).sort()));

  it.each(names)('%s, asked for by the client itself', async (name) => {
    const run = await played(loadRecording(`${name}.raw`), 'auto');
    isExplained(run);
    tellsTheTruth(run, name);
    expect(counted(run.rules).feedHidden).toBe(undefined);
    expect(counted(run.rules).asked).toBe(name === 'k_resume_live' ? 2 : undefined);
  });

  it.each(names)('%s, asked for in the name of a plain client', async (name) => {
    const records = plainOf(loadRecording(`${name}.raw`));
    const run = await played(records, 'auto');
    isExplained(run);
    tellsTheTruth(run, name);
    expect(counted(run.rules).asked).toBe(records.filter(({ dir, msg }) => dir === 'c2a' && isSetup(msg)).length);
    expect(counted(run.rules).feedHidden).toBe(records.filter(({ msg }) => msg.method === '_claude/sdkMessage').length);
  });

  it.each(names)('%s, with `--source none`', async (name) => {
    expect((await played(loadRecording(`${name}.raw`), 'none')).rules).toEqual([]);
  });

  it('the sentence of the harness ends up in the content', async () => {
    const run = await played(plainOf(loadRecording('c_background_exit3.raw')), 'auto');
    const end = run.ends.get(BASH);
    expect(end.content.map((block: Message) => block.type)).toEqual(['terminal', 'content']);
    expect(end.content[1].content.text).toMatch(/failed with exit code 3/);
    expect(end._meta.claudeCode.backgroundTask).toMatchObject({ taskType: 'local_bash', status: 'failed', summary: end.content[1].content.text });
  });
});

describe('without a feed', () => {
  it.each(recordingNames('plain'))('%s changes only what a structured answer arms', async (name) => {
    const run = await played(loadRecording(name), 'auto');
    isExplained(run);
    expect(Object.keys(counted(run.rules)).filter((rule) => !['asked', 'named', 'keptOpen', 'launchExit', 'straggler', 'unknown'].includes(rule))).toEqual([]);
  });

  it.each(recordingNames('plain'))('%s with `--source none` is untouched', async (name) => {
    expect((await played(loadRecording(name), 'none')).rules).toEqual([]);
  });
});

describe('with the extension', () => {
  const names = recordingNames('legacy');

  it.each(names)('%s, negotiated by the client itself, is untouched', async (name) => {
    expect((await played(loadRecording(name), 'auto')).rules).toEqual([]);
    expect((await played(loadRecording(name), 'async-tasks')).rules).toEqual([]);
  });

  it.each(names)('%s, declared in the name of the client, is hidden from it', async (name) => {
    const run = await played(undeclared(loadRecording(name)), 'async-tasks');
    isExplained(run);
    expect(counted(run.rules).declared).toBe(1);
    expect(run.marked).toBe(0);
  });

  const ends: readonly (readonly [string, string, readonly string[], string])[] = [
    ['b_background_exit0', BASH, [...OPEN, 'completed'], 'completed'],
    ['c_background_exit3', BASH, [...OPEN, 'failed'], 'failed'],
    ['d_monitor', MONITOR, [...OPEN, 'completed'], 'completed'],
    ['j_workflow', WORKFLOW, [...OPEN, 'completed'], 'completed'],
    ['f2_model_stops_server', BASH, [...OPEN, 'failed'], 'stopped'],
    ['k_resume_live', BASH, [...OPEN, 'failed'], 'unknown'],
    ['old/b_background_exit0@0.80.0', BASH, [...OPEN, 'completed'], 'completed'],
    ['extra/wf', WORKFLOW, [...OPEN, 'failed'], 'stopped'],
    ['extra/res_same', BASH, [...OPEN, 'failed'], 'stopped'],
    ['extra/res_diff', BASH, [...OPEN, 'failed'], 'unknown'],
  ];
  it.each(ends)('%s tells the truth', async (name, call, statuses, word) => {
    const run = await played(undeclared(loadRecording(`${name}.legacy`)), 'async-tasks');
    expect(run.statuses.get(call)).toEqual(statuses);
    expect(run.ends.get(call)._meta.claudeCode.taskStatus).toBe(word);
  });
});
