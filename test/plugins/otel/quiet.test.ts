/**
 * An update of a known call that tells nothing is not looked into, and long strings of one are not read:
 * it makes no difference.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outlineOf, quietCallOf } from '../../../plugins/otel/reading.js';
import type { Call } from '../../../src/plugin.js';
import { traced, type Traced } from './traced.js';

const update = (members: object): { readonly [key: string]: unknown } => ({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...members });

test('an update is quiet only when it has none of what spans are made of', () => {
  expect(quietCallOf(update({ title: 'a', kind: 'read', rawInput: { x: 1 }, locations: [] }))).toBe('c');
  expect(quietCallOf(update({ _meta: { terminal_output: { terminal_id: 't', data: 'x' } } }))).toBe('c');
  for (const told of [{ status: 'completed' }, { name: 'Bash' }, { content: [] }, { content: null }, { rawOutput: { exit_code: 1 } }, { capabilities: { cancel: {} } }, { _meta: { terminal_exit: {} } }, { _meta: { claudeCode: { toolName: 'Bash' } } }, { _meta: { jetbrains: {} } }, { unheardOf: 1 }]) {
    expect(quietCallOf(update(told)), JSON.stringify(told)).toBeUndefined();
  }
  expect(quietCallOf({ ...update({}), sessionUpdate: 'tool_call' })).toBeUndefined();
  expect(quietCallOf({ ...update({}), toolCallId: '' })).toBeUndefined();
});

test('an update of a call is read without its long strings, unless one of them is an id', () => {
  const whole = (outline: object): unknown[] => {
    const params = { whole: true };
    return [outline, outlineOf({ outline, params } as unknown as Call), params];
  };
  for (const meta of [undefined, { terminal_exit: { terminal_id: 't' } }, { claudeCode: { toolName: '' } }]) {
    const [outline, read] = whole({ sessionId: 's', update: update({ rawOutput: '', title: '', _meta: meta, content: [{ type: 'terminal', terminalId: 't' }, { type: 'content' }] }) });
    expect(read).toBe(outline);
  }
  for (const lost of [{ toolCallId: '' }, { content: [{ type: 'terminal', terminalId: '' }] }, { _meta: { terminal_exit: { terminal_id: '' } } }, { _meta: { claudeCode: { parentToolUseId: '' } } }]) {
    const [, read, params] = whole({ sessionId: 's', update: update(lost) });
    expect(read, JSON.stringify(lost)).toBe(params);
  }
  const [, read, params] = whole({ sessionId: '', update: update({}) });
  expect(read).toBe(params);
});

/** With a member that nobody knows an update is looked into. */
const loud = (message: Message): Message => (message.sessionUpdate === 'tool_call_update' ? { ...message, unheardOf: true } : message);
type Message = { readonly sessionUpdate: string } & Readonly<Record<string, unknown>>;

const id = fc.constantFrom('c1', 'c2', 'child');
const meta = fc.record({ terminal_info: fc.constant({ terminal_id: 't1', cwd: '/' }), terminal_output: fc.constant({ terminal_id: 't1', data: 'x' }), claudeCode: fc.constant({ toolName: 'Bash' }) }, { requiredKeys: [] });
const facts = fc.record({ title: fc.constant('t'), kind: fc.constantFrom('execute', 'read'), status: fc.constantFrom('in_progress', 'completed', 'failed'), rawInput: fc.constant({}), locations: fc.constant([]), content: fc.constantFrom(null, [{ type: 'terminal', terminalId: 't1' }]), _meta: meta }, { requiredKeys: [] });
const message: fc.Arbitrary<Message> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(id, facts).map(([toolCallId, rest]) => ({ sessionUpdate: 'tool_call_update', toolCallId, ...rest })) },
  { weight: 2, arbitrary: fc.tuple(id, facts).map(([toolCallId, rest]) => ({ sessionUpdate: 'tool_call', toolCallId, ...rest })) },
  fc.constantFrom<Message>(
    { sessionUpdate: 'async_task_spawned', asyncTaskId: 'a', taskType: 'shell', toolCallId: 'c1' },
    { sessionUpdate: 'async_task_state_update', asyncTaskId: 'a', state: 'completed' },
    { sessionUpdate: 'subagent_spawned', subagentSessionId: 'child', name: 'helper', capabilities: {} },
    { sessionUpdate: 'subagent_state_update', subagentSessionId: 'child', state: 'completed' },
  ),
);
const step = fc.oneof({ weight: 5, arbitrary: fc.record({ session: fc.constantFrom('s', 's', 'child'), message }) }, { weight: 1, arbitrary: fc.constantFrom('load' as const, 'loaded' as const, 'prompt' as const, 'time' as const) });

function treeOfRun(steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[], as: (each: Message) => Message): string[] {
  const it: Traced = traced();
  it.opens();
  let asked = 0;
  for (const each of steps) {
    it.clock.advance(20);
    if (each === 'time') it.clock.advance(300);
    else if (each === 'prompt') it.client.sends({ jsonrpc: '2.0', id: `p${asked++}`, method: 'session/prompt', params: { sessionId: 's', prompt: [] } });
    else if (each === 'load') it.client.sends({ jsonrpc: '2.0', id: `l${asked++}`, method: 'session/load', params: { sessionId: 's', cwd: '/', mcpServers: [] } });
    else if (each === 'loaded') it.agent.answers(`l${asked - 1}`, {});
    else it.updates(as(each.message), each.session);
  }
  it.clock.advance(1000);
  return it.tree();
}

const seed = Number(process.env.AFTERTURN_SEED ?? Date.now() % 1_000_000);

const long = 'x'.repeat(3000);
const padded = (each: Message): Message => ({ ...each, rawInput: { text: long }, rawOutput: long, ...(each.title === undefined ? {} : { title: long }) });
const idKeys = ['toolCallId', 'terminalId', 'terminal_id'];
const longIds = (each: Message): Message => JSON.parse(JSON.stringify(each), (key, value: unknown) => (idKeys.includes(key) ? `${String(value)}${long}` : value)) as Message;

test(`spans are the same with long texts and with long ids (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 30 }), (steps) => {
      const tree = treeOfRun(steps, loud);
      expect(treeOfRun(steps, padded)).toEqual(tree);
      expect(treeOfRun(steps, longIds)).toEqual(tree);
    }),
    { numRuns: Number(process.env.AFTERTURN_RUNS ?? 60), seed },
  );
});

test(`spans are the same whether it is looked into or not (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 30 }), (steps) => {
      expect(treeOfRun(steps, (each) => each)).toEqual(treeOfRun(steps, loud));
    }),
    { numRuns: Number(process.env.AFTERTURN_RUNS ?? 150), seed },
  );
});
