/**
 * Every recording of codex-acp through all built-in plugins, for a v2 client that knows the standard
 * only: what it learns, against the table and against what Codex's own v2 tells.
 */
import { describe, expect, test } from 'vitest';
import { unexplained } from '../../tools/compare-facts.js';
import { codexReasons } from '../../tools/codex-reasons.js';
import { runCodex, type CodexRun } from '../../tools/codex.js';
import type { Facts } from '../../tools/facts.js';
import { listOf } from '../../tools/updates.js';
import { expectations, type Expected, type ExpectedItem } from './recordings.table.js';

const LIFE = ['announce', 'list with cancel', 'settle', 'remove'];

const withoutAbsent = (value: object): object => Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));

function commandIn(facts: Facts, session: string, id: string): object {
  const at = (path: string): unknown => facts.get(`${session}/${path}`);
  const only = (path: string): unknown => listOf(at(`items/terminal:${id}/${path}`))[0];
  return withoutAbsent({
    life: at(`items/terminal:${id}/order`), listed: only('listedIn'), removed: only('removedIn'),
    exit: at(`terminals/${id}/exitStatus`), call: at(`calls/${id}/status`), output: at(`terminals/${id}/output`) || undefined,
  });
}

function seen({ facts, missing }: CodexRun): object {
  const paths = [...facts.keys()].map((path) => path.split('/'));
  const sessions = [...new Set(paths.map(([session = '']) => session))].filter((name) => /^(?:session|child\d+)$/.test(name)).sort().reverse();
  const callsOf = (session: string): string[] => paths.flatMap(([name, group, id = '', member]) => (name === session && group === 'calls' && member === 'status' ? [id] : []));
  const refused = [...facts].flatMap(([path, error]) => (path.startsWith('errors/') ? [error] : []));
  return {
    sessions: sessions.map((session) => ({ commands: Object.fromEntries(callsOf(session).map((id) => [id, commandIn(facts, session, id)])), states: facts.get(`${session}/states`) })),
    ...(refused.length > 0 ? { refused } : {}),
    ...(missing.length > 0 ? { missing } : {}),
  };
}

/** What is listed is announced before, with its cancel, and settled before it is removed. */
const withLife = (item: ExpectedItem): object => (item.listed === undefined ? item : { ...item, life: item.removed === undefined ? LIFE.slice(0, 2) : LIFE });
const expected = ({ sessions, ...rest }: Expected): object => ({
  sessions: sessions.map(({ commands, states }) => ({ commands: Object.fromEntries(Object.entries(commands).map(([id, item]) => [id, withLife(item)])), states })),
  ...rest,
});

const used = new Set<string | undefined>();

const sound = { checkFindings: [], schemaErrors: [], log: [], unexplained: [] };
const judged = ({ checkFindings, schemaErrors, log, differences }: CodexRun): object => ({ checkFindings, schemaErrors, log, unexplained: unexplained(differences) });
/** What each state says of background work. */
const listsIn = ({ facts }: CodexRun): readonly unknown[] => listOf(facts.get('session/lists'));
const NOT_REPORTED = ['not reported'];

describe('a v2 client of Codex', () => {
  test.each(Object.entries(expectations))('%s', async (scenario, expectation) => {
    const run = await runCodex(scenario);
    expect(seen(run)).toEqual(expected(expectation));
    expect(judged(run)).toEqual(sound);
    expect(listsIn(run)).not.toContainEqual(NOT_REPORTED);
    for (const { reason } of run.differences) used.add(reason);
  });

  test('learns otherwise than from its own v2 for the listed reasons only, and each is needed', () => {
    expect(used).toEqual(new Set(codexReasons.map(({ reason }) => reason)));
  });
});

describe('a v2 client of a Codex that does not tell of all its work', () => {
  test.each(Object.entries(expectations))('%s: nothing is said of background work before the first of it, and the rest is the same', async (scenario, expectation) => {
    const run = await runCodex(scenario, { withoutSubagents: true });
    expect(seen(run)).toEqual(expected(expectation));
    expect(judged(run)).toEqual(sound);
    const lists = listsIn(run);
    const first = lists.findIndex((list) => listOf(list)[0] !== NOT_REPORTED[0]);
    expect([lists[0], lists.slice(Math.max(first, 0)).filter((list) => first >= 0 && listOf(list)[0] === NOT_REPORTED[0])]).toEqual([NOT_REPORTED, []]);
    if (first >= 0) expect(lists[first]).not.toEqual([]);
  });
});
