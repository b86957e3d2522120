import { describe, expect, test } from 'vitest';
import { answer, drop, instead, keep, refuse, replace, type CallHooks, type Outcome, type Plugin } from '../../src/plugin.js';
import { wired, type Message } from './harness.js';
import { both, deferred, methods, signs } from './hooked.js';

describe('rule 1: the list runs from the client to the agent', () => {
  test('forwards to the agent, backwards to the client', () => {
    const { client, agent } = wired([signs('a'), signs('b'), signs('c')]);
    client.notifies('x', {});
    agent.notifies('y', {});
    expect(agent.received()[0].params.via).toEqual(['a', 'b', 'c']);
    expect(client.received()[0].params.via).toEqual(['c', 'b', 'a']);
  });

  test('each sees what the one before made of the message', () => {
    const seen: string[] = [];
    const { client, agent } = wired([
      both('a', { old: () => replace({ method: 'new' }) }),
      both('b', { old: () => void seen.push('b old'), new: ({ raw }) => void seen.push(`b ${Buffer.from(raw).toString()}`) }),
    ]);
    client.notifies('old', 1);
    expect(seen).toEqual(['b {"jsonrpc":"2.0","method":"new","params":1}\n']);
    expect(methods(agent.received())).toEqual(['new']);
  });

  test('a changed kind meets the hooks of its new kind, and only further on', () => {
    const seen: string[] = [];
    const update = (sessionUpdate: string): Message => ({ sessionId: 's', update: { sessionUpdate } });
    const kindly = (name: string): Plugin => ({
      name,
      toClient: { calls: { 'session/update': { old: () => (seen.push(`${name} old`), replace({ params: update('new') })), new: () => void seen.push(`${name} new`) } } },
    });
    const { client, agent } = wired([kindly('a'), kindly('b')]);
    agent.notifies('session/update', update('old'));
    expect(seen).toEqual(['b old', 'a new']);
    expect(client.received()[0].params).toEqual(update('new'));
  });
});

describe('rule 2: one message at a time per direction', () => {
  test('a promise holds its direction only, and nothing overtakes', async () => {
    const { promise, resolve } = deferred<Outcome>();
    const { client, agent, settled } = wired([both('a', { slow: () => promise })]);
    client.sends({ method: 'first', jsonrpc: '2.0' }, { method: 'slow', jsonrpc: '2.0' }, { method: 'third', jsonrpc: '2.0' });
    client.notifies('fourth');
    agent.notifies('other');
    expect(methods(agent.received())).toEqual(['first']);
    expect(methods(client.received())).toEqual(['other']);
    resolve(undefined);
    await settled();
    expect(methods(agent.received())).toEqual(['slow', 'third', 'fourth']);
  });

  test('every verdict may come late', async () => {
    const late = (outcome: Outcome) => () => Promise.resolve().then(() => outcome);
    const { client, agent, settled } = wired([
      both('a', {
        replace: late(replace({ params: 2 })),
        drop: late(drop()),
        instead: late(instead({ method: 'before', params: 1 }, keep)),
        answer: late(answer('yes')),
        refuse: late(refuse({ code: 1, message: 'no' })),
      }),
    ]);
    for (const method of ['replace', 'drop', 'instead']) client.notifies(method, 1);
    for (const method of ['answer', 'refuse', 'plain']) client.requests(method);
    await settled();
    expect(agent.received().map(({ method, params }) => [method, params])).toEqual([['replace', 2], ['before', 1], ['instead', 1], ['plain', undefined]]);
    expect(client.received()).toEqual([
      { jsonrpc: '2.0', id: 1, result: 'yes' },
      { jsonrpc: '2.0', id: 2, error: { code: 1, message: 'no' } },
    ]);
  });

  test('a thenable that is no promise is waited for too', async () => {
    const thenable = { then: (done: (outcome: Outcome) => void) => setImmediate(() => done(drop())) };
    const { client, agent, settled } = wired([both('a', { x: () => thenable as unknown as Promise<Outcome> })]);
    client.notifies('x');
    client.notifies('y');
    expect(agent.received()).toEqual([]);
    await settled();
    await settled();
    expect(methods(agent.received())).toEqual(['y']);
  });

  test('the reader is paused when too much waits, and goes on when all is done', async () => {
    const { promise, resolve } = deferred<Outcome>();
    const { client, agent, settled } = wired([both('a', { slow: () => promise })]);
    const line = `{"jsonrpc":"2.0","method":"x","params":"${'x'.repeat(1000)}"}\n`;
    expect(client.sendsBytes('{"jsonrpc":"2.0","method":"slow"}\n')).toBe(true);
    let sent = 0;
    while (client.sendsBytes(line)) sent++;
    expect(sent).toBeLessThan(100);
    expect(client.resumed()).toBe(0);
    resolve(undefined);
    await settled();
    expect(client.resumed()).toBe(1);
    expect(agent.received()).toHaveLength(sent + 2);
    expect(client.sendsBytes(line)).toBe(true);
  });
});

