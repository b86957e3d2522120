/**
 * Every native v2 recording of claude-agent-acp, through the built-in plugins for a client of ACP v1
 * that knows the private extension: the same facts as in the recording of the agent's own extension, but
 * for a closed list of reasons. What goes by is valid by the strict schema, and sound by the rules of v1.
 */
import { describe, expect, it } from 'vitest';
import { check } from '../../../src/check/index.js';
import { corpusNames, loadCorpus } from '../../tools/recording.js';
import { playedToLegacy } from './legacy-client.js';
import { taskFactsOf, type TaskFacts } from './task-facts.js';

interface Difference {
  readonly path: string;
  readonly legacy: unknown;
  readonly ours: unknown;
  readonly scenario: string;
  /** The guise of the native recording, and that of the extension. */
  readonly guise: string;
  readonly form: string;
  readonly facts: { readonly legacy: TaskFacts; readonly ours: TaskFacts };
}

interface Reason {
  /** Why the two differ. */
  readonly why: string;
  readonly explains: (difference: Difference) => boolean;
}

const isOf = (path: string, pattern: RegExp): boolean => pattern.test(path);
const callOf = (path: string): string => path.split('/')[1] ?? '';
const only = (scenarios: readonly string[], scenario: string): boolean => scenarios.some((one) => scenario.startsWith(`${one}_`));

