import { describe, expect, test } from 'vitest';
import { Family } from '../../plugins/family.js';

function family(...pairs: readonly (readonly [child: string, parent: string])[]): Family {
  const made = new Family();
  for (const [child, parent] of pairs) made.adopt(child, parent);
  return made;
}

const started = (task: string, parentTask?: string) => ({ type: 'taskStarted' as const, source: 'raw' as const, task, facts: parentTask === undefined ? {} : { parentTask } });
const ended = (task: string) => ({ type: 'taskEnded' as const, source: 'raw' as const, task, outcome: 'completed' as const, facts: {} });

describe('who comes from whom', () => {
  const all = family(['a', 's'], ['b', 's'], ['a1', 'a'], ['a2', 'a']);

  test('the innermost first', () => {
    expect(all.descendants('s')).toEqual(['a1', 'a2', 'a', 'b']);
    expect(all.descendants('b')).toEqual([]);
  });

  test('the root is where the agent knows all of it', () => {
    expect([all.rootOf('a2'), all.rootOf('s'), all.rootOf('other')]).toEqual(['s', 's', 'other']);
  });

  test('nobody comes from itself, and a child is new once', () => {
    const made = family(['a', 's']);
    expect([made.adopt('a', 's'), made.adopt('s', 'a'), made.adopt('x', 'x'), made.adopt('b', 'a')]).toEqual([false, false, false, true]);
    expect(made.ancestors('b')).toEqual(['a', 's']);
  });

  test('of a chain without end the first are a family; of children without end the newest are known, at little cost', () => {
    const made = new Family();
    const deep = Array.from({ length: 1000 }, (_, n) => made.adopt(`d${n + 1}`, `d${n}`)).filter(Boolean).length;
    expect(deep).toBeGreaterThan(900);
    expect(made.descendants('d0').length).toBeLessThan(100);
    for (let n = 0; n < 40_000; n += 1) {
      made.adopt(`c${n}`, 'root');
      made.descendants(`c${n}`);
    }
    expect([made.parentOf('c0'), made.parentOf('c39999'), made.descendants('root').length <= 20_000]).toEqual([undefined, 'root', true]);
  });

  test('a session is forgotten with all that come from it', () => {
    const made = family(['a', 's'], ['a1', 'a']);
    made.forget('s');
    expect([made.descendants('s'), made.parentOf('a1')]).toEqual([[], undefined]);
  });
});

describe('whose task it is that the raw feed tells of', () => {
  test('the root’s, unless a subagent started it', () => {
    const made = family(['a', 's'], ['a1', 'a']);
    expect(made.routed('s', [started('x'), started('y', 'a'), started('z', 'a1'), started('w', 'nobody')])).toEqual([
      ['s', [started('x')]], ['a', [started('y', 'a')]], ['a1', [started('z', 'a1')]], ['s', [started('w', 'nobody')]],
    ]);
  });

  test('also later, when nothing names the subagent', () => {
    const made = family(['a', 's']);
    made.routed('s', [started('y', 'a')]);
    expect(made.routed('s', [ended('y'), ended('x')])).toEqual([['a', [ended('y')]], ['s', [ended('x')]]]);
  });

  test('where a subagent itself told of it', () => {
    const made = family(['a', 's']);
    made.owns('a', [{ ...started('y'), source: 'async' }]);
    expect(made.routed('s', [ended('y')])).toEqual([['a', [ended('y')]]]);
    expect(made.routed('other', [ended('y')])).toEqual([['other', [ended('y')]]]);
  });

  test('what is no task is the root’s', () => {
    expect(family(['a', 's']).routed('s', [started('y', 'a'), { type: 'liveSet', tasks: ['y'] }]).map(([session]) => session)).toEqual(['a', 's']);
  });
});
