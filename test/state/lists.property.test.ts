/**
 * The rules of lists, against random sessions. A run that fails prints its seed and the shortest
 * session that it found; the same session is played again with that seed in `AFTERTURN_SEED`.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptySession, leavesAsItIs, reduceLists, type ListsEffect, type ListsEvent, type ListsOptions, type SessionLists } from 'afterturn/state';
import { Broken } from './model-client.js';
import { play, script, type Script } from './random-session.js';

const seed = Number(process.env.AFTERTURN_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.AFTERTURN_RUNS ?? 10_000);

/** Updates that may change nothing, and some that do. */
const plain = ['agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk', 'plan_update', 'usage_update', 'user_message'].map((sessionUpdate) => ({ sessionUpdate }));
const ofCalls = ['c1', 'c2', 'd1', 'd2', 's1', 'another'].flatMap((toolCallId) => [
  {}, { status: 'in_progress' }, { status: 'completed', content: [{ type: 'content', content: { type: 'text', text: 'x' } }], rawOutput: { exit_code: 0 } }, { status: 'failed' },
  { content: [{ type: 'terminal', terminalId: toolCallId }] }, { _meta: { jetbrains: { air: { asyncTasks: {} } } } }, { _meta: { other: 1 } },
].map((fields) => ({ sessionUpdate: 'tool_call_update', toolCallId, ...fields })));
const updates = [...plain, { sessionUpdate: 'tool_call_update' }, ...ofCalls, ...['c1', 's1'].map((terminalId) => ({ sessionUpdate: 'terminal_output_chunk', terminalId, data: 'eA==' }))];

describe('random sessions', () => {
  it(`keep every rule: ${RUNS} of them, seed ${seed}`, () => {
    fc.assert(fc.property(script, (each) => void play(each)), { seed, numRuns: RUNS });
  }, 120_000);

  it('are not changed by updates that are told to change nothing', () => {
    const taken = new Map<string, number>();
    const checked: typeof reduceLists = (lists, event, options) => {
      const result = reduceLists(lists, event, options);
      const ledger = 'ledger' in event ? event.ledger : emptySession;
      for (const update of updates) {
        if (!leavesAsItIs(result[0], ledger, update)) continue;
        taken.set(update.sessionUpdate, (taken.get(update.sessionUpdate) ?? 0) + 1);
        const [after, effects] = reduceLists(result[0], { type: 'update', update, facts: [], session: event.session, at: event.at + 1, ledger }, options);
        if (after !== result[0] || JSON.stringify(effects) !== '[{"do":"keep"}]') expect.fail(`${JSON.stringify(update)} did ${JSON.stringify(effects)}`);
      }
      return result;
    };
    fc.assert(fc.property(script, (each) => void play(each, checked)), { seed, numRuns: 300 });
    expect(Math.min(...['agent_message_chunk', 'terminal_output_chunk', 'tool_call_update'].map((kind) => taken.get(kind) ?? 0))).toBeGreaterThan(1000);
  }, 60_000);

  it('are valid by the schema', () => {
    fc.assert(fc.property(script, (each) => {
      expect(play(each).invalid()).toEqual([]);
    }), { seed, numRuns: 200 });
  }, 60_000);
});

type Saboteur = (effects: readonly ListsEffect[], event: ListsEvent, lists: SessionLists) => readonly ListsEffect[];

const sabotaged = (spoil: Saboteur): typeof reduceLists => (lists: SessionLists, event: ListsEvent, options: ListsOptions) => {
  const [next, effects] = reduceLists(lists, event, options);
  return [next, spoil(effects, event, next)];
};

const isSnapshot = (effect: ListsEffect): effect is Extract<ListsEffect, { do: 'send' }> => effect.do === 'send' && effect.update.sessionUpdate === 'state_update';
const withList = (change: (list: readonly object[]) => readonly object[]) => (effect: ListsEffect): ListsEffect =>
  isSnapshot(effect) ? { do: 'send', update: { ...effect.update, background: change(effect.update.background as readonly object[]) } } : effect;
const isEnd = ({ update }: Extract<ListsEffect, { do: 'send' }>): boolean => update.capabilities === null;

