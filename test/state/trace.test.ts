import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Signal } from '../../src/protocol/index.js';
import { emptyLedger, emptyTrace, nextTraceTick, reduceLedger, reduceTrace, type Ledger, type SpanOp, type TraceEvent, type TraceState } from '../../src/state/index.js';
import { backgroundName, providerOf, wordOf } from '../../src/state/trace-names.js';

const WINDOW = 250;
const EPOCH = 1_700_000_000_000;

type Untimed<E> = E extends unknown ? Omit<E, 'at' | 'wall'> : never;

/** The reducer with its ledger and a clock, and all that it said. */
class Bench {
  state: TraceState = emptyTrace();
  readonly ops: SpanOp[] = [];
  at = 0;
  /** What the wall clock was set by since the start. */
  drift = 0;
  #ledger: Ledger = emptyLedger();

  tells(event: Untimed<TraceEvent>): SpanOp[] {
    const [state, ops] = reduceTrace(this.state, { ...event, at: this.at, wall: EPOCH + this.at + this.drift }, { window: WINDOW });
    this.state = state;
    this.ops.push(...ops);
    return [...ops];
  }

  signals(signal: Signal, session = 's'): SpanOp[] {
    const [ledger, facts] = reduceLedger(this.#ledger, { session, at: this.at, signal });
    this.#ledger = ledger;
    return this.tells({ type: 'signal', session, signal, facts });
  }

  /** Time passes, with the ticks that are due. */
  waits(ms: number): void {
    const until = this.at + ms;
    for (let due = nextTraceTick(this.state); due !== undefined && due <= until; due = nextTraceTick(this.state)) {
      this.at = Math.max(this.at, due);
      this.tells({ type: 'tick' });
    }
    this.at = until;
  }
}

const started = (task: string, facts: object = { taskType: 'shell' }): Signal => ({ type: 'taskStarted', source: 'async', task, facts });
const changed = (task: string, facts: object = {}, paused?: boolean): Signal => ({ type: 'taskChanged', source: 'async', task, facts, ...(paused === undefined ? {} : { paused }) });
const ended = (task: string, outcome: 'completed' | 'failed' | 'stopped'): Signal => ({ type: 'taskEnded', source: 'async', task, outcome, facts: {} });
const call = (id: string, facts: object = {}): Signal => ({ type: 'toolCall', call: id, facts });

const short = (ops: readonly SpanOp[]): string[] => ops.map((op) => `${op.do} ${op.do === 'start' || op.do === 'event' ? op.name : (JSON.parse(op.key) as string[])[1]}`);

describe('times', () => {
  test('follow the wall clock, also when it is set, and never run backwards for the window', () => {
    const bench = new Bench();
    bench.signals(started('t'));
    bench.drift = -3_600_000;
    bench.waits(1000);
    bench.signals(ended('t', 'completed'));
    bench.waits(WINDOW);
    const [start] = bench.ops.filter((op) => op.do === 'start');
    const [end] = bench.ops.filter((op) => op.do === 'end');
    expect(start).toMatchObject({ time: EPOCH });
    expect(end).toMatchObject({ time: EPOCH + 1000 - 3_600_000 });
    expect(nextTraceTick(bench.state)).toBeUndefined();
  });

  test('an item whose call is not known yet starts at the end of the window at the latest, at its own time', () => {
    const bench = new Bench();
    bench.at = 10;
    expect(bench.signals(started('t', { taskType: 'shell', toolCallId: 'c' }))).toEqual([]);
    expect(nextTraceTick(bench.state)).toBe(10 + WINDOW);
    bench.waits(WINDOW);
    expect(short(bench.ops)).toEqual(['start background shell', 'announce background']);
    expect(bench.ops[0]).toMatchObject({ time: EPOCH + 10, parent: undefined });
  });

  test('an item waits for its call, and starts with it', () => {
    const bench = new Bench();
    bench.signals(started('t', { taskType: 'shell', toolCallId: 'c' }));
    bench.at = 5;
    const ops = bench.signals(call('c', { start: true, name: 'Bash' }));
    expect(short(ops)).toEqual(['start execute_tool Bash', 'start background shell', 'announce background']);
    expect(ops[1]).toMatchObject({ time: EPOCH, parent: { key: ops[0]?.key } });
  });

  test('a window of zero writes ends at the next tick', () => {
    let [state] = reduceTrace(emptyTrace(), { type: 'ready', session: 's', at: 0, wall: 0 }, { window: 0 });
    const [ledger, spawned] = reduceLedger(emptyLedger(), { session: 's', at: 0, signal: started('t') });
    [state] = reduceTrace(state, { type: 'signal', session: 's', at: 0, wall: 0, signal: started('t'), facts: spawned }, { window: 0 });
    const [, over] = reduceLedger(ledger, { session: 's', at: 1, signal: ended('t', 'completed') });
    [state] = reduceTrace(state, { type: 'signal', session: 's', at: 1, wall: 1, signal: ended('t', 'completed'), facts: over }, { window: 0 });
    expect(nextTraceTick(state)).toBe(1);
    const [last, ops] = reduceTrace(state, { type: 'tick', at: 1, wall: 1 }, { window: 0 });
    expect(short(ops)).toEqual(['set background', 'end background']);
    expect(nextTraceTick(last)).toBeUndefined();
  });
});

describe('what becomes of a live item', () => {
  test('whose type is told late: its span is renamed', () => {
    const bench = new Bench();
    bench.signals(call('c', { start: true, name: 'Workflow' }));
    bench.signals(started('t', { toolCallId: 'c' }));
    const ops = bench.signals(changed('t', { taskType: 'workflow' }));
    expect(short(bench.ops)).toEqual(['start execute_tool Workflow', 'start background', 'announce background', 'set background']);
    expect(ops[0]).toMatchObject({ name: 'background workflow', attributes: { 'acp.background.task_type': 'workflow' } });
  });

  test('which turns out to be housekeeping: its span is dropped, and nothing more is said', () => {
    const bench = new Bench();
    bench.signals(call('c', { start: true, name: 'Bash' }));
    bench.signals(started('t', { taskType: 'shell', toolCallId: 'c' }));
    expect(short(bench.signals(changed('t', { ambient: true })))).toEqual(['drop background']);
    bench.signals(ended('t', 'completed'));
    bench.waits(1000);
    expect(short(bench.ops).filter((op) => op.includes('background'))).toEqual(['start background shell', 'announce background', 'drop background']);
  });

  test('that has ended: what is told after the window says nothing more', () => {
    const bench = new Bench();
    bench.signals(started('t'));
    bench.signals(ended('t', 'stopped'));
    bench.waits(WINDOW);
    expect(short(bench.ops)).toEqual(['start background shell', 'announce background', 'set background', 'end background']);
    expect(bench.signals(ended('t', 'completed'))).toEqual([]);
    expect(bench.signals(changed('t', { summary: 'late' }))).toEqual([]);
    expect(bench.tells({ type: 'exitCode', session: 's', task: 't', code: 0 })).toEqual([]);
    expect(bench.tells({ type: 'cancelRequested', session: 's', task: 't' })).toEqual([]);
  });

  test('whose call was forgotten hangs under the open turn', () => {
    const bench = new Bench();
    bench.tells({ type: 'prompt', session: 's', id: 1 });
    bench.signals(started('t', { taskType: 'shell', toolCallId: 'gone' }));
    bench.waits(WINDOW);
    const [prompt, item] = bench.ops.filter((op) => op.do === 'start');
    expect(item).toMatchObject({ parent: { key: prompt?.key } });
  });
});

describe('a turn of the agent\'s own', () => {
  const turn = (task: string, description?: string): Signal => started(task, { taskType: 'turn', description });

  test('links to the item that its description names, not to the last that ended', () => {
    const bench = new Bench();
    for (const task of ['a', 'b']) bench.signals(started(task, { taskType: 'shell', description: `Run ${task}` }));
    bench.signals(ended('a', 'completed'));
    bench.signals(ended('b', 'completed'));
    const links = (ops: readonly SpanOp[]): readonly (string | undefined)[] => {
      const start = ops.find((op) => op.do === 'start');
      const keys = start?.do === 'start' ? start.links : [];
      return keys.map((span) => bench.ops.flatMap((op) => (op.do === 'start' && 'key' in span && op.key === span.key ? [op.attributes['acp.background.id'] as string] : []))[0]);
    };
    expect(links(bench.signals(turn('t1', 'Background command "Run b" completed')))).toEqual(['b']);
    bench.signals(ended('t1', 'completed'));
    expect(links(bench.signals(turn('t2')))).toEqual(['a']);
    bench.signals(ended('t2', 'completed'));
    expect(links(bench.signals(turn('t3')))).toEqual([]);
  });

  test('links to nothing when the last end is longer ago than the window', () => {
    const bench = new Bench();
    bench.signals(started('a'));
    bench.signals(ended('a', 'completed'));
    bench.waits(WINDOW + 1);
    expect(bench.signals(turn('t'))[0]).toMatchObject({ do: 'start', links: [], parent: undefined });
  });

  test('from the raw feed only where no turn is open, and not in v2', () => {
    const bench = new Bench();
    const feed = (running: boolean): SpanOp[] => bench.signals({ type: 'sessionState', running });
    bench.tells({ type: 'ready', session: 's' });
    bench.tells({ type: 'prompt', session: 's', id: 1 });
    expect(feed(true)).toEqual([]);
    bench.tells({ type: 'promptAnswered', session: 's', id: 1, end: { stopReason: 'end_turn' } });
    expect(feed(true)).toEqual([]);
    expect(feed(false)).toEqual([]);
    expect(short(feed(true))).toEqual(['start invoke_agent']);
    expect(short(feed(false))).toEqual(['set invoke_agent', 'end invoke_agent']);
    bench.tells({ type: 'agent', protocol: 2, name: 'x', version: undefined });
    expect(feed(true)).toEqual([]);
  });
});

describe('names', () => {
  test('only words stand in span names', () => {
    expect(['Bash', 'mcp__github__search', 'a.b:c-d'].map(wordOf)).toEqual(['Bash', 'mcp__github__search', 'a.b:c-d']);
    for (const text of [undefined, '', 'two words', '/a/path', 'C:\\x', '1st', 'x'.repeat(129), 'a\nb', 'rm;ls']) expect(wordOf(text)).toBeUndefined();
    expect(backgroundName(undefined)).toBe('background');
  });

  test('providers of the agents that are known; the others stand for themselves', () => {
    expect(providerOf('@agentclientprotocol/claude-agent-acp')).toBe('anthropic');
    expect(providerOf('@agentclientprotocol/codex-acp')).toBe('openai');
    expect(providerOf('gemini-cli')).toBe('gcp.gemini');
    expect(providerOf('opencode')).toBe('opencode');
  });
});

describe('the state', () => {
  test('is the same when nothing changed', () => {
    const bench = new Bench();
    bench.signals(call('c', { start: true, name: 'Bash' }));
    const { state } = bench;
    bench.signals(call('c', { title: 'other' }));
    expect(bench.state).toBe(state);
    bench.tells({ type: 'tick' });
    expect(bench.state).toBe(state);
  });

  test('forgets ended calls and items by count, never an open one', () => {
    const bench = new Bench();
    bench.signals(call('live', { start: true }));
    bench.signals(started('live', { taskType: 'shell', toolCallId: 'live' }));
    for (let i = 0; i < 1000; i++) {
      bench.signals(call(`c${i}`, { start: true, status: 'completed' }));
      bench.signals(started(`t${i}`, { taskType: 'shell', toolCallId: `c${i}` }));
      bench.signals(ended(`t${i}`, 'completed'));
      bench.waits(WINDOW);
    }
    const session = bench.state.sessions.get('s');
    expect(session?.calls.size).toBeLessThanOrEqual(257);
    expect(session?.items.size).toBeLessThanOrEqual(257);
    expect(session?.calls.has('live')).toBe(true);
    expect(session?.items.has('live')).toBe(true);
  });
});

/** Any order of anything: what comes out is always a set of well-formed spans. */
describe('any sequence of events', () => {
  const task = fc.constantFrom('t1', 't2', 'turn');
  const callId = fc.constantFrom('c1', 'c2');
  const session = fc.constantFrom('s', 's', 's', 'other');
  const facts = fc.record(
    { toolCallId: callId, taskType: fc.constantFrom('shell', 'monitor', 'turn', 'a b'), ambient: fc.constant(true), description: fc.constantFrom('d1', 'd2'), summary: fc.constantFrom('x', 'y'), run: fc.constantFrom('r1', 'r2') },
    { requiredKeys: [] },
  );
  const source = fc.constantFrom('async' as const, 'raw' as const);
  const signal: fc.Arbitrary<Signal> = fc.oneof(
    fc.record({ type: fc.constant('taskStarted' as const), source, task, facts }),
    fc.record({ type: fc.constant('taskChanged' as const), source, task, facts, paused: fc.boolean() }),
    fc.record({ type: fc.constant('taskEnded' as const), source, task, facts, outcome: fc.constantFrom('completed' as const, 'failed' as const, 'stopped' as const) }),
    fc.record({ type: fc.constant('toolCall' as const), call: callId, facts: fc.record({ start: fc.boolean(), status: fc.constantFrom('pending', 'completed', 'failed'), name: fc.constantFrom('Bash', 'a path/x') }, { requiredKeys: [] }) }),
    fc.record({ type: fc.constant('terminal' as const), terminal: callId, facts: fc.constant({ exit: { exitCode: 1 } }) }),
    fc.record({ type: fc.constant('foreground' as const), state: fc.constantFrom('idle', 'running', 'requires_action') }),
    fc.record({ type: fc.constant('sessionState' as const), running: fc.boolean() }),
  );
  const id = fc.constantFrom(1, 'x', null);
  const event = fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant('wire' as const), session, signal }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(0, 5, 249, 250, 11_000) }) },
    fc.record({ type: fc.constantFrom('ready' as const, 'closed' as const, 'replay' as const, 'replayed' as const), session }),
    fc.record({ type: fc.constant('prompt' as const), session, id }),
    fc.record({ type: fc.constant('promptAnswered' as const), session, id, end: fc.constantFrom({}, { errorCode: -32603 }, { stopReason: 'end_turn' }) }),
    fc.record({ type: fc.constant('permission' as const), session, id, toolCallId: fc.option(callId, { nil: undefined }) }),
    fc.record({ type: fc.constant('permissionAnswered' as const), session, id, end: fc.constantFrom({}, { outcome: 'selected' }) }),
    fc.record({ type: fc.constant('cancelRequested' as const), session, task: fc.option(task, { nil: undefined }) }),
    fc.record({ type: fc.constant('exitCode' as const), session, task, code: fc.constantFrom(0, 3) }),
    fc.record({ type: fc.constant('agent' as const), protocol: fc.constantFrom(1 as const, 2 as const), name: fc.constant('x'), version: fc.constant(undefined) }),
  );

  test('gives spans that start once, end once, and hang under spans that have started', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 10, maxLength: 60 }), (events) => {
        const bench = new Bench();
        for (const each of events) {
          if (each.type === 'wait') bench.waits(each.ms);
          else if (each.type === 'wire') bench.signals(each.signal, each.session);
          else bench.tells(each);
        }
        bench.tells({ type: 'over', reason: 'agent_exited' });
        expect(nextTraceTick(bench.state)).toBeUndefined();
        const open = new Map<string, number>();
        const known = new Set<string>();
        for (const op of bench.ops) {
          if (op.do === 'start') {
            expect(open.has(op.key), `${op.key} starts while it is open`).toBe(false);
            for (const span of [...op.links, ...(op.parent === undefined ? [] : [op.parent])]) expect('key' in span && known.has(span.key), `${op.key} refers to ${JSON.stringify(span)}`).toBe(true);
            open.set(op.key, op.time);
            known.add(op.key);
          } else {
            expect(open.has(op.key), `${op.do} of ${op.key}, which is not open`).toBe(true);
            if (op.do === 'end') expect(op.time).toBeGreaterThanOrEqual(open.get(op.key) ?? 0);
            if (op.do === 'end' || op.do === 'drop') open.delete(op.key);
          }
        }
        expect([...open.keys()]).toEqual([]);
        expect(JSON.stringify(bench.ops)).not.toMatch(/d1|d2|a path|a b/);
      }),
      { numRuns: 1000 },
    );
  });
});