describe("rule 3: a plugin's own message", () => {
  const notes = (name: string, what: string): Plugin => both(name, { x: (_call, host) => host.notify('toAgent', what, name) });

  test('meets only the plugins after it', () => {
    const { client, agent } = wired([signs('a'), notes('b', 'mine'), signs('c'), signs('d')]);
    client.notifies('x', {});
    expect(agent.received().map(({ method, params }) => [method, params.via])).toEqual([
      ['x', ['a', 'c', 'd']],
      ['mine', ['c', 'd']],
    ]);
  });

  test('comes after the message at hand and before those not looked at yet', () => {
    const { client, agent } = wired([notes('a', 'mine')]);
    client.sends({ jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', method: 'y' }, { jsonrpc: '2.0', method: 'x' });
    expect(methods(agent.received())).toEqual(['x', 'mine', 'y', 'x', 'mine']);
  });

  test('several plugins: each answers for what left it, as processes in a row would', () => {
    const { client, agent } = wired([
      both('a', { x: (_call, host) => (host.notify('toAgent', 'a1', 0), host.notify('toAgent', 'a2', 0)) }),
      both('b', { '*': ({ method }, host) => host.notify('toAgent', `b(${method})`, 0) }),
      both('c', { 'b(x)': () => drop(), 'b(a1)': () => instead({ method: 'c', params: 0 }, keep) }),
    ]);
    client.sends({ jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', method: 'y' });
    expect(methods(agent.received())).toEqual(['x', 'a1', 'c', 'b(a1)', 'a2', 'b(a2)', 'y', 'b(y)']);
  });

  test('instead: its pieces come first, then what the hook said besides, each behind what later plugins say of it', () => {
    const { client, agent } = wired([
      both('a', { x: (_call, host) => (host.notify('toAgent', 'besides', 0), instead({ method: 'one', params: 0 }, keep, { method: 'two', params: 0 })) }),
      both('b', { one: (_call, host) => host.notify('toAgent', 'b(one)', 0), x: (_call, host) => host.notify('toAgent', 'b(x)', 0) }),
    ]);
    client.notifies('x');
    client.notifies('next');
    expect(methods(agent.received())).toEqual(['one', 'b(one)', 'x', 'b(x)', 'two', 'besides', 'next']);
  });

  test('in the other direction it goes straight there', () => {
    const { client, agent } = wired([signs('a'), both('b', { x: (_call, host) => (host.notify('toClient', 'told', {}), drop()) }), signs('c')]);
    client.sends({ jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', method: 'y' });
    expect(client.received()).toEqual([{ jsonrpc: '2.0', method: 'told', params: { via: ['a'] } }]);
    expect(methods(agent.received())).toEqual(['y']);
  });

  test('there and back again: it stands behind what is being handled in each direction', () => {
    const { client, agent } = wired([
      both('a', { back: (_call, host) => (host.notify('toClient', 'echo', 0), drop()) }),
      both('b', { x: (_call, host) => host.notify('toAgent', 'forth', 0) }),
      both('c', { forth: (_call, host) => host.notify('toClient', 'there', 0), there: () => undefined }),
    ]);
    agent.sends({ jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', method: 'y' });
    client.notifies('back');
    expect(methods(client.received())).toEqual(['x', 'there', 'y', 'echo']);
    expect(methods(agent.received())).toEqual(['forth']);
  });

  test('from a timer it goes at once', () => {
    const { client, agent, clock } = wired([both('a', { x: (_call, host) => void host.after(10, () => host.notify('toAgent', 'later', 0)) }), signs('b')]);
    client.notifies('x', {});
    client.notifies('y', {});
    clock.advance(9);
    expect(methods(agent.received())).toEqual(['x', 'y']);
    clock.advance(1);
    expect(methods(agent.received())).toEqual(['later']);
  });

  test.each([['before', 0], ['that', 1], ['after', 2]])('from a timer of the plugin %s holds, it stands behind the held message', async (_name, index) => {
    const { promise, resolve } = deferred<Outcome>();
    const timed = (i: number): CallHooks => (i === index ? { start: (_call, host) => void host.after(10, () => host.notify('toAgent', 'timed', 0)) } : {});
    const { client, agent, clock, settled } = wired([
      both('a', timed(0)),
      both('b', { ...timed(1), slow: () => promise }),
      both('c', { ...timed(2), slow: (_call, host) => host.notify('toAgent', 'c(slow)', 0) }),
    ]);
    client.sends({ jsonrpc: '2.0', method: 'start' }, { jsonrpc: '2.0', method: 'slow' }, { jsonrpc: '2.0', method: 'next' });
    clock.advance(10);
    expect(methods(agent.received())).toEqual(['start']);
    resolve(undefined);
    await settled();
    // What one plugin says stays in its order: "timed" was said before "c(slow)" where both are of c.
    expect(methods(agent.received())).toEqual(index === 2 ? ['slow', 'timed', 'c(slow)', 'next'] : ['slow', 'c(slow)', 'timed', 'next']);
  });
});
