import { describe, expect, test } from 'vitest';
import { compiledTable, kinds, placeOf, type Seat, type SeatHost, type Steps } from '../../src/pipeline/compile.js';
import { Asked } from '../../src/pipeline/pending.js';
import type { CallHooks, Direction, Plugin, ReplyHooks } from '../../src/plugin.js';
import { Frame } from '../../src/wire/frame.js';

const host = {} as SeatHost;
const seats = (plugins: readonly Plugin[]): Seat[] => plugins.map((plugin, index) => ({ index, plugin, host, active: true, become: () => expect.unreachable() }));
const calling = (name: string, calls: CallHooks): Plugin => ({ name, toAgent: { calls }, toClient: { calls } });
const replying = (name: string, replies: ReplyHooks): Plugin => ({ name, toAgent: { replies }, toClient: { replies } });
const pass = (): undefined => undefined;

/** The plugins that a call meets, in order. */
function met(list: readonly Seat[], direction: Direction, method: string, kind?: string): string[] {
  return compiledTable(list, direction).callSteps(method, kind).map(({ seat }) => seat.plugin.name);
}

describe('a call meets the plugins that name it', () => {
  const list = seats([
    calling('a', { x: pass, [kinds.method]: { plan: pass } }),
    calling('b', { '*': pass }),
    calling('c', { x: pass, '*': pass }),
    calling('d', { [kinds.method]: pass }),
  ]);

  test('forwards to the agent, backwards to the client', () => {
    expect(met(list, 'toAgent', 'x')).toEqual(['a', 'b', 'c']);
    expect(met(list, 'toClient', 'x')).toEqual(['c', 'b', 'a']);
  });

  test('"*" is every method without a key of its own', () => {
    expect(met(list, 'toAgent', 'y')).toEqual(['b', 'c']);
    expect(met(seats([calling('e', { x: pass, '*': pass })]), 'toAgent', 'x')).toEqual(['e']);
  });

  test('a table of kinds is for the kinds that it names', () => {
    expect(met(list, 'toAgent', kinds.method, 'plan')).toEqual(['a', 'b', 'c', 'd']);
    expect(met(list, 'toAgent', kinds.method, 'other')).toEqual(['b', 'c', 'd']);
    expect(met(list, 'toAgent', kinds.method)).toEqual(['b', 'c', 'd']);
    expect(met(seats([calling('e', { '*': pass, [kinds.method]: { plan: pass } })]), 'toAgent', kinds.method, 'other')).toEqual([]);
  });

  test('names of the language are names like others', () => {
    for (const name of ['__proto__', 'toString', 'constructor', 'hasOwnProperty']) {
      expect(met(seats([calling('a', { x: pass, [kinds.method]: { plan: pass } })]), 'toAgent', name)).toEqual([]);
      expect(met(seats([calling('a', { [kinds.method]: { plan: pass } })]), 'toAgent', kinds.method, name)).toEqual([]);
    }
  });

  test('who has left is not met', () => {
    const left = list.map((seat) => ({ ...seat, active: seat.plugin.name !== 'c' }));
    expect(met(left, 'toClient', 'x')).toEqual(['b', 'a']);
  });
});

describe('a reply meets the plugins between the answerer and whoever asked', () => {
  const list = seats([replying('a', { x: pass }), replying('b', { '*': pass }), calling('c', { x: pass }), replying('d', { y: pass, '*': pass })]);

  function replies(owner: number | undefined, from = 0): string[] {
    const asked = new Asked('1', 'toAgent', owner === undefined ? undefined : { name: 'p', replied: pass });
    asked.looksFrom(owner === undefined ? 0 : owner + 1, 'x', 0);
    return compiledTable(list, 'toClient').replySteps(asked, from).map(({ seat }) => seat.plugin.name);
  }

  test('of the peer: all of them', () => expect(replies(undefined)).toEqual(['d', 'b', 'a']));
  test('of a plugin: those behind it', () => {
    expect(replies(0)).toEqual(['d', 'b']);
    expect(replies(3)).toEqual([]);
  });
  test('from a plugin: those before it', () => expect(replies(undefined, placeOf(2, 'toClient', 4) + 1)).toEqual(['b', 'a']));

  test('by the method that each one saw', () => {
    const asked = new Asked('1', 'toAgent', undefined);
    asked.looksFrom(0, 'x', 1);
    asked.looksFrom(1, 'y', 2);
    const seen: unknown[] = [];
    const noting = (name: string): Plugin => replying(name, { '*': ({ to }) => void seen.push([name, to]) });
    const steps = compiledTable(seats([noting('a'), noting('b')]), 'toClient').replySteps(asked, 0);
    for (const { run } of steps) void run(Frame.ofReply('1', { result: 1 }), asked);
    expect(seen).toEqual([
      ['b', { method: 'y', id: 1, seenAt: 2 }],
      ['a', { method: 'x', id: 1, seenAt: 1 }],
    ]);
  });
});

test('of requests that all saw alike the steps are made once, for each method that is named and for all others', () => {
  const seen: unknown[] = [];
  const noting = (name: string, ...methods: readonly string[]): Plugin => replying(name, Object.fromEntries(methods.map((method) => [method, ({ to }) => void seen.push([name, to])])));
  const table = compiledTable(seats([noting('a', 'x'), noting('b', '*'), noting('c', 'x', 'y')]), 'toClient');
  const askedAs = (method: string, id = '1'): Asked => {
    const asked = new Asked(id, 'toAgent', undefined);
    asked.looksFrom(0, method, 5);
    return asked;
  };
  const stepsOf = (method: string): Steps => table.replySteps(askedAs(method), 0);
  const names = (method: string): readonly string[] => stepsOf(method).map(({ seat }) => seat.plugin.name);
  expect([names('x'), names('y'), names('z'), names('__proto__'), names('*')]).toEqual([['c', 'b', 'a'], ['c', 'b'], ['b'], ['b'], ['b']]);
  expect(stepsOf('x')).toBe(stepsOf('x'));
  expect(stepsOf('z')).toBe(stepsOf('other'));
  for (const { run } of stepsOf('z')) void run(Frame.ofReply('7', { result: 1 }), askedAs('other', '7'));
  expect(seen).toEqual([['b', { method: 'other', id: 7, seenAt: 5 }]]);
});

test('it says whether anybody wants anything', () => {
  const table = (plugin: Plugin): readonly boolean[] => {
    const { hasCalls, hasReplies } = compiledTable(seats([plugin]), 'toAgent');
    return [hasCalls, hasReplies];
  };
  expect(table({ name: 'a' })).toEqual([false, false]);
  expect(table({ name: 'a', toAgent: { calls: {}, replies: {} } })).toEqual([false, false]);
  expect(table({ name: 'a', toClient: { calls: { x: pass } } })).toEqual([false, false]);
  expect(table(calling('a', { x: pass }))).toEqual([true, false]);
  expect(table(replying('a', { x: pass }))).toEqual([false, true]);
});

test('a hook that would never be called is refused', () => {
  const table = (calls: unknown) => () => compiledTable(seats([calling('p', calls as CallHooks)]), 'toAgent');
  expect(table({ 'session/new': { plan: pass } })).toThrow('plugin "p": toAgent.calls["session/new"] must be a function, got object; only "session/update" may have a table of functions by kind');
  expect(table({ '*': { plan: pass } })).toThrow(TypeError);
  expect(table({ x: undefined })).toThrow(TypeError);
  expect(table({ [kinds.method]: { plan: 1 } })).toThrow(TypeError);
});
