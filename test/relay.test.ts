import { describe, expect, test } from 'vitest';
import { createRelay, type Traffic } from '../src/relay.js';
import { answer, drop, replace, take, type Direction, type EndReason, type Host, type Outcome, type Plugin, type Reply } from '../src/plugin.js';
import { wired, type Message } from './pipeline/harness.js';

const pass = (): undefined => undefined;
const methods = (messages: readonly Message[]): string[] => messages.map(({ method }) => method as string);
const never = new Promise<Outcome>(() => undefined);

describe('the end of the client', () => {
  test('the last line passes the plugins first, then they are told, from the client on', async () => {
    const told: unknown[] = [];
    const tells = (name: string): Plugin => ({
      name,
      toAgent: { calls: { last: () => void told.push(`${name} last`), bye: () => void told.push(`${name} bye`) } },
      onEnd: (reason, host) => (told.push([name, reason]), host.notify('toAgent', 'bye', name)),
    });
    const { client, agent } = wired([tells('a'), tells('b')]);
    client.sendsBytes('{"jsonrpc":"2.0","method":"last"}');
    await client.ends();
    await client.ends();
    const reason: EndReason = { kind: 'clientEnd' };
    expect(told).toEqual(['a last', 'b last', ['a', reason], 'b bye', ['b', reason]]);
    expect(agent.receivedBytes().toString()).toBe('{"jsonrpc":"2.0","method":"last"}\n{"jsonrpc":"2.0","method":"bye","params":"a"}\n{"jsonrpc":"2.0","method":"bye","params":"b"}\n');
  });

  test('waits for a hook that holds the lane', async () => {
    let settle!: (outcome: Outcome) => void;
    const order: string[] = [];
    const { client, agent } = wired([{ name: 'a', toAgent: { calls: { x: () => new Promise<Outcome>((resolve) => (settle = resolve)) } }, onEnd: () => void order.push('told') }]);
    client.notifies('x');
    client.sendsBytes('{"jsonrpc":"2.0","method":"y"}');
    const ended = client.ends().then(() => order.push('ended'));
    await Promise.resolve();
    expect(order).toEqual([]);
    settle(drop());
    await ended;
    expect(order).toEqual(['told', 'ended']);
    expect(methods(agent.received())).toEqual(['y']);
  });

  test('requests to it end with an error', async () => {
    const replies: Reply[] = [];
    const { client, agent } = wired([{ name: 'a', toAgent: { calls: { x: (_call, host) => void host.request('toClient', 'ask', 0, (reply) => replies.push(reply)) } } }]);
    client.notifies('x');
    await client.ends();
    expect(replies.map(({ to, error }) => [to.method, error])).toEqual([['ask', { code: -32603, message: 'the client is gone and has not answered' }]]);
    agent.notifies('still here');
    expect(methods(client.received())).toEqual(['ask', 'still here']);
  });

  test('a plugin that fails in onEnd is named, the others are told', async () => {
    const told: string[] = [];
    const fails = (): never => {
      throw new Error('broken');
    };
    const { client, log } = wired([{ name: 'bad', onEnd: fails }, { name: 'good', onEnd: () => void told.push('good') }]);
    await client.ends();
    expect([told, log.map((line) => line.split('\n')[0])]).toEqual([['good'], ['error: plugin "bad" failed in onEnd: Error: broken']]);
  });

  test('who has left is not told', async () => {
    const { client } = wired([{ name: 'a', toAgent: { calls: { x: (_call, host) => host.leave() } }, onEnd: () => expect.unreachable() }]);
    client.notifies('x');
    await client.ends();
  });
});