const reasons: readonly Reason[] = [
  {
    why: 'the extension calls the exit of the launch the exit of the command',
    explains: ({ path, legacy, facts }) => isOf(path, /^calls\/.*\/exit$/) && legacy === 0 && facts.legacy.get(`calls/${callOf(path)}/backgrounded`) === true,
  },
  { why: 'the extension tells exit code 1 for everything that failed', explains: ({ path, legacy }) => isOf(path, /^calls\/.*\/exit$/) && legacy === 1 },
  {
    why: 'without the raw feed nothing tells how a command ended whose output is not read to its last line',
    explains: ({ path, guise, legacy, ours, scenario }) => guise === 'v2' && only(['c2', 'g2'], scenario) && isOf(path, /^tasks\/shell .*\/end$/) && legacy === 'completed' && ours === 'stopped',
  },
  {
    why: 'the native agent lists no Monitor, which is known from the raw feed alone',
    explains: ({ path, guise, ours }) => guise === 'v2' && isOf(path, /^tasks\/monitor /) && ours === undefined,
  },
  {
    why: 'the extension ends nothing at a close',
    explains: ({ path, scenario, legacy, ours }) => only(['h', 'h2'], scenario) && isOf(path, /^tasks\/.*\/end$/) && legacy === undefined && ours === 'stopped',
  },
  {
    why: 'the recorded client resumed with other options, for which the agent builds the session anew',
    explains: ({ path, scenario, guise, legacy, ours }) => scenario === 'k_resume_live' && guise === 'v2raw' && isOf(path, /^tasks\/.*\/end$/) && legacy === undefined && ours === 'stopped',
  },
  {
    why: 'the extension completes a call when it has launched its work',
    explains: ({ path, legacy, ours, facts }) =>
      isOf(path, /^calls\/.*\/status$/) && legacy === 'completed' && ours === 'failed' && ['workflow', 'monitor'].some((type) => facts.ours.get(`tasks/${type} ${callOf(path)}/end`) === 'stopped'),
  },
  {
    why: 'the command ended before the agent listed it',
    explains: ({ path, scenario, guise, ours }) => scenario === 'c2_background_silent_fast' && guise === 'v2raw' && isOf(path, /^tasks\/|\/backgrounded$/) && ours === undefined,
  },
  { why: 'a turn that is cancelled was stopped', explains: ({ path, legacy, ours }) => isOf(path, /^tasks\/turn .*\/end$/) && legacy === 'failed' && ours === 'stopped' },
  { why: 'the recorded client stopped the turn by session/cancel', explains: ({ path, scenario, ours }) => scenario === 'g3_cancel_autonomous' && path === 'stops/0' && ours === undefined },
  {
    why: 'the native agent does not list what a subagent runs in its background',
    explains: ({ path, scenario, ours }) => scenario.startsWith('e3_') && (isOf(path, /^tasks\/shell toolu_01SubagentBash/) || path === 'calls/toolu_01SubagentBash0000001/backgrounded') && ours === undefined,
  },
  {
    why: 'the native agent can cancel a subagent, and spares it when its parent is cancelled',
    explains: ({ path, scenario }) => only(['f3', 'g5'], scenario) && isOf(path, /^calls\/toolu_01SubagentBash0000001\/|^tasks\/turn 1\//),
  },
  {
    why: 'the extension holds the prompt until a subagent in the background has ended, and no turn of its own follows',
    explains: ({ path, form, legacy }) => form !== 'legacyair' && isOf(path, /^tasks\/turn \d+\//) && legacy === undefined,
  },
  {
    why: 'inside its parent, a subagent in the background is a task, and each run a call',
    explains: ({ path, form, legacy }) => form === 'legacy' && isOf(path, /^tasks\/subagent |^calls\/afterturn:/) && legacy === undefined,
  },
];

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The sequence of starts and ends without those of tasks that differ, and without turns where their numbers do; how a subagent ended is its own business. */
function orderOf(facts: TaskFacts, differing: readonly string[], withSubagents: boolean): readonly string[] {
  const names = new Set(differing.filter((path) => path.startsWith('tasks/') && !path.endsWith('/end')).map((path) => path.split('/')[1]));
  const ends = new Set(differing.filter((path) => path.startsWith('tasks/')).map((path) => path.split('/')[1]));
  return (facts.get('order') as readonly string[]).filter((event) => {
    const [word, ...rest] = event.split(' ');
    const name = rest.join(' ');
    const isMovedTurn = name.startsWith('turn ') && [...names].some((other) => other?.startsWith('turn '));
    if (names.has(name) || isMovedTurn || (word === 'end' && ends.has(name))) return false;
    return withSubagents || !(word === 'end' && name.startsWith('subagent '));
  });
}

const all = corpusNames();
const AIR = ['asyncTasks', 'nativeSubagentSessions', 'backgroundSubagents'];
const declaredBy: Readonly<Record<string, readonly string[]>> = { legacy: ['asyncTasks'], legacyrich: AIR.slice(0, 2), legacyair: AIR };

const pairs = all.flatMap((name) => {
  const [, scenario = '', guise = ''] = /^claude\/([^/]+)\.(v2|v2raw)$/.exec(name) ?? [];
  const counterparts = [`claude/${scenario}.legacy`, ...Object.keys(declaredBy).map((form) => `claude/subagents/${scenario}.${form}`)];
  return counterparts.filter((counterpart) => scenario !== '' && all.includes(counterpart)).map((counterpart) => ({ name, counterpart, scenario, guise, form: counterpart.split('.').at(-1) ?? '' }));
});

describe('a native recording tells a client of the extension what its own recording does', () => {
  const used = new Set<string>();

  it.each(pairs)('$name like $counterpart', ({ name, counterpart, scenario, guise, form }) => {
    const { clientSide, log } = playedToLegacy(name, { declared: declaredBy[form] });
    expect(log).toEqual([]);
    expect(check(clientSide)).toEqual([]);
    const facts = { legacy: taskFactsOf(loadCorpus(counterpart)), ours: taskFactsOf(clientSide) };
    const paths = [...new Set([...facts.legacy.keys(), ...facts.ours.keys()])].filter((path) => path !== 'order' && !same(facts.legacy.get(path), facts.ours.get(path)));
    const unexplained = paths.flatMap((path) => {
      const difference = { path, legacy: facts.legacy.get(path), ours: facts.ours.get(path), scenario, guise, form, facts };
      const reason = reasons.find(({ explains }) => explains(difference));
      if (reason !== undefined) used.add(reason.why);
      return reason === undefined ? [`${path}: legacy ${JSON.stringify(difference.legacy)}, ours ${JSON.stringify(difference.ours)}`] : [];
    });
    expect(unexplained).toEqual([]);
    const withSubagents = !only(['f3', 'g5'], scenario);
    expect(orderOf(facts.ours, paths, withSubagents)).toEqual(orderOf(facts.legacy, paths, withSubagents));
  });

  it('for no other reasons than these, each of which is needed', () => {
    expect(reasons.map(({ why }) => why).filter((why) => !used.has(why))).toEqual([]);
    expect(pairs.length).toBeGreaterThan(50);
  });
});
