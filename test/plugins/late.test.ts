/** Plugins that are made when they are needed: when that is, and that nobody on the wire can tell. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { builtInPlugins, type Settings } from '../../plugins/index.js';
import { late, type LateSettings, type Need } from '../../plugins/late.js';
import { replace, take, type Plugin } from '../../src/plugin.js';
import { wired, type Message } from '../pipeline/harness.js';
import { corpusNames, loadCorpus } from '../tools/recording.js';

const seed = Number(process.env.AFTERTURN_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.AFTERTURN_RUNS ?? 150);

const initialize = (version = 1, capabilities = {}): Message => ({
  jsonrpc: '2.0', id: 0, method: 'initialize',
  params: version === 1 ? { protocolVersion: 1, clientCapabilities: capabilities } : { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities },
});

describe('what stands in for a plugin', () => {
  const stood = (asked: Need, answered: Need, plugin: Partial<Plugin> = {}, other?: (method: string) => Need) => {
    const made: string[] = [];
    const on = wired([late({ name: 'p', needs: { asked: () => asked, answered: () => answered, ...(other && { other }) }, make: () => (made.push('p'), { name: 'p', ...plugin }) })]);
    return { ...on, made };
  };
  const opens = ({ client, agent }: ReturnType<typeof stood>): Message => {
    client.sends(initialize());
    for (const { id } of agent.received()) agent.answers(id, { protocolVersion: 1 });
    return client.received()[0];
  };

  it.each<[Need, Need, string[]]>([['nothing', 'now', []], ['later', 'nothing', []], ['later', 'later', []], ['later', 'now', ['p']], ['now', 'nothing', ['p']]])('asked: %s, answered: %s: makes %j', (asked, answered, made) => {
    const on = stood(asked, answered);
    expect(opens(on)).toMatchObject({ id: 0, result: {} });
    expect(on.made).toEqual(made);
  });

  it('makes it for the first message that nobody can say anything about, and once', () => {
    const on = stood('later', 'later');
    opens(on);
    on.agent.notifies('a');
    on.client.notifies('b');
    expect(on.made).toEqual(['p']);
    expect([on.client.received().length, on.agent.received().length]).toEqual([1, 1]);
  });

  it('asks what such a message means, where that can be said', () => {
    const on = stood('later', 'later', {}, (method) => (method === 'now' ? 'now' : method === 'gone' ? 'nothing' : 'later'));
    for (const method of ['a', 'now']) on.agent.notifies(method);
    expect(on.made).toEqual(['p']);
    const left = stood('later', 'now', {}, () => 'nothing');
    left.agent.notifies('gone');
    opens(left);
    expect(left.made).toEqual([]);
  });

  it('tells it of the requests that it missed, before the answer that made it', () => {
    const told: string[] = [];
    const on = stood('later', 'now', {
      toAgent: { calls: { initialize: ({ params }) => void told.push(JSON.stringify(params)) } },
      toClient: { replies: { initialize: ({ result }) => (told.push(JSON.stringify(result)), replace({ result: 'changed' })) } },
    });
    expect(opens(on).result).toBe('changed');
    expect(told).toEqual(['{"protocolVersion":1,"clientCapabilities":{}}', '{"protocolVersion":1}']);
  });

  it('remembers few requests that nobody answers', () => {
    const told: unknown[] = [];
    const on = stood('later', 'now', { toAgent: { calls: { initialize: ({ id }) => void told.push(id) } } });
    for (let id = 1; id <= 1000; id += 1) on.client.sends({ ...initialize(), id });
    on.agent.answers(1000, { protocolVersion: 1 });
    expect(told.length).toBeLessThan(20);
    expect(told.at(-1)).toBe(1000);
  });

  it('leaves it the request that it is needed for', () => {
    const on = stood('now', 'now', { toAgent: { calls: { initialize: () => take() } } });
    on.client.sends(initialize());
    expect([on.made, on.agent.received()]).toEqual([['p'], []]);
  });

  it('passes messages on where it cannot be made, or refuses them where that would be a lie', () => {
    const broken = (onHookError: 'pass' | 'refuse'): unknown => {
      const needs = { asked: (): Need => 'now', answered: (): Need => 'now' };
      const { client, agent, log } = wired([late({ name: 'p', needs, onHookError, make: () => { throw new Error('no such file'); } })]);
      client.sends(initialize());
      expect(log).toHaveLength(1);
      return [agent.received().length, client.received().map(({ error }) => error?.code)];
    };
    expect([broken('pass'), broken('refuse')]).toEqual([[1, []], [0, [-32603]]]);
  });
});

const settings: Settings = { agentProtocol: 'auto', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: ['some-agent'] };

/** Which of the built-in plugins are made. */
function madeFor(changed: Partial<Settings>, version: number, answer: object, capabilities = {}): string[] {
  const made: string[] = [];
  const note = (each: LateSettings): Plugin => late({ ...each, make: () => (made.push(each.name), each.make()) });
  const chosen = { ...settings, ...changed };
  const { client, agent } = wired(builtInPlugins(chosen, note), { agentCommand: chosen.agentCommand });
  client.sends(initialize(version, capabilities));
  for (const { id } of agent.received()) agent.answers(id, answer);
  for (const { id } of agent.received()) agent.answers(id, answer);
  expect(client.received()).toHaveLength(1);
  client.requests('session/new', { cwd: '/', mcpServers: [] });
  for (const { id } of agent.received()) agent.answers(id, { sessionId: 's' });
  agent.notifies('session/update', { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x' } } });
  return made.sort();
}

test('a plain session makes none of them; others make what they need', () => {
  const claude = { protocolVersion: 1, agentInfo: { name: '@agentclientprotocol/claude-agent-acp', version: '0.60.0' }, agentCapabilities: {} };
  const native = { protocolVersion: 2, info: { name: 'a', version: '1' }, capabilities: {} };
  expect(madeFor({}, 1, { protocolVersion: 1, agentCapabilities: {} })).toEqual([]);
  expect(madeFor({ agentCommand: ['claude-agent-acp'] }, 1, claude)).toEqual(['keep-open', 'stale']);
  expect(madeFor({}, 2, { protocolVersion: 1, agentCapabilities: {} })).toEqual(['background', 'bridge', 'stale']);
  expect(madeFor({}, 2, native)).toEqual(['background', 'bridge', 'gaps', 'stale']);
  expect(madeFor({ agentProtocol: 'v2' }, 2, native)).toEqual(['background', 'gaps', 'stale']);
  const down = ['bridge-down', 'gaps', 'keep-open', 'legacy-subagents', 'legacy-tasks', 'stale'];
  expect(madeFor({ agentProtocol: 'v2' }, 1, native)).toEqual(down);
  expect(madeFor({}, 1, native)).toEqual(down);
});

/** The lines of a recording as they reach both sides, of plugins that stand there from the beginning or are made late. */
function playedBoth(name: string, changed: Partial<Settings>, left: (at: number) => boolean): void {
  const chosen = { ...settings, ...changed };
  const [now, later] = [({ make }: LateSettings) => make(), late].map((standIn) => wired(builtInPlugins(chosen, standIn), { agentCommand: chosen.agentCommand })) as [ReturnType<typeof wired>, ReturnType<typeof wired>];
  const ids = new Map<string, unknown>();
  const compared = (): string => {
    const [expected, came] = [now, later].map(({ client, agent }) => [client.receivedBytes().toString(), agent.receivedBytes().toString()]) as [string[], string[]];
    expect(came).toEqual(expected);
    return expected[1] ?? '';
  };
  const does = (run: (on: ReturnType<typeof wired>) => void): string => {
    for (const on of [now, later]) run(on);
    return compared();
  };
  for (const [at, { t, dir, msg }] of (loadCorpus(name) as readonly { t: number; dir: string; msg: Message }[]).entries()) {
    if (left(at)) continue;
    does((on) => on.clock.advance(Math.max(0, t - on.clock.now())));
    if (dir === 'a2c') does((on) => on.agent.sends(msg.method === undefined ? { ...msg, id: ids.get(JSON.stringify(msg.id)) ?? msg.id } : msg));
    else {
      const sent = does((on) => on.client.sends(msg)).split('\n').filter(Boolean).map((line) => JSON.parse(line) as Message);
      const request = sent.find(({ method, id }) => method !== undefined && id !== undefined);
      if (msg.method !== undefined && msg.id !== undefined && request !== undefined) ids.set(JSON.stringify(msg.id), request.id);
    }
  }
  does((on) => on.clock.advance(5000));
  expect(later.log).toEqual(now.log);
}

describe('nobody on the wire can tell when a plugin was made', () => {
  const names = corpusNames();

  it(`in whatever is left of a recording: ${RUNS} of them, seed ${seed}`, () => {
    const choices = fc.record({
      name: fc.constantFrom(...names),
      changed: fc.record({
        agentProtocol: fc.constantFrom('auto', 'v1', 'v2'), source: fc.constantFrom('auto', 'async-tasks', 'claude-raw', 'none'), stale: fc.constantFrom('auto', 'always', 'off'),
        agentCommand: fc.constantFrom(['some-agent'], ['claude-agent-acp'], ['codex-acp']),
      }),
      left: fc.oneof(fc.constant([]), fc.array(fc.nat(8), { maxLength: 4 })),
    });
    fc.assert(fc.property(choices, ({ name, changed, left }) => playedBoth(name, changed as Partial<Settings>, (at) => (left as number[]).includes(at))), { seed, numRuns: RUNS });
  });
});