describe('the end of the agent', () => {
  test('its last line passes, requests to it end with an error, then plugins are told, from the agent on', async () => {
    const order: unknown[] = [];
    const tells = (name: string): Plugin => ({
      name,
      toAgent: { calls: { go: (_call, host) => void host.request('toAgent', `ask ${name}`, 0, ({ error }) => order.push([name, error?.code])) } },
      toClient: { calls: { '*': ({ method }) => void order.push(`${name} sees ${method}`) } },
      onEnd: (reason, host) => (order.push([name, reason]), host.notify('toClient', `bye of ${name}`, 0)),
    });
    const { client, agent, agentExits } = wired([tells('a'), tells('b')]);
    client.notifies('go');
    agent.sendsBytes('{"jsonrpc":"2.0","method":"last"}');
    await agentExits(3, null);
    const reason: EndReason = { kind: 'agentExit', code: 3, signal: null };
    expect(order).toEqual(['b sees last', 'a sees last', ['a', -32603], ['b', -32603], ['b', reason], 'a sees bye of b', ['a', reason]]);
    expect(client.receivedLines()).toEqual(['{"jsonrpc":"2.0","method":"last"}', '{"jsonrpc":"2.0","method":"bye of b","params":0}', '{"jsonrpc":"2.0","method":"bye of a","params":0}']);
  });

  test('after a torn line, what plugins say starts on a line of its own', async () => {
    const { client, agent, agentExits } = wired([{ name: 'a', onEnd: (_reason, host) => host.notify('toClient', 'bye', 0) }], { strayOutput: 'forward' });
    agent.sendsBytes('{"jsonrpc":"2.0","meth');
    await agentExits(null, 'SIGKILL');
    expect(client.receivedBytes().toString()).toBe('{"jsonrpc":"2.0","meth\n{"jsonrpc":"2.0","method":"bye","params":0}\n');
  });

  test('requests that were parked or held up, or are made only now, end with an error too', async () => {
    const errors: string[] = [];
    const asks = (method: string, host: Host): void => void host.request('toAgent', method, 0, ({ error }) => errors.push(`${method} ${String(error?.code)}`));
    const { client, agentExits } = wired([
      { name: 'a', toAgent: { calls: { go: (_call, host) => (asks('parked', host), asks('held', host), asks('dropped', host)) } }, onEnd: (_reason, host) => asks('late', host) },
      { name: 'b', toAgent: { calls: { parked: () => take(), dropped: () => drop(), held: () => never } } },
    ]);
    client.notifies('go');
    await agentExits();
    await Promise.resolve();
    expect(errors).toEqual(['parked -32603', 'held -32603', 'dropped -32603', 'late -32603']);
  });

  test.each<Direction>(['toAgent', 'toClient'])('the second reply to a request of a plugin %s reaches nobody', (direction) => {
    const replies: Reply[] = [];
    const asks: Plugin = { name: 'a', toAgent: { calls: { x: (_call, host) => (host.request(direction, 'ask', 0, (reply) => replies.push(reply)), drop()) } }, toClient: { calls: { x: pass } } };
    const { client, agent } = wired([asks]);
    const [asked, other] = direction === 'toAgent' ? [agent, client] : [client, agent];
    client.notifies('x');
    const { id } = asked.received()[0] as Message;
    for (const body of [{ result: 1 }, { result: 2 }, { error: { code: 1, message: 'late' } }, {}]) asked.sendsBytes(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
    asked.sendsBytes('{"jsonrpc":"2.0","id":"peer","result":{}}\n');
    expect(replies.map(({ result }) => result)).toEqual([1]);
    expect(other.receivedBytes().toString()).toBe('{"jsonrpc":"2.0","id":"peer","result":{}}\n');
  });

  test('a reply to a plugin that has neither result nor error ends its request', () => {
    const replies: Reply[] = [];
    const { client, agent } = wired([{ name: 'a', toAgent: { calls: { x: (_call, host) => (host.request('toAgent', 'ask', 0, (reply) => replies.push(reply)), drop()) } } }]);
    client.notifies('x');
    agent.sendsBytes(`${JSON.stringify({ jsonrpc: '2.0', id: (agent.received()[0] as Message).id })}\n`);
    expect(replies.map(({ to, result, error }) => [to.method, result, error])).toEqual([['ask', undefined, undefined]]);
    expect(client.received()).toEqual([]);
  });

  test('a reply that comes after all is ignored', async () => {
    const replies: unknown[] = [];
    let host!: Host;
    const { client, agentExits } = wired([
      { name: 'a', toAgent: { calls: { go: (_call, mine) => void mine.request('toAgent', 'long', 0, ({ error }) => replies.push(error?.code)) } } },
      { name: 'b', toAgent: { calls: { long: (_call, mine) => ((host = mine), take()) } } },
    ]);
    client.notifies('go');
    await agentExits();
    host.respond('toAgent', 'afterturn-unique-1-1', { result: 0 });
    expect(replies).toEqual([-32603]);
  });
});

describe('close', () => {
  test('closes each plugin once, in order, also when one fails', async () => {
    const closed: string[] = [];
    const closes = (name: string): Plugin => ({ name, close: () => Promise.resolve().then(() => void closed.push(name)) });
    const bad: Plugin = {
      name: 'bad',
      close: () => {
        throw new Error('broken');
      },
    };
    const { relay, log } = wired([closes('a'), bad, { name: 'late', close: () => Promise.reject(new Error('later')) }, closes('b')]);
    await Promise.all([relay.close(), relay.close()]);
    expect(closed).toEqual(['a', 'b']);
    expect(log.map((line) => line.split('\n')[0])).toEqual(['error: plugin "bad" failed in close: Error: broken', 'error: plugin "late" failed in close: Error: later']);
  });

  test('ignores everything that comes later, and lets go of what is held', async () => {
    let settle!: (outcome: Outcome) => void;
    const { client, agent, relay, clock, settled } = wired([{ name: 'a', toAgent: { calls: { x: () => new Promise<Outcome>((resolve) => (settle = resolve)) } } }]);
    client.notifies('x');
    const ended = client.ends();
    await relay.close();
    await ended;
    settle(undefined);
    await settled();
    agent.notifies('y');
    expect(client.sendsBytes('{"jsonrpc":"2.0","method":"z"}\n')).toBe(true);
    expect([agent.received(), client.received(), clock.pending()]).toEqual([[], [], 0]);
  });
});

describe('backpressure', () => {
  const line = '{"jsonrpc":"2.0","method":"x"}\n';

  test('a full sink pauses its source and nothing else, until it drains', () => {
    const { client, agent } = wired([]);
    client.stalls();
    expect([agent.sendsBytes(line), agent.sendsBytes(line), client.sendsBytes(line)]).toEqual([false, false, true]);
    expect(agent.resumed()).toBe(0);
    client.reads();
    expect([agent.resumed(), client.resumed()]).toEqual([1, 0]);
    client.reads();
    expect(agent.resumed()).toBe(1);
    expect(agent.sendsBytes(line)).toBe(true);
    expect(client.received()).toHaveLength(3);
  });

  test('a source that waits for a full sink and a held lane goes on when both are done', async () => {
    let settle!: (outcome: Outcome) => void;
    const { client, agent, settled } = wired([{ name: 'a', toAgent: { calls: { slow: () => new Promise<Outcome>((resolve) => (settle = resolve)) } } }]);
    agent.stalls();
    expect(client.sendsBytes(`${line}{"jsonrpc":"2.0","method":"slow"}\n${line}`)).toBe(false);
    agent.reads();
    expect(client.resumed()).toBe(0);
    settle(undefined);
    await settled();
    expect(client.resumed()).toBe(1);
  });

  test('a client that asks without reading the answers is paused too', () => {
    const { client } = wired([{ name: 'a', toAgent: { calls: { big: () => answer('x'.repeat(10_000)) } } }]);
    client.stalls();
    let asked = 0;
    while (client.sendsBytes(`{"jsonrpc":"2.0","id":${++asked},"method":"big"}\n`)) expect(asked).toBeLessThan(1000);
    expect(asked).toBeGreaterThan(10);
    client.reads();
    expect(client.resumed()).toBe(1);
  });
});

test('a connection refuses a plugin whose hooks are misplaced', () => {
  expect(() => wired([{ name: 'p', toAgent: { calls: { x: {} } } }])).toThrow(TypeError);
  expect(createRelay).toBeTypeOf('function');
});

test('who counts is told what passes as it came, what plugins change or make, and stray lines', () => {
  const told: string[] = [];
  const traffic: Traffic = {
    forwarded: (direction, lines) => void told.push(`${direction} ${lines}`),
    written: (direction, messages) => void told.push(`${direction} written ${messages}`),
    stray: () => void told.push('stray'),
  };
  const { client, agent } = wired([{ name: 'a', toAgent: { calls: { y: () => replace({ params: 1 }), z: (_call, host) => host.notify('toClient', 'own', 0) } } }], { traffic });
  client.sends({ jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', method: 'y' }, { jsonrpc: '2.0', method: 'z' });
  agent.sends('noise', { jsonrpc: '2.0', method: 'x' });
  expect(told).toEqual(['toAgent 1', 'toAgent written 1', 'toClient written 1', 'toAgent 1', 'stray', 'toClient 1']);
});

test('also where no plugin wants anything, line by line', () => {
  let lines = 0;
  const { client } = wired([], { traffic: { forwarded: (_direction, more) => void (lines += more), written: () => {}, stray: () => {} } });
  client.sends({ jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', method: 'y' });
  expect(lines).toBe(2);
});

describe('requests of a plugin that nobody answers', () => {
  test('wait in bounds: beyond, each has an error at once, and a late answer reaches nobody', async () => {
    const replies: string[] = [];
    const asks: Plugin = { name: 'asks', toClient: { calls: { ask: (_call, host) => void host.request('toClient', 'asked', {}, ({ error }) => void replies.push(error?.message ?? 'answered')) } } };
    const { agent, client, log } = wired([asks]);
    for (let n = 0; n < 16 * 1024; n++) agent.notifies('ask');
    await Promise.resolve();
    expect(replies).toEqual([]);
    const [first] = client.received().filter(({ method }) => method === 'asked') as Message[];
    agent.notifies('ask');
    await Promise.resolve();
    expect(replies).toEqual([expect.stringContaining('wait for their answers already')]);
    const [last] = client.received().filter(({ method }) => method === 'asked') as Message[];
    client.answers(last?.id, {});
    client.answers(first?.id, {});
    expect(replies.slice(1)).toEqual(['answered']);
    expect([agent.received(), log]).toEqual([[], []]);
  });
});
