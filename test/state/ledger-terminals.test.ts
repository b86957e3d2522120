/** Terminals tell the ledger nothing that becomes a fact: who asks for facts, items and calls only need not tell it of them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUpdate, type Signal } from 'afterturn/protocol';
import { emptyLedger, reduceLedger, type Fact, type Ledger } from 'afterturn/state';

const id = fc.constantFrom('c1', 'c2');
const terminal = { terminal_id: 't1' };
const update = fc.oneof(
  fc.record({ sessionUpdate: fc.constantFrom('tool_call', 'tool_call_update'), toolCallId: id, status: fc.constantFrom(undefined, 'in_progress', 'completed'), content: fc.constantFrom(undefined, [{ type: 'terminal', terminalId: 't1' }]), _meta: fc.constantFrom(undefined, { terminal_info: terminal }, { terminal_output: terminal }, { terminal_exit: { ...terminal, exit_code: 1 } }, { jetbrains: { air: { asyncTasks: { backgrounded: true } } } }) }),
  fc.record({ sessionUpdate: fc.constant('terminal_update'), terminalId: fc.constantFrom('t1', 'c1'), command: fc.constantFrom(undefined, 'ls'), exitStatus: fc.constantFrom(undefined, null, { exitCode: 0 }) }),
  fc.record({ sessionUpdate: fc.constant('async_task_spawned'), asyncTaskId: fc.constantFrom('a1', 'a2'), taskType: fc.constantFrom('shell', 'monitor'), toolCallId: id }),
  fc.record({ sessionUpdate: fc.constant('async_task_state_update'), asyncTaskId: fc.constantFrom('a1', 'a2'), state: fc.constantFrom('completed', 'failed', 'stopped') }),
  fc.record({ sessionUpdate: fc.constant('state_update'), state: fc.constantFrom('running', 'idle') }),
);

function told(signals: readonly Signal[]): unknown {
  let ledger: Ledger = emptyLedger();
  const all: Fact[] = [];
  signals.forEach((signal, at) => {
    const [next, facts] = reduceLedger(ledger, { session: 's', at, signal });
    ledger = next;
    all.push(...facts.map((fact) => ({ ...fact, at: 0, item: { ...fact.item, startedAt: 0, endedAt: undefined }, ...('before' in fact ? { before: undefined } : {}) })));
  });
  const session = ledger.get('s');
  return { all, items: session?.items.keys() ?? [], calls: session?.calls.values().map((call) => ({ ...call, seenAt: 0 })) ?? [], running: session?.running ?? false };
}

const seed = Number(process.env.AFTERTURN_SEED ?? Date.now() % 1_000_000);

test(`what becomes of items and calls is the same without the terminals (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.array(update, { maxLength: 25 }), (updates) => {
      const signals = updates.flatMap((each) => readUpdate(JSON.parse(JSON.stringify(each)) as { readonly [key: string]: unknown }).signals);
      expect(told(signals.filter(({ type }) => type !== 'terminal'))).toEqual(told(signals));
    }),
    { numRuns: Number(process.env.AFTERTURN_RUNS ?? 200), seed },
  );
});
