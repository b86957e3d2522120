import { describe, expect, test } from 'vitest';
import type { JsonObject, Signal } from '../../src/protocol/index.js';
import { readUpdate } from '../../src/protocol/index.js';
import { emptySession, nativeSignals, noNativeWork, reduceLedger, emptyLedger, listedTask } from '../../src/state/index.js';

/** A session that is told updates; `told` are the signals that its lists gave, shortly. */
function session() {
  let ledger = emptyLedger();
  let native = noNativeWork;
  const told: string[] = [];
  const reduce = (signal: Parameters<typeof reduceLedger>[1]['signal']): void => void ([ledger] = reduceLedger(ledger, { session: 's', at: 0, signal }, { asyncTasks: false }));
  const short = (signal: Signal): string => ('task' in signal ? [signal.type, signal.task, 'outcome' in signal ? signal.outcome : (signal.facts.taskType ?? '')].join(' ') : signal.type);
  const it = {
    told,
    reduce,
    native: () => native,
    item: (task: string) => ledger.get('s')?.items.get(task),
    says(sessionUpdate: string, update: JsonObject, isReplay = false) {
      const whole = { sessionUpdate, ...update };
      const [next, signals] = nativeSignals(native, ledger.get('s') ?? emptySession, whole, isReplay);
      native = next;
      told.push(...signals.map(short));
      for (const signal of signals) reduce(signal);
      if (!isReplay) for (const signal of readUpdate(whole).signals) reduce(signal);
      return it;
    },
    lists: (background: unknown, isReplay = false) => it.says('state_update', { state: 'running', background }, isReplay),
  };
  return it;
}

const terminal = { type: 'terminal', terminalId: 'c1' };

describe('work that is listed', () => {
  test('starts once, with its call and whether it can be cancelled, and ends with its exit', () => {
    const it = session().says('tool_call_update', { toolCallId: 'c1', name: 'Bash', status: 'completed' });
    it.says('terminal_update', { terminalId: 'c1', capabilities: { cancel: {} } }).lists([terminal]).lists([terminal]);
    expect(it.item('c1')).toMatchObject({ kind: 'terminal', phase: 'background', toolCallId: 'c1', canCancel: true });
    it.says('terminal_update', { terminalId: 'c1', exitStatus: { exitCode: 3 } }).lists([]);
    expect(it.told).toEqual(['taskStarted c1 shell', 'taskEnded c1 failed']);
    expect(it.item('c1')).toMatchObject({ exitCode: 3 });
  });

  test('and removed without a last word ends as unknown', () => {
    expect(session().lists([terminal]).lists([]).told).toEqual(['taskStarted c1 shell', 'taskEnded c1 unknown']);
  });

  test('and was asked to stop has stopped when it says no more than that it is over', () => {
    const it = session().lists([terminal]);
    it.reduce({ type: 'stopAsked', task: 'c1' });
    expect(it.says('terminal_update', { terminalId: 'c1', exitStatus: {} }).told.at(-1)).toBe('taskEnded c1 stopped');
  });

  test('is named by the tool of its call', () => {
    const it = session().says('tool_call_update', { toolCallId: 'w', name: 'Workflow', status: 'in_progress' });
    expect(it.lists([{ type: 'tool_call', toolCallId: 'w' }]).told).toEqual(['taskStarted w workflow']);
  });

  test('is found by the terminal that its call shows', () => {
    const it = session().says('tool_call_update', { toolCallId: 'c9', status: 'completed', content: [{ type: 'terminal', terminalId: 'c1' }] });
    expect(it.lists([terminal]).item('c1')?.toolCallId).toBe('c9');
  });

  test('keeps the id that another source gave it', () => {
    const it = session().says('tool_call_update', { toolCallId: 'c1', status: 'completed' });
    it.reduce({ type: 'taskStarted', source: 'raw', task: 'b7', facts: { taskType: 'shell', toolCallId: 'c1' } });
    it.lists([terminal]);
    expect(listedTask(it.native(), { type: 'terminal', id: 'c1' })).toBe('b7');
    it.reduce({ type: 'taskEnded', source: 'raw', task: 'b7', outcome: 'completed', facts: {} });
    it.says('terminal_update', { terminalId: 'c1', exitStatus: {} }).lists([]);
    expect(it.told).toEqual(['taskStarted b7 shell']);
    expect(it.item('b7')).toMatchObject({ phase: 'ended', outcome: 'completed' });
  });

  test('is listed again for a new life', () => {
    const subagent = { type: 'subagent', sessionId: 'a' };
    const it = session().lists([subagent]).says('subagent_update', { sessionId: 'a', state: { state: 'idle', stopReason: 'end_turn', background: [] } }).lists([]).lists([subagent]);
    expect(it.told).toEqual(['taskStarted a subagent', 'taskEnded a completed', 'taskStarted a subagent']);
    expect(it.item('a')?.life).toBe(2);
  });
});

test.each([undefined, null, [{ type: 'terminal' }]])('a state with background %j ends nothing', (background) => {
  expect(session().lists([terminal]).lists(background).told).toEqual(['taskStarted c1 shell']);
});

test('a subagent is known before it is listed', () => {
  const it = session().says('subagent_update', { sessionId: 'a', state: { state: 'running', background: [] } });
  expect(it.item('a')).toMatchObject({ kind: 'subagent', background: false });
  expect(it.lists([{ type: 'subagent', sessionId: 'a' }]).item('a')).toMatchObject({ phase: 'background', life: 1 });
});

test('in a replay only the lists count', () => {
  const it = session().lists([terminal]).says('terminal_update', { terminalId: 'c1', exitStatus: { exitCode: 0 } }, true).lists([terminal], true);
  expect(it.item('c1')?.phase).toBe('background');
  expect(it.lists([], true).told.at(-1)).toBe('taskEnded c1 unknown');
});