/** Each takes one rule out. */
const saboteurs: readonly (readonly [string, string, Saboteur])[] = [
  ['announcements are dropped', '5.1', (effects) => effects.filter((effect) => effect.do !== 'send' || !('capabilities' in effect.update) || isEnd(effect))],
  ['ends are dropped', '5.1', (effects, event) => effects.filter((effect) => event.type === 'ended' || effect.do !== 'send' || isSnapshot(effect) || !isEnd(effect))],
  ['what has ended can still be cancelled', '5.1', (effects) => effects.map((effect) => {
    if (effect.do !== 'send' || !isEnd(effect)) return effect;
    const { capabilities: _, ...update } = effect.update;
    return { do: 'send', update };
  })],
  ['the list comes before the announcement', '5.1', (effects) => [...effects.filter(isSnapshot), ...effects.filter((effect) => !isSnapshot(effect))]],
  ['snapshots have no list', '5.2', (effects) => effects.map((effect) => {
    if (!isSnapshot(effect)) return effect;
    const { background: _, ...update } = effect.update;
    return { do: 'send', update };
  })],
  ['only `idle` has a list', '5.2', (effects) => effects.map((effect) => {
    if (!isSnapshot(effect) || effect.update.state === 'idle') return effect;
    const { background: _, ...update } = effect.update;
    return { do: 'send', update };
  })],
  ['a change of the list is not told', '5.2', (effects, event) => effects.filter((effect) => !isSnapshot(effect) || (event.type === 'update' && event.update.sessionUpdate === 'state_update'))],
  ['the list forgets one item', '5.2', (effects) => effects.map(withList((list) => list.slice(1)))],
  ['the launching call is listed beside its terminal', '5.3', (effects) => effects.map(withList((list) => list.flatMap((item) =>
    'terminalId' in item && !String(item.terminalId).startsWith('afterturn:') ? [item, { type: 'tool_call', toolCallId: item.terminalId }] : [item])))],
  ['the launching call is listed in place of its terminal', '5.3', (effects) => effects.map(withList((list) => list.map((item) =>
    'terminalId' in item && !String(item.terminalId).startsWith('afterturn:') ? { type: 'tool_call', toolCallId: item.terminalId } : item)))],
  ['the end of foreground work is not told', '5.12', (effects) => effects.filter((effect) => !isSnapshot(effect) || effect.update.stopReason === undefined)],
  ['a close says nothing', '5.10', (effects, event) => (event.type === 'ended' ? [] : effects)],
  ['work is listed before it detaches', '5.3', (effects, event) => {
    const ledger = 'ledger' in event ? event.ledger : emptySession;
    const waiting = [...ledger.items.values()].filter(({ phase, kind, toolCallId }) => phase === 'foreground' && kind === 'terminal' && ledger.terminals.has(toolCallId ?? ''));
    return effects.map(withList((list) => [...list, ...waiting.map(({ toolCallId }) => ({ type: 'terminal', terminalId: toolCallId }))]));
  }],
];

/** Whether a random session shows that this rule, or any rule, is broken. */
function breaks(reduce: typeof reduceLists, rule?: string): boolean {
  const keeps = (each: Script): boolean => {
    try {
      play(each, reduce);
      return true;
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      return rule !== undefined && error.rule !== rule;
    }
  };
  const { failed, errorInstance } = fc.check(fc.property(script, keeps), { seed, numRuns: RUNS, endOnFailure: true });
  if (errorInstance instanceof Error && !errorInstance.message.includes('returning false')) throw errorInstance;
  return failed;
}

/** The rules that habits of the agent switch: each is taken out by the wrong habit. */
const wrongHabits: readonly (readonly [string, string, Partial<ListsOptions>])[] = [
  ['a removal does not wait for the agent\'s own turn', '5.7', { startsTurns: false }],
  ['a `stopped` does not wait for its correction', '4', { correctsStops: false }],
  ['the exit at launch is believed', '5.4', { exitAtLaunch: false }],
];

describe('the invariants turn red when a rule is taken out', () => {
  it.each(wrongHabits)('%s: %s', (_, rule, habits) => {
    expect(breaks((lists, event, options) => reduceLists(lists, event, { ...options, ...habits }), rule)).toBe(true);
  }, 120_000);

  it.each(saboteurs)('%s: %s', (_, rule, spoil) => {
    expect(breaks(sabotaged(spoil), rule)).toBe(true);
  }, 120_000);

  it('each of them by itself, not by accident: nothing is broken without a saboteur', () => {
    expect(breaks(sabotaged((effects) => effects))).toBe(false);
  }, 120_000);
});
