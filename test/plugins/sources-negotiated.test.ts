/** What counts as negotiated where an agent names every capability that it knows, declared or not. */
import { describe, expect, it } from 'vitest';
import { builtInPlugins } from '../../plugins/index.js';
import { sources } from '../../plugins/sources.js';
import { wired, type Message, type Wired } from '../pipeline/harness.js';

const ALL = ['goal', 'asyncTasks', 'nativeSubagentSessions', 'backgroundSubagents'];
const air = (capabilities: readonly string[]): Message => ({ _meta: { jetbrains: { air: { version: 1, goal: { version: 1 }, capabilities } } } });
const CODEX = { protocolVersion: 1, agentInfo: { name: '@agentclientprotocol/codex-acp', version: '2.6.0' }, agentCapabilities: {} };
const initialize = (capabilities: Message): Message => ({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: capabilities } });

/** The answer as it leaves the plugin beside the agent. */
function answered(declared: Message, answer: Message, source: 'auto' | 'async-tasks' = 'async-tasks'): { readonly declared: readonly string[]; readonly result: Message; readonly on: Wired } {
  const { atClient, atAgent } = sources({ source });
  const on = wired([{ name: 'between', toAgent: atClient.toAgent }, atAgent]);
  on.client.sends(initialize(declared));
  const sent = on.agent.received()[0]?.params.clientCapabilities._meta?.jetbrains?.air?.capabilities ?? [];
  on.agent.answers(0, answer);
  return { declared: sent, result: on.client.received()[0]?.result, on };
}

describe('an agent that names more than was declared', () => {
  it('has negotiated what was declared, and nothing else of its answer changes', () => {
    const { declared, result } = answered({}, { ...CODEX, ...air(ALL) });
    expect(declared).toContain('asyncTasks');
    expect(result).toEqual({ ...CODEX, ...air(ALL.filter((capability) => declared.includes(capability))) });
  });

  it('has negotiated what the client declared itself as well', () => {
    const { declared, result } = answered(air(['goal']), { ...CODEX, ...air(ALL) });
    expect(declared).toContain('goal');
    expect(result._meta.jetbrains.air.capabilities).toEqual(ALL.filter((capability) => declared.includes(capability)));
  });

  it('keeps its answer where nothing was added to what the client declared', () => {
    const own = air(['asyncTasks']);
    expect(answered(own, { ...CODEX, ...air(ALL) }).result).toEqual({ ...CODEX, ...air(ALL) });
  });
});

describe('an agent that names no more than was declared', () => {
  it.each([['all of it', air(['asyncTasks'])], ['nothing', {}]])('is passed on as it came: %s', (_, told) => {
    expect(answered({}, { ...CODEX, ...told }).result).toEqual({ ...CODEX, ...told });
  });
});

describe('an agent that is spoken to in v2', () => {
  const offered = (command: string, source: 'auto' | 'async-tasks' = 'auto'): Message => {
    const agentCommand = [command];
    const settings = { agentProtocol: 'v2', source, followUpWindow: 250, stale: 'off', staleAfter: 2000, agentCommand } as const;
    const on = wired(builtInPlugins(settings), { agentCommand });
    on.client.sends({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: { _meta: { own: 1 } } } });
    return on.agent.received()[0]?.params.capabilities;
  };

  it('is told of the extension where it is known to report by that only', () => {
    expect(offered('codex-acp')._meta.jetbrains.air.capabilities).toEqual(['asyncTasks', 'nativeSubagentSessions', 'backgroundSubagents']);
    expect(offered('some-agent', 'async-tasks')._meta.jetbrains.air.capabilities).toContain('asyncTasks');
    expect(offered('codex-acp')._meta.own).toBe(1);
  });

  it('is not told of it where it reports background work itself, or nothing is known of it', () => {
    for (const command of ['claude-agent-acp@0.101.0', 'some-agent']) expect(offered(command)).toEqual({ _meta: { own: 1 } });
  });
});
