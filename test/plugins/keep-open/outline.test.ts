/** The output of a command that launched nothing is not read: it can be long, and there is much of it. */
import { expect, it } from 'vitest';
import type { Call, CallHook, Host } from 'afterturn/plugin';
import type { JsonObject } from 'afterturn/protocol';
import { keepOpen } from '../../../plugins/keep-open/index.js';

const host = { now: () => 0, after: () => () => undefined } as unknown as Host;
const CLAUDE = { protocolVersion: 1, agentInfo: { name: '@agentclientprotocol/claude-agent-acp', version: '0.101.0' } };

/** A line whose contents are counted when they are read. */
function line(update: JsonObject): Call & { readonly reads: number } {
  const outline = { sessionId: 's', update: { toolCallId: 'c', ...update } };
  let reads = 0;
  return {
    kind: 'notification', method: 'session/update', id: undefined, outline, raw: new Uint8Array(),
    get params() {
      reads++;
      return outline;
    },
    withTexts() {
      reads++;
      return outline;
    },
    get reads() {
      return reads;
    },
  };
}

it('reads contents only of what goes on changed, may arm its call, or is kept', () => {
  const { toClient } = keepOpen({ source: 'auto', followUpWindow: 250 });
  void toClient?.replies?.initialize?.({ kind: 'reply', to: { method: 'initialize', id: 1, seenAt: 0 }, result: CLAUDE, error: undefined, raw: new Uint8Array() }, host);
  const table = toClient?.calls?.['session/update'] as Readonly<Record<string, CallHook>>;
  const readsOf = ({ sessionUpdate = 'tool_call_update', ...more }: JsonObject): number => {
    const call = line({ sessionUpdate, ...more });
    void table[String(sessionUpdate)]?.(call, host);
    return call.reads;
  };
  const output = { _meta: { terminal_output: { terminal_id: 'c', data: '' } } };
  expect(readsOf({ status: 'in_progress', content: [] })).toBe(0);
  expect(readsOf({ sessionUpdate: 'tool_call', name: 'Bash', content: [] })).toBeGreaterThan(0);
  expect(readsOf(output)).toBe(0);
  expect(readsOf({ content: [{ type: 'terminal', terminalId: 'c' }] })).toBeGreaterThan(0);
  expect(readsOf({ _meta: { claudeCode: { toolResponse: { backgroundTaskId: 't' } } } })).toBeGreaterThan(0);
  expect(readsOf(output)).toBeGreaterThan(0);
});
